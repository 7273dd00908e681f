/* Experiments as the endpoints show them. */
#ifndef COALESCED_SERVER_ROUTES_EXPERIMENT_REPLY_H
#define COALESCED_SERVER_ROUTES_EXPERIMENT_REPLY_H

#include "api/sweep_view.h"
#include "server/routes/service.h"

/* A job as it is shown; borrows from the job. Its place in the queue is left to experiment_reply_place(). */
void experiment_reply_init(struct service *service, const struct job *job, struct view_experiment *view);

/* Fills in position, time, cancellation and what it waits for of one that has not ended; id, device and request (NULL: not
   known) are there. False: it is neither queued nor running any more. *running: it runs. */
bool experiment_reply_place(struct service *service, struct view_experiment *view, bool *running);

/* Answers with that view: whole, with an entity tag (and 304) once it ended; or the short form. */
enum handled experiment_reply_reply(struct request *request, const struct view_experiment *view);
enum handled experiment_reply_reply_accepted(struct request *request, unsigned status,
                                             const struct view_experiment *view);

#endif
