#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "api/result_json.h"
#include "tests/unit/support/json_tree.h"

static struct stability_summary summary_of(const char *text)
{
    struct stability_summary summary;
    json_t *stability = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(stability);
    result_json_read_stability(&summary, stability);
    json_decref(stability);
    return summary;
}

static void assert_value(const struct stability_summary *summary, enum live_quantity quantity, double value)
{
    assert_true(summary->latest.of[quantity].known);
    assert_true(summary->latest.of[quantity].value == value);
}

static void what_stability_to_json_writes_is_understood(void **state)
{
    struct experiment experiment = {.measure.noise = 0.01};
    struct result result = {.cold = {.samples = TIMING_LEAST, .noise = 0.5}, .stability = {.looks = 2}};
    static const double looks[2][LIVE_QUANTITIES] = {
        {[LIVE_SM_CLOCK] = 1980, [LIVE_THROTTLE] = LIVE_SW_POWER_CAP | LIVE_IDLE, [LIVE_OTHERS] = 2},
        {[LIVE_SM_CLOCK] = 1755, [LIVE_THROTTLE] = 0x200, [LIVE_OTHERS] = 1, [LIVE_TEMPERATURE] = 83}};
    struct stability_summary summary;
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int q = 0; q < LIVE_QUANTITIES; q++)
            result.stability.look[i].of[q] =
                (struct live_value){.known = q != LIVE_MEMORY_CLOCK, .value = looks[i][q]};
    result.stability.look[0].measured = result.stability.look[1].measured = true;
    json_t *stability = JSON_TREE(result_json_stability, &experiment, &result);
    result_json_read_stability(&summary, stability);
    assert_int_equal(json_array_size(json_object_get(stability, "codes")),
                     json_array_size(json_object_get(stability, "reasons")));
    json_decref(stability);
    assert_int_equal(summary.codes, 1u << STABILITY_SM_CLOCK | 1u << STABILITY_THROTTLED |
                                        1u << STABILITY_OTHERS | 1u << STABILITY_NOISE);
    assert_value(&summary, LIVE_SM_CLOCK, 1755);
    assert_value(&summary, LIVE_TEMPERATURE, 83);
    assert_value(&summary, LIVE_OTHERS, 2);
    assert_value(&summary, LIVE_THROTTLE,
                 LIVE_SW_POWER_CAP | LIVE_IDLE); /* a bit without a name is left out */
    assert_false(summary.latest.of[LIVE_MEMORY_CLOCK].known);
    assert_false(summary.latest.of[LIVE_POWER].known);
}

static void a_median_of_zero_is_not_stable(void **state)
{
    struct experiment experiment = {.measure.noise = 0.01};
    struct result result = {.cold = {.samples = TIMING_LEAST, .noise = NAN}};
    (void)state;
    json_t *stability = JSON_TREE(result_json_stability, &experiment, &result);
    assert_true(json_is_false(json_object_get(stability, "stable")));
    assert_string_equal(json_string_value(json_array_get(json_object_get(stability, "reasons"), 0)),
                        "cold samples: the median is 0, so their noise is not known");
    assert_string_equal(json_string_value(json_array_get(json_object_get(stability, "codes"), 0)),
                        stability_code_name(STABILITY_NOISE));
    json_decref(stability);
}

static void every_code_is_understood_by_its_name(void **state)
{
    (void)state;
    for (int code = 0; code < STABILITY_CODES; code++) {
        char text[80];
        snprintf(text, sizeof text, "{\"codes\":[\"%s\"]}", stability_code_name((enum stability_code)code));
        assert_int_equal(summary_of(text).codes, 1u << code);
    }
}

/* Another program wrote it: an older executor, or one that is out of order. */
static void what_has_another_form_is_not_known(void **state)
{
    static const char *const texts[] = {
        "null",
        "[]",
        "{}",
        "{\"codes\":7,\"live\":[]}",
        "{\"codes\":[1,null,\"no such code\"],\"live\":{}}",
        "{\"live\":{\"sm_clock_mhz\":[],\"temperature_c\":{\"status\":\"unavailable\"},"
        "\"throttle_reasons\":\"idle\",\"other_processes\":\"1\"}}",
        "{\"live\":{\"sm_clock_mhz\":[1980,\"1980\"],\"memory_clock_mhz\":[null]}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct stability_summary summary = summary_of(texts[i]);
        assert_int_equal(summary.codes, 0);
        for (int q = 0; q < LIVE_QUANTITIES; q++)
            assert_false(summary.latest.of[q].known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stability_to_json_writes_is_understood),
        cmocka_unit_test(a_median_of_zero_is_not_stable),
        cmocka_unit_test(every_code_is_understood_by_its_name),
        cmocka_unit_test(what_has_another_form_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
