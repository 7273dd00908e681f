/* Turns on one machine: what disturbs one another's times runs one after the other, whichever process or service it belongs
   to. A turn is a lock (flock) on a file in the directory of locks, held for a run: the device's own always, the peer's for
   an experiment of two, and "host-link" for what crosses the bus or works on the host's memory. A process that ends, however
   it does, has none any more. Where there is no directory, or it cannot be locked, nothing is waited for. */
#ifndef COALESCED_EXECUTOR_TURNS_H
#define COALESCED_EXECUTOR_TURNS_H

#include <stdbool.h>

enum turn { TURN_DEVICE, TURN_PEER, TURN_HOST_LINK, TURNS };

/* All zero but what is said: no turn is held. */
struct turns {
    const char *directory; /* NULL: there is none */
    const char *uuid;      /* the device's own */
    void (*waits)(
        void *arg); /* called once before a wait of turns_take(), not when all is free; may be NULL */
    void *arg;
    int held[TURNS]; /* a descriptor each, 0: not held */
};

/* Takes the device's turn and, unless `peer` is empty, that of the device of that uuid: in the order of the uuids, so that no
   two wait for each other; and last, with `host_link`, that. Waits as long as it takes. */
void turns_take(struct turns *turns, const char *peer, bool host_link);

/* That one alone, if it is not held yet; after turns_take(). */
void turns_take_host_link(struct turns *turns);

/* Gives all back. */
void turns_give(struct turns *turns);

#endif
