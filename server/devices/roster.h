/* The list of devices as it should be: what the options and the file say, with the devices of this machine
   for "auto", and with all defaults filled in. One thread at a time. */
#pragma once

#include "server/devices/executor_session.h"

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

struct roster {
    int count; /* DEVICES_MAX at most */
    struct executor_config *entries[DEVICES_MAX];
};

/* What "auto" stands for, found once; all zero: not yet. */
struct roster_local {
    int count;
    char backend[16];
};

/* Reads the list, with a probe of this machine where "auto" is in it and *local is not known; to be freed
   with roster_free(). -1: ERROR_INVALID says what is wrong; ERROR_SYSTEM, ERROR_MEMORY, the errors of
   supervisor_probe(). */
int roster_read(struct roster **roster, const struct roster_config *config, struct roster_local *local,
                struct error *error);

/* NULL is allowed. Entries with other users stay until roster_entry_drop(). */
void roster_free(struct roster *roster);

/* One user less of an entry; the last one frees it. NULL is allowed. */
void roster_entry_drop(struct executor_config *entry);
