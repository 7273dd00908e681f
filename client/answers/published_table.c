/* What a recipe published, beside what the model predicts for that chip and for this device, and what was measured here;
   with the marks of figures that are off, and the notes. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "client/answers/json_path.h"
#include "client/answers/point_figures.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"

enum { COLUMNS_MOST = 16, MARK_COLUMNS = 4 };

/* A published column, and what stands beside it where some point has it. */
struct group {
    const char *name;
    const struct figure *figure, *made, *measured; /* NULL: no point has it */
    bool own, marked;                              /* own: some point has it predicted for this device */
    int column;                                    /* of the sheet, in which it stands as published */
};

struct groups {
    struct group at[COLUMNS_MOST];
    size_t count;
    const json_t *sweep, *points, *table; /* the sweep's "points" and "published" */
    const char *published_arch, *device_arch;
    const struct screen *screen;
};

static const char *texts(const json_t *pair)
{
    return json_path_text(pair, language_is_chinese() ? "zh" : "en", "");
}

/* ---- the columns ---- */

static bool some_point_has(const struct groups *groups, const struct figure *figure)
{
    size_t i;
    json_t *point;
    json_array_foreach (groups->points, i, point)
        if (isfinite(point_figures_number(point, figure)))
            return true;
    return false;
}

static const struct figure *beside(const struct groups *groups, const struct figure *published,
                                   const char *prefix)
{
    const struct figure *figure = figure_beside(published, prefix);
    return figure && some_point_has(groups, figure) ? figure : NULL;
}

static bool some_point_has_at(const struct groups *groups, const char *path, const char *name)
{
    size_t i;
    json_t *point, *value;
    json_array_foreach (groups->points, i, point)
        if ((value = json_object_get(json_path_at(point, path), name)) && !json_is_null(value))
            return true;
    return false;
}

/* The prediction's architecture, of the first point that has one. */
static const char *arch_of(const struct groups *groups, const char *path)
{
    size_t i;
    json_t *point;
    json_array_foreach (groups->points, i, point)
        if (json_path_text(point, path, NULL))
            return json_path_text(point, path, NULL);
    return "?";
}

static void groups_make(struct groups *groups)
{
    size_t i;
    const json_t *column;
    const json_t *axes = json_path_at(groups->points, "0.values");
    json_array_foreach (json_object_get(groups->table, "columns"), i, column) {
        const char *name = json_string_value(column);
        char full[64];
        snprintf(full, sizeof full, FIGURE_PUBLISHED "%s", name);
        if (json_object_get(axes, name) || strcmp(name, "grid") == 0 || groups->count == COLUMNS_MOST)
            continue;
        const struct figure *figure = point_figures_find(full);
        if (!figure)
            continue;
        groups->at[groups->count++] =
            (struct group){.name = name,
                           .figure = figure,
                           .made = beside(groups, figure, "published_arch_"),
                           .own = some_point_has_at(groups, "predicted.device_arch", name),
                           .measured = beside(groups, figure, "measured_"),
                           .marked = some_point_has_at(groups, "published.marks", name)};
    }
    groups->published_arch = arch_of(groups, "predicted.published_arch.arch");
    groups->device_arch = arch_of(groups, "predicted.device_arch.arch");
}

/* "sm_20, lines": the chip, and of a count what it counts there. */
static void chip_column(struct sheet *sheet, const struct groups *groups, const struct group *group,
                        const char *which, const char *arch)
{
    char path[64], unit[96];
    bool counts = strlen(group->name) > 3 && strcmp(group->name + 3, "_transactions") == 0;
    snprintf(path, sizeof path, "predicted.%s.%.3s_unit", which, group->name);
    snprintf(unit, sizeof unit, "%s%s%s", arch, counts ? language_text(", ") : "",
             counts ? answers_unit_words(arch_of(groups, path), 2) : "");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, language_text("predicted"), unit);
}

/* The column's name in the answer; in Chinese its words, without what stands in brackets, and its unit below. */
static void published_column(struct sheet *sheet, struct group *group)
{
    const struct figure *figure = group->figure;
    char title[64], unit[96];
    const char *published = language_text("published");
    bool bare = !figure->unit || strcmp(figure->unit, "ratio") == 0 || figure->type == FIGURE_INTEGER;
    snprintf(title, sizeof title, "%s", figure->text.zh);
    title[strstr(title, "（") ? (size_t)(strstr(title, "（") - title) : strlen(title)] = '\0';
    snprintf(unit, sizeof unit, "%s%s%s", published, bare ? "" : language_text(", "),
             bare ? "" : figure->unit);
    group->column =
        sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, language_is_chinese() ? title : group->name,
                     language_is_chinese() ? unit : published);
}

static void groups_columns(struct sheet *sheet, struct groups *groups)
{
    enum { SPARE = SHEET_RIGHT | SHEET_SPARE };
    for (struct group *group = groups->at; group < groups->at + groups->count; group++) {
        published_column(sheet, group);
        if (group->made)
            chip_column(sheet, groups, group, "published_arch", groups->published_arch);
        if (group->own)
            chip_column(sheet, groups, group, "device_arch", groups->device_arch);
        if (group->measured) {
            bool cold = strcmp(group->measured->name, "cold_median_us") == 0;
            sheet_column(sheet, SPARE, language_text("measured"),
                         cold ? language_text("here (cold)") : language_text("here"));
        }
    }
}

/* ---- the cells ---- */

static void missing_cell(struct sheet *sheet)
{
    sheet_cell(sheet, STYLE_FAINT, language_text("no value"));
}

/* As it was published, and its mark; without one as many blanks, so that the figures stand below each other. */
static void published_cell(struct sheet *sheet, const struct group *group, const json_t *point)
{
    const json_t *published = json_object_get(point, "published"),
                 *value = json_object_get(published, group->name);
    const char *mark =
        json_path_text(json_object_get(json_object_get(published, "marks"), group->name), "", NULL);
    char text[JSON_PATH_TEXT_BYTES];
    json_path_value(text, value);
    if (!json_is_number(value))
        missing_cell(sheet);
    else if (mark)
        sheet_format(sheet, STYLE_NONE, "%s [%s]", text, mark);
    else
        sheet_format(sheet, STYLE_NONE, "%s%*s", text, group->marked ? MARK_COLUMNS : 0, "");
}

/* A value in the unit of the published figure. */
static void value_cell(struct sheet *sheet, enum style style, double value, const struct figure *figure,
                       const struct figure *published)
{
    char text[NUMBER_BYTES];
    bool thousandth = published->unit && figure->unit && strcmp(published->unit, "ms") == 0 &&
                      strcmp(figure->unit, "us") == 0;
    number_text(text, thousandth ? value / 1000 : value);
    if (!isfinite(value))
        missing_cell(sheet);
    else if (figure->type == FIGURE_INTEGER)
        sheet_format(sheet, style, "%.0f", value);
    else
        sheet_cell(sheet, style, text);
}

static void groups_cells(struct sheet *sheet, const struct groups *groups, const json_t *point)
{
    for (const struct group *group = groups->at; group < groups->at + groups->count; group++) {
        const json_t *own = json_path_at(point, "predicted.device_arch");
        published_cell(sheet, group, point);
        if (group->made)
            value_cell(sheet, STYLE_NONE, point_figures_number(point, group->made), group->made,
                       group->figure);
        if (group->own)
            value_cell(sheet, STYLE_NONE, json_path_number(own, group->name), group->figure, group->figure);
        if (group->measured)
            value_cell(sheet, STYLE_STRONG, point_figures_number(point, group->measured), group->measured,
                       group->figure);
    }
}

/* ---- what stands above and below ---- */

static void print_line(const struct groups *groups, const char *text)
{
    screen_write(groups->screen, text);
    putchar('\n');
}

static bool is_column(const json_t *columns, const char *name)
{
    size_t i;
    const json_t *column;
    json_array_foreach (columns, i, column)
        if (strcmp(json_string_value(column), name) == 0)
            return true;
    return false;
}

/* "Published: Tesla M2070 class (Fermi), sm_20, loads through the L1; size 1048576, block 512" */
static void print_headline(const struct groups *groups)
{
    static const char hidden[] = "kernel load transfers counters measure repeat";
    const char *comma = language_text(", "), *between = language_text("; "), *name;
    const char *arch = json_path_text(groups->table, "device.arch", NULL);
    const json_t *l1 = json_object_get(groups->table, "l1"),
                 *columns = json_object_get(groups->table, "columns");
    json_t *value;
    printf("\n%s", screen_style(groups->screen, STYLE_STRONG));
    screen_write(groups->screen, language_text("Published: "));
    screen_write(groups->screen, texts(json_object_get(groups->table, "device")));
    printf("%s%s%s", screen_style(groups->screen, STYLE_NONE), arch ? comma : "", arch ? arch : "");
    if (json_is_boolean(l1))
        printf("%s%s", comma,
               json_is_true(l1) ? language_text("loads through the L1") : language_text("loads past the L1"));
    json_object_foreach (json_object_get(groups->table, "request"), name, value) {
        char text[JSON_PATH_TEXT_BYTES];
        json_path_value(text, value);
        if (is_column(columns, name) || words_contain(hidden, name))
            continue;
        printf("%s%s %s", between, name, text);
        between = comma;
    }
    putchar('\n');
}

/* Has one of the first `columns` columns the mark? Those behind them are left out at this width. */
static bool mark_is_shown(const struct groups *groups, const json_t *mark, int columns)
{
    size_t i;
    json_t *point;
    for (const struct group *group = groups->at; group < groups->at + groups->count; group++)
        json_array_foreach (groups->points, i, point)
            if (group->column < columns &&
                json_equal(json_object_get(json_path_at(point, "published.marks"), group->name), mark))
                return true;
    return false;
}

static void print_marks(const struct groups *groups, int columns)
{
    size_t i;
    json_t *mark;
    json_array_foreach (json_object_get(groups->table, "marks"), i, mark)
        if (mark_is_shown(groups, json_object_get(mark, "mark"), columns)) {
            printf("[%s] ", json_path_text(mark, "mark", "?"));
            print_line(groups, texts(mark));
        }
}

/* "size 65536 (published: 1048576)", each once. */
static void print_difference(const char *name, const char *here, const char *published)
{
    printf(language_text("%s%s %s (published: %s)"), language_text("differs here: "), name, here, published);
    putchar('\n');
}

static void print_differences(const struct groups *groups)
{
    size_t i;
    const char *name;
    json_t *point, *value, *known = json_object();
    const char *device = arch_of(groups, "result.device.name");
    if (strcmp(device, "?") == 0)
        device = arch_of(groups, "device_name");
    if (json_path_text(groups->table, "device.arch", NULL))
        print_difference(language_text("device"), device, texts(json_object_get(groups->table, "device")));
    json_array_foreach (groups->points, i, point)
        json_object_foreach (json_path_at(point, "published.differs"), name, value) {
            char here[JSON_PATH_TEXT_BYTES], published[JSON_PATH_TEXT_BYTES], *both = NULL;
            json_path_value(here, json_object_get(value, "asked"));
            json_path_value(published, json_object_get(value, "published"));
            if (asprintf(&both, "%s %s %s", name, here, published) < 0)
                continue;
            if (!json_object_get(known, both))
                print_difference(name, here, published);
            json_object_set_new(known, both, json_true());
            free(both);
        }
    json_decref(known);
}

static void print_notes(const struct groups *groups)
{
    size_t i;
    const json_t *note;
    json_array_foreach (json_object_get(groups->table, "notes"), i, note) {
        printf("%s", language_text("note: "));
        print_line(groups, texts(note));
    }
}

/* Whose prediction stands for a device that the model does not know. */
static void print_stand_in(const struct groups *groups)
{
    const char *note = arch_of(groups, "predicted.device_arch.note");
    bool own = false;
    for (size_t i = 0; i < groups->count; i++)
        own = own || groups->at[i].own;
    if (!own || strcmp(note, "?") == 0)
        return;
    char reason[LANGUAGE_REASON_BYTES];
    printf(language_text("predicted, %s: %s\n"), groups->device_arch, language_reason(note, reason));
}

void answers_print_published(const json_t *sweep, const struct screen *screen)
{
    const char *name;
    size_t i;
    json_t *point, *value;
    struct groups groups = {.sweep = sweep,
                            .points = json_object_get(sweep, "points"),
                            .table = json_object_get(sweep, "published"),
                            .screen = screen};
    if (!json_is_object(groups.table))
        return;
    groups_make(&groups);
    print_headline(&groups);
    struct sheet *sheet = sheet_new();
    const json_t *axes = json_path_at(groups.points, "0.values");
    json_object_foreach ((json_t *)axes, name, value)
        sheet_column(sheet, json_is_number(value) ? SHEET_RIGHT : SHEET_LEFT, name, "");
    groups_columns(sheet, &groups);
    json_array_foreach (groups.points, i, point) {
        json_object_foreach ((json_t *)axes, name, value) {
            char text[JSON_PATH_TEXT_BYTES];
            json_path_value(text, json_object_get(json_object_get(point, "values"), name));
            sheet_cell(sheet, STYLE_NONE, text);
        }
        groups_cells(sheet, &groups, point);
    }
    print_marks(&groups, sheet_print(sheet, screen, stdout));
    print_differences(&groups);
    print_stand_in(&groups);
    print_notes(&groups);
}
