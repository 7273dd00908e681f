/* The `time` of a result: a run of copy on an H200, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/result_json.h"
#include "kernels/calibrations/calibration.h"
#include "tests/unit/support/json_tree.h"

static struct experiment experiment;
static struct result result;

static int set_up(void **state)
{
    (void)state;
    struct error error = {0};
    assert_int_equal(
        experiment_json_read_text(&experiment,
                                  "{\"kernel\":\"copy\",\"size\":67108864,\"block\":64,\"device\":1,"
                                  "\"counters\":true}",
                                  NULL, &error),
        0);
    result = (struct result){
        .device = {.name = "NVIDIA H200", .arch = "sm_90", .backend = "cuda", .multiprocessors = 132},
        .launch = {.registers_per_thread = 10},
        .correctness = {.checked = true, .verified = true},
        .cold = {.samples = 30, .launches = 1, .median_us = 640},
    };
    return 0;
}

static json_t *time_of_it(json_t **object)
{
    *object = JSON_TREE(result_json_write, &experiment, &result);
    json_t *time = json_object_get(*object, "time");
    assert_non_null(time);
    return time;
}

static double number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_number(value))
        fail_msg("%s is no number", name);
    return json_number_value(value);
}

static void a_result_holds_what_was_measured_against_its_prediction(void **state)
{
    (void)state;
    json_t *object, *time = time_of_it(&object);
    double predicted = number(time, "predicted_us");
    assert_true(fabs(number(time, "error_pct") - 100 * (predicted - 640) / 640) < 0.001);
    assert_true(number(time, "measured_us") == 640);
    assert_string_equal(json_string_value(json_object_get(time, "limiter")), "launch");
    json_t *check = json_object_get(time, "check");
    assert_int_equal(json_integer_value(json_object_get(check, "device")), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(check, "block"), 0)), 64);
    assert_null(json_object_get(time, "counted"));
    json_decref(object);
}

static const char *calibration_of(const json_t *time)
{
    return json_string_value(json_object_get(time, "calibration"));
}

static void the_devices_own_constants_go_before_those_that_are_shipped(void **state)
{
    (void)state;
    struct calibration own = *calibration_find("NVIDIA H200");
    json_t *object, *time = time_of_it(&object);
    double shipped_us = number(time, "predicted_us");
    assert_string_equal(calibration_of(time), "shipped");
    json_decref(object);

    own.made_ms = 1768910400000;
    own.constant[CALIBRATION_LAUNCH].value *= 2;
    snprintf(own.name, sizeof own.name, "Another GPU");
    snprintf(result.device.name, sizeof result.device.name, "Another GPU");
    result.calibration = &own;
    time = time_of_it(&object);
    assert_true(number(time, "predicted_us") > 1.7 * shipped_us);
    assert_string_equal(calibration_of(time), "2026-01-20T12:00:00.000Z");
    assert_string_equal(json_string_value(json_object_get(time, "device_name")), "Another GPU");
    json_decref(object);
}

static void with_counters_the_limiter_is_told_from_them_too(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value;
    } counted[] = {{"duration_us", 636},
                   {"dram_read_bytes", 268435456},
                   {"dram_write_bytes", 230000000},
                   {"inst_executed", 62914560},
                   {"achieved_occupancy", 0.28}};
    result.counters.status = COUNTERS_MEASURED;
    result.counters.count = (int)(sizeof counted / sizeof *counted);
    for (int i = 0; i < result.counters.count; i++) {
        snprintf(result.counters.at[i].name, sizeof result.counters.at[i].name, "%s", counted[i].name);
        result.counters.at[i].measured = true;
        result.counters.at[i].value = counted[i].value;
    }
    json_t *object, *time = time_of_it(&object), *told = json_object_get(time, "counted");
    assert_string_equal(json_string_value(json_object_get(told, "limiter")), "launch");
    assert_true(json_is_true(json_object_get(told, "agrees")));
    assert_true(fabs(number(told, "occupancy_pct") - 28) < 0.001);
    assert_true(number(told, "launch_pct") > 95 && number(told, "launch_pct") < 100);
    assert_true(json_is_null(json_object_get(told, "l2_pct")));
    json_decref(object);
}

static void without_a_time_nothing_is_held_against_it(void **state)
{
    (void)state;
    result.cold = (struct timing){0};
    json_t *object, *time = time_of_it(&object);
    assert_null(json_object_get(time, "measured_us"));
    assert_null(json_object_get(time, "error_pct"));
    assert_true(number(time, "predicted_us") > 0);
    json_decref(object);
}

static void a_device_without_constants_has_a_reason(void **state)
{
    (void)state;
    snprintf(result.device.name, sizeof result.device.name, "Some GPU");
    json_t *object, *time = time_of_it(&object);
    assert_string_equal(json_string_value(json_object_get(time, "status")), "unavailable");
    assert_non_null(strstr(json_string_value(json_object_get(time, "reason")), "Some GPU"));
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_result_holds_what_was_measured_against_its_prediction, set_up),
        cmocka_unit_test_setup(the_devices_own_constants_go_before_those_that_are_shipped, set_up),
        cmocka_unit_test_setup(with_counters_the_limiter_is_told_from_them_too, set_up),
        cmocka_unit_test_setup(without_a_time_nothing_is_held_against_it, set_up),
        cmocka_unit_test_setup(a_device_without_constants_has_a_reason, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
