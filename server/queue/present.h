/* What is bound to no device goes where it may, as devices come. */
#ifndef COALESCED_SERVER_QUEUE_PRESENT_H
#define COALESCED_SERVER_QUEUE_PRESENT_H

#include "server/queue/entries/entry.h"

/* Selects anew, without the lock held, on which devices all may run that is bound to none; or that alone for which there is
   none now. */
void present_choose(struct queue *queue, bool stranded);

#endif
