/* The CPU device, with a profiler in place of the true one: what test_counting.c and test_counts.c have in
   common. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/measure/runner.h"

enum { PASSES = 4 };

static struct device_kind kind;
static const struct device_kind *plain;
static struct runner *runner;
static int launches, flushes, fresh;
static int seen;              /* kernels that a profiler would see in this pass */
static bool refuses;          /* the profiler does */
static uint64_t memory_limit; /* of reserve(), in bytes */
static uint64_t reserved;     /* what it holds: as on a GPU, what does not fit takes away what there was */
static bool in_pass;          /* no time to make room */

/* ---- a profiler: the value of gld_requests is the place that the point's launch had in its pass ---- */

struct counters_session {
    int unused;
};

struct counters_session *device_counters_new(void *context, int device_index)
{
    static struct counters_session one;
    (void)context;
    (void)device_index;
    return &one;
}

void device_counters_free(struct counters_session *session)
{
    (void)session;
}

static inline int counters_pass(const struct counters_work *work, int places[], struct error *error)
{
    for (int i = 0; i < work->points; i++) {
        int before = seen;
        if (work->prepare(work->arg, i, error) < 0)
            return -1;
        assert_int_equal(seen - before, work->preparing[i]); /* it says how many kernels that takes */
        seen = i ? seen : 0;
        places[i] = seen;
        if (work->launch(work->arg, i, error) < 0)
            return -1;
    }
    return 0;
}

int device_counters_measure(struct counters_session *session, const struct counters_wanted *wanted,
                            const struct counters_work *work, struct counters counters[], struct error *error)
{
    int places[COUNTERS_POINTS];
    assert_ptr_equal(session, device_counters_new(NULL, 0));
    assert_in_range(work->points, 1, COUNTERS_POINTS);
    memset(counters, 0, (size_t)work->points * sizeof *counters);
    for (int pass = 0; !refuses && pass < PASSES; pass++) {
        in_pass = true;
        int failed = counters_pass(work, places, error);
        in_pass = false;
        if (failed)
            return -1;
    }
    if (refuses) {
        counters_unavailable(counters, "ask for them", "refused by this test");
        return 0;
    }
    for (int i = 0; i < work->points; i++) {
        struct counters *one = &counters[i];
        counters_begin(one, wanted);
        one->status = COUNTERS_MEASURED;
        one->passes = PASSES;
        one->points = work->points;
        for (int k = 0; k < one->count; k++) {
            one->at[k].measured = true;
            one->at[k].value = places[i];
        }
    }
    return 0;
}

/* ---- a device ---- */

static inline int kind_counters(struct device *device, struct counters_session **out, struct error *error)
{
    (void)device;
    (void)error;
    *out = device_counters_new(NULL, 0);
    return 0;
}

static inline int kind_reserve(struct device *device, uint64_t bytes, enum memory whose, bool anew,
                               struct reserved *place, struct error *error)
{
    assert_true(!in_pass || bytes <= reserved);
    if (bytes > reserved)
        reserved = bytes > memory_limit ? 0 : bytes;
    if (bytes > memory_limit)
        return error_set(error, ERROR_OUT_OF_MEMORY, "too much for this test");
    return plain->reserve(device, bytes, whose, anew, place, error);
}

static inline int kind_prepare(struct device *device, const struct run *run, int buffer, struct error *error)
{
    seen++;
    return plain->prepare(device, run, buffer, error);
}

static inline int kind_flush(struct device *device, struct error *error)
{
    (void)device;
    (void)error;
    seen++;
    flushes++;
    return 0;
}

/* Were the outputs restored? Then no element of them is right yet, and after the launch each one is. */
static inline int kind_launch(struct device *device, const struct run *run, struct error *error)
{
    int last = run->kernel->buffer_count - 1;
    struct mismatches before, after;
    seen++;
    launches++;
    if (plain->check(device, run, last, &before, error) < 0 || plain->launch(device, run, error) < 0 ||
        plain->check(device, run, last, &after, error) < 0)
        return -1;
    fresh += before.mismatches > 0 && after.mismatches == 0;
    return 0;
}

static inline int set_up(void **state)
{
    struct error error = {0};
    int index, count;
    (void)state;
    launches = flushes = fresh = 0;
    refuses = false;
    memory_limit = UINT64_MAX;
    reserved = 0;
    assert_int_equal(device_find("cpu", &plain, &index, &count, &error), 0);
    kind = *plain;
    kind.reserve = kind_reserve;
    kind.prepare = kind_prepare;
    kind.launch = kind_launch;
    kind.flush = kind_flush;
    kind.counters = kind_counters;
    assert_int_equal(runner_new(&runner, &kind, index, &error), 0);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    runner_free(runner);
    return 0;
}

static inline struct experiment experiment(const char *kernel, int64_t size)
{
    struct experiment e;
    struct problems problems = {0};
    experiment_init(&e, suite_find(kernel));
    e.size[0] = size;
    e.measure.min_samples = 1;
    e.measure.max_seconds = 0.01;
    e.counters.on = true;
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    return e;
}

#define COUNTED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Which launch of a pass the point's was. */
static inline int place_of(const struct counters *counters)
{
    const struct counter *found = counters_find(counters, "gld_requests");
    assert_non_null(found);
    return (int)found->value;
}
