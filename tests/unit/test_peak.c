/* Peaks: the published arithmetic, by the function that real devices use; and what is said without inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "api/device_json.h"
#include "kernels/model/arch.h"
#include "kernels/facts.h"
#include "tests/unit/support/json_tree.h"

static void near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%.9g is not %.9g", value, expected);
}

/* 2 x 384 bit x 2.505 GHz x 2 / 8, and 823.5 MHz x 2 x 13 x 192 x 2, of two chips of a K80. */
static void the_published_peaks_of_a_k80_come_out(void **state)
{
    (void)state;
    near(facts_peak_bandwidth_gbps(2505000, 384, 2), 480.96, 1e-9);
    near(facts_peak_single_gflops(823500, 13, arch_find("sm_37")->fp32_lanes, 2) / 1e3, 8.222, 5e-4);
}

static void every_architecture_has_its_lanes(void **state)
{
    static const struct {
        const char *arch;
        unsigned lanes;
    } cases[] = {{"sm_20", 32}, {"sm_35", 192}, {"sm_52", 128}, {"sm_60", 64}, {"sm_61", 128},
                 {"sm_70", 64}, {"sm_80", 64},  {"sm_86", 128}, {"sm_90", 128}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(arch_find(cases[i].arch)->fp32_lanes, cases[i].lanes);
    for (int i = 0; i < arch_count(); i++)
        assert_true(arch_at(i)->fp32_lanes >= 8 && arch_at(i)->fp32_lanes % 8 == 0);
}

static double number(const json_t *object, const char *name)
{
    assert_true(json_is_number(json_object_get(object, name)));
    return json_number_value(json_object_get(object, name));
}

static void a_devices_peaks_come_with_their_inputs(void **state)
{
    static const struct device_facts h200 = {.backend = "cuda",
                                             .arch = "sm_90",
                                             .multiprocessors = 132,
                                             .clock_khz = 1980000,
                                             .memory_clock_khz = 3201000,
                                             .memory_bus_bits = 6016};
    (void)state;
    json_t *peaks = JSON_MEMBERS(device_json_peaks, &h200);
    const json_t *bandwidth = json_object_get(peaks, "peak_bandwidth");
    const json_t *single = json_object_get(peaks, "peak_single_precision");
    near(number(bandwidth, "gbps"), 4814.304, 1e-3);
    near(number(single, "gflops"), 66908.16, 1e-2);
    near(number(peaks, "balance_flops_per_byte"), 66908.16 / 4814.304, 1e-5);
    /* The formula is no decoration: its factors are the inputs' names, and their product is the figure. */
    const json_t *const all[] = {bandwidth, single};
    for (int i = 0; i < 2; i++) {
        const char *key;
        const json_t *input;
        double product = i ? 1.0 / 1000 : 1.0 / 8 / 1000;
        json_object_foreach (json_object_get(all[i], "inputs"), key, input)
            if (json_is_number(input)) {
                assert_non_null(strstr(json_string_value(json_object_get(all[i], "formula")), key));
                product *= json_number_value(input);
            }
        near(product, number(all[i], i ? "gflops" : "gbps"), 1e-2);
    }
    json_decref(peaks);
}

static void what_lacks_an_input_is_unavailable_with_a_reason(void **state)
{
    static const char *const members[] = {"peak_bandwidth", "peak_single_precision",
                                          "balance_flops_per_byte"};
    static const struct device_facts cases[] = {
        {.backend = "cpu", .arch = "x86_64", .multiprocessors = 2, .peak_source = "not known for a CPU"},
        {.backend = "cuda", .arch = "sm_90", .multiprocessors = 132, .peak_source = "not told"},
        {.backend = "cuda",
         .arch = "sm_999",
         .multiprocessors = 9,
         .clock_khz = 1,
         .peak_source = "not told"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *peaks = JSON_MEMBERS(device_json_peaks, &cases[i]);
        for (int m = 0; m < 3; m++) {
            const json_t *member = json_object_get(peaks, members[m]);
            assert_string_equal(json_string_value(json_object_get(member, "status")), "unavailable");
            assert_true(json_string_length(json_object_get(member, "reason")) > 5);
        }
        json_decref(peaks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_peaks_of_a_k80_come_out),
        cmocka_unit_test(every_architecture_has_its_lanes),
        cmocka_unit_test(a_devices_peaks_come_with_their_inputs),
        cmocka_unit_test(what_lacks_an_input_is_unavailable_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
