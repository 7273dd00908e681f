/* What the model predicts of an experiment as JSON. */
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "kernels/model/prediction.h"
#include "kernels/time/machine_code.h"

/* The architecture that stands in where a device has none that the model knows, as a CPU. */
#define PREDICTION_STAND_IN "sm_90"
enum { PREDICTION_STAND_IN_NUMBER = 90 };

/* ---- architectures, by any of the names that product.h knows ---- */

/* Names of architectures that the model knows, in the order asked for; with NULL all whose requests
   are counted. Adds what is wrong to *problems, at "#/arch". New reference. */
json_t *prediction_json_archs(const json_t *asked, struct problems *problems);

/* One architecture by such a name; static. NULL: `detail` says that there is none, which one may be meant,
   and which are known. */
enum { PREDICTION_ARCHS = 32 /* at most */, PREDICTION_DETAIL_BYTES = 256 };
const char *prediction_json_arch(const char *name, char detail[PREDICTION_DETAIL_BYTES]);

/* ---- predictions ---- */

/* A prediction for one architecture, or why there is none. */
struct prediction_answer {
    const char *arch; /* asked for; borrowed */
    bool known;       /* `prediction` is there; else `reason` says why not */
    struct prediction prediction;
    bool compiled; /* `code` is of this architecture, and `threads` execute it */
    struct code code;
    const char *compiler; /* that told of `code`; static or borrowed */
    const char *no_code;  /* why there is none, where not compiled; borrowed */
    uint64_t threads;
    char reason[256];
    char note[256]; /* what to bear in mind; empty: nothing */
};

/* Predicts a checked experiment. */
void prediction_json_make(struct prediction_answer *answer, const struct experiment *experiment,
                          const struct access *access, const char *arch, enum l1_setting setting);

/* Replaces the note of a prediction by one that says that the architecture cannot launch the experiment, and why. `reason`:
   a sentence without a full stop. Does nothing if it is NULL or nothing is predicted. */
void prediction_json_unlaunchable(struct prediction_answer *answer, const char *reason);

/* What a result carries: for the device's own architecture, or for the one that stands in where the model
   does not know that, and then it says so. */
void prediction_json_of_device(struct prediction_answer *answer, const struct experiment *experiment,
                               const struct access *access, const char *arch);

/* Writes it, or {"arch", "status": "unavailable", "reason"}. Leaves the object open: members may follow. */
void prediction_json_open(struct json_writer *json, const char *key, const struct prediction_answer *answer);

/* The same, closed. */
void prediction_json_write(struct json_writer *json, const char *key, const struct prediction_answer *answer);
