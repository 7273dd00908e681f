/* What POST /v1/predictions is asked besides an experiment: "arch" and "explain". */
#ifndef COALESCED_API_PREDICTION_REQUEST_H
#define COALESCED_API_PREDICTION_REQUEST_H

#include <jansson.h>

#include "kernels/experiment.h"
#include "kernels/model/explain.h"

/* ---- architectures, by any of the names that product.h knows ---- */

/* Names of architectures that the model knows, in the order asked for; with NULL all whose
   requests are counted. Adds what is wrong to *problems, at "#/arch". New reference. */
json_t *prediction_request_archs(const json_t *asked, struct problems *problems);

/* One architecture by such a name; static. NULL: `detail` says that there is none, which one may be meant,
   and which are known. */
enum { PREDICTION_REQUEST_ARCHS = 32 /* at most */, PREDICTION_REQUEST_DETAIL_BYTES = 224 };
const char *prediction_request_arch(const char *name, char detail[PREDICTION_REQUEST_DETAIL_BYTES]);

/* ---- explanations ---- */

/* What is listed at most: times of one instruction, and accesses of the warp. */
enum { EXPLAIN_TIMES_MAX = 8, EXPLAIN_ACCESSES_MAX = 64 };

/* As it was asked, before the grid is known. */
struct explain_question {
    bool asked;
    bool numbered; /* block[0] is the block's number along x, then y, then z */
    int64_t block[3], warp;
};

/* Reads the request's member; NULL: there is none, and nothing is asked. Adds what is wrong to *problems. */
void prediction_request_explain(struct explain_question *question, const json_t *value,
                                struct problems *problems);

/* Applies the question to a checked experiment: fills what explain_make() takes, or adds to *problems
   which of block and warp is not in it, and how many there are. */
void prediction_request_locate(const struct explain_question *question, const struct experiment *experiment,
                               struct explain *explain, struct problems *problems);

/* Warps of a block. */
int64_t prediction_request_warps(const struct experiment *experiment);

#endif
