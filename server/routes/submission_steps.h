/* The way of a request that submits: read, decided (submission_plan.h), queued, and answered once it is on
   the disk or, with "Prefer: wait=N", once all of it has ended. */
#pragma once

#include "server/http/route.h"

/* POST of one experiment, which "repeat" makes a sweep; of a sweep or a recipe. */
route_handler submission_steps_experiment, submission_steps_sweep;
