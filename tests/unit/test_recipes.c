/* Every published table against the model, cell by cell, for the architecture that it was published for.
   Times, throughput and achieved occupancy are measurements and stay outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/recipe.h"
#include "api/device_fit.h"
#include "api/sweep.h"
#include "kernels/model/prediction.h"
#include "tests/unit/support/json_tree.h"

/* The request of one row: the sweep with the row's value for each field that the sweep varies. */
static json_t *row_request(const json_t *sweep, const json_t *columns, const json_t *row)
{
    size_t i;
    const json_t *column;
    json_t *request = json_deep_copy(sweep);
    json_array_foreach (columns, i, column)
        if (json_is_array(json_object_get(sweep, json_string_value(column))))
            json_object_set(request, json_string_value(column), json_array_get(row, i));
    return request;
}

/* False: no device launches it, and that is what was published. */
static bool read_experiment(const json_t *request, struct experiment *e)
{
    struct problems problems = {0};
    if (experiment_json_read(e, request, &problems) == 0 && experiment_check(e, NULL, &problems) == 0)
        return true;
    if (strcmp(problems.at[0].pointer, "#/block") != 0)
        fail_msg("%s: %s", problems.at[0].pointer, problems.at[0].detail);
    return false;
}

struct cell {
    const char *column;
    bool loads, percent;
    int l1; /* -1: as the table says */
};
static const struct cell cells[] = {
    {"gld_efficiency_pct", true, true, -1},   {"gst_efficiency_pct", false, true, -1},
    {"gld_transactions", true, false, -1},    {"gst_transactions", false, false, -1},
    {"cached_efficiency_pct", true, true, 1}, {"uncached_efficiency_pct", true, true, 0},
    {"cached_lines", true, false, 1},         {"uncached_segments", true, false, 0},
};

static double predicted(const struct experiment *e, const struct access *access, const char *arch, int l1,
                        const struct cell *cell)
{
    struct prediction p;
    struct error error = {0};
    enum l1_setting setting = l1 < 0 ? L1_BY_ARCH : l1 ? L1_ON : L1_OFF;
    if (prediction_make(e, access, arch_find(arch), setting, &p, &error) < 0)
        fail_msg("%s", error.text);
    const struct prediction_side *side = cell->loads ? &p.load : &p.store;
    return cell->percent ? side->efficiency_pct : (double)side->transactions;
}

/* Counts are exact where the table's were: on the K80 and in the diagrams. On Fermi the profiler sampled:
   percentages within half a point, counts only near. */
static void compare_row(const struct recipe *recipe, const char *arch, int l1, const json_t *columns,
                        const json_t *row, const json_t *request, int *compared)
{
    struct experiment e;
    struct access access;
    bool sampled = strcmp(arch, "sm_20") == 0 && strcmp(recipe_name(recipe), "lane_patterns") != 0;
    if (!read_experiment(request, &e))
        return;
    access_count(&e, &access);
    assert_true(access.exact);
    json_t *normal = experiment_json_tree(&e), *published = recipe_published(recipe, normal);
    const json_t *off = json_object_get(published, "off");
    for (size_t i = 0; i < json_array_size(columns); i++)
        for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++) {
            const json_t *value = json_array_get(row, i);
            const char *column = json_string_value(json_array_get(columns, i));
            if (strcmp(column, cells[c].column) != 0 || !json_is_number(value) ||
                json_object_get(off, column))
                continue;
            double figure = json_number_value(value);
            double model = predicted(&e, &access, arch, cells[c].l1 < 0 ? l1 : cells[c].l1, &cells[c]);
            double allowed = !sampled ? 0 : cells[c].percent ? 0.5 : 0.02 * figure;
            if (fabs(model - figure) > allowed)
                fail_msg("%s row %s: %s is %.9g, published %.9g", recipe_name(recipe), json_dumps(row, 0),
                         column, model, figure);
            ++*compared;
        }
    json_decref(published);
    json_decref(normal);
}

static int compare_table(const char *name)
{
    const struct recipe *recipe = recipe_find(name);
    assert_non_null(recipe);
    json_t *document = JSON_TREE(recipe_write, recipe);
    const json_t *published = json_object_get(document, "published"),
                 *columns = json_object_get(published, "columns");
    const json_t *row;
    size_t i;
    int l1, compared = 0;
    const char *arch = recipe_arch(recipe, &l1);
    json_array_foreach (json_object_get(published, "rows"), i, row) {
        json_t *request = row_request(json_object_get(document, "sweep"), columns, row);
        compare_row(recipe, arch ? arch : "sm_20", l1, columns, row, request, &compared);
        json_decref(request);
    }
    json_decref(document);
    return compared;
}

static void table_aos_soa(void **s)
{
    (void)s, assert_int_equal(compare_table("aos_soa"), 4);
}
static void table_lane_patterns(void **s)
{
    (void)s, assert_int_equal(compare_table("lane_patterns"), 20);
}
static void table_matrix_1d_1d(void **s)
{
    (void)s, assert_int_equal(compare_table("matrix_1d_1d"), 24);
}
static void table_matrix_2d_1d(void **s)
{
    (void)s, assert_int_equal(compare_table("matrix_2d_1d"), 24);
}
static void table_matrix_column_major(void **s)
{
    (void)s, assert_int_equal(compare_table("matrix_column_major"), 12);
}
static void table_matrix_row_major(void **s)
{
    (void)s, assert_int_equal(compare_table("matrix_row_major"), 12);
}
static void table_read_segment_cached(void **s)
{
    (void)s, assert_int_equal(compare_table("read_segment_cached"), 6);
}
static void table_read_segment_uncached(void **s)
{
    (void)s, assert_int_equal(compare_table("read_segment_uncached"), 3);
}
/* One row of four cells, and of the unrolled one the store efficiency: the others are marked off. */
static void table_read_segment_unroll(void **s)
{
    (void)s, assert_int_equal(compare_table("read_segment_unroll"), 5);
}
static void table_sum_matrix_blocks(void **s)
{
    (void)s, assert_int_equal(compare_table("sum_matrix_blocks"), 5);
}
static void table_write_segment(void **s)
{
    (void)s, assert_int_equal(compare_table("write_segment"), 6);
}

static double exact(const char *request_text, const char *arch, bool loads)
{
    struct experiment e;
    struct access access;
    json_t *request = json_loads(request_text, 0, NULL);
    read_experiment(request, &e);
    json_decref(request);
    access_count(&e, &access);
    return predicted(&e, &access, arch, -1, &(struct cell){"", loads, true, -1});
}

/* What the published percentages would be had nothing been sampled. */
static void the_exact_values_behind_the_sampled_ones(void **state)
{
    (void)state;
    const char *offset11 = "{\"kernel\":\"read_offset\",\"block\":512,\"offset\":11}";
    assert_true(fabs(exact(offset11, "sm_20", true) - 50.0002384) < 1e-6);
    assert_true(
        fabs(exact("{\"kernel\":\"read_offset_unroll4\",\"block\":512,\"offset\":11}", "sm_20", true) -
             50.0002384) < 1e-6);
    assert_true(fabs(exact("{\"kernel\":\"read_offset\",\"block\":512,\"offset\":11,\"load\":\"cg\"}",
                           "sm_20", true) -
                     80.000143) < 1e-5);
    assert_true(fabs(exact("{\"kernel\":\"write_offset\",\"block\":512,\"offset\":11}", "sm_20", false) -
                     80.0001373) < 1e-5);
}

static void a_cell_that_is_off_says_why(void **state)
{
    (void)state;
    json_t *request = json_pack("{s:s,s:i}", "kernel", "read_offset_unroll4", "offset", 11);
    json_t *published = recipe_published(recipe_find("read_segment_unroll"), request);
    assert_true(json_number_value(json_object_get(published, "gld_efficiency_pct")) == 50.79);
    assert_non_null(json_object_get(json_object_get(published, "off"), "gld_efficiency_pct"));
    assert_null(json_object_get(json_object_get(published, "off"), "gst_efficiency_pct"));
    json_decref(published);
    json_decref(request);
}

static void a_request_is_laid_over_a_recipe(void **state)
{
    (void)state;
    json_t *request = json_pack("{s:s,s:i}", "recipe", "read_segment_cached", "size", 65536);
    json_t *sweep = recipe_sweep(recipe_find("read_segment_cached"), request);
    assert_int_equal(json_integer_value(json_object_get(sweep, "size")), 65536);
    assert_null(json_object_get(sweep, "recipe"));
    assert_int_equal(json_array_size(json_object_get(sweep, "offset")), 3);
    json_decref(sweep);
    json_decref(request);
}

static void every_recipe_is_whole(void **state)
{
    (void)state;
    assert_int_equal(recipe_count(), 43);
    for (int i = 0; i < recipe_count(); i++) {
        json_t *summary = JSON_TREE(recipe_write_summary, recipe_at(i));
        assert_non_null(summary);
        assert_true(recipe_find(recipe_name(recipe_at(i))) == recipe_at(i));
        json_decref(summary);
    }
}

/* Each point of the sweep has what was published; a prediction that there is no time for says so. */
static void a_recipes_points_are_compared_once(void **state)
{
    (void)state;
    static const struct device_facts facts = {.arch = "sm_90",
                                              .max_threads_per_block = 1024,
                                              .max_block = {1024, 1024, 64},
                                              .max_grid = {2147483647, 65535, 65535},
                                              .memory_bytes = UINT64_C(1) << 30};
    const struct device_offer offer = {.name = "one", .facts = &facts, .listed = true};
    const struct device_offers devices = {&offer, 1};
    for (int budget_ms = 0; budget_ms <= 60000; budget_ms += 60000) {
        struct problems problems = {0};
        const struct recipe *recipe;
        struct sweep sweep;
        json_t *asked = json_pack("{s:s,s:[i,i,i]}", "recipe", "read_segment_cached", "offset", 11, 11, -1);
        json_t *object = recipe_resolve(asked, &recipe, &problems);
        json_object_set_new(object, "size", json_integer(4096));
        if (sweep_expand(&sweep, object, NULL, &devices, &problems) < 0)
            fail_msg("%s: %s", problems.at[0].pointer, problems.at[0].detail);
        assert_int_equal(sweep_refer(&sweep, recipe, &devices, budget_ms), 0);
        assert_int_equal(sweep.point_count, 3);
        assert_ptr_equal(sweep.points[0].reference, sweep.points[1].reference);
        assert_non_null(strstr(sweep.points[0].reference, "\"published\":{"));
        const char *told = budget_ms ? "\"published_arch\":{" : "\"status\":\"unavailable\"";
        assert_non_null(strstr(sweep.points[0].reference, told));
        assert_int_equal(sweep.points[2].experiment, -1);
        assert_non_null(strstr(sweep.points[2].reference, "\"published\""));
        sweep_free(&sweep);
        json_decref(object);
        json_decref(asked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recipes_points_are_compared_once),
        cmocka_unit_test(table_aos_soa),
        cmocka_unit_test(table_lane_patterns),
        cmocka_unit_test(table_matrix_1d_1d),
        cmocka_unit_test(table_matrix_2d_1d),
        cmocka_unit_test(table_matrix_column_major),
        cmocka_unit_test(table_matrix_row_major),
        cmocka_unit_test(table_read_segment_cached),
        cmocka_unit_test(table_read_segment_uncached),
        cmocka_unit_test(table_read_segment_unroll),
        cmocka_unit_test(table_sum_matrix_blocks),
        cmocka_unit_test(table_write_segment),
        cmocka_unit_test(the_exact_values_behind_the_sampled_ones),
        cmocka_unit_test(a_cell_that_is_off_says_why),
        cmocka_unit_test(a_request_is_laid_over_a_recipe),
        cmocka_unit_test(every_recipe_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
