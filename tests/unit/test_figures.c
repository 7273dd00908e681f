/* The table of figures: each row is complete, and every view has what the table says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "api/csv.h"
#include "api/figures.h"
#include "base/words.h"

static void each_figure_is_described_in_both_languages(void **state)
{
    (void)state;
    const struct figures *figures = figures_get();
    for (int i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->all[i];
        if (words_find(figure->name, figures->names, (size_t)figures->count, sizeof *figures->names) != i)
            fail_msg("there are two figures %s", figure->name);
        if (!figure->text.en || !figure->text.en[0] || !figure->text.zh || !figure->text.zh[0])
            fail_msg("%s has no text in English and Chinese", figure->name);
        if (figure->chart && (figure->type == FIGURE_TEXT || figure->type == FIGURE_JSON))
            fail_msg("%s is to be drawn, and no number", figure->name);
        if (!figure->path && !figure->known && !figure->place)
            fail_msg("%s is in no view", figure->name);
        if (i >= figures->run_count && (figure->path || figure->known))
            fail_msg("%s comes behind figures that are in the summary alone", figure->name);
    }
    assert_true(figures->count < COLUMNS_MAX);
}

static void a_name_ends_with_its_unit(void **state)
{
    (void)state;
    static const char *const ends[][2] = {{"us", "_us"},      {"ms", "_ms"},      {"GB/s", "_gbps"},
                                          {"Gop/s", "_gops"}, {"bytes", "bytes"}, {"%", "_pct"}};
    const struct figures *figures = figures_get();
    for (int i = 0; i < figures->count; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            const char *name = figures->names[i], *unit = figures->all[i].unit, *end = ends[k][1];
            bool ended = strlen(name) > strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0;
            if (ended && (!unit || strcmp(unit, ends[k][0]) != 0))
                fail_msg("the unit of %s is not %s", name, ends[k][0]);
            if (!ended && unit && strcmp(unit, ends[k][0]) == 0 && !strstr(name, "bytes_per"))
                fail_msg("the name of %s does not end with %s", name, end);
        }
}

static void places_in_the_summary_have_no_gap(void **state)
{
    (void)state;
    const struct figures *figures = figures_get();
    for (int i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->all[i];
        if (!figure->place != !figure->sum)
            fail_msg("%s has a place in the summary and no sum, or the other way round", figure->name);
        if (figure->place > figures->summary_count ||
            (figure->place && figures->summary[figure->place - 1] != i))
            fail_msg("the place of %s, %d, is another's, or there is a gap before it", figure->name,
                     figure->place);
    }
}

/* Does asking for that one column give a table with its name? */
static void is_selectable(const char *name, const char *const *names, int count)
{
    struct columns columns;
    struct buffer header = {0};
    char detail[COLUMNS_DETAIL_BYTES], wanted[128];
    snprintf(wanted, sizeof wanted, "%s\r\n", name);
    assert_int_equal(columns_read(&columns, name, names, count, detail), 0);
    assert_int_equal(columns_header(&header, &columns, names), 0);
    assert_string_equal(header.data, wanted);
    buffer_free(&header);
}

static void each_figure_is_a_column_of_its_views(void **state)
{
    (void)state;
    const struct figures *figures = figures_get();
    struct sweep_table summary;
    struct columns all;
    char detail[COLUMNS_DETAIL_BYTES];
    assert_int_equal(csv_columns(&all, NULL, detail), 0);
    assert_int_equal(all.count, figures->run_count);
    assert_int_equal(sweep_table_make(&summary, true, "{\"offset\":1}"), 0);
    assert_string_equal(summary.names[0], "index");
    assert_string_equal(summary.names[1], "offset");
    assert_int_equal(summary.count, 2 + figures->summary_count);
    for (int i = 0; i < figures->count; i++) {
        if (i < figures->run_count)
            is_selectable(figures->names[i], figures->names, figures->run_count);
        if (figures->all[i].place)
            is_selectable(figures->names[i], summary.names, summary.count);
    }
    sweep_table_clear(&summary);
}

static void the_list_of_columns_has_each_figure(void **state)
{
    (void)state;
    const struct figures *figures = figures_get();
    struct buffer out = {0};
    assert_int_equal(figures_json(&out), 0);
    json_t *document = json_loads(out.data, 0, NULL), *columns = json_object_get(document, "columns");
    assert_int_equal(json_array_size(columns), figures->count);
    for (int i = 0; i < figures->count; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(columns, (size_t)i), "name")),
                            figures->names[i]);
    json_decref(document);
    buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_figure_is_described_in_both_languages),
        cmocka_unit_test(a_name_ends_with_its_unit),
        cmocka_unit_test(places_in_the_summary_have_no_gap),
        cmocka_unit_test(each_figure_is_a_column_of_its_views),
        cmocka_unit_test(the_list_of_columns_has_each_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
