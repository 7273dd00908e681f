#include "kernels/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/timing.h"
#include "kernels/transfer.h"

enum {
    FLOOR_SAMPLES = 32,
    LOOK_EVERY = 10,
    HOT_MIN_SAMPLES = 10, /* each is a mean over the launches between two lengths already */
    HOT_LAUNCHES_MAX = 200,
    HOST_CHUNKS = 64, /* the second look at the output, on the host: so many pieces */
    HOST_CHUNK = 64,  /* of so many elements, spread evenly from the first to the last */
};
/* Of max_seconds, for the cold samples; the hot ones get what is left. */
static const double cold_share = 0.6;
/* The longer of the two batches behind a hot sample takes about so long. */
static const double hot_batch_us = 4000;

struct runner {
    const struct device_kind *kind;
    struct device *device;
    struct device_facts facts;
    double floor_us, tick_us; /* negative floor: not measured yet */
};

int runner_new(struct runner **out, const struct device_kind *kind, int index, struct error *error)
{
    struct runner *runner = calloc(1, sizeof *runner);
    if (!runner)
        return error_set(error, ERROR_MEMORY, "no memory for a runner");
    runner->kind = kind;
    runner->floor_us = -1;
    if (kind->describe(index, &runner->facts, error) < 0 || kind->open(&runner->device, index, error) < 0) {
        free(runner);
        return -1;
    }
    *out = runner;
    return 0;
}

void runner_free(struct runner *runner)
{
    if (runner)
        runner->kind->close(runner->device);
    free(runner);
}

/* ---- laying out, filling ---- */

struct layout {
    char *base;
    uint64_t bytes;
    struct run run;
};

static int lay_out(struct runner *runner, const struct experiment *e, struct layout *layout,
                   struct error *error)
{
    void *base;
    layout->bytes = experiment_memory_bytes(e);
    if (runner->kind->reserve(runner->device, layout->bytes, &base, error) < 0)
        return -1;
    layout->base = base;
    layout->run = (struct run){
        .kernel = e->kernel,
        .dtype = e->dtype,
        .domain = experiment_domain(e),
        .grid = {(uint64_t)e->grid[0], (uint64_t)e->grid[1], (uint64_t)e->grid[2]},
    };
    for (int b = 0; b < e->kernel->buffer_count; b++) {
        layout->run.buffer[b] = layout->base + experiment_buffer_at(e, b);
        layout->run.elements[b] = e->kernel->elements(&layout->run.domain, b);
    }
    return 0;
}

/* Guard zone g lies before buffer g, and after buffer g - 1: there is one more zone than buffers. */
static void guard_zone(const struct layout *layout, const struct experiment *e, int g, char **begin,
                       uint64_t *bytes)
{
    const struct run *run = &layout->run;
    char *end = layout->base + experiment_buffer_at(e, g);
    *begin = g ? (char *)run->buffer[g - 1] + run->elements[g - 1] * dtype_bytes(e->dtype) : layout->base;
    if (g == e->kernel->buffer_count)
        end = layout->base + layout->bytes;
    *bytes = (uint64_t)(end - *begin);
}

static int fill_all(struct runner *runner, const struct experiment *e, const struct layout *layout,
                    struct error *error)
{
    for (int g = 0; g <= e->kernel->buffer_count; g++) {
        char *begin;
        uint64_t bytes;
        guard_zone(layout, e, g, &begin, &bytes);
        if (runner->kind->fill(runner->device, begin, PATTERN_BYTE, bytes, error) < 0)
            return -1;
    }
    for (int b = 0; b < e->kernel->buffer_count; b++)
        if (runner->kind->prepare(runner->device, &layout->run, b, error) < 0)
            return -1;
    return 0;
}

/* ---- checking ---- */

static double element_value(enum dtype dtype, const void *at)
{
    switch (dtype) {
    case DTYPE_F64:
        return *(const double *)at;
    case DTYPE_I32:
        return *(const int32_t *)at;
    default:
        return *(const float *)at;
    }
}

static bool is_pattern(const void *at, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (((const unsigned char *)at)[i] != PATTERN_BYTE)
            return false;
    return true;
}

/* Takes down the first wrong place; the element's bytes are at `found`. */
static void note_first(struct correctness *c, const struct run *run, int buffer, uint64_t index,
                       const void *found)
{
    double expected = 0;
    if (c->has_first)
        return;
    c->has_first = true;
    snprintf(c->first.buffer, sizeof c->first.buffer, "%s", run->kernel->buffers[buffer].name);
    c->first.index = index;
    c->first.untouched = !run->kernel->expected(&run->domain, run->dtype, buffer, index, &expected);
    c->first.expected = expected;
    c->first.found = element_value(run->dtype, found);
}

static int check_buffer(struct runner *runner, const struct layout *layout, int b, struct correctness *c,
                        struct error *error)
{
    const struct run *run = &layout->run;
    struct check found;
    if (runner->kind->check(runner->device, run, b, &found, error) < 0)
        return -1;
    if (run->kernel->buffers[b].role == BUFFER_OUTPUT)
        c->elements_checked += run->elements[b];
    if (!found.mismatches)
        return 0;
    c->mismatches += found.mismatches;
    c->max_abs_error = fmax(c->max_abs_error, found.max_abs_error);
    uint64_t each = dtype_bytes(run->dtype), value = 0;
    if (runner->kind->read(runner->device, &value, (char *)run->buffer[b] + found.first * each, each, error) <
        0)
        return -1;
    note_first(c, run, b, found.first, &value);
    return 0;
}

static int check_guard(struct runner *runner, const struct experiment *e, const struct layout *layout, int g,
                       struct correctness *c, struct error *error)
{
    char *begin;
    uint64_t bytes;
    struct check found;
    guard_zone(layout, e, g, &begin, &bytes);
    if (runner->kind->count_other(runner->device, begin, PATTERN_BYTE, bytes, &found, error) < 0)
        return -1;
    if (!found.mismatches)
        return 0;
    c->mismatches += found.mismatches;
    if (c->has_first)
        return 0;
    c->has_first = true;
    int b = g ? g - 1 : 0;
    snprintf(c->first.buffer, sizeof c->first.buffer, "%s", e->kernel->buffers[b].name);
    c->first.guard = c->first.untouched = true;
    c->first.index = g ? layout->run.elements[b] + found.first / dtype_bytes(e->dtype) : 0;
    return 0;
}

static int check_on_host(struct runner *runner, const struct layout *layout, int b, struct correctness *c,
                         struct error *error)
{
    const struct run *run = &layout->run;
    uint64_t each = dtype_bytes(run->dtype), count = run->elements[b];
    uint64_t length = count < HOST_CHUNK ? count : HOST_CHUNK;
    uint64_t chunks = count / HOST_CHUNK < HOST_CHUNKS ? count / HOST_CHUNK + 1 : HOST_CHUNKS;
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        _Alignas(8) char bytes[HOST_CHUNK * 8];
        uint64_t begin =
            chunks == 1 ? 0 : (uint64_t)((double)(count - length) * (double)chunk / (double)(chunks - 1));
        if (runner->kind->read(runner->device, bytes, (char *)run->buffer[b] + begin * each, length * each,
                               error) < 0)
            return -1;
        for (uint64_t i = 0; i < length; i++) {
            const void *found = bytes + i * each;
            double expected;
            bool touched = run->kernel->expected(&run->domain, run->dtype, b, begin + i, &expected);
            if (touched ? element_value(run->dtype, found) == expected : is_pattern(found, each))
                continue;
            c->mismatches++;
            note_first(c, run, b, begin + i, found);
        }
    }
    return 0;
}

static int check_all(struct runner *runner, const struct experiment *e, const struct layout *layout,
                     struct correctness *c, struct error *error)
{
    for (int b = 0; b < e->kernel->buffer_count; b++)
        if (check_buffer(runner, layout, b, c, error) < 0)
            return -1;
    for (int g = 0; g <= e->kernel->buffer_count; g++)
        if (check_guard(runner, e, layout, g, c, error) < 0)
            return -1;
    for (int b = 0; b < e->kernel->buffer_count; b++)
        if (e->kernel->buffers[b].role == BUFFER_OUTPUT && check_on_host(runner, layout, b, c, error) < 0)
            return -1;
    c->checked = true;
    c->verified = c->mismatches == 0;
    if (c->verified)
        return 0;
    return error_set(error, ERROR_INCORRECT, "%llu wrong: the first in %s at %llu%s",
                     (unsigned long long)c->mismatches, c->first.buffer, (unsigned long long)c->first.index,
                     c->first.guard       ? ", outside of it"
                     : c->first.untouched ? ", not to be touched"
                                          : "");
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
    for (int tries = 0; count < FLOOR_SAMPLES && tries < 10 * FLOOR_SAMPLES; tries++) {
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
    struct batch *few, *many;
    unsigned difference; /* launches by which they differ */
};

static int sample_hot(void *arg, double *us, struct error *error)
{
    struct hot_sampler *s = arg;
    const struct device_kind *kind = s->runner->kind;
    double few, many;
    if (kind->batch_time(s->runner->device, s->few, &few, error) < 0 ||
        kind->batch_time(s->runner->device, s->many, &many, error) < 0)
        return -1;
    *us = few < 0 || many <= few ? -1 : (many - few) / s->difference;
    return 0;
}

static int time_hot(struct runner *runner, const struct run *run, const struct timing_plan *plan,
                    double cold_us, struct timing *timing, struct error *error)
{
    const struct device_kind *kind = runner->kind;
    double fit = hot_batch_us / cold_us;
    unsigned many = fit > HOT_LAUNCHES_MAX ? HOT_LAUNCHES_MAX : fit < 2 ? 2 : (unsigned)fit;
    unsigned few = many < 4 ? 1 : many / 4;
    struct hot_sampler sampler = {.runner = runner, .difference = many - few};
    double warm;
    int result = -1;
    if (kind->batch_new(runner->device, run, few, &sampler.few, error) < 0 ||
        kind->batch_new(runner->device, run, many, &sampler.many, error) < 0 ||
        kind->batch_time(runner->device, sampler.few, &warm, error) < 0)
        goto out;
    struct timing_plan hot = *plan;
    hot.min_samples = plan->min_samples < HOT_MIN_SAMPLES ? plan->min_samples : HOT_MIN_SAMPLES;
    hot.tick_us = plan->tick_us / sampler.difference;
    timing->launches = sampler.difference;
    result = timing_collect(timing, &hot, sample_hot, &sampler, error);
out:
    kind->batch_free(runner->device, sampler.few);
    kind->batch_free(runner->device, sampler.many);
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
    int64_t begin = clock_monotonic_ns();
    result->cold.launches = 1;
    if (timing_collect(&result->cold, &plan, sample_cold, &sampler, error) < 0)
        return -1;
    if (!result->cold.samples)
        return 0;
    say(arg, "hot");
    plan.max_seconds = fmax(e->measure.max_seconds - (double)(clock_monotonic_ns() - begin) / 1e9, 0);
    return time_hot(runner, run, &plan, result->cold.median_us, &result->hot, error);
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
    if (lay_out(runner, e, layout, error) < 0)
        return -1;
    struct traffic traffic = e->kernel->ledger(&layout->run.domain);
    result->load_bytes = traffic.loads * dtype_bytes(e->dtype);
    result->store_bytes = traffic.stores * dtype_bytes(e->dtype);
    result->working_set_bytes = experiment_working_set_bytes(e);
    say(arg, "prepare");
    if (kind->launch_facts(runner->device, &layout->run, &result->launch, error) < 0 ||
        fill_all(runner, e, layout, error) < 0 || kind->launch(runner->device, &layout->run, error) < 0)
        return -1;
    say(arg, "check");
    return check_all(runner, e, layout, &result->correctness, error);
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
    int failed = verify(runner, e, &layout, result, say, arg, error);
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
