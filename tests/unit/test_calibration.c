/* The constants of an H200, found again from what an H200 measured: calibration_rows.tsv, requests and
   results, of which the first FITTED are fitted and the others asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/calibration_plan.h"
#include "kernels/time/predicted_time.h"
#include "tests/faults/h200_facts.h"

enum { FITTED = 48, ROWS = 68 };

static struct fit_row rows[ROWS];

static int rows_load(void **state)
{
    char *line = NULL;
    size_t room = 0;
    int count = 0;
    FILE *file = fopen(TESTS_DIR "/unit/calibration_rows.tsv", "r");
    (void)state;
    while (file && count < ROWS && getline(&line, &room, file) > 0) {
        char *tab = strchr(line, '\t');
        *tab = '\0';
        if (calibration_plan_row(&rows[count], line, tab + 1) < 0)
            break;
        count++;
    }
    free(line);
    if (file)
        fclose(file);
    return count == ROWS ? 0 : -1;
}

static double row_us(const struct calibration *calibration, const struct fit_row *row)
{
    struct time_prediction prediction;
    struct calibration own = *calibration;
    own.constant[CALIBRATION_FLOOR].value = row->floor_us;
    predicted_time_predict(&row->experiment, &row->access, &own, row->registers, row->shared_bytes,
                           &prediction);
    return prediction.why_not.en ? 0 : prediction.us;
}

/* How many of the rows that were not fitted are predicted within that part of what was measured. */
static int others_within(const struct calibration *calibration, double part)
{
    int within = 0;
    for (int i = FITTED; i < ROWS; i++)
        within += fabs(row_us(calibration, &rows[i]) / rows[i].cold_us - 1) < part;
    return within;
}

static void what_was_fitted_predicts_the_others(void **state)
{
    struct calibration found = *calibration_find("NVIDIA H200");
    struct error error = {0};
    (void)state;
    assert_int_equal(fit_rows(&found, rows, FITTED, &error), 0);
    assert_true(found.experiments >= FITTED - 2);
    assert_true(others_within(&found, 0.25) >= (ROWS - FITTED) * 9 / 10);
    assert_true(others_within(&found, 0.10) >= (ROWS - FITTED) * 7 / 10);
}

static void from_starts_that_are_wrong_by_two_it_comes_back(void **state)
{
    static const enum calibration_constant sure[] = {CALIBRATION_LAUNCH, CALIBRATION_BANDWIDTH,
                                                     CALIBRATION_QUEUE, CALIBRATION_FLIT};
    const struct calibration *shipped = calibration_find("NVIDIA H200");
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct calibration found = *shipped;
        struct error error = {0};
        strcpy(found.name, "another");
        int turn = way;
        for (int i = 0; i < CALIBRATION_CONSTANTS; i++)
            if (calibration_about((enum calibration_constant)i)->fitted)
                found.constant[i].value *= turn++ % 2 ? 2 : 0.5;
        assert_int_equal(fit_rows(&found, rows, FITTED, &error), 0);
        for (size_t i = 0; i < sizeof sure / sizeof *sure; i++) {
            double ratio = found.constant[sure[i]].value / shipped->constant[sure[i]].value;
            if (fabs(ratio - 1) > 0.15)
                fail_msg("%s is %g of what is shipped", calibration_about(sure[i])->name, ratio);
        }
        assert_true(others_within(&found, 0.25) >= (ROWS - FITTED) * 9 / 10);
    }
}

/* ---- a device that is not there ---- */

static const struct device_facts h200 = {H200_FACTS};

/* -1 to 1, the same everywhere. */
static double drawn(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 40) / (double)(1 << 23) - 1;
}

/* The rows of the plan, as a device of these constants would measure them within 5 %. */
static int plan_measure(struct fit_row *measured, const struct calibration *truth, uint64_t *seed)
{
    static const char nothing[] = "{\"timing\":{\"cold\":{\"median_us\":1},\"floor_us\":2.6}}";
    const struct device_offer offer = {.name = "gpu0", .facts = &h200, .listed = true};
    struct calibration_plan plan;
    int count = 0;
    assert_int_equal(calibration_plan_make(&plan, &offer, "", NULL), 0);
    for (int i = 0; i < plan.sweep.experiment_count; i++) {
        struct fit_row *row = &measured[count];
        assert_int_equal(calibration_plan_row(row, plan.sweep.experiments[i].request, nothing), 0);
        row->cold_us = row_us(truth, row) * (1 + 0.05 * drawn(seed));
        count += !row->latency;
    }
    calibration_plan_free(&plan);
    return count;
}

/* So each constant that matters has an experiment that tells it. */
static void the_plan_tells_all_that_predictions_need(void **state)
{
    static struct fit_row measured[FIT_ROWS_MOST];
    const struct calibration *shipped = calibration_find("NVIDIA H200");
    struct error error = {0};
    uint64_t seed = 7;
    (void)state;
    for (int device = 0; device < 4; device++) {
        struct calibration truth = *shipped, found = *shipped;
        strcpy(found.name, "another");
        for (int i = 0; i < CALIBRATION_CONSTANTS; i++)
            if (calibration_about((enum calibration_constant)i)->fitted)
                truth.constant[i].value *= pow(1.3, drawn(&seed));
        assert_int_equal(fit_rows(&found, measured, plan_measure(measured, &truth, &seed), &error), 0);
        for (int i = 0; i < ROWS; i++)
            if (fabs(row_us(&found, &rows[i]) / row_us(&truth, &rows[i]) - 1) > 0.1)
                fail_msg("device %d, row %d: %s is %g us, not %g", device, i, rows[i].experiment.kernel->name,
                         row_us(&found, &rows[i]), row_us(&truth, &rows[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_fitted_predicts_the_others),
        cmocka_unit_test(from_starts_that_are_wrong_by_two_it_comes_back),
        cmocka_unit_test(the_plan_tells_all_that_predictions_need),
    };
    return cmocka_run_group_tests(tests, rows_load, NULL);
}
