/* The way of a request that submits: read, decided (submission_plan.h), queued, and answered once it is on
   the disk or, with "Prefer: wait=N", once all of it has ended. */
#ifndef COALESCED_SERVER_ROUTES_SUBMISSION_STEPS_H
#define COALESCED_SERVER_ROUTES_SUBMISSION_STEPS_H

#include "server/http/route.h"

/* The whole handler. `sweep`: the body is a sweep's or a recipe's, else one experiment's, which "repeat"
   makes a sweep. */
enum handled submission_steps_handle(struct request *request, bool sweep);

#endif
