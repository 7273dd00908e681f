/* The "explain" of POST /v1/predictions: which block and warp is asked for, and struct explain -> JSON. */
#ifndef COALESCED_API_EXPLAIN_JSON_H
#define COALESCED_API_EXPLAIN_JSON_H

#include <jansson.h>

#include "kernels/model/explain.h"

/* What is listed at most: times of one instruction, and accesses of the warp. */
enum { EXPLAIN_TIMES_MAX = 8, EXPLAIN_ACCESSES_MAX = 64 };

/* As it was asked, before the grid is known. */
struct explain_question {
    bool asked;
    bool numbered; /* block[0] is the block's number along x, then y, then z */
    int64_t block[3], warp;
};

/* Reads the request's member; NULL: there is none, and nothing is asked. Adds what is wrong to *problems. */
void explain_read(struct explain_question *question, const json_t *value, struct problems *problems);

/* Puts the question to a checked experiment: fills what explain_make() takes, or adds to *problems which of block and warp
   is not in it, and how many there are. */
void explain_ask(const struct explain_question *question, const struct experiment *experiment,
                 struct explain *explain, struct problems *problems);

/* The answer: `access` has the sums that came with it. New reference; NULL: no memory. */
json_t *explain_to_json(const struct experiment *experiment, const struct access *access,
                        const struct explain *explain);

#endif
