/* One point of a sweep: its times, whether they are those of one run or the medians over several. */
#ifndef COALESCED_CLIENT_ANSWERS_POINT_LABEL_H
#define COALESCED_CLIENT_ANSWERS_POINT_LABEL_H

#include <jansson.h>
#include <stdbool.h>

#include "client/terminal/screen.h"

/* Microseconds, 10^9 bytes a second, a part of the peak; NaN: no value. */
struct point_label_time {
    double median_us, low_us, high_us, gbps, of_peak;
};

/* which: "hot" or "cold". */
struct point_label_time point_label_time(const json_t *point, const char *which);

/* value: "hot_gbps", "cold_gbps", "hot_us" or "cold_us"; low and high are its interval. */
void point_label_value(const json_t *point, const char *value, double *at, double *low, double *high);

/* -1: not known. */
int point_label_verified(const json_t *point);
int point_label_stable(const json_t *point);

#endif
