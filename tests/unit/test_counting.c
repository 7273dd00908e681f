/* Experiments' own launches under a profiler: the CPU device, and a profiler that is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/counted_device.h"

static void outputs_are_restored_before_every_pass(void **state)
{
    (void)state;
    struct experiment e = experiment("copy", 5000);
    static struct result result;
    struct error error = {0};
    static struct counted point;
    point.experiment = &e;
    assert_int_equal(runner_run(runner, &e, &result, NULL, NULL, &error), 0);
    assert_true(result.correctness.verified && result.cold.samples > 0);
    assert_int_equal(launches, 1); /* the one that is checked; those that are timed go another way */
    assert_int_equal(runner_count(runner, &point, 1, 0, &error), 0);
    assert_int_equal(point.counters.status, COUNTERS_MEASURED);
    assert_int_equal(point.counters.passes, 4);
    assert_int_equal(point.counters.points, 1);
    assert_int_equal(launches, 1 + 4);
    assert_int_equal(fresh, 1 + 4);
    assert_int_equal(flushes, 4 + 1);
    refuses = true;
    assert_int_equal(runner_count(runner, &point, 1, 0, &error), 0); /* refused, and no error */
    assert_int_equal(point.counters.status, COUNTERS_UNAVAILABLE);
}

static void points_that_ask_for_the_same_share_the_passes(void **state)
{
    (void)state;
    struct experiment copies[] = {experiment("copy", 5000), experiment("vector_add", 90000),
                                  experiment("bank_conflict", 4096), experiment("copy", 300),
                                  experiment("read_offset", 70000)};
    enum { COUNT = sizeof copies / sizeof *copies };
    static struct counted points[COUNT];
    struct error error = {0};
    copies[3].counters.count = 1;
    strcpy(copies[3].counters.name[0], "sm__cycles_active.avg");
    for (int i = 0; i < COUNT; i++)
        points[i].experiment = &copies[i];
    assert_int_equal(runner_count(runner, points, COUNT, 10, &error), 0);
    assert_int_equal(points[0].counters.status, COUNTERS_MEASURED);
    assert_int_equal(points[0].counters.points, 3);
    assert_int_equal(points[2].counters.status, COUNTERS_NOT_REQUESTED); /* shared memory has one more */
    assert_int_equal(points[3].counters.status, COUNTERS_NOT_REQUESTED);
    assert_int_equal(place_of(&points[0].counters), 0);
    assert_int_equal(place_of(&points[1].counters), 3 + 1 + 1); /* its buffers, the flush, itself */
    assert_int_equal(place_of(&points[4].counters), 5 + 3 + 1 + 1);
    assert_int_equal(fresh, 3 * 4);
    assert_int_equal(launches, 3 * 4);
}

/* A part of the L2 is set aside before the first pass: those that want one are counted by themselves. */
static void what_the_l2_keeps_shares_no_pass(void **state)
{
    (void)state;
    struct experiment copy = experiment("copy", 5000), kept = experiment("l2_persistence", 5000);
    static struct counted points[2];
    struct error error = {0};
    kept.param[0] = 100, kept.param[1] = 1; /* of 100 elements, and kept */
    for (int first = 0; first < 2; first++) {
        points[first].experiment = &kept;
        points[!first].experiment = &copy;
        points[0].counters = points[1].counters = (struct counters){0};
        assert_int_equal(runner_count(runner, points, 2, 10, &error), 0);
        assert_int_equal(points[0].counters.status, COUNTERS_MEASURED);
        assert_int_equal(points[0].counters.points, 1);
        assert_int_equal(points[1].counters.status, COUNTERS_NOT_REQUESTED);
    }
}

static void several_launches_in_streams_are_not_counted(void **state)
{
    (void)state;
    struct experiment e = experiment("overlap", 5000);
    static struct counted point;
    struct error error = {0};
    point.experiment = &e;
    assert_int_equal(runner_count(runner, &point, 1, 0, &error), 0);
    assert_int_equal(point.counters.status, COUNTERS_UNAVAILABLE);
    assert_non_null(strstr(point.counters.reason, "streams"));
}

static void a_point_that_does_not_fit_is_left_for_its_own_run(void **state)
{
    (void)state;
    struct experiment experiments[] = {experiment("copy", 5000), experiment("copy", 9000000),
                                       experiment("copy", 6000)};
    static struct counted points[3];
    struct error error = {0};
    memory_limit = 1 << 20;
    for (int i = 0; i < 3; i++)
        points[i].experiment = &experiments[i];
    assert_int_equal(runner_count(runner, points, 3, 10, &error), 0);
    assert_int_equal(points[0].counters.status, COUNTERS_MEASURED);
    assert_int_equal(points[1].counters.status, COUNTERS_NOT_REQUESTED);
    assert_int_equal(points[2].counters.status, COUNTERS_MEASURED);
    assert_int_equal(error.kind, ERROR_NONE);
    assert_int_equal(fresh, 2 * 4);
}

static void what_does_not_fit_at_all_is_out_of_memory(void **state)
{
    (void)state;
    struct experiment experiments[] = {experiment("copy", 9000000), experiment("copy", 5000)};
    static struct counted points[2];
    struct error error = {0};
    memory_limit = 1 << 20;
    for (int i = 0; i < 2; i++)
        points[i].experiment = &experiments[i];
    assert_int_equal(runner_count(runner, points, 2, 10, &error), -1);
    assert_int_equal(error.kind, ERROR_OUT_OF_MEMORY);
    assert_int_equal(launches, 0);
}

static void a_device_without_counters_says_so(void **state)
{
    (void)state;
    struct experiment e = experiment("copy", 5000);
    static struct counted points[2];
    struct error error = {0};
    points[0].experiment = points[1].experiment = &e;
    kind.counters = NULL;
    assert_int_equal(runner_count(runner, points, 2, 10, &error), 0);
    assert_int_equal(points[0].counters.status, COUNTERS_UNAVAILABLE);
    assert_non_null(strstr(points[0].counters.reason, "cpu"));
    assert_int_equal(points[1].counters.status, COUNTERS_NOT_REQUESTED);
    assert_int_equal(launches, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTED(outputs_are_restored_before_every_pass),
        COUNTED(points_that_ask_for_the_same_share_the_passes),
        COUNTED(what_the_l2_keeps_shares_no_pass),
        COUNTED(several_launches_in_streams_are_not_counted),
        COUNTED(a_point_that_does_not_fit_is_left_for_its_own_run),
        COUNTED(what_does_not_fit_at_all_is_out_of_memory),
        COUNTED(a_device_without_counters_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
