/* Which device is which: a name keeps its number as long as it is in the list or anything stored refers to it, and what an
   executor said last of the device is kept with it. */
#ifndef COALESCED_SERVER_DEVICES_DEVICE_IDENTITY_H
#define COALESCED_SERVER_DEVICES_DEVICE_IDENTITY_H

#include "server/devices/roster.h"

struct device_identity;
struct store;

/* The numbers of a list's devices. */
struct numbering {
    int numbers[DEVICES_MAX];     /* of each entry, in the order of the list; -1: none is left */
    struct device_set reassigned; /* numbers that another device had before */
    struct error no_number_error; /* for which device no number is left, and why; none: all have one */
};

/* Tells `devices` the names of all that have a number, and what is known of them. -1: ERROR_STORE, ERROR_UNAVAILABLE,
   ERROR_MEMORY. */
int device_identity_new(struct device_identity **identity, struct store *store, struct devices *devices,
                        struct error *error);

/* After the last worker's end. NULL is allowed. */
void device_identity_free(struct device_identity *identity);

/* Gives each entry of the list its number; a new one is on disk. A new name gets the lowest number that none ever had; when
   all were given, one of a device that is not in the list, whose worker has ended (it is not in `busy`) and to which nothing
   stored refers: that device is forgotten. Waits for the disk. -1: what the store says, ERROR_MEMORY. */
int device_identity_number(struct device_identity *identity, const struct roster *roster,
                           const struct device_set *busy, struct numbering *numbering, struct error *error);

/* The device is in use now, on disk a moment later: of several devices whose numbers may be given again, the one that was
   used least recently is forgotten first. When its worker begins and when it ends. */
void identity_touch(struct device_identity *identity, int device);

/* Before the device's worker is started: one that holds nothing without work and is known counts as usable until it shows itself
   otherwise, because nobody starts it to find that out. */
void device_identity_trust(struct device_identity *identity, int device);

/* Fits worker_callbacks.said_hello: keeps it, when it says something new. That it is of another device than before is told. */
void device_identity_hello(void *identity, int device, const char *line);

#endif
