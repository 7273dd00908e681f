/* The operator's list of devices, as it is written down: a file of JSON, and options. docs/devices.md
   describes it. The caller decides which devices "auto" stands for, and the defaults of what is left out. */
#pragma once

#include <stdbool.h>

#include "api/device_set.h"
#include "base/error.h"

enum { DEVICE_LIST_NAME = 64, DEVICE_LIST_SPEC = 128, DEVICE_LIST_NOTE = 256 }; /* bytes, with the end */

enum device_idle {
    DEVICE_IDLE_DEFAULT,
    DEVICE_IDLE_CONTEXT, /* an executor without a context stays */
    DEVICE_IDLE_RELEASE, /* no process stays */
};

/* One device; or, with `automatic` and nothing else, those of this machine. Times in seconds, negative:
   not said. */
struct device_entry {
    bool automatic;
    char name[DEVICE_LIST_NAME];
    char *command; /* owned; NULL: what runs the others */
    char spec[DEVICE_LIST_SPEC];
    char note[DEVICE_LIST_NOTE]; /* empty: none */
    char why[DEVICE_LIST_NOTE];  /* a command that says what a start waits for; empty: none */
    bool counting;               /* another command may be started a second time, to count */
    enum device_idle idle;
    double idle_s, hold_s, start_s, heartbeat_s, lost_s;
};

/* All zero: an empty one. */
struct device_list {
    int count; /* DEVICE_SET_MOST at most */
    struct device_entry entries[DEVICE_SET_MOST];
};

/* Letters, digits and ._:-, a letter or a digit first, not all digits, 63 bytes at most. */
bool device_list_name_valid(const char *name);

/* One of which nothing is said: "auto:0", without a name. */
extern const struct device_entry device_entry_unsaid;

/* Adds what an option says: "NAME=COMMAND". -1: ERROR_INVALID, which says what would be right;
   ERROR_MEMORY. */
int device_list_option(struct device_list *list, const char *text, struct error *error);

/* Adds what stands in a file; `path` is for what is said. -1: ERROR_INVALID names the entry, the member
   and what would be right; ERROR_MEMORY. */
int device_list_parse(struct device_list *list, const char *text, const char *path, struct error *error);

void device_list_free(struct device_list *list);
