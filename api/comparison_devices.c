/* Splits points by device, and finds which executors took the times of each side. */
#include "api/comparison.h"

#include <stdlib.h>

#include "api/device_set.h"

/* ---- a point for each device ---- */

struct parted {
    json_t *numbers;             /* by uuid, as they came */
    bool on[2][DEVICE_SET_MOST]; /* by number: has the side a run there? */
    int *made;                   /* by point and device: the new point + 1; 0: there is none */
};

static const char *uuid_of(const struct comparison *comparison, const struct comparison_run *run)
{
    const json_t *facts = json_array_get(comparison->facts, (size_t)run->facts);
    const char *uuid = json_string_value(json_array_get(facts, COMPARISON_UUID));
    return uuid ? uuid : "";
}

/* True: both sides are on the same devices, and on more than one. Gives each run the number of its own. */
static bool devices_gather(struct comparison *comparison, struct parted *parted)
{
    bool same = true;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < comparison->sides[side].used; i++) {
            struct comparison_run *run = &comparison->sides[side].runs[i];
            const char *uuid = uuid_of(comparison, run);
            const json_t *known = json_object_get(parted->numbers, uuid);
            run->device =
                (int)(known ? (size_t)json_integer_value(known) : json_object_size(parted->numbers));
            if (run->device >= DEVICE_SET_MOST ||
                (!known && json_object_set_new(parted->numbers, uuid, json_integer(run->device)) < 0))
                return false;
            parted->on[side][run->device] = true;
        }
    for (int i = 0; i < DEVICE_SET_MOST; i++)
        same = same && parted->on[0][i] == parted->on[1][i];
    return same && json_object_size(parted->numbers) > 1;
}

/* In the order of the old ones, so that what came first stays first. */
static int points_make(struct comparison *comparison, struct parted *parted, struct comparison_point *points)
{
    int count = 0, devices = (int)json_object_size(parted->numbers);
    for (int i = 0; i < comparison->point_count; i++) {
        const char *uuid;
        json_t *number;
        json_object_foreach (parted->numbers, uuid, number) {
            int *made = &parted->made[i * devices + (int)json_integer_value(number)];
            if (!*made)
                continue;
            points[count].fields = json_copy(comparison->points[i].fields);
            if (!points[count].fields ||
                json_object_set_new(points[count].fields, "device_uuid", json_string(uuid)) < 0)
                return -1;
            *made = ++count;
        }
    }
    return count;
}

static int points_part(struct comparison *comparison, struct parted *parted)
{
    int devices = (int)json_object_size(parted->numbers), wanted = 0;
    parted->made = calloc((size_t)comparison->point_count * (size_t)devices, sizeof *parted->made);
    for (int side = 0; parted->made && side < 2; side++)
        for (int i = 0; i < comparison->sides[side].used; i++) {
            const struct comparison_run *run = &comparison->sides[side].runs[i];
            int *made = &parted->made[run->point * devices + run->device];
            wanted += !*made;
            *made = 1;
        }
    struct comparison_point *points = calloc((size_t)wanted + 1, sizeof *points);
    int count = parted->made && points ? points_make(comparison, parted, points) : -1;
    if (count < 0) {
        for (int i = 0; points && i < wanted; i++)
            json_decref(points[i].fields);
        free(points);
        return -1;
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < comparison->sides[side].used; i++) {
            struct comparison_run *run = &comparison->sides[side].runs[i];
            run->point = parted->made[run->point * devices + run->device] - 1;
        }
    for (int i = 0; i < comparison->point_count; i++)
        json_decref(comparison->points[i].fields);
    free(comparison->points);
    comparison->points = points;
    comparison->point_count = count;
    comparison->points_allocated = wanted + 1;
    return 0;
}

int comparison_devices_split(struct comparison *comparison)
{
    struct parted parted = {.numbers = json_object()};
    int status = parted.numbers ? 0 : -1;
    if (status == 0 && devices_gather(comparison, &parted))
        status = points_part(comparison, &parted);
    free(parted.made);
    json_decref(parted.numbers);
    return status;
}

/* ---- levels of executors ---- */

/* Of so many executors the levels are as good as mixed. */
enum { EXECUTORS_MAX = 32 };

struct executors {
    uint64_t at[EXECUTORS_MAX];
    int count;
};

static bool executors_have(const struct executors *executors, uint64_t executor)
{
    for (int i = 0; i < executors->count; i++)
        if (executors->at[i] == executor)
            return true;
    return false;
}

static void executors_of(const struct comparison_count *side, struct executors *executors)
{
    executors->count = 0;
    for (int i = 0; i < side->used && executors->count < EXECUTORS_MAX; i++)
        if (!executors_have(executors, side->runs[i].executor))
            executors->at[executors->count++] = side->runs[i].executor;
}

double comparison_devices_apart_us(const struct comparison *comparison)
{
    struct executors a, b;
    executors_of(&comparison->sides[0], &a);
    executors_of(&comparison->sides[1], &b);
    bool same = a.count == b.count;
    for (int i = 0; i < a.count; i++)
        same &= executors_have(&b, a.at[i]);
    return comparison->request->hot || same ? 0 : COMPARISON_EXECUTORS_APART_US;
}
