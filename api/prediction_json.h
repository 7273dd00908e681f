/* struct prediction -> JSON: a result's `prediction`, and the rows of POST /v1/predictions. */
#ifndef COALESCED_API_PREDICTION_JSON_H
#define COALESCED_API_PREDICTION_JSON_H

#include <jansson.h>

#include "kernels/model/prediction.h"

/* The architecture that stands in where a device has none that the model knows, as a CPU. */
#define PREDICTION_STAND_IN "sm_90"

/* New reference; NULL: no memory. */
json_t *prediction_to_json(const struct prediction *prediction);

/* The prediction of a checked experiment for one architecture, or {"arch", "status": "unavailable", "reason"}. New
   reference. */
json_t *prediction_for(const struct experiment *experiment, const struct access *access, const char *arch,
                       enum l1_setting setting);

/* What a result carries: for the device's own architecture, or for sm_90 when the model does not know that one (a CPU), and
   then it says so. New reference. */
json_t *prediction_for_device(const struct experiment *experiment, const struct access *access,
                              const char *arch);

#endif
