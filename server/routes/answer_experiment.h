/* Experiments as the endpoints show them. */
#ifndef COALESCED_SERVER_ROUTES_ANSWER_EXPERIMENT_H
#define COALESCED_SERVER_ROUTES_ANSWER_EXPERIMENT_H

#include "api/views.h"
#include "server/routes/service.h"

/* A job as it is shown; borrows from the job. Its place in the queue is left to place_find(). */
void view_of_job(struct service *service, const struct job *job, struct view_experiment *view);

/* Fills in position, time, cancellation and what it waits for of one that has not ended; id, device and request (NULL: not
   known) are there. False: it is neither queued nor running any more. *running: it runs. */
bool place_find(struct service *service, struct view_experiment *view, bool *running);

/* Answers with that view: whole, with an entity tag (and 304) once it ended; or the short form. */
enum handled reply_experiment(struct request *request, const struct view_experiment *view);
enum handled reply_accepted(struct request *request, unsigned status, const struct view_experiment *view);

#endif
