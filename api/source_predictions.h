/* A source kernel's counts for each architecture that a prediction is asked for: compiled and executed by the sandbox. */
#pragma once

#include <jansson.h>

#include "api/occupancy_json.h"
#include "api/prediction_json.h"
#include "kernels/source/source_count.h"
#include "api/source_service.h"

/* What is counted once for all architectures that are compiled alike. */
struct source_prediction {
    int compiled_for; /* 90 is sm_90 */
    char arch[16];    /* "sm_90" */
    struct source_build *build;
    struct source_count count;
};

struct source_predictions {
    struct source_prediction at[PREDICTION_ARCHS];
    int count;
};

/* Compiles and executes a checked experiment of a source kernel for each of the names, as far as nothing is wrong. `listed`:
   the warp to list, or NULL. Blocks: for the worker pool. 0; what is wrong with the source is then in *problems, at
   "#/source". -1: the service cannot do it now, or the wall stopped it: *error. To be freed in both cases. */
int source_predictions_make(struct source_predictions *predictions, struct source_service *service,
                            const struct source_launch_question *question, const json_t *archs,
                            struct problems *problems, struct error *error);
void source_predictions_free(struct source_predictions *predictions);

/* The counts for that architecture; never NULL for a name that was given. */
const struct source_prediction *source_predictions_find(const struct source_predictions *predictions,
                                                        const char *arch);

/* True: its code was made for that architecture itself. */
bool source_predictions_compiled_for(const struct source_prediction *made, const char *arch);

/* What was counted, for that architecture: not exact where another one's code was executed. */
struct access source_predictions_access(const struct source_prediction *made, const char *arch);

/* The experiment with its machine code, where there is some. The counts must outlive it. */
struct experiment source_predictions_experiment(const struct experiment *experiment,
                                                const struct source_prediction *made);

/* Writes what the compiler says of registers, shared memory and parameters. */
void source_predictions_occupancy(struct occupancy_case *fill, const struct experiment *experiment,
                                  const struct source_prediction *made);

/* Why no time is predicted; static, or borrowed of the counts. NULL: one is. */
const char *source_predictions_untimed(const struct source_prediction *made);

/* Sets in *answer which compiler made the machine code or why there is none, and, as its note, what the architecture lacks
   to run the kernel. */
void source_predictions_code(struct prediction_answer *answer, const struct source_prediction *made);

/* Writes into the open object of one prediction: what it was compiled for, and why it may be inexact. */
void source_predictions_write_code(struct json_writer *json, const struct source_prediction *made,
                                   const struct prediction_answer *answer);

/* The same, and its lines. */
void source_predictions_write(struct json_writer *json, const struct experiment *experiment,
                              const struct source_prediction *made, const struct prediction_answer *answer);

/* Writes into the open answer: how far faults were looked for, and what is worth knowing. */
void source_predictions_write_check(struct json_writer *json, const struct source_predictions *predictions);
