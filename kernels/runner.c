#include "kernels/runner.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernels/layout.h"
#include "kernels/timing.h"
#include "kernels/transfer.h"

enum {
    FLOOR_SAMPLES = 32,
    LOOK_EVERY = 10,
    HOT_MIN_SAMPLES = 10, /* each is a mean over the launches between two lengths already */
    HOT_LAUNCHES_MAX = 400,
};
/* Of max_seconds, for the cold samples; the hot ones get what is left. */
static const double cold_share = 0.6;
/* The longer of the two sequences of launches behind a hot sample takes about so long. */
static const double hot_sequence_us = 1000;
/* A cold launch that takes longer than this: two launches a sample are enough, four would take too long. */
static const double hot_long_us = 5000;

struct runner {
    const struct device_kind *kind;
    struct device *device;
    struct device_facts facts;
    double floor_us, tick_us; /* negative floor: not measured yet */
    struct live_own own;      /* this process and its sibling */
    struct live *live;        /* how the device is; NULL is no worse than one that cannot tell */
};

int runner_new(struct runner **out, const struct device_kind *kind, int index, struct error *error)
{
    struct runner *runner = calloc(1, sizeof *runner);
    if (!runner)
        return error_set(error, ERROR_MEMORY, "no memory for a runner");
    runner->kind = kind;
    runner->floor_us = -1;
    runner->own.pid[0] = getpid();
    if (kind->describe(index, &runner->facts, error) < 0 || kind->open(&runner->device, index, error) < 0) {
        free(runner);
        return -1;
    }
    runner->live = live_open(runner->facts.uuid);
    *out = runner;
    return 0;
}

void runner_free(struct runner *runner)
{
    if (runner) {
        live_close(runner->live);
        runner->kind->close(runner->device);
    }
    free(runner);
}

/* ---- timing ---- */

struct cold_sampler {
    struct runner *runner;
    const struct run *run;
};

static int sample_cold(void *arg, double *us, struct error *error)
{
    struct cold_sampler *s = arg;
    return s->runner->kind->time_cold(s->runner->device, s->run, us, error);
}

/* Once a context: the empty kernel, and what the timer resolves. */
static int measure_floor(struct runner *runner, struct error *error)
{
    double samples[FLOOR_SAMPLES];
    struct timing timing;
    struct cold_sampler sampler = {runner, NULL};
    unsigned count = 0;
    if (runner->floor_us >= 0)
        return 0;
    for (int tries = 0; count < FLOOR_SAMPLES && tries < (count ? 10 : 1) * FLOOR_SAMPLES; tries++) {
        double us;
        if (sample_cold(&sampler, &us, error) < 0)
            return -1;
        if (us >= 0 && tries >= 2) /* the first two only warm up */
            samples[count++] = us;
    }
    runner->floor_us = 0;
    if (count < FLOOR_SAMPLES)
        return 0; /* launches do not arrive in time, and no sample will be of use */
    runner->tick_us = timing_tick(samples, count);
    timing_summarise(&timing, samples, count, runner->tick_us);
    runner->floor_us = timing.median_us;
    return 0;
}

struct hot_sampler {
    struct runner *runner;
    struct launches *few, *many;
    unsigned few_count, many_count; /* launches of each */
};

static int sample_hot(void *arg, double *us, struct error *error)
{
    struct hot_sampler *s = arg;
    const struct device_kind *kind = s->runner->kind;
    double few, many;
    if (kind->launches_time(s->runner->device, s->few, &few, error) < 0 ||
        kind->launches_time(s->runner->device, s->many, &many, error) < 0)
        return -1;
    *us = few < 0 || many < 0 ? -1 : timing_slope_us(few, s->few_count, many, s->many_count);
    return 0;
}

static int time_hot(struct runner *runner, const struct run *run, const struct timing_plan *plan,
                    double cold_us, struct timing *timing, struct error *error)
{
    const struct device_kind *kind = runner->kind;
    double fit = hot_sequence_us / cold_us;
    double least = cold_us < hot_long_us ? 4 : 2;
    unsigned many = (unsigned)fmin(fmax(fit, least), HOT_LAUNCHES_MAX);
    unsigned few = many < 4 ? 1 : many / 4;
    struct hot_sampler sampler = {.runner = runner, .few_count = few, .many_count = many};
    double warm;
    int result = -1;
    if (kind->launches_new(runner->device, run, few, &sampler.few, error) < 0 ||
        kind->launches_new(runner->device, run, many, &sampler.many, error) < 0 ||
        kind->launches_time(runner->device, sampler.few, &warm, error) < 0)
        goto out;
    struct timing_plan hot = *plan;
    hot.min_samples = plan->min_samples < HOT_MIN_SAMPLES ? plan->min_samples : HOT_MIN_SAMPLES;
    hot.tick_us = plan->tick_us / (many - few);
    timing->launches = many - few;
    result = timing_collect(timing, &hot, sample_hot, &sampler, error);
out:
    kind->launches_free(runner->device, sampler.few);
    kind->launches_free(runner->device, sampler.many);
    return result;
}

static int time_all(struct runner *runner, const struct experiment *e, const struct run *run,
                    struct result *result, void (*say)(void *, const char *), void *arg, struct error *error)
{
    say(arg, "cold");
    if (measure_floor(runner, error) < 0)
        return -1;
    result->floor_us = runner->floor_us;
    result->tick_us = runner->tick_us;
    struct timing_plan plan = {
        .min_samples = (unsigned)e->measure.min_samples,
        .look_every = LOOK_EVERY,
        .noise = e->measure.noise,
        .max_seconds = e->measure.max_seconds * cold_share,
        .tick_us = runner->tick_us,
    };
    struct cold_sampler sampler = {runner, run};
    stability_look(&result->stability, runner->live, STABILITY_LOOK_BEGIN, runner->own);
    int64_t begin = clock_monotonic_ns();
    result->cold.launches = 1;
    if (timing_collect(&result->cold, &plan, sample_cold, &sampler, error) < 0)
        return -1;
    if (!result->cold.samples)
        return 0;
    stability_look(&result->stability, runner->live, STABILITY_LOOK, runner->own);
    say(arg, "hot");
    plan.max_seconds = fmax(e->measure.max_seconds - (double)(clock_monotonic_ns() - begin) / 1e9, 0);
    if (time_hot(runner, run, &plan, result->cold.median_us, &result->hot, error) < 0)
        return -1;
    stability_look(&result->stability, runner->live, STABILITY_LOOK_END, runner->own);
    return 0;
}

static void say_nothing(void *arg, const char *phase)
{
    (void)arg;
    (void)phase;
}

static int verify(struct runner *runner, const struct experiment *e, struct layout *layout,
                  struct result *result, void (*say)(void *, const char *), void *arg, struct error *error)
{
    const struct device_kind *kind = runner->kind;
    *result = (struct result){.device = runner->facts, .began_ns = clock_monotonic_ns()};
    if (layout_make(kind, runner->device, e, layout, error) < 0)
        return -1;
    struct traffic traffic = e->kernel->ledger(&layout->run.domain);
    result->load_bytes = traffic.loads * dtype_bytes(e->dtype);
    result->store_bytes = traffic.stores * dtype_bytes(e->dtype);
    result->atomic_bytes = traffic.atomics * dtype_bytes(e->dtype);
    result->operations = traffic.operations;
    result->working_set_bytes = experiment_working_set_bytes(e);
    say(arg, "prepare");
    if (kind->launch_facts(runner->device, &layout->run, &result->launch, error) < 0 ||
        layout_fill(layout, error) < 0 || kind->launch(runner->device, &layout->run, error) < 0)
        return -1;
    say(arg, "check");
    return layout_check(layout, &result->correctness, error);
}

int runner_verify(struct runner *runner, const struct experiment *e, struct result *result,
                  struct error *error)
{
    struct layout layout;
    return verify(runner, e, &layout, result, say_nothing, NULL, error);
}

int runner_run(struct runner *runner, const struct experiment *e, struct result *result,
               void (*progress)(void *arg, const char *phase), void *arg, struct error *error)
{
    void (*say)(void *, const char *) = progress ? progress : say_nothing;
    struct layout layout;
    double limit_s = fmin(e->measure.quiet_s, e->timeout_s / 2); /* the other half is for the experiment */
    double waited_s = stability_wait(runner->live, runner->own, limit_s, say, arg);
    int failed = verify(runner, e, &layout, result, say, arg, error);
    result->stability.waited_s = waited_s;
    if (!failed)
        failed = time_all(runner, e, &layout.run, result, say, arg, error);
    if (!failed && e->transfers != TRANSFERS_NONE) {
        say(arg, "transfers");
        failed = transfer_time(runner->kind, runner->device, &layout.run, e->transfers == TRANSFERS_PINNED,
                               e->measure.max_seconds, result, error);
    }
    result->ended_ns = clock_monotonic_ns();
    return failed;
}

void runner_set_sibling(struct runner *runner, int64_t pid)
{
    runner->own.pid[1] = pid;
}

int runner_count(struct runner *runner, struct counted points[], int count, double ahead_s,
                 struct error *error)
{
    return counting_run(runner->kind, runner->device, points, count, ahead_s, error);
}
