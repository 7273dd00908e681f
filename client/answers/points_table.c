#include "client/answers/points_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/point_figures.h"
#include "client/manual/command_table.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"

/* The published figures that some point has, as keys. The caller releases it. */
static json_t *published_columns(const json_t *points)
{
    json_t *names = json_object(), *point, *value;
    const char *name;
    size_t i;
    json_array_foreach (points, i, point)
        json_object_foreach (json_object_get(point, "published"), name, value)
            if (json_is_number(value))
                json_object_set_new(names, name, json_true());
    return names;
}

enum { DEVICES_NAMED = 4 };

struct points_columns {
    json_t *axes, *published;
    bool repeated, predicted, peak;
};

static void add_columns(struct sheet *sheet, const struct points_columns *columns,
                        const struct screen *screen)
{
    const char *name, *unit = screen->ascii ? "us" : "µs";
    json_t *value;
    json_object_foreach (columns->axes, name, value)
        sheet_column(sheet, json_is_number(value) ? SHEET_RIGHT : SHEET_LEFT, name, "");
    if (columns->repeated)
        sheet_column(sheet, SHEET_RIGHT, "runs", "");
    sheet_column(sheet, SHEET_RIGHT, "hot", unit);
    sheet_column(sheet, SHEET_RIGHT, "bandwidth", "GB/s");
    if (columns->peak)
        sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, "of peak", "%");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, "cold", unit);
    if (columns->predicted) {
        sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, "loads", "% used");
        sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, "stores", "% used");
    }
    json_object_foreach (columns->published, name, value)
        sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, name, "published");
    sheet_column(sheet, SHEET_LEFT, "", "");
}

static void add_number(struct sheet *sheet, double value, double factor)
{
    char text[NUMBER_BYTES];
    number_text(text, value * factor);
    sheet_cell(sheet, isfinite(value) ? STYLE_NONE : STYLE_FAINT, text);
}

static void add_interval(struct sheet *sheet, const struct point_figures_time *time, bool ascii,
                         enum style style)
{
    char text[NUMBER_BYTES];
    number_interval(text, time->median_us, time->low_us, time->high_us, ascii);
    sheet_cell(sheet, style, text);
}

/* Why a point has no valid result. */
static void add_remark(struct sheet *sheet, const json_t *point, bool ascii)
{
    const char *state = json_path_text(point, "state", "?"),
               *detail = json_path_text(point, "failure.detail", NULL);
    if (!detail)
        detail = json_path_text(point, "failure.errors.0.detail", NULL);
    if (strcmp(state, "succeeded") != 0)
        sheet_format(sheet, STYLE_WORSE, "%s%s%s", state, detail ? ": " : "", detail ? detail : "");
    else if (point_figures_verified(point) == 0)
        sheet_cell(sheet, STYLE_WORSE, "output WRONG");
    else if (point_figures_stable(point) == 0)
        sheet_cell(sheet, STYLE_WORSE, ascii ? "! not stable" : "△ not stable");
    else
        sheet_cell(sheet, STYLE_NONE, "");
}

static void add_point(struct sheet *sheet, const struct points_columns *columns, const json_t *point,
                      bool ascii)
{
    const char *name;
    json_t *value;
    char text[JSON_PATH_TEXT_BYTES];
    json_object_foreach (columns->axes, name, value) {
        json_path_value(text, json_object_get(json_object_get(point, "values"), name));
        sheet_cell(sheet, STYLE_NONE, text);
    }
    if (columns->repeated)
        sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(point, "runs.succeeded"));
    struct point_figures_time hot = point_figures_time(point, "hot"),
                              cold = point_figures_time(point, "cold");
    add_interval(sheet, &hot, ascii, STYLE_STRONG);
    add_number(sheet, hot.gbps, 1);
    if (columns->peak)
        add_number(sheet, hot.of_peak, 100);
    add_interval(sheet, &cold, ascii, STYLE_NONE);
    if (columns->predicted) {
        const char *where = json_object_get(point, "runs") ? "efficiency.predicted" : "result.prediction";
        const json_t *made = json_path_at(point, where);
        add_number(sheet, json_path_number(made, "gld_efficiency_pct"), 1);
        add_number(sheet, json_path_number(made, "gst_efficiency_pct"), 1);
    }
    json_object_foreach (columns->published, name, value)
        add_number(sheet, json_path_number(json_object_get(point, "published"), name), 1);
    add_remark(sheet, point, ascii);
}

/* A column that no point has a number for is left out. */
static void choose_columns(struct points_columns *columns, const json_t *points)
{
    size_t i;
    json_t *point;
    json_array_foreach (points, i, point) {
        columns->predicted = columns->predicted ||
                             isfinite(json_path_number(point, "efficiency.predicted.gld_efficiency_pct")) ||
                             isfinite(json_path_number(point, "result.prediction.gld_efficiency_pct"));
        columns->peak = columns->peak || isfinite(point_figures_time(point, "hot").of_peak);
    }
}

/* ", on h200-1, h200-2" */
static void print_devices(const json_t *sweep)
{
    size_t i;
    json_t *row;
    const json_t *devices = json_object_get(sweep, "devices");
    json_array_foreach (devices, i, row)
        if (i < DEVICES_NAMED)
            printf("%s%s", i ? ", " : ", on ", json_path_text(row, "device_name", "?"));
    if (i > DEVICES_NAMED)
        printf(" and %zu more", i - DEVICES_NAMED);
}

/* The kernel and the progress. */
static void print_headline(const json_t *sweep, const struct screen *screen)
{
    char kernel[JSON_PATH_TEXT_BYTES];
    json_path_value(kernel, json_path_at(sweep, "request.kernel"));
    const char *recipe = json_path_text(sweep, "recipe", NULL);
    bool repeated = json_path_number(sweep, "repeat") > 1;
    printf("%s%s%s: ", screen_style(screen, STYLE_STRONG), recipe ? recipe : kernel,
           screen_style(screen, STYLE_NONE));
    if (repeated)
        printf("%.0f point%s, ", json_path_number(sweep, "point_count"),
               json_path_number(sweep, "point_count") == 1 ? "" : "s");
    printf("%.0f of %.0f %sdone", json_path_number(sweep, "done"), json_path_number(sweep, "total"),
           repeated ? "runs " : "");
    if (json_path_number(sweep, "failed") > 0)
        printf(", %.0f failed", json_path_number(sweep, "failed"));
    if (json_path_number(sweep, "cancelled") > 0)
        printf(", %.0f cancelled", json_path_number(sweep, "cancelled"));
    print_devices(sweep);
    printf("; %s\n", repeated ? "median over runs and its 95 % interval"
                              : "median and its 95 % interval at one placement of the arrays");
}

void points_table_name_devices(json_t *sweep)
{
    size_t i;
    json_t *point;
    if (!json_path_true(sweep, "spread"))
        return;
    json_array_foreach (json_object_get(sweep, "points"), i, point) {
        json_t *values = json_object_get(point, "values");
        if (!json_object_get(values, "device"))
            json_object_set_new(values, "device", json_string(json_path_text(point, "device_name", "")));
    }
}

void points_table_print(const json_t *sweep, const struct screen *screen)
{
    const json_t *points = json_object_get(sweep, "points"), *first = json_array_get(points, 0);
    struct points_columns columns = {.axes = json_object_get(first, "values"),
                                     .published = published_columns(points),
                                     .repeated = json_path_number(sweep, "repeat") > 1};
    choose_columns(&columns, points);
    print_headline(sweep, screen);
    struct sheet *sheet = sheet_new();
    add_columns(sheet, &columns, screen);
    size_t i;
    json_t *point;
    json_array_foreach (points, i, point)
        add_point(sheet, &columns, point, screen->ascii);
    sheet_print(sheet, screen, stdout);
    json_decref(columns.published);
    double repeat = json_path_number(sweep, "repeat");
    if (repeat > 1 && repeat < 6)
        puts("An interval over runs takes 6 of them: repeat=6 or more.");
    printf("%sid %s%s\n", screen_style(screen, STYLE_FAINT), json_path_text(sweep, "id", "?"),
           screen_style(screen, STYLE_NONE));
}

int points_table_status(const json_t *sweep, bool strict)
{
    size_t i;
    json_t *point;
    int status = EXIT_FINE;
    const char *state = json_path_text(sweep, "state", "");
    if (strcmp(state, "running") != 0 && strcmp(state, "succeeded") != 0)
        return EXIT_FAILED;
    json_array_foreach (json_object_get(sweep, "points"), i, point) {
        if (point_figures_verified(point) == 0)
            return EXIT_FAILED;
        if (strict && point_figures_stable(point) == 0)
            status = EXIT_UNSTABLE;
    }
    return status;
}
