/* The numbers of device names, and the last hello of each device, both in the store: a name has its number as
   long as it is listed or anything that is stored refers to it, and a device's limits are known while it has
   no executor. */
#pragma once

#include "server/devices/roster.h"

struct store;

/* Both are borrowed. */
struct device_identity {
    struct store *store;
    struct devices *devices;
};

/* What came of numbering a list. */
struct numbering {
    struct device_set reassigned; /* numbers that another device had before */
    /* Names a device without a number, and says why; ERROR_NONE: all have one. */
    struct error no_number_error;
};

/* Publishes all names that have a number, and what is known of them, in identity->devices. -1: ERROR_STORE,
   ERROR_UNAVAILABLE, ERROR_MEMORY. */
int device_identity_publish(const struct device_identity *identity, struct error *error);

/* Gives each entry of the list its number, and waits until new ones are on disk. A new name gets the lowest
   number that was never given; else that of a device which is not listed, whose worker has ended (it is not
   in `busy`) and to which nothing stored refers: that device is forgotten. -1: the store's errors,
   ERROR_MEMORY. The pool's thread. */
int device_identity_number(const struct device_identity *identity, const struct roster *roster,
                           const struct device_set *busy, struct numbering *numbering, struct error *error);

/* Notes that the device is in use now, on disk a moment later: of the devices whose numbers may be given
   again, the one least recently used is forgotten first. Called at the begin and the end of its worker. Any
   thread. */
void device_identity_touch(const struct device_identity *identity, int device);

/* Stores the hello when it differs from the last one, and logs when it is of another device. Called before
   the device's row has what the hello says. Any thread. */
void device_identity_hello(const struct device_identity *identity, int device, const char *header);
