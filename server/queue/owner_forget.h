/* Owners that matter no more are forgotten, in memory and on disk, so that neither grows with each name that was ever used. */
#ifndef COALESCED_SERVER_QUEUE_OWNER_FORGET_H
#define COALESCED_SERVER_QUEUE_OWNER_FORGET_H

#include "server/queue/entry.h"

/* So many owners without work are kept. */
enum { OWNERS_KEPT = 1024 };

/* With the lock held: forgets the owners that have no work and have used less than a millisecond (usage halves with each
   half-life), and of the others without work all but the OWNERS_KEPT that have used most. One that comes back begins as a new
   one, with no usage. Linear in the owners: it is called when there are more than queued experiments + 2 x OWNERS_KEPT owners. */
void owners_forget(struct queue *queue);

#endif
