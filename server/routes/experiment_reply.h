/* Experiments as the endpoints show them. */
#ifndef COALESCED_SERVER_ROUTES_EXPERIMENT_REPLY_H
#define COALESCED_SERVER_ROUTES_EXPERIMENT_REPLY_H

#include "api/experiment_view.h"
#include "server/routes/service.h"

/* Fills the view of a job, from which it borrows; all but the place in the queue. */
void experiment_reply_init(struct service *service, const struct job *job, struct view_experiment *view);

/* Fills in the place of an experiment that has not ended: position, time, cancellation and what it waits
   for. The view has its id, device and request (NULL: not known). False: it is neither queued nor running
   any more. */
bool experiment_reply_place(struct service *service, struct view_experiment *view, bool *running);

/* Answers with the whole view; of an ended experiment with an entity tag, or 304. */
enum handled experiment_reply_send(struct request *request, const struct view_experiment *view);

/* Answers with the short form; a 202 with when to ask again. */
enum handled experiment_reply_accepted(struct request *request, unsigned status,
                                       const struct view_experiment *view);

#endif
