#include "kernels/timing.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

/* Where every launch is waited for, as under a memory checker, no sample is of use: give up after so many, or after some
   when time is over. */
static const unsigned discards_max = 200, discards_late = 20;

const char *stop_reason_name(enum stop_reason reason)
{
    static const char *const names[STOP_COUNT] = {"noise", "no_gain", "max_seconds"};
    return names[reason];
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, unsigned count, double p)
{
    double rank = p * (count - 1);
    unsigned below = (unsigned)rank;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (rank - below) * (sorted[below + 1] - sorted[below]);
}

/* How many samples may be left out at either end so that the rest still holds the median with 95 %: fewer
   than k samples lie below the median with the probability that a coin falls heads fewer than k times in
   `count`. */
static unsigned median_rank(unsigned count)
{
    double below = 0, log_term = -(double)count * log(2);
    unsigned k = 0;
    for (; k < count / 2; k++) {
        below += exp(log_term);
        if (below > 0.025)
            break;
        log_term += log(count - k) - log(k + 1);
    }
    return k ? k - 1 : 0;
}

void timing_summarise(struct timing *timing, double *samples_us, unsigned count, double tick_us)
{
    qsort(samples_us, count, sizeof *samples_us, compare);
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < count; i++)
        sum += samples_us[i];
    double mean = sum / count;
    for (unsigned i = 0; i < count; i++)
        squares += (samples_us[i] - mean) * (samples_us[i] - mean);
    timing->samples = count;
    timing->min_us = samples_us[0];
    timing->p25_us = quantile(samples_us, count, 0.25);
    timing->median_us = quantile(samples_us, count, 0.5);
    timing->p75_us = quantile(samples_us, count, 0.75);
    timing->max_us = samples_us[count - 1];
    timing->mean_us = mean;
    timing->stddev_us = count > 1 ? sqrt(squares / (count - 1)) : 0;

    timing->ci95_us[0] = timing->ci95_us[1] = timing->noise = NAN;
    if (count < TIMING_LEAST)
        return;
    unsigned low = median_rank(count);
    timing->ci95_us[0] = samples_us[low];
    timing->ci95_us[1] = samples_us[count - 1 - low];
    double half_width = (timing->ci95_us[1] - timing->ci95_us[0]) / 2;
    timing->noise = timing->median_us > 0 ? fmax(half_width, tick_us) / timing->median_us : 0;
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

double timing_spin_ns(double spin_ns, double enqueue_ns, bool early)
{
    static const double room = 1.25, shorter = 0.9;
    if (early)
        return fmin(2 * spin_ns, TIMING_SPIN_MOST_NS);
    double enough = fmax(room * enqueue_ns, TIMING_SPIN_LEAST_NS);
    return fmin(fmax(shorter * spin_ns, enough), TIMING_SPIN_MOST_NS);
}

struct collector {
    double *samples, *sorted;
    unsigned count, room, discarded;
};

static int take_sample(struct collector *c, int (*sample)(void *, double *, struct error *), void *arg,
                       struct error *error)
{
    if (c->count == c->room) {
        unsigned room = c->room ? c->room * 2 : 64;
        double *samples = realloc(c->samples, room * sizeof *samples);
        if (samples)
            c->samples = samples;
        double *sorted = realloc(c->sorted, room * sizeof *sorted);
        if (sorted)
            c->sorted = sorted;
        if (!samples || !sorted)
            return error_set(error, ERROR_MEMORY, "no memory for %u samples", room);
        c->room = room;
    }
    double us = 0;
    if (sample(arg, &us, error) < 0)
        return -1;
    if (us >= 0) {
        c->samples[c->count++] = us;
        return 0;
    }
    c->discarded++;
    return 0;
}

static void summarise(struct collector *c, struct timing *timing, double tick_us)
{
    for (unsigned i = 0; i < c->count; i++)
        c->sorted[i] = c->samples[i];
    timing_summarise(timing, c->sorted, c->count, tick_us);
    timing->discarded = c->discarded;
}

int timing_collect(struct timing *timing, const struct timing_plan *plan,
                   int (*sample)(void *arg, double *us, struct error *error), void *arg, struct error *error)
{
    struct collector c = {0};
    int64_t deadline = clock_monotonic_ns() + (int64_t)(plan->max_seconds * 1e9);
    double noise_before = INFINITY;
    unsigned idle_looks = 0, looked = 0;
    int result = -1;
    for (;;) {
        if (take_sample(&c, sample, arg, error) < 0)
            goto out;
        bool late = clock_monotonic_ns() >= deadline;
        if (c.count == 0 && c.discarded < (late ? discards_late : discards_max))
            continue;
        if (c.count == 0) {
            *timing = (struct timing){.discarded = c.discarded};
            result = 0;
            goto out;
        }
        if (late) {
            timing->stop = STOP_TIME;
            break;
        }
        if (c.count < plan->min_samples || c.count == looked ||
            (c.count - plan->min_samples) % plan->look_every)
            continue;
        looked = c.count;
        summarise(&c, timing, plan->tick_us);
        timing->stop = STOP_NOISE;
        if (timing->noise <= plan->noise)
            break;
        idle_looks = timing->noise > 0.9 * noise_before ? idle_looks + 1 : 0;
        noise_before = timing->noise;
        timing->stop = STOP_NO_GAIN;
        if (idle_looks == 3)
            break;
    }
    summarise(&c, timing, plan->tick_us);
    result = 0;
out:
    free(c.samples);
    free(c.sorted);
    return result;
}
