/* The tables of the command take titles and units from the table of figures: this program has one of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/figures.h"
#include "client/answers/answers.h"

const struct figure figure_table[] = {
    {.name = "verified", .path = "result/correctness/verified"},
    {.name = "stable", .path = "result/stability/stable"},
    {.name = "cold_median_us",
     .unit = "fortnights",
     .path = "result/timing/cold/median_us",
     .head = {"chilly"}},
    {.name = "cold_ci95_low_us", .path = "result/timing/cold/ci95_us/0"},
    {.name = "cold_ci95_high_us", .path = "result/timing/cold/ci95_us/1"},
    {.name = "cold_effective_gbps",
     .unit = "b/s",
     .path = "result/bandwidth/cold/effective_gbps",
     .head = {"chilly rate"}},
    {.name = "cold_of_peak", .unit = "ratio", .path = "result/bandwidth/cold/of_peak", .head = {"share"}},
    {.name = "hot_median_us", .unit = "days", .path = "result/timing/hot/median_us", .text = {"warmish", ""}},
    {.name = "hot_ci95_low_us", .path = "result/timing/hot/ci95_us/0"},
    {.name = "hot_ci95_high_us", .path = "result/timing/hot/ci95_us/1"},
    {.name = "hot_effective_gbps",
     .unit = "furlongs",
     .path = "result/bandwidth/hot/effective_gbps",
     .head = {"speed"}},
    {.name = "hot_of_peak", .unit = "ratio", .path = "result/bandwidth/hot/of_peak", .head = {"part"}},
    {.name = "predicted_gld_efficiency_pct",
     .unit = "parts",
     .path = "result/prediction/gld_efficiency_pct",
     .head = {"in"}},
    {.name = "predicted_gst_efficiency_pct",
     .unit = "%",
     .path = "result/prediction/gst_efficiency_pct",
     .head = {"out"}},
    {.name = "hot_gops", .unit = "Gop/s", .path = "result/compute/hot/gops"},
    {.name = "hot_ns_per_operation", .unit = "ns", .path = "result/compute/hot/ns_per_operation"},
    {.name = "published_elapsed_ms", .unit = "ms", .path = "published/elapsed_ms"},
    {NULL},
};

static const struct screen plain = {.ascii = true, .columns = 80};

#define RATES "{'effective_gbps': 10.5, 'of_peak': 0.25}"
#define TIMES "{'median_us': 2.5, 'ci95_us': [2.4, 2.6], 'samples': 30}"
#define RESULT                                                                                               \
    "'timing': {'hot': " TIMES ", 'cold': " TIMES "}, 'bandwidth': {'hot': " RATES ", 'cold': " RATES "},"   \
    "'prediction': {'gld_efficiency_pct': 80, 'gst_efficiency_pct': 100}, 'correctness': {'verified': true}"

/* What is printed of a document, whose quotes are single ones here. */
static void printed(char text[4096], const char *quoted, bool sweep)
{
    char *json = strdup(quoted);
    for (char *at = json; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    json_t *document = json_loads(json, 0, NULL);
    assert_non_null(document);
    FILE *before = stdout;
    memset(text, 0, 4096);
    stdout = fmemopen(text, 4095, "w");
    if (sweep) {
        answers_print_sweep(document, &plain);
        answers_plot_sweep(document, &plain, NULL, "cold_us");
    } else {
        answers_print_result(document, &plain);
    }
    fclose(stdout);
    stdout = before;
    json_decref(document);
    free(json);
}

static void the_units_of_the_table_of_figures_head_the_columns(void **state)
{
    char text[4096];
    (void)state;
    printed(text,
            "{'points': [{'values': {'offset': 1}, 'state': 'succeeded', 'result': {" RESULT "}},"
            "{'values': {'offset': 2}, 'state': 'succeeded', 'result': {" RESULT "}}]}",
            true);
    assert_non_null(strstr(text,
                           "offset        chilly  chilly rate  share       warmish          in     out\n"
                           "          fortnights          b/s      %          days  parts used  % used\n"
                           "     1  2.50 +- 0.10        10.50  25.00  2.50 +- 0.10       80.00   100.0\n"));
    assert_non_null(strstr(text, "\nfortnights, cold"));
}

static void a_summary_has_the_same_columns(void **state)
{
    char text[4096];
    (void)state;
    printed(text,
            "{'points': [{'values': {'offset': 1}, 'state': 'succeeded', 'runs': {'succeeded': 5}, 'hot': "
            "{'median_us': 2.5, 'ci95_us': [2.4, 2.6], 'effective_gbps': 10.5, 'of_peak': 0.25},"
            "'efficiency': {'predicted': {'gld_efficiency_pct': 80}}, 'stable': false}]}",
            true);
    assert_non_null(strstr(
        text, "     1  2.50 +- 0.10     10.50  25.00    no value       80.00  no value  ! not stable\n"));
}

static void a_result_has_them_too(void **state)
{
    char text[4096];
    (void)state;
    printed(text, "{'state': 'succeeded', 'request': {'kernel': 'copy'}, " RESULT "}", false);
    assert_non_null(strstr(text, "copy: 10.50 b/s, cold, 25 % of the memory's peak, "));
    assert_non_null(strstr(text, "            median     speed   part  samples\n"
                                 "        days, 95 %  furlongs      %\n"
                                 "cold  2.50 +- 0.10     10.50  25.00       30\n"));
}

static void a_published_column_that_no_figure_names_is_left_out(void **state)
{
    char text[4096];
    (void)state;
    printed(text,
            "{'points': [{'values': {'offset': 1}, 'state': 'succeeded', 'published': {'of_tomorrow': 1, "
            "'elapsed_ms': 7}}], 'published': {'columns': ['offset', 'of_tomorrow', 'elapsed_ms'],"
            "'device': {'en': 'a chip'}}}",
            true);
    assert_non_null(strstr(text, "Published: a chip"));
    assert_non_null(strstr(text, "elapsed_ms"));
    assert_null(strstr(text, "of_tomorrow"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_units_of_the_table_of_figures_head_the_columns),
        cmocka_unit_test(a_summary_has_the_same_columns),
        cmocka_unit_test(a_result_has_them_too),
        cmocka_unit_test(a_published_column_that_no_figure_names_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
