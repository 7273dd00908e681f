/* The CPU device with a profiler: its kernels are told to the library that plays CUPTI, and each is checked. What
   test_counting.c and test_counts.c have in common. */
#ifndef COALESCED_TESTS_FAULTS_COUNTED_DEVICE_H
#define COALESCED_TESTS_FAULTS_COUNTED_DEVICE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/runner.h"
#include "tests/faults/fake_cupti.h"

static struct fake_cupti *fake;
static struct device_kind kind;
static const struct device_kind *plain;
static struct counters_session *session;
static struct runner *runner;
static int launches, flushes, fresh;
static uint64_t memory_limit; /* of reserve(), in bytes */

static inline int kind_counters(struct device *device, struct counters_session **out, struct error *error)
{
    (void)device;
    (void)error;
    *out = session;
    return 0;
}

static inline int kind_reserve(struct device *device, uint64_t bytes, bool of_host, void **base,
                               struct error *error)
{
    if (bytes > memory_limit)
        return error_set(error, ERROR_OUT_OF_MEMORY, "too much for this test");
    return plain->reserve(device, bytes, of_host, base, error);
}

static inline int kind_prepare(struct device *device, const struct run *run, int buffer, struct error *error)
{
    fake->launches++;
    return plain->prepare(device, run, buffer, error);
}

static inline int kind_flush(struct device *device, struct error *error)
{
    (void)device;
    (void)error;
    fake->launches++;
    flushes++;
    return 0;
}

/* Were the outputs restored? Then no element of them is right yet, and after the launch each one is. */
static inline int kind_launch(struct device *device, const struct run *run, struct error *error)
{
    int last = run->kernel->buffer_count - 1;
    struct check before, after;
    fake->launches++;
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
    fake = fake_cupti_begin();
    assert_non_null(fake);
    launches = flushes = fresh = 0;
    memory_limit = UINT64_MAX;
    assert_int_equal(device_find("cpu", &plain, &index, &count, &error), 0);
    kind = *plain;
    kind.reserve = kind_reserve;
    kind.prepare = kind_prepare;
    kind.launch = kind_launch;
    kind.flush = kind_flush;
    kind.counters = kind_counters;
    session = counters_new(NULL, 0);
    assert_non_null(session);
    assert_int_equal(runner_new(&runner, &kind, index, &error), 0);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    runner_free(runner);
    counters_free(session);
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

#endif
