#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "api/point_summary.h"
#include "api/csv.h"

/* A run as the store tells it: `state` and, when it has ended well or was timed, its result. */
struct run {
    const char *state;
    double median;         /* us, of both times; 0: it was not timed */
    const char *placement; /* NULL: the result is of before there were any, and before times were predicted */
    bool unstable;
};

static void run_add(struct point_summary *summary, const struct run *run, int index)
{
    char result[1024], id[32], placement[160] = "";
    struct error failure = {0};
    bool succeeded = strcmp(run->state, "succeeded") == 0;
    snprintf(id, sizeof id, "ID%d", index);
    if (strcmp(run->state, "failed") == 0)
        error_set(&failure, ERROR_CRASHED, "it \"crashed\" in run %d", index);
    if (run->placement)
        snprintf(placement, sizeof placement,
                 ",\"placement\":{\"name\":\"%s\",\"new\":true},\"time\":{\"predicted_us\":%g,\"limiter\":"
                 "\"dram\"}",
                 run->placement, run->median + 0.25);
    char timing[160];
    snprintf(timing, sizeof timing, "{\"median_us\":%g,\"ci95_us\":[%g,%g]}", run->median, run->median - 0.5,
             run->median + 0.5);
    snprintf(result, sizeof result,
             "{\"timing\":{\"cold\":%s,\"hot\":%s},\"bandwidth\":{\"cold\":{\"effective_gbps\":%g,\"of_"
             "peak\":null},"
             "\"hot\":{\"effective_gbps\":%g,\"of_peak\":%g}},\"correctness\":{\"verified\":true},"
             "\"stability\":{\"stable\":%s},\"prediction\":{\"gld_efficiency_pct\":80.5,\"gst_efficiency_"
             "pct\":null}%s}",
             timing, timing, 1000 / run->median, 1000 / run->median, 0.1 / run->median,
             run->unstable ? "false" : "true", placement);
    struct view_experiment experiment = {.id = id,
                                         .device = 3,
                                         .device_name = "h200-2",
                                         .state = run->state,
                                         .ended = run->state[0] == 's' || run->state[0] == 'f',
                                         .result = run->median ? result
                                                   : succeeded ? "{\"timing\":{\"status\":\"unavailable\"}}"
                                                               : NULL,
                                         .failure = &failure};
    struct view_point point = {.experiment = &experiment, .values = "{}"};
    assert_int_equal(point_summary_add(summary, &point), 0);
}

static json_t *summarize(const struct run *runs, int count)
{
    struct point_summary *summary = point_summary_new(count);
    struct buffer out = {0};
    assert_non_null(summary);
    /* What the point before left must not matter. */
    point_summary_begin(summary);
    run_add(summary, &(struct run){"failed", 0, NULL, false}, 77);
    point_summary_end(summary);
    point_summary_begin(summary);
    for (int i = 0; i < count; i++)
        run_add(summary, &runs[i], i);
    point_summary_end(summary);
    point_summary_write(&(struct json_writer){.out = &out}, NULL, summary,
                        &(struct view_point){.index = 3, .values = "{\"offset\":1}"});
    json_t *json = json_loads(out.data, 0, NULL);
    if (!json)
        fail_msg("%s is not JSON", out.data);
    buffer_free(&out);
    point_summary_free(summary);
    return json;
}

static void member_is(const json_t *json, const char *path, const char *wanted)
{
    char name[64];
    for (; *path; path += *path == '/') {
        size_t length = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        json = json_object_get(json, name);
        path += length;
    }
    char *found = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(7)) : NULL;
    if (!found || strcmp(found, wanted) != 0)
        fail_msg("%s is %s, not %s", name, found ? found : "missing", wanted);
    free(found);
}

static void placements_are_counted_once_each(void **state)
{
    (void)state;
    static const struct run runs[] = {
        {"succeeded", 3, "a 1", false}, {"succeeded", 5, "a 2", false},  {"succeeded", 4, "a 1", false},
        {"succeeded", 9, "a", false},   {"succeeded", 1, "a 11", false}, {"succeeded", 2, "a 1", false},
        {"succeeded", 8, NULL, false},
    };
    json_t *point = summarize(runs, 7);
    member_is(point, "runs/placements", "4");
    member_is(point, "runs/ids", "[\"ID0\",\"ID1\",\"ID2\",\"ID3\",\"ID4\",\"ID5\",\"ID6\"]");
    member_is(point, "hot/median_us", "4.0");
    member_is(point, "hot/ci95_us", "[1.0,9.0]");
    member_is(point, "hot/min_us", "1.0");
    member_is(point, "hot/max_us", "9.0");
    member_is(point, "hot/effective_gbps", "250.0");
    member_is(point, "hot/of_peak", "0.025");
    member_is(point, "cold/of_peak", "null");
    member_is(point, "efficiency/predicted/gld_efficiency_pct", "80.5");
    member_is(point, "efficiency/predicted/gst_efficiency_pct", "null");
    member_is(point, "time", "{\"predicted_us\":2.25,\"limiter\":\"dram\"}"); /* of the last that has it */
    member_is(point, "stable", "true");
    assert_null(json_object_get(point, "failure"));
    json_decref(point);
}

static void one_run_has_the_interval_of_its_placement(void **state)
{
    (void)state;
    json_t *point = summarize(&(struct run){"succeeded", 4, "a", true}, 1);
    member_is(point, "hot/ci95_us", "[3.5,4.5]");
    member_is(point, "hot/interval_of", "\"placement\"");
    member_is(point, "stable", "false");
    json_decref(point);
}

static void runs_at_one_placement_tell_nothing_of_others(void **state)
{
    (void)state;
    static const struct run same[] = {{"succeeded", 3, "a", false}, {"succeeded", 4, "a", false}};
    static const struct run other[] = {{"succeeded", 3, "a", false}, {"succeeded", 4, "b", false}};
    json_t *point = summarize(same, 2);
    member_is(point, "hot/interval_of", "\"placement\"");
    json_decref(point);
    point = summarize(other, 2);
    member_is(point, "hot/interval_of", "\"runs\"");
    json_decref(point);
}

static void what_failed_is_not_in_the_median(void **state)
{
    (void)state;
    static const struct run runs[] = {{"succeeded", 3, "a", false},
                                      {"failed", 0, NULL, false},
                                      {"succeeded", 5, "b", false},
                                      {"failed", 0, NULL, false},
                                      {"succeeded", 0, "c", false}};
    json_t *point = summarize(runs, 5);
    member_is(point, "state", "\"failed\"");
    member_is(point, "failure", "{\"kind\":\"crashed\",\"detail\":\"it \\\"crashed\\\" in run 1\"}");
    member_is(point, "runs/succeeded", "3");
    member_is(point, "hot/median_us", "4.0");
    member_is(point, "hot/ci95_us", "null");
    member_is(point, "time", "{\"predicted_us\":5.25,\"limiter\":\"dram\"}");
    member_is(point, "verified", "false"); /* the one that was not timed was not verified */
    json_decref(point);
}

/* What is predicted does not depend on the output. */
static void a_wrong_output_leaves_the_prediction(void **state)
{
    (void)state;
    json_t *point = summarize((const struct run[]){{"failed", 3, "a", false}}, 1);
    member_is(point, "efficiency/predicted/gld_efficiency_pct", "80.5");
    member_is(point, "cold/median_us", "null");
    member_is(point, "runs/placements", "0");
    member_is(point, "verified", "null");
    member_is(point, "time", "null");
    json_decref(point);
}

static void a_point_runs_until_its_last_run_has_ended(void **state)
{
    (void)state;
    static const struct {
        struct run runs[3];
        const char *state;
    } cases[] = {
        {{{"queued", 0, NULL, false}, {"queued", 0, NULL, false}, {"queued", 0, NULL, false}}, "\"queued\""},
        {{{"running", 0, NULL, false}, {"queued", 0, NULL, false}, {"queued", 0, NULL, false}},
         "\"running\""},
        {{{"succeeded", 2, NULL, false}, {"queued", 0, NULL, false}, {"queued", 0, NULL, false}},
         "\"queued\""},
        {{{"failed", 0, NULL, false}, {"succeeded", 2, NULL, false}, {"running", 0, NULL, false}},
         "\"running\""},
        {{{"succeeded", 2, NULL, false}, {"succeeded", 2, NULL, false}, {"succeeded", 2, NULL, false}},
         "\"succeeded\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *point = summarize(cases[i].runs, 3);
        member_is(point, "state", cases[i].state);
        member_is(point, "time", "null");
        json_decref(point);
    }
}

static void a_row_has_its_axes_as_they_were_asked_for(void **state)
{
    (void)state;
    static const char values[] =
        "{\"kernel\":\"copy\",\"block\":[32,8],\"grid\":null,\"timeout_s\":2.5,\"how\":\"a,b\"}";
    struct sweep_table all;
    struct columns columns;
    char detail[COLUMNS_DETAIL_BYTES];
    struct buffer out = {0};
    struct point_summary *summary = point_summary_new(1);
    point_summary_begin(summary);
    run_add(summary, &(struct run){"succeeded", 4, "a", false}, 0);
    point_summary_end(summary);
    assert_int_equal(sweep_table_make(&all, true, values), 0);
    assert_int_equal(columns_read(&columns,
                                  "how,index,grid,block,timeout_s,kernel,hot_ci95_high_us,stable,runs,"
                                  "predicted_us,limiter,device_number,device_alias",
                                  all.names, all.count, detail),
                     0);
    assert_int_equal(columns_header(&out, &columns, all.names), 0);
    assert_int_equal(
        sweep_table_row(&out, summary, &columns, &(struct view_point){.index = 7, .values = values}), 0);
    assert_string_equal(out.data, "how,index,grid,block,timeout_s,kernel,hot_ci95_high_us,stable,runs,"
                                  "predicted_us,limiter,device_number,device_alias\r\n"
                                  "\"a,b\",7,,32x8,2.5,copy,4.5,true,1,4.25,dram,3,h200-2\r\n");
    sweep_table_clear(&all);
    point_summary_free(summary);
    buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placements_are_counted_once_each),
        cmocka_unit_test(one_run_has_the_interval_of_its_placement),
        cmocka_unit_test(runs_at_one_placement_tell_nothing_of_others),
        cmocka_unit_test(what_failed_is_not_in_the_median),
        cmocka_unit_test(a_wrong_output_leaves_the_prediction),
        cmocka_unit_test(a_point_runs_until_its_last_run_has_ended),
        cmocka_unit_test(a_row_has_its_axes_as_they_were_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
