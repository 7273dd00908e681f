/* struct time_prediction -> JSON: the `time` of a prediction and of a result, with its reasons and what a change would bring. */
#ifndef COALESCED_API_TIME_JSON_H
#define COALESCED_API_TIME_JSON_H

#include <jansson.h>

#include "kernels/calibrations/calibration.h"
#include "kernels/model/access.h"
#include "kernels/result.h"

struct time_question {
    const struct calibration *calibration;
    int registers;        /* a thread; -1: those of the known code */
    int64_t shared_bytes; /* a block, in all; -1: the kernel's own and what the request adds */
    bool what_if;         /* looks for changes, too */
    int64_t device;       /* that `check` names; -1: none */
};

/* Of a checked experiment; or {"status", "reason", ...} where the model does not apply. New reference. */
json_t *time_to_json(const struct experiment *experiment, const struct access *access,
                     const struct time_question *question);

/* Of a result, by the constants of its device, with what was measured held against it. `theoretical` occupancy, 0 to 1; NAN:
   not known. New reference. */
json_t *time_of_result(const struct experiment *experiment, const struct access *access,
                       const struct result *result, const struct calibration *calibration,
                       double theoretical);

#endif
