/* The model of time against what an H200 took (tests/model/h200_times.jsonl: a third of the experiments
   that its constants were fitted from, so that this holds the model together and judges nothing;
   bench/why.py judges), and each bound against arithmetic on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "kernels/time/predicted_time.h"
#include "kernels/time/launch_work.h"

static void counted(const char *request, struct experiment *experiment, struct access *access)
{
    struct error error;
    if (experiment_json_read_text(experiment, request, NULL, &error) < 0)
        fail_msg("%s: %s", request, error.text);
    access_count(experiment, access);
}

static struct time_prediction predicted(const char *request, int registers, int64_t shared)
{
    struct experiment experiment;
    struct access access;
    struct time_prediction prediction;
    counted(request, &experiment, &access);
    predicted_time_predict(&experiment, &access, calibration_find("nvidia h200"), registers, shared,
                           &prediction);
    return prediction;
}

static int compare(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

static void what_an_h200_took_is_what_the_model_says(void **state)
{
    (void)state;
    double errors[512];
    size_t count = 0, within_10 = 0, within_25 = 0, room = 0;
    char *line = NULL;
    FILE *file = fopen(TESTS_DIR "/model/h200_times.jsonl", "r");
    assert_non_null(file);
    while (getline(&line, &room, file) > 0 && count < 512) {
        json_t *row = json_loads(line, 0, NULL);
        assert_non_null(row);
        char *request = json_dumps(json_object_get(row, "request"), 0);
        struct time_prediction p =
            predicted(request, (int)json_integer_value(json_object_get(row, "registers")),
                      json_integer_value(json_object_get(row, "shared")));
        if (p.why_not.en)
            fail_msg("%s: %s", request, p.why_not.en);
        double error = fabs(p.us / json_number_value(json_object_get(row, "cold_us")) - 1);
        within_10 += error < 0.10;
        within_25 += error < 0.25;
        errors[count++] = error;
        free(request);
        json_decref(row);
    }
    free(line);
    fclose(file);
    assert_true(count > 200);
    qsort(errors, count, sizeof *errors, compare);
    print_message("%zu rows: within 10 %% %.1f, within 25 %% %.1f, median %.2f %%\n", count,
                  100.0 * (double)within_10 / (double)count, 100.0 * (double)within_25 / (double)count,
                  100 * errors[count / 2]);
    assert_true((double)within_10 >= 0.92 * (double)count);
    assert_true((double)within_25 >= 0.98 * (double)count);
    assert_true(errors[count / 2] < 0.025);
}

/* What the counter inst_executed said of launches on an H200, drawn at random
   (tests/model/h200_instructions.jsonl): of 32 kernels of which the way of a warp does not go by numbers
   that only the launch knows. */
static void instructions_are_those_that_an_h200_executed(void **state)
{
    (void)state;
    size_t count = 0, within_1 = 0, room = 0;
    char *line = NULL;
    FILE *file = fopen(TESTS_DIR "/model/h200_instructions.jsonl", "r");
    assert_non_null(file);
    for (; getline(&line, &room, file) > 0; count++) {
        json_t *row = json_loads(line, 0, NULL);
        char *request = json_dumps(json_object_get(row, "request"), 0);
        struct experiment experiment;
        struct access access;
        struct code code;
        struct launch_work work;
        counted(request, &experiment, &access);
        assert_non_null(machine_code_find(&experiment, "sm_90", &code));
        assert_null(
            launch_work_make(&experiment, &access, &code, calibration_find("nvidia h200"), -1, -1, &work).en);
        double executed = json_number_value(json_object_get(row, "instructions"));
        double ratio = work.instructions * work.warps / executed;
        within_1 += fabs(ratio - 1) < 0.01;
        if (fabs(ratio - 1) > 0.1)
            fail_msg("%s: %g times what was counted", request, ratio);
        free(request);
        json_decref(row);
    }
    free(line);
    fclose(file);
    print_message("%zu launches: %zu within 1 %%\n", count, within_1);
    assert_true(count > 180 && (double)within_1 > 0.9 * (double)count);
}

static double constant(enum calibration_constant which)
{
    return calibration_find("NVIDIA H200")->constant[which].value;
}

static void near(double a, double b)
{
    if (fabs(a - b) > 1e-6 * fabs(b))
        fail_msg("%g is not %g", a, b);
}

static void bounds_are_what_paper_says(void **state)
{
    (void)state;
    /* 2^24 floats in blocks of 32: 524288 blocks, one line a request; a warp loads two lines and stores
       one. */
    struct time_prediction p =
        predicted("{\"kernel\": \"vector_add\", \"size\": 16777216, \"block\": 32}", -1, -1);
    assert_null(p.why_not.en);
    assert_int_equal(p.limiter, TIME_LAUNCH);
    near(p.bound[TIME_LAUNCH].us, 524288 * constant(CALIBRATION_LAUNCH) * 1e-3);
    near(p.bound[TIME_LAUNCH].amount, 524288);
    near(p.bound[TIME_L2].amount, 524288 * (2 + 1 + 2));
    near(p.bound[TIME_L1].amount, ceil(524288 / 132.) * 2);
    near(p.dram_read_bytes, 2 * 4 * 16777216.);
    near(p.l1_hit_pct + 1, 1);
    near(p.us, p.floor_us + p.ramp_us + p.bound[TIME_LAUNCH].us); /* felt alone */
    p = predicted("{\"kernel\": \"vector_add\", \"size\": 16777216, \"block\": 256}", -1, -1);
    double longest = 0;
    for (int b = 0; b < TIME_BOUNDS; b++)
        longest = fmax(longest, p.bound[b].us);
    assert_true(p.us > p.floor_us + p.ramp_us + longest);
    assert_true(p.us < p.floor_us + p.ramp_us + 1.3 * longest);
}

static void what_limits_is_what_was_built_to_limit(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        enum time_bound limiter;
    } cases[] = {
        {"{\"kernel\": \"stream_triad\", \"size\": 67108864, \"block\": 512}", TIME_DRAM},
        {"{\"kernel\": \"write_only\", \"size\": 67108864, \"block\": 32}", TIME_LAUNCH},
        {"{\"kernel\": \"copy\", \"size\": 16777216, \"block\": 128, \"shared_bytes\": 200000}",
         TIME_LATENCY},
        {"{\"kernel\": \"transpose\", \"how\": \"naive_row\", \"size\": [4096, 4096], \"block\": [32, 32]}",
         TIME_L2},
        {"{\"kernel\": \"read_const\", \"word\": \"lanes\", \"size\": 16777216, \"block\": 256}", TIME_ISSUE},
        {"{\"kernel\": \"pointer_chase\", \"size\": 16777216, \"block\": 32, \"grid\": 1}", TIME_LATENCY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct time_prediction p = predicted(cases[i].request, -1, -1);
        if (p.why_not.en || p.limiter != cases[i].limiter)
            fail_msg("%s: %s", cases[i].request,
                     p.why_not.en ? p.why_not.en : predicted_time_bound_name(p.limiter));
        assert_int_equal(p.constant_words_us > 0.5 * p.bound[TIME_ISSUE].us, p.limiter == TIME_ISSUE);
        assert_int_equal(p.close, p.bound[p.second].us > 0.8 * p.bound[p.limiter].us);
        assert_true(p.second != p.limiter && p.bound[p.second].us <= p.bound[p.limiter].us);
    }
}

/* 16 elements of 4 bytes a thread apart: of each sector 4 bytes are written, and nobody writes the rest. */
static void gaps_between_stores_are_read_before_they_are_written_back(void **state)
{
    (void)state;
    struct time_prediction p = predicted(
        "{\"kernel\": \"store_pattern\", \"pattern\": \"strided\", \"stride\": 16, \"size\": 134217728}", -1,
        -1);
    double n = 134217728;
    assert_true(p.dram_write_bytes > 31 * n && p.dram_write_bytes <= 32 * n);
    assert_true(fabs(p.dram_read_bytes - 4 * n - p.dram_write_bytes) < 0.001 * n);
    p = predicted("{\"kernel\": \"store_pattern\", \"pattern\": \"aligned\", \"size\": 134217728}", -1, -1);
    near(p.dram_read_bytes, 4 * n);
}

/* 8 passes over 256 x 8 floats a block: of 8 blocks 64 KB fit the L1, of 64 elements a thread 512 KB do
   not. */
static void what_is_gone_over_again_is_in_the_l1_or_is_not(void **state)
{
    (void)state;
    struct time_prediction fits = predicted(
        "{\"kernel\": \"reuse\", \"size\": 67108864, \"each\": 8, \"passes\": 8, \"block\": 256}", -1, -1);
    struct time_prediction not = predicted(
        "{\"kernel\": \"reuse\", \"size\": 67108864, \"each\": 64, \"passes\": 8, \"block\": 256}", -1, -1);
    near(fits.l1_hit_pct, 87.5);
    assert_true(not .l1_hit_pct == 0);
    assert_true(not .us > 1.5 * fits.us);
    /* Both bring it from DRAM once, and wait for it in the first pass alone. */
    near(fits.dram_read_bytes, not .dram_read_bytes);
    assert_true(fits.waits < 3);
}

/* An H200 took 14.5 us for 32 loads that follow one another, alone in a block of 256, and 21.5 with 32
   chains. */
static void whoever_follows_addresses_waits_for_each(void **state)
{
    (void)state;
    struct time_prediction one = predicted(
        "{\"kernel\": \"pointer_chase\", \"size\": 134217728, \"steps\": 32, \"block\": 256}", -1, -1);
    struct time_prediction many =
        predicted("{\"kernel\": \"pointer_chase\", \"size\": 134217728, \"steps\": 32, "
                  "\"block\": 256, \"chains\": 32}",
                  -1, -1);
    assert_true(fabs(one.us / 14.5 - 1) < 0.1);
    assert_true(fabs(many.us / 21.5 - 1) < 0.15);
}

/* Blocks that have nothing to do take a place for a moment, and no more. */
static void idle_blocks_cost_their_places(void **state)
{
    (void)state;
    double us[3];
    static const char *const grids[] = {"256", "8448", "33792"};
    for (int i = 0; i < 3; i++) {
        char request[160];
        snprintf(request, sizeof request,
                 "{\"kernel\": \"grid_stride\", \"size\": 262144, \"block\": 1024, \"grid\": %s, "
                 "\"shared_bytes\": 220000}",
                 grids[i]);
        us[i] = predicted(request, -1, -1).us;
    }
    double slot = calibration_at(0)->constant[CALIBRATION_SLOT].value * 1e-3;
    assert_true(us[1] > us[0] + 3 && us[1] < us[0] + 62 * slot + 1);
    assert_true(fabs((us[2] - us[1]) - 192 * slot) < 0.1 * 192 * slot);
}

static void a_model_that_does_not_apply_says_so(void **state)
{
    (void)state;
    assert_non_null(predicted("{\"kernel\": \"zero_copy\"}", -1, -1).why_not.en);
    assert_non_null(predicted("{\"kernel\": \"atomic_add\"}", -1, -1).why_not.en);
    const char *spills =
        predicted("{\"kernel\": \"register_pressure\", \"values\": 128, \"bounds\": \"cap_64\"}", -1, -1)
            .why_not.en;
    assert_true(spills && strstr(spills, "spilled registers"));
    /* More registers than an SM has for a block: nothing is launched, and nothing is predicted. */
    assert_non_null(predicted("{\"kernel\": \"copy\", \"block\": 1024}", 128, -1).why_not.en);
}

static void each_kernel_has_a_time_or_a_reason(void **state)
{
    (void)state;
    for (int k = 0; k < suite_count(); k++) {
        char request[80];
        snprintf(request, sizeof request, "{\"kernel\": \"%s\"}", suite_at(k)->name);
        if (suite_at(k)->peer)
            continue; /* wants another device in the request */
        struct time_prediction p = predicted(request, -1, -1);
        if (!p.why_not.en && !(isfinite(p.us) && p.us > p.floor_us && p.achieved_occupancy > 0 &&
                               p.achieved_occupancy <= 1 && p.latency_ns >= 0))
            fail_msg("%s: %g us, occupancy %g", request, p.us, p.achieved_occupancy);
    }
}

/* A warp waits for DRAM whether it loads one word or a line: an H200 measured 3.65 and 3.63 us for 32 blocks of one warp,
   and 3.30 and 3.46 us for one (bench/results/few_warps_h200.json). */
static void one_word_takes_as_long_as_a_line(void **state)
{
    (void)state;
    static const char *const request =
        "{\"kernel\": \"lane_pattern\", \"size\": %d, \"block\": 32, \"pattern\": \"%s\"}";
    for (int size = 32; size <= 4096; size *= 2) {
        char word[200], line[200];
        snprintf(word, sizeof word, request, size, "same_word");
        snprintf(line, sizeof line, request, size, "sequential");
        assert_float_equal(predicted(word, 32, 0).us, predicted(line, 32, 0).us, 0.01);
    }
}

/* What an H200 took (docs/lessons.md, section 8), in ns a load: the model says up to a tenth more. */
static void chained_loads_wait_for_the_cache_that_they_hit(void **state)
{
    (void)state;
    static const struct {
        long size;
        double cold_ns;
    } rows[] = {{1024, 26.8}, {4096, 48.5}, {16384, 130.1}, {32768, 229.6}, {49152, 283.2}, {262144, 335.3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char request[200];
        snprintf(request, sizeof request,
                 "{\"kernel\": \"pointer_chase\", \"size\": %ld, \"block\": 32, \"steps\": 4096}",
                 rows[i].size);
        double ns = predicted(request, 32, 0).us * 1e3 / 4096;
        if (fabs(ns / rows[i].cold_ns - 1.05) > 0.06)
            fail_msg("%s: %f ns, an H200 took %f", request, ns, rows[i].cold_ns);
    }
}

/* The bytes that an H200's counters say DRAM reads, in MB (bench/results/gather_l2_h200.json). The model is within a tenth. */
static void a_random_order_is_read_from_dram_again(void **state)
{
    (void)state;
    static const struct {
        long size;
        double dram_mb;
    } rows[] = {{4194304, 16.8}, {8388608, 117.3}, {10485760, 375.4}, {12582912, 774.5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char request[100];
        snprintf(request, sizeof request, "{\"kernel\": \"gather\", \"size\": %ld}", rows[i].size);
        double mb = predicted(request, 22, 0).dram_read_bytes / 1e6;
        if (fabs(mb / rows[i].dram_mb - 1) > 0.1)
            fail_msg("%s: %f MB, an H200 read %f", request, mb, rows[i].dram_mb);
    }
}

/* An H200 took 3.55 us for 32 elements in a block of 256, and 3.71 for 256 (bench/results/wide_index_h200.json): the
   warps without elements take the steps of the others, not more. */
static void warps_without_elements_do_not_make_a_block_slower(void **state)
{
    (void)state;
    for (int size = 32; size < 256; size *= 2) {
        char request[80], twice[80];
        snprintf(request, sizeof request, "{\"kernel\": \"bank_conflict\", \"size\": %d}", size);
        snprintf(twice, sizeof twice, "{\"kernel\": \"bank_conflict\", \"size\": %d}", 2 * size);
        assert_true(predicted(request, 16, -1).us <= predicted(twice, 16, -1).us);
    }
}

/* A further block with one chain does not make the chains of the others faster, and a table that the L1 cannot hold is not read
   from it, however often a chain goes through it. */
static void chains_wait_as_long_beside_a_shorter_warp(void **state)
{
    (void)state;
    struct time_prediction full = predicted("{\"kernel\": \"pointer_chase\", \"chains\": 32}", 32, 0),
                           more = predicted("{\"kernel\": \"pointer_chase\", \"chains\": 33}", 32, 0),
                           far = predicted(
                               "{\"kernel\": \"pointer_chase\", \"size\": 262144, \"steps\": 65536}", 32, 0);
    assert_true(fabs(more.us / full.us - 1) < 0.02);
    assert_float_equal(far.l1_hit_pct, 0, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_those_that_an_h200_executed),
        cmocka_unit_test(what_an_h200_took_is_what_the_model_says),
        cmocka_unit_test(one_word_takes_as_long_as_a_line),
        cmocka_unit_test(chained_loads_wait_for_the_cache_that_they_hit),
        cmocka_unit_test(a_random_order_is_read_from_dram_again),
        cmocka_unit_test(warps_without_elements_do_not_make_a_block_slower),
        cmocka_unit_test(chains_wait_as_long_beside_a_shorter_warp),
        cmocka_unit_test(bounds_are_what_paper_says),
        cmocka_unit_test(what_limits_is_what_was_built_to_limit),
        cmocka_unit_test(gaps_between_stores_are_read_before_they_are_written_back),
        cmocka_unit_test(what_is_gone_over_again_is_in_the_l1_or_is_not),
        cmocka_unit_test(whoever_follows_addresses_waits_for_each),
        cmocka_unit_test(idle_blocks_cost_their_places),
        cmocka_unit_test(a_model_that_does_not_apply_says_so),
        cmocka_unit_test(each_kernel_has_a_time_or_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
