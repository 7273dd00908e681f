/* The experiments of a calibration, for devices large and small. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "api/calibration_json.h"
#include "api/calibration_plan.h"
#include "tests/faults/h200_facts.h"

static const struct device_facts large = {H200_FACTS};
static const struct device_facts small = {.backend = "cuda",
                                          .name = "A small one",
                                          .arch = "sm_75",
                                          .multiprocessors = 14,
                                          .warp_size = 32,
                                          .max_threads_per_block = 1024,
                                          .max_threads_per_multiprocessor = 1024,
                                          .max_block = {1024, 1024, 64},
                                          .max_grid = {2147483647, 65535, 65535},
                                          .registers_per_multiprocessor = 65536,
                                          .registers_per_block = 65536,
                                          .shared_bytes_per_multiprocessor = 65536,
                                          .shared_bytes_per_block = 49152,
                                          .shared_bytes_per_block_optin = 65536,
                                          .memory_bytes = 2ull << 30,
                                          .l2_bytes = 1 << 20};

static void counters_plan_make(struct calibration_plan *plan, const struct device_facts *facts)
{
    const struct device_offer offer = {.number = 3, .name = "gpu3", .facts = facts, .listed = true};
    struct error error = {0};
    if (calibration_plan_make(plan, &offer, "1a2b3c", &error) < 0)
        fail_msg("%s", error.text);
}

/* Which constants have an experiment that is for them? */
static bool is_for(const struct calibration_plan *plan, const char *constant)
{
    char label[80];
    snprintf(label, sizeof label, "{\"calibration\":\"%s\"}", constant);
    for (int i = 0; i < plan->sweep.experiment_count; i++)
        if (strstr(plan->sweep.experiments[i].request, label))
            return true;
    return false;
}

static void each_fitted_constant_has_experiments(void **state)
{
    const struct device_facts *devices[] = {&large, &small};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct calibration_plan plan;
        counters_plan_make(&plan, devices[i]);
        assert_in_range(plan.sweep.point_count, 40, 130);
        assert_string_equal(plan.request, "{\"recipe\":\"calibration\",\"device\":3,"
                                          "\"labels\":{\"uuid\":\"\",\"driver\":\"\",\"build\":\"1a2b3c\"}}");
        for (int j = 0; j < CALIBRATION_CONSTANTS; j++)
            if (calibration_about(j)->fitted && !is_for(&plan, calibration_about(j)->name))
                fail_msg("%s: no experiment is for %s", devices[i]->name, calibration_about(j)->name);
        assert_true(is_for(&plan, calibration_about(CALIBRATION_DRAM_LATENCY)->name));
        calibration_plan_free(&plan);
    }
}

/* As they are stored: with the least priority, for that device, and within a minute. */
static void its_experiments_are_short_and_behind_all_others(void **state)
{
    struct calibration_plan plan;
    (void)state;
    counters_plan_make(&plan, &large);
    for (int i = 0; i < plan.sweep.experiment_count; i++) {
        const struct sweep_experiment *one = &plan.sweep.experiments[i];
        assert_int_equal(one->priority, -EXPERIMENT_PRIORITY_MAX);
        assert_int_equal(device_set_next(&one->devices, 0), 3);
        assert_non_null(strstr(one->request, "\"max_seconds\":0.3"));
    }
    for (int i = 0; i < plan.sweep.point_count; i++)
        assert_in_range(plan.sweep.points[i].experiment, 0, plan.sweep.experiment_count - 1);
    calibration_plan_free(&plan);
}

static void a_result_tells_a_row(void **state)
{
    struct fit_row row;
    static const char request[] = "{\"kernel\":\"copy\",\"size\":1048576,\"block\":[256,1,1],"
                                  "\"labels\":{\"calibration\":\"dirty_mb\"}}";
    static const char result[] = "{\"launch\":{\"registers_per_thread\":18,\"shared_bytes_per_block\":1024},"
                                 "\"timing\":{\"cold\":{\"median_us\":7.5},\"hot\":{\"median_us\":5},"
                                 "\"floor_us\":2.5}}";
    (void)state;
    assert_int_equal(calibration_plan_row(&row, request, result), 0);
    assert_true(row.cold_us == 7.5 && row.hot_us == 5 && row.floor_us == 2.5);
    assert_int_equal(row.registers, 18);
    assert_int_equal(row.shared_bytes, 1024);
    assert_int_equal(row.access.load.bytes, 4 << 20);
    assert_false(row.latency);
    assert_int_equal(
        calibration_plan_row(&row, request,
                             "{\"launch\":{},\"timing\":{\"status\":\"unavailable\",\"reason\":\"late\"}}"),
        -1);
    assert_int_equal(calibration_plan_row(&row, "{\"kernel\":\"gone\"}", result), -1);
}

static void what_is_written_is_read_again(void **state)
{
    struct buffer text = {0};
    struct calibration read;
    struct calibration made = *calibration_at(0);
    (void)state;
    made.constant[CALIBRATION_LAUNCH].spread = 0.25;
    made.made_ms = 1700000000123;
    calibration_json_write(&(struct json_writer){.out = &text}, NULL, &made);
    assert_int_equal(calibration_json_read(&read, text.data), 0);
    assert_string_equal(read.name, made.name);
    assert_true(read.made_ms == made.made_ms && read.l1_bytes == made.l1_bytes);
    for (int i = 0; i < CALIBRATION_CONSTANTS; i++) {
        assert_true(fabs(read.constant[i].value - made.constant[i].value) < 1e-9);
        assert_true(fabs(read.constant[i].spread - made.constant[i].spread) < 1e-9);
    }
    made.sms = 0;
    buffer_free(&text);
    calibration_json_write(&(struct json_writer){.out = &text}, NULL, &made);
    assert_int_equal(calibration_json_read(&read, text.data), -1);
    assert_int_equal(calibration_json_read(&read, "{\"name\":\"NVIDIA H200\"}"), -1);
    assert_int_equal(calibration_json_read(&read, "[]"), -1);
    buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fitted_constant_has_experiments),
        cmocka_unit_test(its_experiments_are_short_and_behind_all_others),
        cmocka_unit_test(a_result_tells_a_row),
        cmocka_unit_test(what_is_written_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
