/* Forgets owners that no longer matter, in memory and on disk, so that neither grows with each name ever used. */
#ifndef COALESCED_SERVER_QUEUE_OWNER_FORGET_H
#define COALESCED_SERVER_QUEUE_OWNER_FORGET_H

#include "server/queue/queue_state.h"

/* How many owners without work are remembered. */
enum { OWNERS_IDLE_MAX = 1024 };

/* Called with the lock held. Forgets the owners without work that have used less than a millisecond (usage halves with
   each half-life), and of the others without work all but the OWNERS_IDLE_MAX that have used most. An owner that comes
   back starts with no usage. Linear in the owners: called when there are more owners than queued experiments +
   2 x OWNERS_IDLE_MAX. */
void owner_forget(struct queue *queue);

#endif
