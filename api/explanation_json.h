/* The answer to "explain" as JSON: the instructions of one warp and each of their accesses, lane by lane. */
#ifndef COALESCED_API_EXPLANATION_JSON_H
#define COALESCED_API_EXPLANATION_JSON_H

#include "base/json_writer.h"
#include "kernels/model/explain.h"

/* `access` has the sums that came with the explanation. `prediction`: of the architecture in whose units the
   accesses are listed; NULL: there is none, and only sectors and lines are. */
void explanation_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                            const struct access *access, const struct explain *explain,
                            const struct prediction *prediction);

#endif
