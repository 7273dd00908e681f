/* Which device is which: a name keeps its number as long as it is in the list or anything stored refers to it, and what an
   executor said last of the device is kept with it. */
#ifndef COALESCED_SERVER_DEVICES_POOL_IDENTITY_H
#define COALESCED_SERVER_DEVICES_POOL_IDENTITY_H

#include "server/devices/pool/roster.h"

struct identity;
struct store;

/* Tells `devices` the names of all that have a number, and what is known of them. -1: ERROR_STORE, ERROR_UNAVAILABLE,
   ERROR_MEMORY. */
int identity_new(struct identity **identity, struct store *store, struct devices *devices,
                 struct error *error);

/* After the last worker's end. NULL is allowed. */
void identity_free(struct identity *identity);

/* The number of each entry, in the order of the list; a new one is on disk. A new name gets the lowest number that none ever
   had; when all were given, one of a device that is not in the list, whose worker has ended (it is not in `busy`) and to which
   nothing stored refers: that device is forgotten. -1 where none is left, and *left_out says of which device and why. Waits for
   the disk. -1: what the store says, ERROR_MEMORY. */
int identity_number(struct identity *identity, const struct roster *roster, const struct device_set *busy,
                    int numbers[DEVICES_MAX], struct error *left_out, struct error *error);

/* Before the device's worker is started: one that holds nothing without work and is known counts as usable until it shows itself
   otherwise, because nobody starts it to find that out. */
void identity_trust(struct identity *identity, int device);

/* Did its last executor, now or of a service before this one, know of leases? What ran without one nobody waits for. */
bool identity_leased(struct identity *identity, int device);

/* Fits worker_told.said_hello: keeps it, when it says something new. That it is of another device than before is told. */
void identity_hello(void *identity, int device, const char *line);

#endif
