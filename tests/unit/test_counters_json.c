/* What counters make of a request and of a result. The figures are those of an H200 for read_offset at
   offset 11. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/result_json.h"
#include "tests/unit/support/json_tree.h"

static struct experiment experiment;
static struct result result;

static void set(const char *name, double value)
{
    for (int i = 0; i < result.counters.count; i++)
        if (strcmp(result.counters.at[i].name, name) == 0) {
            result.counters.at[i].measured = true;
            result.counters.at[i].value = value;
            return;
        }
    fail_msg("no %s", name);
}

static int set_up(void **state)
{
    (void)state;
    struct error error = {0};
    assert_int_equal(experiment_json_read_text(&experiment,
                                               "{\"kernel\":\"read_offset\",\"size\":1048576,\"block\":512,"
                                               "\"offset\":11,\"counters\":[\"sm__warps_active.sum\"]}",
                                               NULL, &error),
                     0);
    result = (struct result){
        .device = {.arch = "sm_90", .backend = "cuda", .peak_gbps = 4814.3, .peak_source = "a test"},
        .correctness = {.checked = true, .verified = true},
        .cold = {.samples = 30, .launches = 1, .median_us = 5, .min_us = 4.5},
        .hot = {.samples = 10, .launches = 150, .median_us = 2.5, .min_us = 2.4},
        .load_bytes = 8388520,
        .store_bytes = 4194260,
    };
    counters_begin(&result.counters, &experiment.counters);
    result.counters.status = COUNTERS_MEASURED;
    result.counters.passes = 4;
    result.counters.points = 3;
    set("gld_transactions", 327676);
    set("gst_transactions", 131071);
    set("gld_requests", 65536);
    set("gst_requests", 32768);
    set("gld_requested_bytes", 8388520);
    set("gst_requested_bytes", 4194260);
    set("gld_efficiency_pct", 80.0001);
    set("gst_efficiency_pct", 99.9997);
    set("dram_read_bytes", 8391680);
    set("dram_write_bytes", 0);
    set("inst_executed", 34359738368);
    set("sm__warps_active.sum", 12.5);
    return 0;
}

/* The member of the result that the path leads to; fails the test without one. */
static json_t *member(json_t *root, const char *path)
{
    char copy[128], *save = NULL;
    json_t *node = root;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *part = strtok_r(copy, "/", &save); part; part = strtok_r(NULL, "/", &save))
        node = json_is_array(node) ? json_array_get(node, (size_t)atoi(part)) : json_object_get(node, part);
    if (!node)
        fail_msg("no %s", path);
    return node;
}

static void has_number(json_t *root, const char *path, double expected)
{
    double found = json_number_value(member(root, path));
    if (!json_is_number(member(root, path)) || fabs(found - expected) > 1e-6 * fabs(expected))
        fail_msg("%s is %.17g, not %.17g", path, found, expected);
}

static void has_text(json_t *root, const char *path, const char *part)
{
    const char *text = json_string_value(member(root, path));
    if (!text || !strstr(text, part))
        fail_msg("%s is %s, without %s", path, text ? text : "no text", part);
}

static void values_stand_beside_what_they_came_from(void **state)
{
    (void)state;
    json_t *json = JSON_TREE(result_json_write, &experiment, &result);
    has_text(json, "counters/status", "measured");
    has_number(json, "counters/passes", 4);
    has_number(json, "counters/points_per_pass", 3);
    has_number(json, "counters/gld_transactions", 327676);
    assert_int_equal(json_integer_value(member(json, "counters/inst_executed")), 34359738368);
    has_text(json, "counters/source/gld_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    has_number(json, "counters/metrics/sm__warps_active.sum", 12.5);
    has_text(json, "counters/source/sm__warps_active.sum", "sm__warps_active.sum");
    assert_null(json_object_get(member(json, "counters"), "duration_us"));
    member(json, "counters/unavailable/duration_us");
    json_decref(json);
}

static void three_counts_of_bytes_have_a_bandwidth_each(void **state)
{
    (void)state;
    json_t *json = JSON_TREE(result_json_write, &experiment, &result);
    has_number(json, "bandwidth/requested_bytes/load", 8388520);
    has_number(json, "bandwidth/sector_bytes/load", 327676 * 32);
    has_number(json, "bandwidth/sector_bytes/store", 131071 * 32);
    has_text(json, "bandwidth/sector_bytes/source", "counters");
    has_number(json, "bandwidth/dram_bytes/read", 8391680);
    has_number(json, "bandwidth/cold/effective_gbps", (8388520 + 4194260) / 5e3);
    has_number(json, "bandwidth/cold/sector_gbps", (327676 + 131071) * 32 / 5e3);
    has_number(json, "bandwidth/cold/dram_gbps", 8391680 / 5e3);
    has_number(json, "bandwidth/hot/sector_gbps", (327676 + 131071) * 32 / 2.5e3);
    /* DRAM's bytes are a cold launch's. */
    assert_null(json_object_get(member(json, "bandwidth/hot"), "dram_gbps"));
    assert_true(json_is_false(member(json, "bandwidth/cold/above_peak")));
    assert_true(json_is_false(member(json, "bandwidth/cold/sector_above_peak")));
    assert_true(json_is_false(member(json, "bandwidth/cold/dram_above_peak")));
    assert_true(json_is_true(member(json, "bandwidth/hot/above_peak")));
    assert_true(json_is_true(member(json, "bandwidth/hot/sector_above_peak")));
    json_decref(json);
}

static void without_counters_sectors_are_the_predicted_ones(void **state)
{
    (void)state;
    experiment.counters = (struct counters_wanted){0};
    result.counters = (struct counters){0};
    json_t *json = JSON_TREE(result_json_write, &experiment, &result);
    has_text(json, "counters/status", "not_requested");
    has_number(json, "bandwidth/sector_bytes/load", 327676 * 32);
    has_text(json, "bandwidth/sector_bytes/source", "prediction");
    has_text(json, "bandwidth/dram_bytes/status", "not_requested");
    assert_true(json_is_null(member(json, "bandwidth/cold/dram_gbps")));
    json_decref(json);
    snprintf(result.device.arch, sizeof result.device.arch, "x86_64");
    json = JSON_TREE(result_json_write, &experiment, &result);
    has_text(json, "bandwidth/sector_bytes/status", "unavailable");
    has_text(json, "bandwidth/sector_bytes/reason", "architecture");
    assert_true(json_is_null(member(json, "bandwidth/cold/sector_gbps")));
    json_decref(json);
}

static void what_was_refused_says_why_and_what_to_do(void **state)
{
    (void)state;
    counters_unavailable(&result.counters, "be root", "no permission for %s", "this");
    json_t *json = JSON_TREE(result_json_write, &experiment, &result);
    has_text(json, "counters/status", "unavailable");
    has_text(json, "counters/reason", "no permission for this");
    has_text(json, "counters/remedy", "be root");
    has_text(json, "bandwidth/dram_bytes/reason", "no permission");
    json_decref(json);
    result.counters.status = COUNTERS_NOT_REQUESTED; /* of a kernel whose output was wrong */
    json = JSON_TREE(result_json_write, &experiment, &result);
    has_text(json, "counters/reason", "wrong");
    json_decref(json);
}

static void the_counts_are_held_against_the_prediction(void **state)
{
    (void)state;
    json_t *json = JSON_TREE(result_json_write, &experiment, &result);
    assert_true(json_is_true(member(json, "counters/against_prediction/equal")));
    assert_int_equal(json_array_size(member(json, "counters/against_prediction/compared")), 4);
    json_decref(json);
    set("gst_requests", 32769);
    json = JSON_TREE(result_json_write, &experiment, &result);
    assert_true(json_is_false(member(json, "counters/against_prediction/equal")));
    has_text(json, "counters/against_prediction/differences/0/name", "gst_requests");
    has_number(json, "counters/against_prediction/differences/0/measured", 32769);
    has_number(json, "counters/against_prediction/differences/0/predicted", 32768);
    json_decref(json);
    snprintf(result.device.arch, sizeof result.device.arch, "sm_999");
    json = JSON_TREE(result_json_write, &experiment, &result);
    assert_true(json_is_null(member(json, "counters/against_prediction/equal")));
    has_text(json, "counters/against_prediction/reason", "architecture");
    json_decref(json);
}

static void efficiency_is_checked_by_bytes_and_sectors(void **state)
{
    (void)state;
    json_t *json = JSON_TREE(result_json_write, &experiment, &result);
    assert_true(json_is_true(member(json, "counters/efficiency_check/ok")));
    has_number(json, "counters/efficiency_check/gld_from_bytes_pct", 80.0001);
    json_decref(json);
    set("gld_efficiency_pct", 99.9997); /* as it comes when metrics are added one by one */
    json = JSON_TREE(result_json_write, &experiment, &result);
    assert_true(json_is_false(member(json, "counters/efficiency_check/ok")));
    json_decref(json);
}

/* ---- requests ---- */

static void what_is_asked_for_reads_back_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *given, *kept;
    } cases[] = {
        {"true", "true"},
        {"false", "false"},
        {"[]", "true"},
        {"[\"a__b.sum\",\"gld_requests\"]", "[\"a__b.sum\",\"gld_requests\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *given = cases[i].given;
        for (int round = 0; round < 2; round++) {
            struct experiment e;
            struct error error = {0};
            char text[128];
            snprintf(text, sizeof text, "{\"kernel\":\"copy\",\"counters\":%s}", given);
            assert_int_equal(experiment_json_read_text(&e, text, NULL, &error), 0);
            assert_int_equal(e.counters.on, strcmp(given, "false") != 0);
            json_t *request = experiment_json_tree(&e);
            char *kept = json_parts_text(json_object_get(request, "counters"));
            assert_string_equal(kept, cases[i].kept);
            free(kept);
            json_decref(request);
            given = cases[i].kept;
        }
    }
}

static void a_wrong_list_names_its_place_and_the_limit(void **state)
{
    (void)state;
    static const struct {
        const char *given, *pointer, *word;
    } cases[] = {
        {"\"yes\"", "#/counters", "true or false"}, {"null", "#/counters", "true or false"},
        {"{}", "#/counters", "true or false"},      {"[true]", "#/counters/0", "127"},
        {"[\"a\",\"\"]", "#/counters/1", "127"},    {"[\"a b\"]", "#/counters/0", "letters"},
        {"[\"a\\u0000b\"]", "#", "not JSON"},       {"[\"a\",\"a\"]", "#/counters/1", "twice"},
    };
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        struct experiment e;
        struct error error = {0};
        char text[512] = "{\"kernel\":\"copy\",\"counters\":[\"m0\"";
        if (i < sizeof cases / sizeof *cases) {
            snprintf(text, sizeof text, "{\"kernel\":\"copy\",\"counters\":%s}", cases[i].given);
            assert_int_equal(experiment_json_read_text(&e, text, NULL, &error), -1);
            if (!strstr(error.text, cases[i].word))
                fail_msg("%s: %s", text, error.text);
            if (strcmp(cases[i].pointer, "#") != 0)
                assert_memory_equal(error.text, cases[i].pointer, strlen(cases[i].pointer));
            continue;
        }
        for (int n = 1; n <= COUNTERS_NAMES; n++)
            snprintf(text + strlen(text), sizeof text - strlen(text), ",\"m%d\"", n);
        strcat(text, "]}");
        assert_int_equal(experiment_json_read_text(&e, text, NULL, &error), -1);
        assert_string_equal(error.text, "#/counters at most 16 metrics beside the default set, there are 17");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(values_stand_beside_what_they_came_from, set_up),
        cmocka_unit_test_setup(three_counts_of_bytes_have_a_bandwidth_each, set_up),
        cmocka_unit_test_setup(without_counters_sectors_are_the_predicted_ones, set_up),
        cmocka_unit_test_setup(what_was_refused_says_why_and_what_to_do, set_up),
        cmocka_unit_test_setup(the_counts_are_held_against_the_prediction, set_up),
        cmocka_unit_test_setup(efficiency_is_checked_by_bytes_and_sectors, set_up),
        cmocka_unit_test(what_is_asked_for_reads_back_the_same),
        cmocka_unit_test(a_wrong_list_names_its_place_and_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
