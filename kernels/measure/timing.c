/* Rounds of samples until the noise is low enough, and their statistics. */
#include "kernels/measure/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/statistics.h"

/* Where every launch is synchronous, as under a memory checker, no sample is valid: sampling gives up
   after so many discarded samples, or after the second number when time is over. */
static const unsigned discards_max = 200, discards_late = 20;

/* What a time is taken for where its logarithm is: samples may be 0 while the timer's tick is not known. */
static const double least_us = 1e-3;

const char *stop_reason_name(enum stop_reason reason)
{
    static const char *const names[STOP_COUNT] = {"noise", "no_gain", "max_seconds"};
    return names[reason];
}

static double quantile(const double *sorted, unsigned count, double p)
{
    double rank = p * (count - 1);
    unsigned below = (unsigned)rank;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (rank - below) * (sorted[below + 1] - sorted[below]);
}

/* The two-sided 95 % quantile of Student's t: a table, then the expansion of Cornish and Fisher, which is
   exact to 0.1 % from there on. */
static double student_95(unsigned freedom)
{
    static const double first[] = {12.706, 4.303, 3.182, 2.776, 2.571};
    static const double z = 1.959964;
    if (freedom <= sizeof first / sizeof *first)
        return first[freedom - 1];
    double f = freedom;
    return z + (pow(z, 3) + z) / (4 * f) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * f * f);
}

/* Half of the 95 % interval of the median's logarithm by the differences of the rounds' medians; 0 for one
   round. `sorted` has space for a round. */
static double between_rounds(const struct series *series, double *sorted, double tick_us)
{
    double medians[SERIES_ROUNDS_MAX], sum = 0, squares = 0;
    unsigned begin = 0, rounds = 0;
    for (unsigned i = 0; i < series->rounds; begin = series->round_end[i++]) {
        unsigned count = series->round_end[i] - begin;
        if (!count)
            continue;
        memcpy(sorted, series->us + begin, count * sizeof *sorted);
        statistics_sort(sorted, (int)count);
        /* A median below the timer's tick is not known to be less than the tick. */
        medians[rounds] = log(fmax(quantile(sorted, count, 0.5), fmax(tick_us, least_us)));
        sum += medians[rounds++];
    }
    for (unsigned i = 0; i < rounds; i++)
        squares += (medians[i] - sum / rounds) * (medians[i] - sum / rounds);
    return rounds < 2 ? 0 : student_95(rounds - 1) * sqrt(squares / (rounds - 1) / rounds);
}

/* The h for which median * exp(-h) and median * exp(h) are 2 * half_us apart. */
static double half_logarithm(double half_us, double median_us)
{
    return asinh(half_us / median_us);
}

static void summarise_interval(struct timing *timing, const struct series *series, const double *sorted,
                               double *scratch, double tick_us, double unseen_us)
{
    timing->ci95_us[0] = timing->ci95_us[1] = timing->noise = NAN;
    double interval[2], median = timing->median_us;
    if (series->count < TIMING_LEAST || median <= 0)
        return;
    statistics_median_interval(sorted, (int)series->count, interval);
    double around = fmax(between_rounds(series, scratch, tick_us), half_logarithm(tick_us, median));
    double below = fmax(log(median / fmax(interval[0], fmin(fmax(tick_us, least_us), median))), around);
    double above = fmax(log(interval[1] / median), around);
    double more = half_logarithm(hypot(unseen_us, TIMING_UNSEEN_SHARE * median), median);
    timing->noise = (exp(above) - exp(-below)) / 2;
    timing->ci95_us[0] = median * exp(-hypot(below, more));
    timing->ci95_us[1] = median * exp(hypot(above, more));
}

int timing_summarise(struct timing *timing, const struct series *series, double tick_us, double unseen_us,
                     struct error *error)
{
    unsigned count = series->count;
    double *sorted = malloc(2 * count * sizeof *sorted), sum = 0, squares = 0;
    if (!sorted)
        return error_set(error, ERROR_MEMORY, "no memory for %u samples", count);
    memcpy(sorted, series->us, count * sizeof *sorted);
    statistics_sort(sorted, (int)count);
    for (unsigned i = 0; i < count; i++)
        sum += sorted[i];
    double mean = sum / count;
    for (unsigned i = 0; i < count; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);
    timing->samples = count;
    timing->discarded = series->discarded;
    timing->rounds = series->rounds;
    timing->min_us = sorted[0];
    timing->p25_us = quantile(sorted, count, 0.25);
    timing->median_us = quantile(sorted, count, 0.5);
    timing->p75_us = quantile(sorted, count, 0.75);
    timing->max_us = sorted[count - 1];
    timing->mean_us = mean;
    timing->stddev_us = count > 1 ? sqrt(squares / (count - 1)) : 0;
    summarise_interval(timing, series, sorted, sorted + count, tick_us, unseen_us);
    free(sorted);
    return 0;
}

double timing_tick(const double *samples_us, unsigned count)
{
    double tick = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++) {
            double difference = fabs(samples_us[i] - samples_us[j]);
            /* Times are floating-point numbers: a difference below a picosecond is rounding. */
            if (difference > 1e-6 && (tick == 0 || difference < tick))
                tick = difference;
        }
    return tick;
}

double timing_slope_us(double few_us, unsigned few, double many_us, unsigned many)
{
    double slope_us = (many_us - few_us) / (many - few);
    return slope_us < many_us / many / 2 ? -1 : slope_us;
}

void timing_series_clear(struct series *series)
{
    *series = (struct series){.us = series->us, .capacity = series->capacity};
}

void timing_series_free(struct series *series)
{
    free(series->us);
    *series = (struct series){0};
}

static int series_add(struct series *series, double us, struct error *error)
{
    if (series->count == series->capacity) {
        unsigned capacity = series->capacity ? series->capacity * 2 : 64;
        double *grown = realloc(series->us, capacity * sizeof *grown);
        if (!grown)
            return error_set(error, ERROR_MEMORY, "no memory for %u samples", capacity);
        series->us = grown;
        series->capacity = capacity;
    }
    series->us[series->count++] = us;
    return 0;
}

static void sampling_end(struct sampling *sampling, enum stop_reason stop)
{
    sampling->over = true;
    sampling->timing.stop = stop;
}

/* Decides at the end of a round, from min_samples on, whether sampling is over. */
static void look(struct sampling *sampling, const struct timing_plan *plan)
{
    const struct series *series = sampling->series;
    double noise = sampling->timing.noise;
    if (noise <= plan->noise) {
        sampling_end(sampling, STOP_NOISE);
        return;
    }
    if (series->count >= TIMING_LEAST && isnan(noise)) { /* the median is 0 */
        sampling_end(sampling, STOP_NO_GAIN);
        return;
    }
    bool idle = sampling->noise_before > 0 && noise > 0.9 * sampling->noise_before;
    sampling->idle_looks = idle ? sampling->idle_looks + 1 : 0;
    sampling->noise_before = noise;
    if (sampling->idle_looks == 3 || series->rounds == SERIES_ROUNDS_MAX ||
        series->count + plan->look_every > SERIES_SAMPLES_MAX)
        sampling_end(sampling, STOP_NO_GAIN);
}

/* The number of samples at the end of the next round. */
static unsigned round_target(const struct series *series, const struct timing_plan *plan)
{
    unsigned rounds = plan->min_samples < TIMING_ROUNDS ? plan->min_samples : TIMING_ROUNDS;
    if (series->rounds < rounds)
        return (series->rounds + 1) * plan->min_samples / rounds;
    return series->count + plan->look_every;
}

int timing_round(struct sampling *sampling, const struct timing_plan *plan,
                 int (*sample)(void *arg, double *us, struct error *error), void *arg, struct error *error)
{
    struct series *series = sampling->series;
    unsigned target = round_target(series, plan);
    int64_t begin = clock_monotonic_ns();
    int64_t deadline = begin + (int64_t)((plan->max_seconds - sampling->spent_s) * 1e9), now = begin;
    for (bool late = false; series->count < target && !(late && series->count);) {
        double us = 0;
        if (sample(arg, &us, error) < 0 || (us >= 0 && series_add(series, us, error) < 0))
            return -1;
        series->discarded += us < 0;
        now = clock_monotonic_ns();
        late = now >= deadline;
        if (!series->count && series->discarded >= (late ? discards_late : discards_max)) {
            sampling->timing = (struct timing){.discarded = series->discarded};
            sampling->over = true;
            return 0;
        }
    }
    series->round_end[series->rounds++] = series->count;
    sampling->spent_s += (double)(now - begin) / 1e9;
    if (now < deadline && series->count < plan->min_samples)
        return 0;
    if (timing_summarise(&sampling->timing, series, plan->tick_us, plan->unseen_us, error) < 0)
        return -1;
    if (now >= deadline)
        sampling_end(sampling, STOP_TIME);
    else
        look(sampling, plan);
    return 0;
}
