/* "explain" of a prediction: which block and warp is asked for, and the answer as JSON: the instructions of one warp and each of their accesses, lane by lane. */
#pragma once

#include <jansson.h>

#include "base/json_writer.h"
#include "kernels/model/explain.h"
#include "kernels/source/source_count.h"

/* What is listed at most: times of one instruction, and accesses of the warp. */
enum { EXPLAIN_TIMES_MAX = 8, EXPLAIN_ACCESSES_MAX = 64 };

/* As it was asked, before the grid is known. */
struct explain_question {
    bool asked;
    bool numbered; /* block[0] is the block's number along x, then y, then z */
    int64_t block[3], warp;
    int64_t line; /* of a source: its accesses alone; 0: all */
};

/* Reads the request's member; NULL: there is none, and nothing is asked. Adds what is wrong to *problems. */
void explain_json_read(struct explain_question *question, const json_t *value, struct problems *problems);

/* Applies the question to a checked experiment: fills what explain_make() takes, or adds to *problems
   which of block, warp and line is not in it, and how many there are. */
void explain_json_locate(const struct explain_question *question, const struct experiment *experiment,
                         struct explain *explain, struct problems *problems);

/* `access` has the sums that came with the explanation. `arch`: shared memory is counted in its banks. `prediction`: of the
   same architecture, in whose units the accesses are listed; NULL: there is none, and only sectors and lines are.
   `source`: which lines have accesses, where one was asked for; NULL: of a kernel of the suite. */
void explain_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                        const struct access *access, const struct explain *explain, const struct arch *arch,
                        const struct prediction *prediction, const struct source_count *source);
