/* The order of one run: wait for a quiet device, verify, time cold and hot, then what else was asked for. */
#include "kernels/measure/runner.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernels/measure/layout.h"
#include "kernels/measure/timing.h"
#include "kernels/measure/transfer.h"

enum {
    HOST_TIMER_LAUNCHES = 20,
    FLOOR_SAMPLES = 32,
    LOOK_EVERY = 10,
    HOT_MIN_SAMPLES = 10, /* each is already a mean, over the launches that the longer sequence has more */
    HOT_LAUNCHES_MAX = 400,
};
/* The cold samples' part of max_seconds; the hot ones get the rest. */
static const double cold_share = 0.6;
/* Target duration of the longer of the two sequences of launches behind a hot sample. */
static const double hot_sequence_us = 1000;
/* A cold sample below this part of the floor contradicts it; above, both may be an empty launch. */
static const double floor_contradicted = 0.9;
/* Above this duration of a cold launch a hot sample has two launches instead of four. */
static const double hot_long_us = 5000;

struct runner {
    const struct device_kind *kind;
    struct device *device;
    struct device_facts facts;
    uint64_t nonce;           /* identifies this process in the names of placements */
    double floor_us, tick_us; /* a negative floor is not measured yet */
    struct series cold, hot;  /* of the last run */
    struct live_own own;      /* this process and the counting executor */
    struct live *live;        /* the readings of the device; NULL: none are known */
    void (*samples)(void *arg, const char *phase, unsigned count);
    void *samples_arg;
    int64_t reported_ns; /* time of the last call of samples() */
};

int runner_new(struct runner **out, const struct device_kind *kind, int index, struct error *error)
{
    struct runner *runner = calloc(1, sizeof *runner);
    if (!runner)
        return error_set(error, ERROR_MEMORY, "no memory for a runner");
    runner->kind = kind;
    runner->floor_us = -1;
    runner->nonce = placement_nonce();
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
        timing_series_free(&runner->cold);
        timing_series_free(&runner->hot);
    }
    free(runner);
}

/* ---- timing ---- */

/* Called before a sample begins, when no launch is in flight. */
static void samples_report(struct runner *runner, const char *phase, const struct series *series)
{
    if (!runner->samples || !series->count || clock_monotonic_ns() - runner->reported_ns < RUNNER_REPORT_NS)
        return;
    runner->samples(runner->samples_arg, phase, series->count);
    runner->reported_ns = clock_monotonic_ns();
}

struct cold_sampler {
    struct runner *runner;
    const struct run *run; /* NULL: the empty kernel, whose samples are not reported */
};

static int sample_cold(void *arg, double *us, struct error *error)
{
    struct cold_sampler *s = arg;
    if (s->run)
        samples_report(s->runner, "cold", &s->runner->cold);
    return s->runner->kind->time_cold(s->runner->device, s->run, us, error);
}

/* Measures the empty kernel's time and the timer's resolution. */
static int measure_floor(struct runner *runner, struct error *error)
{
    double samples[FLOOR_SAMPLES];
    struct timing timing;
    struct cold_sampler sampler = {.runner = runner};
    unsigned count = 0;
    for (int tries = 0; count < FLOOR_SAMPLES && tries < (count ? 10 : 1) * FLOOR_SAMPLES; tries++) {
        double us;
        if (sample_cold(&sampler, &us, error) < 0)
            return -1;
        if (us >= 0 && tries >= 2) /* the first two only warm up */
            samples[count++] = us;
    }
    runner->floor_us = 0;
    if (count < FLOOR_SAMPLES)
        return 0; /* launches are not enqueued in time, so no sample is valid */
    runner->tick_us = timing_tick(samples, count);
    const struct series series = {.us = samples, .count = count};
    if (timing_summarise(&timing, &series, runner->tick_us, 0, error) < 0)
        return -1;
    runner->floor_us = timing.median_us;
    return 0;
}

/* No kernel takes less than an empty one: where this one did, something disturbed the floor when it was
   measured, once a context, and would be in all later results. The lower of the two is nearer. */
static int correct_floor(struct runner *runner, double cold_us, struct error *error)
{
    double before = runner->floor_us;
    if (cold_us >= floor_contradicted * before)
        return 0;
    if (measure_floor(runner, error) < 0)
        return -1;
    if (!(runner->floor_us > 0 && runner->floor_us < before))
        runner->floor_us = before;
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
    samples_report(s->runner, "hot", &s->runner->hot);
    if (kind->launches_time(s->runner->device, s->few, &few, error) < 0 ||
        kind->launches_time(s->runner->device, s->many, &many, error) < 0)
        return -1;
    *us = few < 0 || many < 0 ? -1 : timing_slope_us(few, s->few_count, many, s->many_count);
    return 0;
}

static void hot_end(struct hot_sampler *sampler)
{
    const struct device_kind *kind = sampler->runner->kind;
    if (sampler->few)
        kind->launches_free(sampler->runner->device, sampler->few);
    if (sampler->many)
        kind->launches_free(sampler->runner->device, sampler->many);
    sampler->few = sampler->many = NULL;
}

/* Chooses the number of launches of a sequence from the time of a cold launch. */
static int hot_begin(struct hot_sampler *sampler, const struct run *run, double cold_us, struct error *error)
{
    const struct device_kind *kind = sampler->runner->kind;
    struct device *device = sampler->runner->device;
    double fit = hot_sequence_us / cold_us;
    double least = cold_us < hot_long_us ? 4 : 2;
    sampler->many_count = (unsigned)fmin(fmax(fit, least), HOT_LAUNCHES_MAX);
    sampler->few_count = sampler->many_count < 4 ? 1 : sampler->many_count / 4;
    return kind->launches_new(device, run, sampler->few_count, &sampler->few, error) < 0
               ? -1
               : kind->launches_new(device, run, sampler->many_count, &sampler->many, error);
}

/* Rounds of cold samples alternate with rounds of hot ones. */
struct sample_rounds {
    struct sampling cold, hot;
    struct timing_plan plan; /* of the cold samples; max_seconds is for both */
    struct cold_sampler cold_sampler;
    struct hot_sampler hot_sampler;
    struct stability *stability;
};

static int round_cold(struct sample_rounds *rounds, struct error *error)
{
    struct timing_plan plan = rounds->plan;
    plan.max_seconds *= cold_share;
    plan.unseen_us = TIMING_UNSEEN_TIMER_US;
    return timing_round(&rounds->cold, &plan, sample_cold, &rounds->cold_sampler, error);
}

/* Until the cold samples are complete their part of the time is reserved. */
static int round_hot(struct sample_rounds *rounds, struct error *error)
{
    struct hot_sampler *sampler = &rounds->hot_sampler;
    const struct device_kind *kind = sampler->runner->kind;
    struct timing_plan plan = rounds->plan;
    double cold_s = rounds->cold.over ? rounds->cold.spent_s : cold_share * plan.max_seconds, warm;
    plan.max_seconds = fmax(plan.max_seconds - cold_s, 0);
    if (plan.min_samples > HOT_MIN_SAMPLES)
        plan.min_samples = HOT_MIN_SAMPLES;
    plan.tick_us /= sampler->many_count - sampler->few_count;
    plan.unseen_us = TIMING_UNSEEN_SEQUENCE_US;
    if (kind->launches_time(sampler->runner->device, sampler->few, &warm, error) < 0)
        return -1;
    return timing_round(&rounds->hot, &plan, sample_hot, sampler, error);
}

static int take_rounds(struct sample_rounds *rounds, void (*say)(void *, const char *), void *arg,
                       struct error *error)
{
    struct hot_sampler *sampler = &rounds->hot_sampler;
    int result = -1;
    while (!rounds->cold.over || !rounds->hot.over) {
        if (!rounds->cold.over && round_cold(rounds, error) < 0)
            goto out;
        if (!rounds->cold.series->count)
            break; /* launches do not arrive in time */
        if (!sampler->many) {
            struct timing first;
            stability_look(rounds->stability, sampler->runner->live, STABILITY_LOOK, sampler->runner->own);
            say(arg, "hot");
            if (timing_summarise(&first, rounds->cold.series, 0, 0, error) < 0 ||
                hot_begin(sampler, rounds->cold_sampler.run, first.median_us, error) < 0)
                goto out;
        }
        if (!rounds->hot.over && round_hot(rounds, error) < 0)
            goto out;
    }
    result = 0;
out:
    hot_end(sampler);
    return result;
}

static int time_all(struct runner *runner, const struct experiment *e, const struct run *run,
                    struct result *result, void (*say)(void *, const char *), void *arg, struct error *error)
{
    say(arg, "cold");
    if (runner->floor_us < 0 && measure_floor(runner, error) < 0)
        return -1;
    result->tick_us = runner->tick_us;
    timing_series_clear(&runner->cold);
    timing_series_clear(&runner->hot);
    runner->reported_ns = clock_monotonic_ns();
    struct sample_rounds rounds = {
        .cold = {.series = &runner->cold},
        .hot = {.series = &runner->hot},
        .plan = {.min_samples = (unsigned)e->measure.min_samples,
                 .look_every = LOOK_EVERY,
                 .noise = e->measure.noise,
                 .max_seconds = e->measure.max_seconds,
                 .tick_us = runner->tick_us},
        .cold_sampler = {runner, run},
        .hot_sampler = {.runner = runner},
        .stability = &result->stability,
    };
    stability_look(&result->stability, runner->live, STABILITY_LOOK_BEGIN, runner->own);
    if (take_rounds(&rounds, say, arg, error) < 0)
        return -1;
    result->cold = rounds.cold.timing;
    result->cold.launches = 1;
    if (result->cold.samples && correct_floor(runner, result->cold.min_us, error) < 0)
        return -1;
    result->floor_us = runner->floor_us;
    if (!result->cold.samples)
        return 0;
    stability_look(&result->stability, runner->live, STABILITY_LOOK_END, runner->own);
    result->hot = rounds.hot.timing;
    result->hot.launches = rounds.hot_sampler.many_count - rounds.hot_sampler.few_count;
    if (e->measure.keep_samples) {
        result->cold_series = &runner->cold;
        result->hot_series = &runner->hot;
    }
    return 0;
}

/* ---- the host's clock ---- */

/* Times one launch as a program's own timer does: the clock of the host before it, and after the device
   was waited for. That includes what the driver and the host take besides the kernel, so it is a reading
   of its own beside the timings. */
static int host_time(struct runner *runner, const struct run *run, double *us, struct error *error)
{
    int64_t begin_ns = clock_monotonic_ns();
    int status = runner->kind->launch(runner->device, run, error);
    *us = (double)(clock_monotonic_ns() - begin_ns) / 1e3;
    return status;
}

/* Times HOST_TIMER_LAUNCHES launches one by one, fewer (one at least) when max_seconds are over. Fills in all
   of *times but first_us. */
static int host_times_measure(struct runner *runner, const struct run *run, double max_seconds,
                              struct host_times *times, struct error *error)
{
    double us[HOST_TIMER_LAUNCHES];
    struct series series = {.us = us, .capacity = HOST_TIMER_LAUNCHES};
    struct timing timing;
    int64_t deadline_ns = clock_monotonic_ns() + (int64_t)(max_seconds * 1e9);
    do
        if (host_time(runner, run, &us[series.count++], error) < 0)
            return -1;
    while (series.count < HOST_TIMER_LAUNCHES && clock_monotonic_ns() < deadline_ns);
    if (timing_summarise(&timing, &series, 0, 0, error) < 0)
        return -1;
    times->samples = timing.samples;
    times->median_us = timing.median_us;
    times->min_us = timing.min_us;
    return 0;
}

static void say_nothing(void *arg, const char *phase)
{
    (void)arg;
    (void)phase;
}

static int verify(struct runner *runner, const struct experiment *e, bool anew, struct layout *layout,
                  struct result *result, void (*say)(void *, const char *), void *arg, struct error *error)
{
    const struct device_kind *kind = runner->kind;
    *result = (struct result){.device = runner->facts, .began_ns = clock_monotonic_ns()};
    if (layout_make(kind, runner->device, e, anew, layout, error) < 0)
        return -1;
    placement_name(&result->placed, runner->nonce, &layout->place);
    struct traffic traffic = e->kernel->ledger(&layout->run.domain);
    result->load_bytes = traffic.loads * dtype_bytes(e->dtype);
    result->store_bytes = traffic.stores * dtype_bytes(e->dtype);
    result->atomic_bytes = traffic.atomics * dtype_bytes(e->dtype);
    result->operations = traffic.operations;
    result->working_set_bytes = experiment_working_set_bytes(e);
    say(arg, "prepare");
    if (kind->launch_facts(runner->device, &layout->run, &result->launch, error) < 0 ||
        layout_fill(layout, error) < 0 || host_time(runner, &layout->run, &result->host.first_us, error) < 0)
        return -1;
    say(arg, "check");
    return layout_check(layout, &result->correctness, error);
}

int runner_verify(struct runner *runner, const struct experiment *e, struct result *result,
                  struct error *error)
{
    struct layout layout;
    return verify(runner, e, false, &layout, result, say_nothing, NULL, error);
}

int runner_run(struct runner *runner, const struct experiment *e, struct result *result,
               void (*progress)(void *arg, const char *phase), void *arg, struct error *error)
{
    void (*say)(void *, const char *) = progress ? progress : say_nothing;
    struct layout layout;
    /* the other half is left for the experiment */
    double limit_s = fmin(e->measure.quiet_s, e->timeout_s / 2);
    double waited_s = stability_wait(runner->live, runner->own, limit_s, say, arg);
    int failed = verify(runner, e, e->placement == PLACEMENT_NEW, &layout, result, say, arg, error);
    result->stability.waited_s = waited_s;
    if (!failed)
        failed = time_all(runner, e, &layout.run, result, say, arg, error);
    if (!failed && e->measure.host_timer)
        failed = host_times_measure(runner, &layout.run, e->measure.max_seconds, &result->host, error);
    if (!failed && e->transfers != TRANSFERS_NONE) {
        say(arg, "transfers");
        failed = transfer_time(runner->kind, runner->device, &layout.run, e->transfers == TRANSFERS_PINNED,
                               e->measure.max_seconds, result, error);
    }
    result->ended_ns = clock_monotonic_ns();
    return failed;
}

void runner_set_samples(struct runner *runner, void (*samples)(void *arg, const char *phase, unsigned count),
                        void *arg)
{
    runner->samples = samples;
    runner->samples_arg = arg;
}

void runner_set_counting_executor(struct runner *runner, int64_t pid)
{
    runner->own.pid[1] = pid;
}

int runner_count(struct runner *runner, struct counted points[], int count, double ahead_s,
                 struct error *error)
{
    return counting_run(runner->kind, runner->device, points, count, ahead_s, error);
}
