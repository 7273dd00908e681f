#include "client/answers/points_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/point_figures.h"
#include "client/terminal/plot.h"

enum { SERIES_MAX = 8, WORDS_MAX = 64, ROWS = 14 };

/* The distinct values of an axis as keys, in the order of the points. The caller releases it. */
static json_t *values_of(const json_t *points, const char *axis)
{
    json_t *values = json_object(), *point;
    size_t i;
    char text[JSON_PATH_TEXT_BYTES];
    json_array_foreach (points, i, point) {
        json_path_value(text, json_object_get(json_object_get(point, "values"), axis));
        json_object_set_new(values, text, json_true());
    }
    return values;
}

static bool is_numeric(const json_t *points, const char *axis)
{
    json_t *point;
    size_t i;
    json_array_foreach (points, i, point)
        if (!json_is_number(json_object_get(json_object_get(point, "values"), axis)))
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
        json_path_value(one, json_object_get(json_object_get(point, "values"), name));
        json_path_append(text, *text ? ", " : "");
        json_path_append(text, name);
        json_path_append(text, " ");
        json_path_append(text, one);
    }
}

static int by_x(const void *a, const void *b)
{
    double left = ((const struct plot_point *)a)->x, right = ((const struct plot_point *)b)->x;
    return (left > right) - (left < right);
}

/* The points of each series: {"block 128": [indices]}. The caller releases it. */
static json_t *group(const json_t *points, const char *x)
{
    json_t *groups = json_object(), *varied = varied_axes(points, x), *point;
    size_t i;
    json_array_foreach (points, i, point) {
        char name[JSON_PATH_TEXT_BYTES];
        series_name(name, point, varied);
        json_t *members = json_object_get(groups, name);
        if (!members) {
            members = json_array();
            json_object_set_new(groups, name, members);
        }
        json_array_append_new(members, json_integer((json_int_t)i));
    }
    json_decref(varied);
    return groups;
}

/* The index of a text among the keys. */
static double index_of(const json_t *words, const char *text)
{
    const char *name;
    json_t *value;
    double index = 0;
    json_object_foreach ((json_t *)words, name, value) {
        if (strcmp(name, text) == 0)
            return index;
        index++;
    }
    return (double)NAN;
}

/* y: "hot_gbps", "cold_gbps", "hot_us" or "cold_us". */
static struct point_figures figures_of(const char *y)
{
    return point_figures_of(strncmp(y, "cold", 4) == 0 ? "cold" : "hot");
}

static bool is_rate(const char *y)
{
    return strstr(y, "gbps") != NULL;
}

static struct plot_point *fill(const json_t *points, const json_t *members, const char *x,
                               const json_t *words, const char *y, size_t *numbers)
{
    const struct point_figures figures = figures_of(y);
    struct plot_point *filled = calloc(json_array_size(members) + 1, sizeof *filled);
    json_t *index;
    size_t i;
    json_array_foreach (members, i, index) {
        const json_t *point = json_array_get(points, (size_t)json_integer_value(index));
        const json_t *at = json_object_get(json_object_get(point, "values"), x);
        char text[JSON_PATH_TEXT_BYTES];
        json_path_value(text, at);
        if (!filled)
            return NULL;
        filled[i].x = words ? index_of(words, text) : json_number_value(at);
        point_figures_interval(point, &figures, is_rate(y), &filled[i].y, &filled[i].low, &filled[i].high);
        *numbers += isfinite(filled[i].y) != 0;
    }
    qsort(filled, json_array_size(members), sizeof *filled, by_x);
    return filled;
}

static void draw(const json_t *points, const char *x, const char *y, const json_t *groups,
                 const struct screen *screen)
{
    struct plot_series series[SERIES_MAX] = {{0}};
    const char *words[WORDS_MAX], *name;
    json_t *members, *values = is_numeric(points, x) ? NULL : values_of(points, x), *value;
    int count = 0, word_count = 0;
    size_t numbers = 0;
    json_object_foreach (values, name, value)
        if (word_count < WORDS_MAX)
            words[word_count++] = name;
    json_object_foreach ((json_t *)groups, name, members) {
        if (count == SERIES_MAX)
            break;
        series[count].name = name;
        series[count].points = fill(points, members, x, values, y, &numbers);
        series[count].count = series[count].points ? json_array_size(members) : 0;
        count++;
    }
    if (numbers >= 2) {
        struct buffer out = {0};
        char y_name[64];
        const struct point_figures figures = figures_of(y);
        snprintf(y_name, sizeof y_name, "%s, %.*s",
                 screen_unit(screen, (is_rate(y) ? figures.rate : figures.median)->unit),
                 (int)strcspn(y, "_"), y);
        int columns = screen->columns < 40 ? 40 : screen->columns > 100 ? 100 : screen->columns;
        plot_draw(&(struct plot){.y_name = y_name,
                                 .x_name = x,
                                 .x_words = values ? words : NULL,
                                 .x_word_count = word_count,
                                 .series = series,
                                 .series_count = count,
                                 .columns = columns,
                                 .rows = ROWS},
                  screen, &out);
        printf("\n%s", out.data ? out.data : "");
        if (json_object_size(groups) > SERIES_MAX)
            printf("  and %zu more in the table\n", json_object_size(groups) - SERIES_MAX);
        buffer_free(&out);
    }
    for (int i = 0; i < count; i++)
        free((void *)series[i].points);
    json_decref(values);
}

void points_plot_print(const json_t *sweep, const struct screen *screen, const char *x, const char *y)
{
    const json_t *points = json_object_get(sweep, "points");
    const char *axis = choose_x(points, x);
    if (!axis && x) {
        const char *name, *between = "";
        json_t *value;
        fprintf(stderr, "coalesce: no plot: there is no axis \"%s\", but", x);
        json_object_foreach (json_object_get(json_array_get(points, 0), "values"), name, value) {
            fprintf(stderr, "%s %s", between, name);
            between = ",";
        }
        fprintf(stderr, "%s\n", *between ? "" : " none at all");
    }
    if (!axis)
        return;
    json_t *groups = group(points, axis);
    draw(points, axis, y && *y ? y : "hot_gbps", groups, screen);
    json_decref(groups);
}
