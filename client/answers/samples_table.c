/* Raw samples as a table and a plot. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/answers/json_path.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"
#include "client/terminal/plot.h"
#include "client/terminal/sheet.h"

enum { ROWS = 8 };

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The times in order, freed by the caller; NULL: there are none, or no memory. */
static double *sort_times(const json_t *times)
{
    size_t count = json_array_size(times), i;
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;
    json_t *time;
    if (!sorted)
        return NULL;
    json_array_foreach (times, i, time)
        sorted[i] = json_number_value(time);
    qsort(sorted, count, sizeof *sorted, by_value);
    return sorted;
}

static void add_row(struct sheet *sheet, const char *which, const json_t *series)
{
    const json_t *times = json_object_get(series, "samples_us");
    size_t count = json_array_size(times);
    double *sorted = sort_times(times);
    if (!sorted)
        return;
    const double values[] = {sorted[0], (sorted[(count - 1) / 2] + sorted[count / 2]) / 2, sorted[count - 1]};
    sheet_cell(sheet, STYLE_NONE, language_text(which));
    sheet_format(sheet, STYLE_NONE, "%zu", count);
    sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(series, "launches_per_sample"));
    sheet_format(sheet, STYLE_NONE, "%zu", json_array_size(json_object_get(series, "rounds")));
    sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(series, "discarded"));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[NUMBER_BYTES];
        number_text(text, values[i]);
        sheet_cell(sheet, i == 1 ? STYLE_STRONG : STYLE_NONE, text);
    }
    free(sorted);
}

static void plot_one(const char *which, const json_t *series, const struct screen *screen)
{
    const json_t *times = json_object_get(series, "samples_us");
    size_t count = json_array_size(times), i;
    struct plot_point *points = count >= 2 ? calloc(count, sizeof *points) : NULL;
    char name[64];
    json_t *time;
    if (!points)
        return;
    json_array_foreach (times, i, time)
        points[i] = (struct plot_point){(double)i, json_number_value(time), (double)NAN, (double)NAN};
    snprintf(name, sizeof name, "%s%s%s", screen_unit(screen, "us"), language_text(", "),
             language_text(which));
    plot_print(&(struct plot){.y_name = name,
                              .x_name = language_text("sample, in the order in which they were taken"),
                              .series = &(struct plot_series){which, points, count},
                              .series_count = 1,
                              .rows = ROWS},
               screen);
    free(points);
}

void answers_print_samples(const json_t *document, const struct screen *screen)
{
    static const char *const heads[] = {"",          "samples", "launches", "rounds",
                                        "discarded", "least",   "median",   "most"};
    static const char *const kinds[] = {"cold", "hot"};
    struct sheet *sheet = sheet_new();
    for (int i = 0; i < (int)(sizeof heads / sizeof *heads); i++) {
        const char *unit = i == 2 ? language_text("each") : i >= 5 ? screen_unit(screen, "us") : "";
        sheet_column(sheet, (i ? SHEET_RIGHT : SHEET_LEFT) | (i == 3 || i == 4 ? SHEET_SPARE : 0),
                     language_text(heads[i]), unit);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_row(sheet, kinds[i], json_object_get(document, kinds[i]));
    sheet_print(sheet, screen, stdout);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        plot_one(kinds[i], json_object_get(document, kinds[i]), screen);
}
