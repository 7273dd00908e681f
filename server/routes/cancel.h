/* Cancelling over HTTP, of an experiment or of a sweep: ask the queue, wait for its commit, answer. */
#ifndef COALESCED_SERVER_ROUTES_CANCEL_H
#define COALESCED_SERVER_ROUTES_CANCEL_H

#include "server/routes/service.h"

/* queue_cancel() or queue_cancel_sweep() */
typedef int (*cancel_ask)(struct queue *queue, const char *id,
                          void (*done)(void *arg, const struct error *failed), void *arg,
                          struct error *error);

/* What became of it. `asked`: the queue has taken the cancellation; else it knows of none that could be. */
typedef enum handled (*cancel_answer)(struct request *request, const char *id, bool asked);

/* The whole handler. */
enum handled cancel_handle(struct request *request, cancel_ask ask, cancel_answer answer);

#endif
