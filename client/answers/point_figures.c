#include "client/answers/point_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/answers/json_path.h"

static json_t *member(const json_t *point, const char *prefix, const char *which)
{
    char path[64];
    snprintf(path, sizeof path, "%s%s", prefix, which);
    return json_path_at(point, path);
}

struct point_figures_time point_figures_time(const json_t *point, const char *which)
{
    bool summary = json_object_get(point, "runs") != NULL;
    const json_t *timing = member(point, summary ? "" : "result.timing.", which);
    const json_t *rates = member(point, summary ? "" : "result.bandwidth.", which);
    return (struct point_figures_time){
        json_path_number(timing, "median_us"), json_path_number(timing, "ci95_us.0"),
        json_path_number(timing, "ci95_us.1"), json_path_number(rates, "effective_gbps"),
        json_path_number(rates, "of_peak")};
}

void point_figures_value(const json_t *point, const char *name, double *value, double *low, double *high)
{
    struct point_figures_time time =
        point_figures_time(point, strncmp(name, "cold", 4) == 0 ? "cold" : "hot");
    *value = time.median_us;
    *low = time.low_us;
    *high = time.high_us;
    if (!strstr(name, "gbps"))
        return;
    /* A rate is bytes over time: the interval's ends are swapped. With a time of zero at one end it has no
       interval. */
    double bytes = time.gbps * time.median_us;
    *value = time.gbps;
    *low = time.low_us > 0 ? bytes / time.high_us : NAN;
    *high = time.low_us > 0 ? bytes / time.low_us : NAN;
}

static int known(const json_t *value)
{
    return json_is_boolean(value) ? json_is_true(value) : -1;
}

int point_figures_verified(const json_t *point)
{
    return known(json_object_get(point, "runs") ? json_object_get(point, "verified")
                                                : json_path_at(point, "result.correctness.verified"));
}

int point_figures_stable(const json_t *point)
{
    return known(json_object_get(point, "runs") ? json_object_get(point, "stable")
                                                : json_path_at(point, "result.stability.stable"));
}
