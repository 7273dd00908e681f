#include "client/answers/point_figures.h"

#include <math.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"

enum { PATH_BYTES = 128 };

const struct figure *point_figures_find(const char *name)
{
    const struct figure *figure = figure_table;
    while (figure->name && strcmp(figure->name, name) != 0)
        figure++;
    return figure->name ? figure : NULL;
}

struct point_figures point_figures_of(const char *which)
{
    static const char *const endings[] = {"median_us", "ci95_low_us", "ci95_high_us", "effective_gbps",
                                          "of_peak"};
    const struct figure *found[5];
    for (size_t i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s", which, endings[i]);
        found[i] = point_figures_find(name);
    }
    return (struct point_figures){found[0], found[1], found[2], found[3], found[4]};
}

static json_t *point_figures_at(const json_t *document, const struct figure *figure)
{
    /* Where the summary has the parts of a result. */
    static const char *const parts[][2] = {{"result/timing/", ""},
                                           {"result/bandwidth/", ""},
                                           {"result/correctness/", ""},
                                           {"result/stability/", ""},
                                           {"result/transfers/", "transfers/"},
                                           {"result/counters/", "efficiency/counted/"},
                                           {"result/prediction/", "efficiency/predicted/"}};
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", figure->path);
    if (json_object_get(document, "runs")) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (strncmp(figure->path, parts[i][0], strlen(parts[i][0])) == 0)
                snprintf(path, sizeof path, "%s%s", parts[i][1], figure->path + strlen(parts[i][0]));
    } else if (!json_object_get(document, "result") && strncmp(path, "result/", 7) == 0) {
        return json_path_at(document, path + 7);
    }
    return json_path_at(document, path);
}

double point_figures_number(const json_t *document, const struct figure *figure)
{
    return json_path_number(point_figures_at(document, figure), "");
}

const char *point_figures_first(const json_t *documents)
{
    const struct figure *median = point_figures_of("cold").median;
    size_t i;
    json_t *one;
    if (isfinite(point_figures_number(documents, median)))
        return "cold";
    json_array_foreach (documents, i, one)
        if (isfinite(point_figures_number(one, median)))
            return "cold";
    return "hot";
}

void point_figures_interval(const json_t *document, const struct point_figures *figures, bool rate,
                            double *value, double *low, double *high)
{
    double median_us = point_figures_number(document, figures->median),
           low_us = point_figures_number(document, figures->low),
           high_us = point_figures_number(document, figures->high),
           gbps = point_figures_number(document, figures->rate);
    /* A rate is bytes over time: the interval's ends are swapped. With a time of zero at one end it has no
       interval. */
    double bytes = low_us > 0 ? gbps * median_us : (double)NAN;
    *value = rate ? gbps : median_us;
    *low = rate ? bytes / high_us : low_us;
    *high = rate ? bytes / low_us : high_us;
}

void point_figures_column(struct sheet *sheet, const struct screen *screen, int flags,
                          const struct figure *figure, const char *title, const char *suffix)
{
    char unit[64];
    snprintf(unit, sizeof unit, "%s%s", screen_unit(screen, figure->unit), suffix);
    bool chinese = language_is_chinese();
    const char *head = chinese ? figure->head.zh : figure->head.en;
    if (!head)
        head = chinese ? figure->text.zh : figure->text.en;
    sheet_column(sheet, flags, title ? title : head, unit);
}

void point_figures_cell(struct sheet *sheet, const json_t *document, const struct figure *figure)
{
    char text[NUMBER_BYTES];
    double value = point_figures_number(document, figure);
    bool part = figure->unit && strcmp(figure->unit, "ratio") == 0;
    number_text(text, part ? value * 100 : value);
    sheet_cell(sheet, isfinite(value) ? STYLE_NONE : STYLE_FAINT, text);
}

void point_figures_time_cell(struct sheet *sheet, const struct screen *screen, enum style style,
                             const json_t *document, const struct point_figures *figures)
{
    char text[NUMBER_BYTES];
    double median, low, high;
    point_figures_interval(document, figures, false, &median, &low, &high);
    number_interval(text, median, low, high, screen->ascii);
    sheet_cell(sheet, style, text);
}

static int known(const json_t *value)
{
    return json_is_boolean(value) ? json_is_true(value) : -1;
}

int point_figures_verified(const json_t *point)
{
    return known(point_figures_at(point, point_figures_find("verified")));
}

int point_figures_stable(const json_t *point)
{
    enum { RUNS_LEAST = 6 }; /* for an interval over runs (kernels/statistics.h) */
    if (json_path_number(point, "runs.succeeded") >= RUNS_LEAST)
        return 1;
    return known(point_figures_at(point, point_figures_find("stable")));
}

bool point_figures_varies(const json_t *point)
{
    return point_figures_stable(point) == 1 &&
           known(point_figures_at(point, point_figures_find("stable"))) == 0;
}
