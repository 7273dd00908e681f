/* Figures of a sweep's point: of its run, or of the summary over its runs. */
#ifndef COALESCED_CLIENT_ANSWERS_POINT_FIGURES_H
#define COALESCED_CLIENT_ANSWERS_POINT_FIGURES_H

#include <jansson.h>
#include <stdbool.h>

#include "client/terminal/screen.h"

/* of_peak: from 0 to 1; NaN: no value. */
struct point_figures_time {
    double median_us, low_us, high_us, gbps, of_peak;
};

/* which: "hot" or "cold". */
struct point_figures_time point_figures_time(const json_t *point, const char *which);

/* name: "hot_gbps", "cold_gbps", "hot_us" or "cold_us". low, high: the interval; NaN: none. */
void point_figures_value(const json_t *point, const char *name, double *value, double *low, double *high);

/* 1 or 0; -1: not known. */
int point_figures_verified(const json_t *point);
int point_figures_stable(const json_t *point);

#endif
