/* A sweep's points as a table. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/point_figures.h"
#include "client/manual/command_table.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"

enum { DEVICES_NAMED = 4, STATE_BYTES = 96 };

/* The table has a row for at most this many of the points that were cancelled before they ran. */
enum { CANCELLED_LISTED = 3 };

/* The columns besides those of the figures that every table has. */
struct points_columns {
    json_t *axes;                       /* their names are the keys */
    struct point_figures first, second; /* cold and hot, or hot alone (point_figures_first()) */
    const struct figure *loads, *stores;
    bool repeated, predicted, peak, untimed;
};

/* Its points have no times: a kernel of the user's own is interpreted. */
static bool is_untimed(const json_t *sweep)
{
    if (json_path_text(sweep, "entry", NULL))
        return true;
    size_t i;
    json_t *point;
    bool succeeded = false;
    const struct figure *hot = point_figures_of("hot").median, *cold = point_figures_of("cold").median;
    json_array_foreach (json_object_get(sweep, "points"), i, point) {
        succeeded = succeeded || strcmp(json_path_text(point, "state", ""), "succeeded") == 0;
        if (isfinite(point_figures_number(point, hot)) || isfinite(point_figures_number(point, cold)))
            return false;
    }
    return succeeded;
}

/* A column that no point has a number for is left out; beside published efficiencies, in the table below, stand those
   that are predicted. */
static void choose_columns(struct points_columns *columns, const json_t *sweep)
{
    const json_t *points = json_object_get(sweep, "points");
    bool published = json_is_object(json_object_get(sweep, "published"));
    size_t i;
    json_t *point;
    bool cold = strcmp(point_figures_first(points), "cold") == 0;
    *columns = (struct points_columns){.axes = json_object_get(json_array_get(points, 0), "values"),
                                       .first = point_figures_of(cold ? "cold" : "hot"),
                                       .second = point_figures_of(cold ? "hot" : "cold"),
                                       .loads = point_figures_find("predicted_gld_efficiency_pct"),
                                       .stores = point_figures_find("predicted_gst_efficiency_pct"),
                                       .repeated = json_path_number(sweep, "repeat") > 1,
                                       .untimed = is_untimed(sweep)};
    json_array_foreach (points, i, point) {
        columns->predicted =
            columns->predicted || (!published && isfinite(point_figures_number(point, columns->loads)));
        columns->peak = columns->peak || isfinite(point_figures_number(point, columns->first.peak));
    }
}

static void add_columns(struct sheet *sheet, const struct points_columns *columns,
                        const struct screen *screen)
{
    const char *name;
    json_t *value;
    enum { SPARE = SHEET_RIGHT | SHEET_SPARE };
    const char *used = language_is_chinese() ? "" : " used";
    json_object_foreach (columns->axes, name, value)
        sheet_column(sheet, json_is_number(value) ? SHEET_RIGHT : SHEET_LEFT, name, "");
    if (columns->repeated)
        sheet_column(sheet, SHEET_RIGHT, language_text("runs"), "");
    if (!columns->untimed) {
        point_figures_column(sheet, screen, SHEET_RIGHT, columns->first.median, NULL, "");
        point_figures_column(sheet, screen, SPARE, columns->first.rate, NULL, "");
        if (columns->peak)
            point_figures_column(sheet, screen, SPARE, columns->first.peak, NULL, "");
        point_figures_column(sheet, screen, SPARE, columns->second.median, NULL, "");
    }
    if (columns->predicted) {
        point_figures_column(sheet, screen, SPARE, columns->loads, NULL, used);
        point_figures_column(sheet, screen, SPARE, columns->stores, NULL, used);
    }
    sheet_column(sheet, SHEET_LEFT, "", "");
}

/* "cancelled after 1 of 4 runs" where some were measured, else its state alone. */
static void state_words(char text[STATE_BYTES], const json_t *point, const char *state)
{
    double measured = json_path_number(point, "runs.succeeded"),
           asked = json_path_number(point, "runs.asked");
    if (strcmp(state, "cancelled") == 0 && measured > 0)
        snprintf(text, STATE_BYTES, language_text("cancelled after %.0f of %.0f runs"), measured, asked);
    else
        snprintf(text, STATE_BYTES, "%s",
                 language_text(json_object_get(point, "unwritten") ? "ended, not written" : state));
}

/* Why a point has no valid result. Where several runs were cancelled, or others of it are to come, no reason is printed: the
   service gives that of one run, and the other runs may have another. */
static void add_remark(struct sheet *sheet, const json_t *point, bool untimed, const struct screen *screen)
{
    char reason[LANGUAGE_REASON_BYTES], words[STATE_BYTES];
    const char *state = json_path_text(point, "state", "?");
    const json_t *failure = json_object_get(point, "failure");
    if (!json_object_get(failure, "detail"))
        failure = json_path_at(failure, "errors.0");
    const char *detail = failure ? answers_said(failure, "detail", reason) : NULL;
    bool open = strcmp(state, "queued") == 0 || strcmp(state, "running") == 0;
    if (open || (strcmp(state, "cancelled") == 0 && json_path_number(point, "runs.asked") > 1))
        detail = NULL;
    state_words(words, point, state);
    if (strcmp(state, "succeeded") != 0)
        sheet_format(sheet, open ? STYLE_NONE : STYLE_WORSE, "%s%s%s", words,
                     detail ? language_text(": ") : "", detail ? detail : "");
    else if (point_figures_verified(point) == 0)
        sheet_cell(sheet, STYLE_WORSE, language_text("output WRONG"));
    else if (untimed)
        sheet_cell(sheet, STYLE_NONE,
                   point_figures_verified(point) == 1 ? language_text("as the reference") : words);
    else if (point_figures_stable(point) == 0)
        sheet_cell(sheet, STYLE_WORSE, screen->ascii ? "! not stable" : language_text("△ not stable"));
    else
        sheet_cell(sheet, STYLE_NONE, point_figures_varies(point) ? language_text("runs vary") : "");
}

static void add_point(struct sheet *sheet, const struct points_columns *columns, const json_t *point,
                      const struct screen *screen)
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
    if (!columns->untimed) {
        point_figures_time_cell(sheet, screen, STYLE_STRONG, point, &columns->first);
        point_figures_cell(sheet, point, columns->first.rate);
        if (columns->peak)
            point_figures_cell(sheet, point, columns->first.peak);
        point_figures_time_cell(sheet, screen, STYLE_NONE, point, &columns->second);
    }
    if (columns->predicted) {
        point_figures_cell(sheet, point, columns->loads);
        point_figures_cell(sheet, point, columns->stores);
    }
    add_remark(sheet, point, columns->untimed, screen);
}

/* ", on h200-1, h200-2" */
static void print_devices(const json_t *sweep)
{
    size_t i;
    json_t *row;
    const json_t *devices = json_object_get(sweep, "devices");
    json_array_foreach (devices, i, row)
        if (i < DEVICES_NAMED)
            printf("%s%s", language_text(i ? ", " : ", on "), json_path_text(row, "device_name", "?"));
    if (i > DEVICES_NAMED)
        printf(language_text(" and %zu more"), i - DEVICES_NAMED);
}

static bool has_interval(const json_t *sweep, const struct point_figures *figures)
{
    size_t i;
    json_t *point;
    json_array_foreach (json_object_get(sweep, "points"), i, point) {
        double value, low = NAN, high = NAN;
        point_figures_interval(point, figures, false, &value, &low, &high);
        if (isfinite(low) && isfinite(high))
            return true;
    }
    return false;
}

/* The kernel and the progress. */
static void print_headline(const json_t *sweep, const struct points_columns *columns,
                           const struct screen *screen)
{
    bool untimed = columns->untimed;
    char kernel[JSON_PATH_TEXT_BYTES];
    json_path_value(kernel, json_path_at(sweep, "request.kernel"));
    const char *recipe = json_path_text(sweep, "recipe", NULL), *entry = json_path_text(sweep, "entry", NULL);
    bool repeated = json_path_number(sweep, "repeat") > 1;
    printf("%s%s%s%s%s: ", screen_style(screen, STYLE_STRONG), entry ? entry : "", entry ? " " : "",
           recipe ? recipe : kernel, screen_style(screen, STYLE_NONE));
    if (repeated)
        printf(json_path_number(sweep, "point_count") == 1 ? language_text("%.0f point, ")
                                                           : language_text("%.0f points, "),
               json_path_number(sweep, "point_count"));
    printf(untimed    ? language_text("%.0f of %.0f succeeded")
           : repeated ? language_text("%.0f of %.0f runs measured")
                      : language_text("%.0f of %.0f measured"),
           json_path_number(sweep, "succeeded"), json_path_number(sweep, "total"));
    if (json_path_number(sweep, "failed") > 0)
        printf(language_text(", %.0f failed"), json_path_number(sweep, "failed"));
    if (json_path_number(sweep, "cancelled") > 0)
        printf(language_text(", %.0f cancelled"), json_path_number(sweep, "cancelled"));
    if (json_path_number(sweep, "queued") > 0)
        printf(language_text(", %.0f queued"), json_path_number(sweep, "queued"));
    if (json_path_number(sweep, "unwritten") > 0)
        printf(language_text(", %.0f ended, not written"), json_path_number(sweep, "unwritten"));
    if (json_path_true(sweep, "paused"))
        printf("%s", language_text(", paused"));
    print_devices(sweep);
    if (untimed) {
        putchar('\n');
        return;
    }
    printf("%s%s\n", language_text("; "),
           repeated ? has_interval(sweep, &columns->first)
                          ? language_text("median over runs and its 95 % interval")
                          : language_text("median over runs")
                    : language_text("median and its 95 % interval at one placement of the arrays"));
}

void answers_name_devices(json_t *sweep)
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

static bool was_cancelled(const json_t *point)
{
    return strcmp(json_path_text(point, "state", ""), "cancelled") == 0 &&
           !(json_path_number(point, "runs.succeeded") > 0);
}

/* Counts the points that share the runs of an earlier point, because both request the same experiment. */
static size_t count_shared(const json_t *points)
{
    json_t *seen = json_object(), *point;
    size_t i, shared = 0;
    json_array_foreach (points, i, point) {
        const char *id = json_path_text(point, "runs.ids.0", json_path_text(point, "id", NULL));
        if (id && json_object_get(seen, id))
            shared++;
        else if (id)
            json_object_set_new(seen, id, json_true());
    }
    json_decref(seen);
    return shared;
}

void answers_print_sweep(const json_t *sweep, const struct screen *screen)
{
    struct points_columns columns;
    choose_columns(&columns, sweep);
    print_headline(sweep, &columns, screen);
    const char *why = json_path_text(sweep, "waits_for", NULL);
    if (why)
        printf(json_path_number(sweep, "queued") > 0 ? language_text("it waits: %s\n") : "%s\n",
               language_reason(why, (char[LANGUAGE_REASON_BYTES]){0}));
    struct sheet *sheet = sheet_new();
    add_columns(sheet, &columns, screen);
    size_t i, never_ran = 0;
    bool vary = false;
    json_t *point;
    json_array_foreach (json_object_get(sweep, "points"), i, point) {
        if (was_cancelled(point) && ++never_ran > CANCELLED_LISTED)
            continue;
        add_point(sheet, &columns, point, screen);
        vary = vary || point_figures_varies(point);
    }
    sheet_print(sheet, screen, stdout);
    if (never_ran > CANCELLED_LISTED)
        printf(never_ran == CANCELLED_LISTED + 1
                   ? language_text("and %zu more point that was cancelled before it ran\n")
                   : language_text("and %zu more points that were cancelled before they ran\n"),
               never_ran - CANCELLED_LISTED);
    size_t shared = count_shared(json_object_get(sweep, "points"));
    if (shared)
        printf(language_text("points that ask for the same as one before and show its runs: %zu; repeat=N "
                             "measures more often\n"),
               shared);
    if (vary)
        puts(language_text(
            "runs vary: single runs are not stable; the interval is over the runs of the point."));
    if (columns.predicted)
        puts(language_text("loads, stores: as the model predicts them."));
    double repeat = json_path_number(sweep, "repeat");
    if (repeat > 1 && repeat < 6 && !columns.untimed)
        puts(language_text("An interval over runs takes 6 of them: repeat=6 or more."));
    answers_print_published(sweep, screen);
    printf("%sid %s%s\n", screen_style(screen, STYLE_FAINT), json_path_text(sweep, "id", "?"),
           screen_style(screen, STYLE_NONE));
}

int answers_sweep_status(const json_t *sweep, bool strict)
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
        if (strict && point_figures_stable(point) == 0 && !is_untimed(sweep))
            status = EXIT_UNSTABLE;
    }
    return status;
}
