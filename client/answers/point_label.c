#include "client/answers/point_label.h"

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

struct point_label_time point_label_time(const json_t *point, const char *which)
{
    bool summed = json_object_get(point, "runs") != NULL;
    const json_t *timing = member(point, summed ? "" : "result.timing.", which);
    const json_t *rates = member(point, summed ? "" : "result.bandwidth.", which);
    return (struct point_label_time){
        json_path_number(timing, "median_us"), json_path_number(timing, "ci95_us.0"),
        json_path_number(timing, "ci95_us.1"), json_path_number(rates, "effective_gbps"),
        json_path_number(rates, "of_peak")};
}

void point_label_value(const json_t *point, const char *value, double *at, double *low, double *high)
{
    struct point_label_time time = point_label_time(point, strncmp(value, "cold", 4) == 0 ? "cold" : "hot");
    *at = time.median_us;
    *low = time.low_us;
    *high = time.high_us;
    if (!strstr(value, "gbps"))
        return;
    /* Bytes over time: the interval's ends change places. One that goes down to no time at all has none to tell. */
    double moved = time.gbps * time.median_us;
    *at = time.gbps;
    *low = time.low_us > 0 ? moved / time.high_us : NAN;
    *high = time.low_us > 0 ? moved / time.low_us : NAN;
}

static int known(const json_t *value)
{
    return json_is_boolean(value) ? json_is_true(value) : -1;
}

int point_label_verified(const json_t *point)
{
    return known(json_object_get(point, "runs") ? json_object_get(point, "verified")
                                                : json_path_at(point, "result.correctness.verified"));
}

int point_label_stable(const json_t *point)
{
    return known(json_object_get(point, "runs") ? json_object_get(point, "stable")
                                                : json_path_at(point, "result.stability.stable"));
}
