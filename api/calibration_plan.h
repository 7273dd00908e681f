/* The experiments that calibrate a device: kernels/calibrations/plan.json, made for what the device is; and what came of them.

   The plan is a list of sweeps' objects, each with what the experiments are "for" (the constant that they determine most, or
   "all"), and sizes that follow the device: "l2", an array is so many times its L2; "waves", so many times what it holds at
   once; "blocks_per_sm", so many that shared memory lets so many blocks be resident. A list there is an axis as well. */
#pragma once

#include "api/device_fit.h"
#include "api/sweep.h"
#include "base/error.h"
#include "kernels/calibrations/fit.h"

#define CALIBRATION_RECIPE "calibration"

/* The whole plan as one sweep for one device. */
struct calibration_plan {
    struct sweep sweep;
    char *request;       /* the sweep's own: a JSON object */
    struct sweep *parts; /* what it is put together from, which own its texts */
    int count;
};

/* For a device whose facts are known, and the build of its executor; then to be given to
   calibration_plan_free(). 0; or -1 with nothing to free: ERROR_INVALID (the device can run too few of the
   experiments), ERROR_MEMORY. */
int calibration_plan_make(struct calibration_plan *plan, const struct device_offer *device, const char *build,
                          struct error *error);

/* The request of such a sweep, to be freed; NULL: no memory. Its labels name the device's uuid, the driver
   and the build, so two requests are equal when what they measure is. */
char *calibration_plan_request(int device, const struct device_facts *facts, const char *build);

void calibration_plan_free(struct calibration_plan *plan);

/* Reads an experiment of it that succeeded, by its request and its result. 0; or -1: it has no time. */
int calibration_plan_row(struct fit_row *row, const char *request, const char *result);
