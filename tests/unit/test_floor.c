/* The floor of a result, an empty kernel's time: what disturbs it when it is measured, once a context, is not in the
   results of all later runs. On the CPU device with times of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "kernels/device/device.h"
#include "kernels/measure/runner.h"

enum { DISTURBED = 40 }; /* more than a floor has samples */

static unsigned empty_launches, kernel_launches;
static bool kernel_disturbed;

/* The empty kernel takes 130 us at first, then 6; a kernel 12, where it is disturbed 150 in all samples but every
   fourth. */
static int time_as_planned(struct device *device, const struct run *run, double *us, struct error *error)
{
    (void)device;
    (void)error;
    if (run)
        *us = kernel_disturbed && kernel_launches++ % 4 != 3 ? 150 : 12;
    else
        *us = empty_launches++ < DISTURBED ? 130 : 6;
    return 0;
}

/* The floor of three runs. */
static void run_thrice(double floor_us[3])
{
    struct error error = {0};
    struct runner *runner;
    struct experiment e;
    struct problems problems = {0};
    struct result *result = calloc(1, sizeof *result);
    const struct device_kind *cpu;
    int index, count;
    assert_non_null(result);
    assert_int_equal(device_find("cpu", &cpu, &index, &count, &error), 0);
    struct device_kind kind = *cpu;
    kind.time_cold = time_as_planned;
    experiment_init(&e, suite_find("copy"));
    e.size[0] = 4096;
    e.measure = (struct measure){.min_samples = 6, .noise = 1, .max_seconds = 60};
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    if (runner_new(&runner, &kind, index, &error) < 0)
        fail_msg("%s", error.text);
    for (int i = 0; i < 3; i++) {
        if (runner_run(runner, &e, result, NULL, NULL, &error) < 0)
            fail_msg("%s", error.text);
        floor_us[i] = result->floor_us;
    }
    runner_free(runner);
    free(result);
}

static void a_floor_above_a_kernels_time_is_measured_again(void **state)
{
    double floor_us[3];
    (void)state;
    empty_launches = 0;
    run_thrice(floor_us);
    for (int i = 0; i < 3; i++)
        assert_true(floor_us[i] == 6);
}

static void one_sample_below_the_floor_is_enough_to_measure_it_again(void **state)
{
    double floor_us[3];
    (void)state;
    empty_launches = kernel_launches = 0;
    kernel_disturbed = true;
    run_thrice(floor_us);
    kernel_disturbed = false;
    for (int i = 0; i < 3; i++)
        assert_true(floor_us[i] == 6);
}

static void a_floor_that_nothing_contradicts_is_measured_once(void **state)
{
    double floor_us[3];
    (void)state;
    empty_launches = DISTURBED;
    run_thrice(floor_us);
    assert_true(floor_us[0] == 6 && floor_us[2] == 6);
    assert_true(empty_launches < DISTURBED + 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_floor_above_a_kernels_time_is_measured_again),
        cmocka_unit_test(one_sample_below_the_floor_is_enough_to_measure_it_again),
        cmocka_unit_test(a_floor_that_nothing_contradicts_is_measured_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
