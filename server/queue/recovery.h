/* Loads what the store holds when the queue opens. Nothing runs yet, so what the store calls running was
   left by an earlier server when it died. */
#ifndef COALESCED_SERVER_QUEUE_RECOVERY_H
#define COALESCED_SERVER_QUEUE_RECOVERY_H

#include "server/queue/queue_state.h"

/* As queue_admin_open() says. Called without the queue's lock. 0 or -1. */
int recovery_load(struct queue *queue, struct error *error);

#endif
