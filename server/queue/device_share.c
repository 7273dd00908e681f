#include "server/queue/device_share.h"

#include <math.h>
#include <string.h>

enum { MEAN_RUNS = 16 };

bool device_share_before(const struct device_share *a, const struct device_share *b)
{
    if (a->used_s != b->used_s)
        return a->used_s < b->used_s;
    if (a->served != b->served)
        return a->served < b->served;
    return strcmp(a->name, b->name) < 0;
}

/* When `own` has run `own_runs` times and `other` `runs` times, both have used the same: is `other` next?
   The one that was served longest ago is; when both have run, that is the one whose last run was longer. */
static bool tie_before(const struct device_share *own, int own_runs, const struct device_share *other,
                       int runs)
{
    if (!runs && !own_runs)
        return device_share_before(&(struct device_share){.name = other->name, .served = other->served},
                                   &(struct device_share){.name = own->name, .served = own->served});
    if (!runs || !own_runs)
        return !runs;
    if (other->mean_s != own->mean_s)
        return other->mean_s > own->mean_s;
    int fewer = runs < own_runs ? runs : own_runs; /* the earlier runs were ties, too */
    return tie_before(own, own_runs - fewer, other, runs - fewer);
}

int device_share_count(const struct device_share *own, int position, const struct device_share *other)
{
    double runs = (own->used_s + position * own->mean_s - other->used_s) / other->mean_s;
    if (runs < 0 || !other->waiting)
        return 0;
    if (runs > other->waiting)
        return other->waiting;
    int whole = (int)runs;
    if (runs > whole || tie_before(own, position, other, whole))
        whole++;
    return whole < other->waiting ? whole : other->waiting;
}

double device_share_decayed(double used_s, double after_s, double half_life_s)
{
    return after_s > 0 && used_s > 0 ? used_s * exp2(-after_s / half_life_s) : used_s;
}

void device_share_add_run(struct run_mean *mean, double took_s)
{
    if (mean->count < MEAN_RUNS)
        mean->count++;
    mean->mean_s += (took_s - mean->mean_s) / mean->count;
}
