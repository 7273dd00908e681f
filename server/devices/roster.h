/* The list of devices as it is to be: what the options and the file say, with the devices of this machine where "auto" stands,
   and with every default filled in. One thread at a time. */
#ifndef COALESCED_SERVER_DEVICES_ROSTER_H
#define COALESCED_SERVER_DEVICES_ROSTER_H

#include "api/device_list.h"
#include "server/devices/devices.h"
#include "server/devices/worker.h"

struct roster_config {
    const char *devices;      /* "auto", specs with commas between them, or empty */
    const char *device_lines; /* NAME=COMMAND, one a line; may be empty */
    const char *file;         /* may be empty */
    const char *executor_command;
    double idle_s,
        hello_s;   /* of all that say nothing of it themselves; negative: by the kind of the command */
    double lost_s; /* of those behind another command that do not say it; 0: no lease */
    const char *lock_dir;
    double grace_s;
    int (*spec_check)(const char *spec, struct error *error); /* does this program know such a device? */
};

struct roster_entry {
    struct device_listing listing;
    char spec[DEVICE_LIST_SPEC];
    char **command; /* ended by NULL */
    char **why;     /* the same, of what is asked what a start waits for; NULL: nobody is */
    double heartbeat_s, lost_s;
    char *how; /* all that its worker must know, as a text: two that are equal need no other worker */
};

struct roster {
    int count; /* DEVICES_MAX at most */
    struct roster_entry entries[DEVICES_MAX];
};

/* What "auto" stands for, found out once; all zero: not yet. */
struct roster_local {
    int count;
    char backend[16];
};

/* Reads the file, and starts an executor where "auto" is asked for and *local is not known; to be freed. -1: ERROR_INVALID
   says what is wrong; ERROR_SYSTEM, ERROR_MEMORY, what worker_probe() says. */
int roster_read(struct roster **roster, const struct roster_config *config, struct roster_local *local,
                struct error *error);

/* NULL is allowed. */
void roster_free(struct roster *roster);

/* What its worker is to be told; the caller adds whom it tells. All borrowed. */
struct worker_config roster_worker(const struct roster_entry *entry, const struct roster_config *config);

#endif
