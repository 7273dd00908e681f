/* From a device's experiments to its constants: nonlinear least squares of log(predicted / measured), through a soft loss so
   that few experiments that the model gets wrong do not carry the others away, and with a weak pull to where it began. */
#ifndef COALESCED_KERNELS_CALIBRATIONS_FIT_H
#define COALESCED_KERNELS_CALIBRATIONS_FIT_H

#include "base/error.h"
#include "kernels/calibrations/calibration.h"
#include "kernels/experiment.h"
#include "kernels/facts.h"
#include "kernels/model/access.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One experiment of a calibration, as it was run. */
struct fit_row {
    struct experiment experiment; /* checked */
    struct access access;
    int registers;        /* a thread; -1: not known */
    int64_t shared_bytes; /* a block, with what the compiler adds; -1: not known */
    double cold_us, hot_us, floor_us;
    bool
        /* its loads wait for one another: time over loads is a latency, and it takes no part in the fit */
        latency;
};

enum { FIT_ROWS_LEAST = 24, FIT_ROWS_MOST = 256 };

/* Where the constants of a device begin: those that are shipped for its name, or for its architecture, or any, the latter
   scaled by what its facts say. 0; or -1: none are shipped (ERROR_NOT_FOUND), or the facts lack the multiprocessors
   (ERROR_INVALID). */
int fit_begin(struct calibration *calibration, const struct device_facts *facts, struct error *error);

/* How long the model says that a row takes, in us; 0 or less: it does not apply. */
typedef double fit_predict(const void *rows, int row, const struct calibration *calibration);

/* Sets the fitted constants with their spread, and the number of experiments, from FIT_ROWS_LEAST rows or more; the
   floor and the latencies are read off the rows. Half a second at most. 0; or -1 and *calibration is as it was:
   ERROR_INVALID (too few rows that the model applies to, or no minimum was found), ERROR_MEMORY. */
int fit_rows(struct calibration *calibration, const struct fit_row *rows, int count, struct error *error);

/* The same for any model: `measured_us` and `floor_us` have `count` values; it leaves the floor and the latencies alone. */
int fit_model(struct calibration *calibration, fit_predict *predict, const void *rows,
              const double *measured_us, const double *floor_us, int count, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
