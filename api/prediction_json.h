/* What the model predicts of an experiment, and an occupancy, as JSON. */
#ifndef COALESCED_API_PREDICTION_JSON_H
#define COALESCED_API_PREDICTION_JSON_H

#include "base/error.h"
#include "base/json_writer.h"
#include "kernels/model/occupancy.h"
#include "kernels/model/prediction.h"

/* The architecture that stands in where a device has none that the model knows, as a CPU. */
#define PREDICTION_STAND_IN "sm_90"

/* A prediction for one architecture, or why there is none. */
struct prediction_answer {
    const char *arch; /* asked for; borrowed */
    bool known;       /* `prediction` is there; else `reason` says why not */
    struct prediction prediction;
    char reason[256];
    char note[256]; /* what to bear in mind; empty: nothing */
};

/* Predicts a checked experiment. */
void prediction_json_make(struct prediction_answer *answer, const struct experiment *experiment,
                          const struct access *access, const char *arch, enum l1_setting setting);

/* What a result carries: for the device's own architecture, or for the one that stands in where the model
   does not know that, and then it says so. */
void prediction_json_of_device(struct prediction_answer *answer, const struct experiment *experiment,
                               const struct access *access, const char *arch);

/* Writes it, or {"arch", "status": "unavailable", "reason"}. Leaves the object open: members may follow. */
void prediction_json_open(struct json_writer *json, const char *key, const struct prediction_answer *answer);

/* The same, closed. */
void prediction_json_write(struct json_writer *json, const char *key, const struct prediction_answer *answer);

/* ---- occupancy ---- */

struct occupancy_case {
    const char *arch;         /* "sm_90" */
    int registers_per_thread; /* -1: not known, and then not counted */
    uint64_t shared_bytes_per_block;
    uint32_t parameter_bytes; /* of the kernel: struct occupancy_question */
    uint64_t threads_per_block, grid_blocks;
    uint32_t sms; /* 0: not known */
};

/* Writes the occupancy, or why there is none. Returns the theoretical occupancy, 0 to 1; NAN: there is
   none. */
double prediction_json_occupancy(struct json_writer *json, const char *key,
                                 const struct occupancy_case *question);

#endif
