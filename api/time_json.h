/* The `time` of a prediction and of a result as JSON: the predicted time, its reasons, and what a change
   would bring. */
#pragma once

#include "base/json_writer.h"
#include "kernels/calibrations/calibration.h"
#include "kernels/model/access.h"
#include "kernels/result.h"

struct time_question {
    const struct calibration *calibration;
    int registers;         /* a thread; -1: those of the known code */
    int64_t shared_bytes;  /* a block, in all; -1: the kernel's own and what the request adds */
    bool what_if;          /* looks for changes, too */
    int64_t device;        /* that `check` names; -1: none */
    struct text_pair note; /* what to bear in mind; without a text: nothing */
};

/* Predicts the time of a checked experiment; {"status", "reason", ...} where the model does not apply. */
void time_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                     const struct access *access, const struct time_question *question);

/* The `time` of a result, with the constants of its device, compared with what was measured. `theoretical` occupancy,
   0 to 1; NAN: not known. calibration NULL: none is known. */
void time_json_of_result(struct json_writer *json, const char *key, const struct experiment *experiment,
                         const struct access *access, const struct result *result,
                         const struct calibration *calibration, double theoretical);
