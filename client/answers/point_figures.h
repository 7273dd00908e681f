/* Figures of the service's one table (api/figures.h) in its documents: an experiment, a run of a sweep, or
   the summary over the runs of a point. */
#pragma once

#include <jansson.h>

#include "api/figures.h"
#include "client/terminal/sheet.h"

/* The figures of the hot or the cold times. */
struct point_figures {
    const struct figure *median, *low, *high; /* the time with its interval */
    const struct figure *rate, *peak;         /* the bandwidth at the median, and its part of the peak */
};

/* which: "hot" or "cold". */
struct point_figures point_figures_of(const char *which);

/* Which times a headline, table or plot shows first: "cold", as on the page, because predictions are of cold times; "hot"
   where no cold time was measured. documents: a result or point, or an array of them. */
const char *point_figures_first(const json_t *documents);

/* The figure with that name; NULL: the table does not have it, as when the service is newer. */
const struct figure *point_figures_find(const char *name);

/* The figure's value; NaN: there is none. */
double point_figures_number(const json_t *document, const struct figure *figure);

/* The time in us, or the bandwidth in GB/s, with its interval; NaN: none. */
void point_figures_interval(const json_t *document, const struct point_figures *figures, bool rate,
                            double *value, double *low, double *high);

/* Adds the figure's column, with its title unless another one is given (title not NULL), and its unit
   before `suffix`. */
void point_figures_column(struct sheet *sheet, const struct screen *screen, int flags,
                          const struct figure *figure, const char *title, const char *suffix);

/* Adds the figure's cell, in the column's unit; and that of a time with its interval. */
void point_figures_cell(struct sheet *sheet, const json_t *document, const struct figure *figure);
void point_figures_time_cell(struct sheet *sheet, const struct screen *screen, enum style style,
                             const json_t *document, const struct point_figures *figures);

/* 1 or 0; -1: not known. */
int point_figures_verified(const json_t *point);
/* A point of a sweep with an interval over its runs is judged by that, as on the page (web/sweep/sure.js), and
   not by whether single runs are stable. */
int point_figures_stable(const json_t *point);

/* True for a point that is stable by the interval over its runs although single runs are not. */
bool point_figures_varies(const json_t *point);
