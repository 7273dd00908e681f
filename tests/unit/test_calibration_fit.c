/* Constants from experiments: with a model of a few of them, whose times are known exactly. The model of
   time itself is in test_calibration.c. */
#include <math.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/calibrations/fit.h"

enum { ROWS = 48 };

static void assert_near(double value, double wanted, double within)
{
    if (fabs(value - wanted) > within * fabs(wanted))
        fail_msg("%g is not %g", value, wanted);
}

struct load {
    double blocks, bytes, rounds;
};

static const enum calibration_constant told[] = {CALIBRATION_LAUNCH, CALIBRATION_BANDWIDTH, CALIBRATION_SLOT,
                                                 CALIBRATION_TAIL};
enum { TOLD = sizeof told / sizeof *told };

static double simple_predict(const void *rows, int row, const struct calibration *calibration)
{
    const struct load *load = (const struct load *)rows + row;
    if (load->bytes < 0)
        return 0; /* the model is not for it */
    return calibration->constant[CALIBRATION_FLOOR].value +
           (calibration->constant[CALIBRATION_TAIL].value +
            load->blocks * calibration->constant[CALIBRATION_LAUNCH].value +
            load->rounds * calibration->constant[CALIBRATION_SLOT].value) /
               1e3 +
           load->bytes / calibration->constant[CALIBRATION_BANDWIDTH].value / 1e3;
}

struct bench {
    struct load loads[ROWS];
    double measured_us[ROWS], floor_us[ROWS];
    struct calibration truth;
};

/* Loads of all sizes, by a generator that is the same everywhere. */
static void bench_make(struct bench *bench)
{
    uint64_t seed = 1;
    double drawn[3];
    bench->truth = *calibration_at(0);
    strcpy(bench->truth.name, "another");
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < 3; j++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            drawn[j] = (double)(seed >> 40) / (double)(1 << 24);
        }
        bench->loads[i] =
            (struct load){pow(10, 5 * drawn[0]), pow(10, 3 + 5 * drawn[1]), pow(10, 3 * drawn[2])};
        bench->floor_us[i] = 2.5 + i % 3 * 0.1;
        struct calibration own = bench->truth;
        own.constant[CALIBRATION_FLOOR].value = bench->floor_us[i];
        bench->measured_us[i] = simple_predict(bench->loads, i, &own);
    }
}

/* The truth with each told constant too large or too small by that factor, by turns. */
static struct calibration start_off(const struct bench *bench, double factor)
{
    struct calibration start = bench->truth;
    for (int i = 0; i < TOLD; i++)
        start.constant[told[i]].value *= i % 2 ? factor : 1 / factor;
    return start;
}

static int bench_fit(const struct bench *bench, struct calibration *calibration, struct error *error)
{
    return fit_model(calibration, simple_predict, bench->loads, bench->measured_us, bench->floor_us, ROWS,
                     error);
}

static void assert_found(const struct bench *bench, const struct calibration *found, double within)
{
    for (int i = 0; i < TOLD; i++) {
        double ratio = found->constant[told[i]].value / bench->truth.constant[told[i]].value;
        if (fabs(ratio - 1) > within)
            fail_msg("%s is %g of what it was", calibration_about(told[i])->name, ratio);
        assert_true(found->constant[told[i]].spread < 10 * within);
    }
}

static void from_starts_that_are_wrong_by_two_it_comes_back(void **state)
{
    struct bench bench;
    struct error error = {0};
    (void)state;
    bench_make(&bench);
    for (int way = 0; way < 2; way++) {
        struct calibration found = start_off(&bench, way ? 0.5 : 2);
        assert_int_equal(bench_fit(&bench, &found, &error), 0);
        assert_int_equal(found.experiments, ROWS);
        assert_found(&bench, &found, 0.02);
    }
}

static void what_no_row_tells_stays_and_says_so(void **state)
{
    struct bench bench;
    struct error error = {0};
    (void)state;
    bench_make(&bench);
    struct calibration found = start_off(&bench, 1.5);
    /* Noise, without which there would be nothing to tell a spread from. */
    for (int i = 0; i < ROWS; i++)
        bench.measured_us[i] *= i % 2 ? 1.02 : 0.98;
    assert_int_equal(bench_fit(&bench, &found, &error), 0);
    assert_near(found.constant[CALIBRATION_STEP].value, bench.truth.constant[CALIBRATION_STEP].value, 1e-3);
    assert_true(found.constant[CALIBRATION_STEP].spread > 5 * found.constant[CALIBRATION_BANDWIDTH].spread);
    assert_true(found.constant[CALIBRATION_BANDWIDTH].spread > 1e-4);
    assert_true(found.constant[CALIBRATION_DRAM_LATENCY].value ==
                bench.truth.constant[CALIBRATION_DRAM_LATENCY].value);
}

/* Of the same product little differs, and few experiments do not tell all: what is not told stays where it
   is shipped. */
static void one_of_the_same_product_stays_near(void **state)
{
    struct bench bench;
    struct error error = {0};
    (void)state;
    bench_make(&bench);
    for (int i = 0; i < ROWS; i++)
        bench.measured_us[i] *= i % 2 ? 1.3 : 0.8;
    struct calibration other = bench.truth, same = bench.truth;
    strcpy(same.name, calibration_at(0)->name);
    assert_int_equal(bench_fit(&bench, &other, &error), 0);
    assert_int_equal(bench_fit(&bench, &same, &error), 0);
    double moved_other = 0, moved_same = 0;
    for (int i = 0; i < TOLD; i++) {
        double truth = bench.truth.constant[told[i]].value;
        moved_other += fabs(log(other.constant[told[i]].value / truth));
        moved_same += fabs(log(same.constant[told[i]].value / truth));
    }
    assert_true(moved_same < moved_other / 2);
}

static void a_few_rows_that_are_far_off_carry_nothing_away(void **state)
{
    struct bench bench;
    struct error error = {0};
    (void)state;
    bench_make(&bench);
    for (int i = 0; i < ROWS; i += 12)
        bench.measured_us[i] *= 2.5;
    struct calibration found = start_off(&bench, 1.5);
    assert_int_equal(bench_fit(&bench, &found, &error), 0);
    assert_found(&bench, &found, 0.15);
}

static void too_few_rows_are_refused_and_change_nothing(void **state)
{
    struct bench bench;
    struct error error = {0};
    (void)state;
    bench_make(&bench);
    for (int i = FIT_ROWS_LEAST - 1; i < ROWS; i++)
        bench.loads[i].bytes = -1;
    struct calibration start = start_off(&bench, 2), found = start;
    assert_int_equal(bench_fit(&bench, &found, &error), -1);
    assert_int_equal(error.kind, ERROR_INVALID);
    assert_true(found.constant[CALIBRATION_LAUNCH].value == start.constant[CALIBRATION_LAUNCH].value);
}

static void an_unknown_device_begins_with_what_its_facts_say(void **state)
{
    const struct calibration *h200 = calibration_at(0);
    struct calibration begun;
    struct error error = {0};
    const struct device_facts half = {.name = "Half of it",
                                      .arch = "sm_90",
                                      .driver = "1",
                                      .multiprocessors = h200->sms / 2,
                                      .clock_khz = h200->clock_khz,
                                      .peak_gbps = 1000,
                                      .l2_bytes = 10000000,
                                      .shared_bytes_per_multiprocessor = 100 << 10};
    (void)state;
    assert_int_equal(fit_begin(&begun, &half, &error), 0);
    assert_string_equal(begun.name, "Half of it");
    assert_near(begun.constant[CALIBRATION_BANDWIDTH].value, 920, 1e-6);
    assert_near(begun.constant[CALIBRATION_DIRTY].value, 9.3, 1e-6);
    assert_near(begun.constant[CALIBRATION_FLIT].value, 2 * h200->constant[CALIBRATION_FLIT].value, 1e-6);
    assert_int_equal(begun.l1_bytes, 128 << 10);
    const struct device_facts none = {.name = "Nothing", .arch = "sm_90"};
    assert_int_equal(fit_begin(&begun, &none, &error), -1);
    assert_int_equal(error.kind, ERROR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_starts_that_are_wrong_by_two_it_comes_back),
        cmocka_unit_test(what_no_row_tells_stays_and_says_so),
        cmocka_unit_test(one_of_the_same_product_stays_near),
        cmocka_unit_test(a_few_rows_that_are_far_off_carry_nothing_away),
        cmocka_unit_test(too_few_rows_are_refused_and_change_nothing),
        cmocka_unit_test(an_unknown_device_begins_with_what_its_facts_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
