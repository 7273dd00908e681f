/* What a user may not do, where there are tokens: the 403s that depend on more than the route. Each returns true when it
   answered, with *handled. */
#ifndef COALESCED_SERVER_ROUTES_ANSWER_FORBIDDEN_H
#define COALESCED_SERVER_ROUTES_ANSWER_FORBIDDEN_H

#include "server/routes/service.h"

/* To end or remove an experiment, or a sweep, that is somebody else's. One that is not there is not forbidden. */
bool forbid_experiment_of_other(struct request *request, const char *id, enum handled *handled);
bool forbid_sweep_of_other(struct request *request, const char *id, enum handled *handled);

/* To go before others with a priority above EXPERIMENT_PRIORITY_MAX. */
bool forbid_override(struct request *request, int64_t priority, enum handled *handled);

#endif
