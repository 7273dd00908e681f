/* The fit by MINPACK, in rounds of ever narrower loss; and the initial constants. */
#include "kernels/calibrations/fit.h"

#include <cminpack.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/statistics.h"
#include "kernels/time/predicted_time.h"

/* The variables are BASE plus the logarithm of a constant over its initial value: away from 0, where the
   steps of numeric derivatives would vanish. */
static const double base = 10, worst = 3;
/* Weights that pull logarithms to their initial values: when the initial constants are another product's, and
   when they are the same product's, whose devices differ by a few per cent, less than some experiments can
   resolve. */
static const double pull_other = 0.15, pull_same = 1;
/* First the far rounds, then the near ones; each begins where the one before ended. */
static const double scales[] = {1.0, 0.2, 0.05};
enum { SCALES = sizeof scales / sizeof *scales, CALLS_MOST = 60 };

struct fitting {
    struct calibration *at; /* scratch: the constants of the current step */
    const struct calibration *start;
    fit_predict *predict;
    const void *rows;
    const double *measured_us, *floor_us;
    const int *used; /* rows that the model applies to */
    int used_count;
    int free[CALIBRATION_CONSTANTS]; /* constants that are fitted */
    int free_count;
    double scale;
    double pull;
    /* The center of the pull: the initial value for the same product, else the beginning of the round. */
    double center[CALIBRATION_CONSTANTS];
};

static void constants_set(const struct fitting *fitting, const double *x)
{
    for (int i = 0; i < fitting->free_count; i++) {
        int which = fitting->free[i];
        fitting->at->constant[which].value =
            fitting->start->constant[which].value * exp(fmax(-worst, fmin(worst, x[i] - base)));
    }
}

/* Predicts a row with the row's own floor instead of the calibration's. */
static double row_predict(const struct fitting *fitting, int row)
{
    fitting->at->constant[CALIBRATION_FLOOR].value = fitting->floor_us[row];
    return fitting->predict(fitting->rows, row, fitting->at);
}

/* The square root of the soft loss 2 (sqrt(1 + z) - 1), where z is the square of the scaled residual, so that
   squares add up to the loss. */
static double soften(double residual, double scale)
{
    double z = residual / scale;
    return copysign(scale * sqrt(2 * (sqrt(1 + z * z) - 1)), residual);
}

static int residuals(void *arg, int m, int n, const double *x, double *residual, int flag)
{
    const struct fitting *fitting = arg;
    (void)m;
    (void)flag;
    constants_set(fitting, x);
    for (int i = 0; i < fitting->used_count; i++) {
        double us = row_predict(fitting, fitting->used[i]);
        double off = us > 0 ? log(us / fitting->measured_us[fitting->used[i]]) : worst;
        residual[i] = soften(fmax(-worst, fmin(worst, off)), fitting->scale);
    }
    for (int i = 0; i < n; i++)
        residual[fitting->used_count + i] =
            soften(fitting->pull * (x[i] - fitting->center[i]), fitting->scale);
    return 0;
}

/* Computes the covariance of the logarithms from the last step's derivatives: the standard error as a part of
   the value. */
static void spreads_set(struct fitting *fitting, int m, double *residual, double *jacobian, const int *order,
                        double *work)
{
    int n = fitting->free_count;
    double sum = 0;
    for (int i = 0; i < m; i++)
        sum += residual[i] * residual[i];
    covar1(m, n, sum, jacobian, m, order, 1e-12, work);
    for (int i = 0; i < n; i++)
        fitting->at->constant[fitting->free[i]].spread = sqrt(fmax(0, jacobian[i * m + i]));
}

/* Returns 0, or -1: no minimum was found. */
static int minimum_find(struct fitting *fitting, double *x, double *scratch, int *order)
{
    int n = fitting->free_count, m = fitting->used_count + n;
    double *residual = scratch, *jacobian = residual + m, *work = jacobian + (size_t)m * n;
    bool same = calibration_find(fitting->start->name) != NULL;
    fitting->pull = same ? pull_same : pull_other;
    for (int i = 0; i < n; i++)
        x[i] = fitting->center[i] = base;
    for (int step = 0; step < SCALES; step++) {
        int calls = 0;
        fitting->scale = scales[step];
        if (!same)
            memcpy(fitting->center, x, (size_t)n * sizeof *x);
        int info = lmdif(residuals, fitting, m, n, x, residual, 1e-8, 1e-8, 0, CALLS_MOST * (n + 1), 1e-10,
                         work, 1, 1, 0, &calls, jacobian, m, order, work + n, work + 2 * n, work + 3 * n,
                         work + 4 * n, work + 5 * n);
        if (info <= 0)
            return -1;
    }
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return -1;
    constants_set(fitting, x);
    spreads_set(fitting, m, residual, jacobian, order, work);
    return 0;
}

/* Lists the rows that the model applies to with the initial constants. */
static int rows_use(struct fitting *fitting, int *used, int count)
{
    for (int i = 0; i < count; i++)
        if (fitting->measured_us[i] > 0 && row_predict(fitting, i) > 0)
            used[fitting->used_count++] = i;
    fitting->used = used;
    return fitting->used_count;
}

int fit_model(struct calibration *calibration, fit_predict *predict, const void *rows,
              const double *measured_us, const double *floor_us, int count, struct error *error)
{
    struct calibration at = *calibration;
    struct fitting fitting = {.at = &at,
                              .start = calibration,
                              .predict = predict,
                              .rows = rows,
                              .measured_us = measured_us,
                              .floor_us = floor_us};
    for (int i = 0; i < CALIBRATION_CONSTANTS; i++)
        if (calibration_about((enum calibration_constant)i)->fitted)
            fitting.free[fitting.free_count++] = i;
    size_t n = (size_t)fitting.free_count, m = (size_t)count + n;
    int *used = calloc((size_t)count + n + 1, sizeof *used);
    double *x = calloc(n + m + m * n + 5 * n + m + 1, sizeof *x);
    int status = 0;
    if (!used || !x)
        status = error_set(error, ERROR_MEMORY, "no memory for a calibration");
    else if (rows_use(&fitting, used, count) < FIT_ROWS_LEAST)
        status =
            error_set(error, ERROR_INVALID,
                      "the model of time applies to %d experiments alone; a calibration takes %d or more",
                      fitting.used_count, FIT_ROWS_LEAST);
    else if (minimum_find(&fitting, x, x + n, used + count) < 0)
        status = error_set(error, ERROR_INVALID, "no constants were found that fit %d experiments",
                           fitting.used_count);
    if (status == 0) {
        at.constant[CALIBRATION_FLOOR] = calibration->constant[CALIBRATION_FLOOR];
        at.experiments = fitting.used_count;
        *calibration = at;
    }
    free(used);
    free(x);
    return status;
}

/* ---- rows of experiments ---- */

static double time_of_row(const void *rows, int row, const struct calibration *calibration)
{
    const struct fit_row *one = (const struct fit_row *)rows + row;
    struct time_prediction prediction;
    if (one->latency)
        return 0;
    predicted_time_predict(&one->experiment, &one->access, calibration, one->registers, one->shared_bytes,
                           &prediction);
    return prediction.why_not.en ? 0 : prediction.us;
}

/* Sets a constant to the median of `count` values, and its spread to the median's standard error. Without
   values, or when the median is not above 0, it stays. */
static void median_set(struct calibration *calibration, enum calibration_constant which, double *values,
                       int count)
{
    if (!count)
        return;
    statistics_sort(values, count);
    double median = values[count / 2], middle_half = values[count * 3 / 4] - values[count / 4];
    if (!(median > 0))
        return;
    calibration->constant[which].value = median;
    /* The standard error of a normal distribution's median is 1.25 standard deviations over the root of the
       count, and the middle half is 1.35 of them wide. */
    calibration->constant[which].spread = 1.25 / 1.35 * middle_half / sqrt(count) / median;
}

/* Sets the constants that are read from rows without the model. */
static void direct_set(struct calibration *calibration, const struct fit_row *rows, int count)
{
    double floor_us[FIT_ROWS_MOST], cold_ns[FIT_ROWS_MOST], hot_ns[FIT_ROWS_MOST];
    int floors = 0, latencies = 0;
    for (int i = 0; i < count; i++) {
        const struct fit_row *row = &rows[i];
        double loads = (double)row->access.load.requests;
        floor_us[floors++] = row->floor_us;
        if (!row->latency || loads < 1)
            continue;
        cold_ns[latencies] = (row->cold_us - row->floor_us) * 1000 / loads;
        hot_ns[latencies++] = (row->hot_us - row->floor_us) * 1000 / loads;
    }
    median_set(calibration, CALIBRATION_FLOOR, floor_us, floors);
    median_set(calibration, CALIBRATION_DRAM_LATENCY, cold_ns, latencies);
    median_set(calibration, CALIBRATION_L2_LATENCY, hot_ns, latencies);
}

int fit_rows(struct calibration *calibration, const struct fit_row *rows, int count, struct error *error)
{
    double measured_us[FIT_ROWS_MOST], floor_us[FIT_ROWS_MOST];
    struct calibration fitted = *calibration;
    if (count > FIT_ROWS_MOST)
        count = FIT_ROWS_MOST;
    for (int i = 0; i < count; i++) {
        measured_us[i] = rows[i].cold_us;
        floor_us[i] = rows[i].floor_us;
    }
    direct_set(&fitted, rows, count);
    if (fit_model(&fitted, time_of_row, rows, measured_us, floor_us, count, error) < 0)
        return -1;
    *calibration = fitted;
    return 0;
}

/* ---- where it begins ---- */

static const struct calibration *nearest(const struct device_facts *facts)
{
    const struct calibration *found = calibration_find(facts->name);
    if (!found)
        found = calibration_of_arch(facts->arch);
    return found || !calibration_count() ? found : calibration_at(0);
}

static void constant_scale(struct calibration *calibration, enum calibration_constant which, double factor)
{
    if (isfinite(factor) && factor > 0)
        calibration->constant[which].value *= factor;
}

int fit_begin(struct calibration *calibration, const struct device_facts *facts, struct error *error)
{
    const struct calibration *from = nearest(facts);
    enum {
        KEPT_PCT = 93,
        REACHED_PCT = 92
    }; /* per cent of the L2, and of the peak bandwidth, as on an H200 */
    if (!from)
        return error_set(error, ERROR_NOT_FOUND, "no calibration is shipped that another could begin with");
    if (!facts->multiprocessors)
        return error_set(error, ERROR_INVALID, "%s does not say how many multiprocessors it has",
                         facts->name);
    *calibration = *from;
    snprintf(calibration->name, sizeof calibration->name, "%s", facts->name);
    snprintf(calibration->arch, sizeof calibration->arch, "%s", facts->arch);
    snprintf(calibration->driver, sizeof calibration->driver, "%s", facts->driver);
    calibration->sms = facts->multiprocessors;
    calibration->clock_khz = facts->clock_khz ? facts->clock_khz : from->clock_khz;
    if (strcasecmp(facts->name, from->name) == 0)
        return 0;
    /* The way from SMs to the L2 scales with their number and clock. */
    constant_scale(calibration, CALIBRATION_FLIT,
                   (double)from->sms * from->clock_khz / calibration->sms / calibration->clock_khz);
    constant_scale(calibration, CALIBRATION_LAUNCH, (double)from->clock_khz / calibration->clock_khz);
    calibration->memory_bytes = facts->memory_bytes;
    if (facts->peak_gbps > 0)
        calibration->constant[CALIBRATION_BANDWIDTH].value = facts->peak_gbps * REACHED_PCT / 100;
    if (facts->l2_bytes)
        calibration->constant[CALIBRATION_DIRTY].value = (double)facts->l2_bytes / 1e6 * KEPT_PCT / 100;
    /* Besides the shared memory of a launch the L1 has 28 KB; both together are a multiple of 32 KB. */
    uint64_t shared = facts->shared_bytes_per_multiprocessor, step = 32 << 10;
    if (shared)
        calibration->l1_bytes = (shared + (28 << 10) + step - 1) / step * step;
    return 0;
}
