/* A sweep's points as a plot: chooses the axis and the series. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/point_figures.h"
#include "client/terminal/language.h"
#include "client/terminal/plot.h"

enum { SERIES_MAX = 8, WORDS_MAX = 64, ROWS = 14 };

static const json_t *value_of(const json_t *point, const char *axis)
{
    return json_object_get(json_object_get(point, "values"), axis);
}

/* The distinct values of an axis as keys, numbered in the order of the points. The caller releases it. */
static json_t *values_of(const json_t *points, const char *axis)
{
    json_t *values = json_object(), *point;
    size_t i;
    char text[JSON_PATH_TEXT_BYTES];
    json_array_foreach (points, i, point) {
        json_path_value(text, value_of(point, axis));
        if (!json_object_get(values, text))
            json_object_set_new(values, text, json_integer((json_int_t)json_object_size(values)));
    }
    return values;
}

static bool is_numeric(const json_t *points, const char *axis)
{
    json_t *point;
    size_t i;
    json_array_foreach (points, i, point)
        if (!json_is_number(value_of(point, axis)))
            return false;
    return true;
}

/* The axis that was asked for; else the axis of numbers with the most values, else the axis with the most
   values. */
static const char *choose_x(const json_t *points, const char *asked)
{
    const char *name, *best = NULL;
    json_t *value;
    size_t most = 1;
    json_object_foreach (json_object_get(json_array_get(points, 0), "values"), name, value) {
        if (asked && strcmp(asked, name) == 0)
            return name;
        json_t *values = values_of(points, name);
        size_t count = json_object_size(values) * (is_numeric(points, name) ? WORDS_MAX : 1);
        json_decref(values);
        if (count > most) {
            most = count;
            best = name;
        }
    }
    return asked ? NULL : best;
}

/* The axes besides x that have more than one value, as keys. The caller releases it. */
static json_t *varied_axes(const json_t *points, const char *x)
{
    json_t *varied = json_object(), *value;
    const char *name;
    json_object_foreach (json_object_get(json_array_get(points, 0), "values"), name, value) {
        json_t *values = strcmp(name, x) != 0 ? values_of(points, name) : NULL;
        /* Points on more devices than a plot has series are one series. */
        bool together = strcmp(name, "device") == 0 && json_object_size(values) > SERIES_MAX;
        if (json_object_size(values) > 1 && !together)
            json_object_set_new(varied, name, json_true());
        json_decref(values);
    }
    return varied;
}

/* "block 128, load ca" */
static void series_name(char text[JSON_PATH_TEXT_BYTES], const json_t *point, const json_t *varied)
{
    const char *name;
    json_t *value;
    text[0] = '\0';
    json_object_foreach ((json_t *)varied, name, value) {
        char one[JSON_PATH_TEXT_BYTES];
        json_path_value(one, value_of(point, name));
        json_path_append(text, JSON_PATH_TEXT_BYTES, "%s%s %s", *text ? ", " : "", name, one);
    }
}

static int by_x(const void *a, const void *b)
{
    double left = ((const struct plot_point *)a)->x, right = ((const struct plot_point *)b)->x;
    return (left > right) - (left < right);
}

/* The points of each series: {"block 128": [point, ...]}. The caller releases it. */
static json_t *group(const json_t *points, const char *x)
{
    json_t *groups = json_object(), *varied = varied_axes(points, x), *point;
    size_t i;
    json_array_foreach (points, i, point) {
        char name[JSON_PATH_TEXT_BYTES];
        series_name(name, point, varied);
        if (!json_object_get(groups, name))
            json_object_set_new(groups, name, json_array());
        json_array_append(json_object_get(groups, name), point);
    }
    json_decref(varied);
    return groups;
}

/* What is drawn. */
struct points_curve {
    const char *x;
    const json_t *words; /* of values_of(); NULL: x is a number */
    struct point_figures figures;
    bool rate; /* the bandwidth; false: the time */
};

/* The points of one series in the order of x, freed by the caller; NULL: no memory. Adds those with a value
   to *numbers. */
static struct plot_point *fill(const json_t *points, const struct points_curve *curve, size_t *numbers)
{
    struct plot_point *filled = calloc(json_array_size(points) + 1, sizeof *filled);
    json_t *point;
    size_t i;
    if (!filled)
        return NULL;
    json_array_foreach (points, i, point) {
        const json_t *at = value_of(point, curve->x);
        char text[JSON_PATH_TEXT_BYTES];
        json_path_value(text, at);
        filled[i].x =
            curve->words ? json_path_number(json_object_get(curve->words, text), "") : json_number_value(at);
        point_figures_interval(point, &curve->figures, curve->rate, &filled[i].y, &filled[i].low,
                               &filled[i].high);
        *numbers += isfinite(filled[i].y) != 0;
    }
    qsort(filled, json_array_size(points), sizeof *filled, by_x);
    return filled;
}

static void draw(const json_t *groups, const struct points_curve *curve, const char *which,
                 const struct screen *screen)
{
    struct plot_series series[SERIES_MAX] = {{0}};
    const char *words[WORDS_MAX], *name,
        *unit = (curve->rate ? curve->figures.rate : curve->figures.median)->unit;
    char y_name[64];
    struct plot plot = {.y_name = y_name, .x_name = curve->x, .series = series, .rows = ROWS};
    json_t *members, *value;
    size_t numbers = 0;
    snprintf(y_name, sizeof y_name, "%s%s%s", screen_unit(screen, unit), language_text(", "),
             language_text(which));
    plot.x_words = curve->words ? words : NULL;
    json_object_foreach ((json_t *)curve->words, name, value)
        if (plot.x_word_count < WORDS_MAX)
            words[plot.x_word_count++] = name;
    json_object_foreach ((json_t *)groups, name, members) {
        if (plot.series_count == SERIES_MAX)
            break;
        struct plot_series *one = &series[plot.series_count++];
        *one = (struct plot_series){name, fill(members, curve, &numbers), json_array_size(members)};
        one->count = one->points ? one->count : 0;
    }
    if (numbers >= 2)
        plot_print(&plot, screen);
    if (numbers >= 2 && json_object_size(groups) > SERIES_MAX)
        printf(language_text("  and %zu more in the table\n"), json_object_size(groups) - SERIES_MAX);
    for (int i = 0; i < plot.series_count; i++)
        free((void *)series[i].points);
}

static void print_axes(const json_t *points, const char *asked)
{
    const char *name, *between = "";
    json_t *value;
    fprintf(stderr, language_text("coalesce: no plot: there is no axis \"%s\", but"), asked);
    json_object_foreach (json_object_get(json_array_get(points, 0), "values"), name, value) {
        fprintf(stderr, "%s %s", between, name);
        between = ",";
    }
    fprintf(stderr, "%s\n", *between ? "" : language_text(" none at all"));
}

void answers_plot_sweep(const json_t *sweep, const struct screen *screen, const char *x, const char *y)
{
    const json_t *points = json_object_get(sweep, "points");
    const char *axis = choose_x(points, x), *which = !y ? point_figures_first(points)
                                                     : strncmp(y, "cold", 4) == 0 ? "cold"
                                                                                  : "hot";
    if (!axis && x)
        print_axes(points, x);
    if (!axis)
        return;
    json_t *groups = group(points, axis), *words = is_numeric(points, axis) ? NULL : values_of(points, axis);
    draw(groups, &(struct points_curve){axis, words, point_figures_of(which), !y || strstr(y, "gbps")}, which,
         screen);
    json_decref(words);
    json_decref(groups);
}
