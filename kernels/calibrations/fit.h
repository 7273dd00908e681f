/* Fits a device's constants to its experiments: nonlinear least squares of log(predicted / measured), with a
   soft loss so that few badly predicted experiments do not dominate, and with a weak pull to the initial
   values. */
#pragma once

#include "base/error.h"
#include "kernels/calibrations/calibration.h"
#include "kernels/experiment.h"
#include "kernels/facts.h"
#include "kernels/model/access.h"

/* One experiment of a calibration that was run. */
struct fit_row {
    struct experiment experiment; /* checked */
    struct access access;
    int registers;        /* a thread; -1: not known */
    int64_t shared_bytes; /* a block, with what the compiler adds; -1: not known */
    double cold_us, hot_us, floor_us;
    /* Its loads wait for each other: time over loads is a latency, and the row takes no part in the fit. */
    bool latency;
};

enum { FIT_ROWS_LEAST = 24, FIT_ROWS_MOST = 256 };

/* Chooses the initial constants of a device: those shipped for its name, else for its architecture, else
   any, scaled by the device's facts. Returns 0; or -1: ERROR_NOT_FOUND (none are shipped), ERROR_INVALID
   (the facts lack the multiprocessors). */
int fit_begin(struct calibration *calibration, const struct device_facts *facts, struct error *error);

/* The predicted time of a row, us; 0 or less: the model does not apply. */
typedef double fit_predict(const void *rows, int row, const struct calibration *calibration);

/* Sets the fitted constants with their spread, and the number of experiments, from FIT_ROWS_LEAST rows or
   more; the floor and the latencies are read from the rows. Takes half a second at most. Returns 0; or -1
   with *calibration unchanged: ERROR_INVALID (too few rows that the model applies to, or no minimum was
   found), ERROR_MEMORY. */
int fit_rows(struct calibration *calibration, const struct fit_row *rows, int count, struct error *error);

/* The same for any model: `measured_us` and `floor_us` have `count` values. Leaves the floor and the
   latencies as they are. */
int fit_model(struct calibration *calibration, fit_predict *predict, const void *rows,
              const double *measured_us, const double *floor_us, int count, struct error *error);
