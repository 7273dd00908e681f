#include "server/queue/device_share.h"

#include <math.h>
#include <string.h>

enum { PACE_LAST = 16 };

bool device_share_before(const struct device_share *a, const struct device_share *b)
{
    if (a->used_s != b->used_s)
        return a->used_s < b->used_s;
    if (a->served != b->served)
        return a->served < b->served;
    return strcmp(a->name, b->name) < 0;
}

/* Both have used the same when `other` has run `runs` times and `own` `place` times: which of them is next? The one that
   was served longest ago, and as long as both have run, that is the one whose last run was the longer. */
static bool tie_before(const struct device_share *own, int place, const struct device_share *other, int runs)
{
    if (!runs && !place)
        return device_share_before(&(struct device_share){.name = other->name, .served = other->served},
                                   &(struct device_share){.name = own->name, .served = own->served});
    if (!runs || !place)
        return !runs;
    if (other->mean_s != own->mean_s)
        return other->mean_s > own->mean_s;
    int fewer = runs < place ? runs : place; /* the runs before were ties as well */
    return tie_before(own, place - fewer, other, runs - fewer);
}

int device_share_count(const struct device_share *own, int place, const struct device_share *other)
{
    double runs = (own->used_s + place * own->mean_s - other->used_s) / other->mean_s;
    if (runs < 0 || !other->waiting)
        return 0;
    if (runs > other->waiting)
        return other->waiting;
    int whole = (int)runs;
    if (runs > whole || tie_before(own, place, other, whole))
        whole++;
    return whole < other->waiting ? whole : other->waiting;
}

double device_share_decayed(double used_s, double after_s, double half_life_s)
{
    return after_s > 0 && used_s > 0 ? used_s * exp2(-after_s / half_life_s) : used_s;
}

void pace_add(struct pace *pace, double took_s)
{
    if (pace->count < PACE_LAST)
        pace->count++;
    pace->mean_s += (took_s - pace->mean_s) / pace->count;
}
