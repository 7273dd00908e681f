/* The list of devices as it should be: what the options and the file say, with the devices of this machine
   for "auto", and with all defaults filled in. One thread at a time. */
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
        hello_s;   /* defaults of all entries without their own; negative: by the kind of the command */
    double lost_s; /* default of entries behind another command; 0: no lease */
    const char *lock_dir;
    double grace_s;
    int (*spec_check)(const char *spec, struct error *error); /* 0: this program knows such a device */
};

struct roster_entry {
    struct device_listing listing;
    char spec[DEVICE_LIST_SPEC];
    char **command; /* ended by NULL */
    char **why;     /* the command that says what a start waits for; NULL: none */
    double heartbeat_s, lost_s;
    char *config_key; /* all that its worker depends on, as one text: equal keys need no other worker */
};

struct roster {
    int count; /* DEVICES_MAX at most */
    struct roster_entry entries[DEVICES_MAX];
};

/* What "auto" stands for, found once; all zero: not yet. */
struct roster_local {
    int count;
    char backend[16];
};

/* Reads the list, with a probe of this machine where "auto" is in it and *local is not known; to be freed
   with roster_free(). -1: ERROR_INVALID says what is wrong; ERROR_SYSTEM, ERROR_MEMORY, the errors of
   worker_probe(). */
int roster_read(struct roster **roster, const struct roster_config *config, struct roster_local *local,
                struct error *error);

/* NULL is allowed. */
void roster_free(struct roster *roster);

/* The configuration of the entry's worker, without callbacks. All of it is borrowed. */
struct worker_config roster_worker(const struct roster_entry *entry, const struct roster_config *config);

#endif
