/* Gathers the runs of both sides by their points, and judges each point. */
#include "api/comparison.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/scan.h"
#include "base/buffer.h"
#include "base/hash.h"

const struct comparison_fact comparison_facts[COMPARISON_FACTS] = {
    {"device_name", "device/name", false, false},
    {"device_uuid", "device/uuid", false, false},
    {"arch", "device/arch", false, false},
    {"driver", "device/driver", false, false},
    {"runtime", "device/runtime", false, false},
    {"backend", "device/backend", false, false},
    {"version", "provenance/version", false, true},
    {"commit", "provenance/commit", false, true},
    {"kernel_sha256", "provenance/kernel_sha256", false, true},
    {"sm_clock_mhz", "stability/live/sm_clock_mhz/2", true, false},
    {"memory_clock_mhz", "stability/live/memory_clock_mhz/2", true, false},
    {"throttle_reasons", "stability/live/throttle_reasons", true, false},
};

/* What else is read of a result, behind the facts. */
enum { COLD = COMPARISON_FACTS, HOT, VERIFIED, STABLE, PLACEMENT, SLOTS };

static struct {
    struct scan_paths paths;
    const struct scan_node *result;
} places;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void places_make(void)
{
    for (int i = 0; i < COMPARISON_FACTS; i++)
        scan_add(&places.paths, comparison_facts[i].path, i);
    scan_add(&places.paths, "timing/cold/median_us", COLD);
    scan_add(&places.paths, "timing/hot/median_us", HOT);
    scan_add(&places.paths, "correctness/verified", VERIFIED);
    scan_add(&places.paths, "stability/stable", STABLE);
    scan_add(&places.paths, "placement/name", PLACEMENT);
    places.result = scan_add(&places.paths, "", -1);
}

struct comparison *comparison_new(const struct comparison_request *request)
{
    struct comparison *comparison = calloc(1, sizeof *comparison);
    pthread_once(&made, places_make);
    if (!comparison)
        return NULL;
    json_t **const objects[] = {&comparison->point_of, &comparison->known[0], &comparison->known[1],
                                &comparison->seen,     &comparison->facts_of, &comparison->common};
    bool short_of_memory = !(comparison->facts = json_array());
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        short_of_memory |= !(*objects[i] = json_object());
    comparison->request = request;
    if (!short_of_memory)
        return comparison;
    comparison_free(comparison);
    return NULL;
}

/* What only gathering needs, which is most of it. */
static void indexes_free(struct comparison *comparison)
{
    json_t **const objects[] = {&comparison->point_of, &comparison->known[0], &comparison->known[1],
                                &comparison->seen, &comparison->facts_of};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        json_decref(*objects[i]);
        *objects[i] = NULL;
    }
}

void comparison_free(struct comparison *comparison)
{
    if (!comparison)
        return;
    indexes_free(comparison);
    for (int i = 0; i < comparison->point_count; i++)
        json_decref(comparison->points[i].fields);
    free(comparison->points);
    for (int side = 0; side < 2; side++)
        free(comparison->sides[side].runs);
    json_decref(comparison->facts);
    json_decref(comparison->common);
    free(comparison);
}

/* ---- what a request makes of a point ---- */

/* The number that stands under that text in the map, the next one when there is none yet. -1: no memory. */
static int number_of(json_t *map, const char *text)
{
    const json_t *known = text ? json_object_get(map, text) : NULL;
    int next = (int)json_object_size(map);
    if (known)
        return (int)json_integer_value(known);
    return text && json_object_set_new(map, text, json_integer(next)) == 0 ? next : -1;
}

static int point_add(struct comparison *comparison, json_t *fields, struct error *error)
{
    if (comparison->point_count == COMPARISON_POINTS_MAX)
        return error_set(error, ERROR_FULL, "there are more than %d points", COMPARISON_POINTS_MAX);
    if (comparison->point_count == comparison->points_allocated) {
        int allocated = comparison->points_allocated ? 2 * comparison->points_allocated : 64;
        struct comparison_point *points = realloc(comparison->points, (size_t)allocated * sizeof *points);
        if (!points)
            return error_set(error, ERROR_MEMORY, "no memory for points");
        comparison->points = points;
        comparison->points_allocated = allocated;
    }
    comparison->points[comparison->point_count++] = (struct comparison_point){.fields = json_incref(fields)};
    return 0;
}

/* Remembers which fields that the request names this experiment has. */
static void fields_see(struct comparison *comparison, int side, const json_t *asked)
{
    const struct comparison_request *request = comparison->request;
    const char *name;
    json_t *wanted;
    int bit = 0;
    json_object_foreach ((json_t *)request->sides[side].where, name, wanted)
        comparison->where_seen[side] |= (unsigned)(json_object_get(asked, name) != NULL) << bit++;
    for (int i = 0; i < request->but_for_count; i++)
        comparison->but_for_seen |= (unsigned)(json_object_get(asked, request->but_for[i]) != NULL) << i;
}

/* Its point; -1: none, the side does not want it; -2 with *error. */
static int point_of(struct comparison *comparison, int side, const json_t *asked, struct error *error)
{
    fields_see(comparison, side, asked);
    if (!comparison_fields_match(&comparison->request->sides[side], asked))
        return -1;
    json_t *fields = comparison_fields(comparison->request, asked);
    char *key = fields ? json_dumps(fields, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    int point = number_of(comparison->point_of, key);
    if (point < 0)
        point = error_set(error, ERROR_MEMORY, "no memory for a point") - 1;
    else if (point == comparison->point_count && point_add(comparison, fields, error) < 0)
        point = -2;
    free(key);
    json_decref(fields);
    return point;
}

/* [point, text of what is shown] of a request, from those that are known already; NULL with *error.
   Borrowed. */
static const json_t *known_of(struct comparison *comparison, int side, const char *text, struct error *error)
{
    json_t *known = json_object_get(comparison->known[side], text);
    json_t *asked = known ? NULL : json_loads(text, 0, NULL);
    if (known)
        return known;
    int point = json_is_object(asked) ? point_of(comparison, side, asked, error) : -1;
    json_t *beside_it = point >= 0 ? comparison_fields_beside(comparison->request, asked) : NULL;
    char *words = beside_it ? json_parts_text(beside_it) : NULL;
    if (point > -2)
        known = json_pack("[i,s]", point, words ? words : "{}");
    if (known && json_object_set_new(comparison->known[side], text, known) < 0)
        known = NULL; /* it took the reference */
    if (!known)
        error_set(error, ERROR_MEMORY, "no memory for a request");
    free(words);
    json_decref(beside_it);
    json_decref(asked);
    return known;
}

/* ---- what a result says ---- */

static bool value_is(const struct scan_value *value, const char *text)
{
    return value->at && value->length == strlen(text) && memcmp(value->at, text, value->length) == 0;
}

static bool value_is_string(const struct scan_value *value, const char *text)
{
    json_t *string = value->at ? json_loadb(value->at, value->length, JSON_DECODE_ANY, NULL) : NULL;
    bool same = json_is_string(string) && strcmp(json_string_value(string), text) == 0;
    json_decref(string);
    return same;
}

static double value_number(const struct scan_value *value)
{
    return value->at && value->length ? strtod(value->at, NULL) : 0;
}

/* 0 where there is no string: runs without the name of a placement may all have had one. */
static uint64_t hash_of(const struct scan_value *name)
{
    return name->at && *name->at == '"' ? hash_bytes(name->at, name->length) : 0;
}

/* A placement's name is that of its executor, a "-" and a number. */
static uint64_t executor_of(const struct scan_value *placement)
{
    struct scan_value executor = *placement;
    while (executor.length && executor.at[executor.length - 1] != '-')
        executor.length--;
    return hash_of(&executor);
}

/* The number of what the result's facts and the request's words are together. -1: no memory. */
static int facts_of(struct comparison *comparison, const struct scan_value *slots, const char *words)
{
    struct buffer text = {0};
    for (int i = 0; i < COMPARISON_FACTS; i++) {
        buffer_text(&text, i ? "," : "[");
        if (slots[i].at)
            buffer_append(&text, slots[i].at, slots[i].length);
        else
            buffer_text(&text, "null");
    }
    buffer_format(&text, ",%s]", words);
    int number = text.failed ? -1 : number_of(comparison->facts_of, text.data);
    if (number == (int)json_array_size(comparison->facts)) {
        json_t *facts = json_loads(text.data, 0, NULL);
        json_array_append_new(comparison->facts, facts ? facts : json_array());
    }
    buffer_free(&text);
    return number < (int)json_array_size(comparison->facts) ? number : -1;
}

static int run_add(struct comparison_count *side, const struct comparison_run *run, struct error *error)
{
    if (side->used == side->allocated) {
        int allocated = side->allocated ? 2 * side->allocated : 64;
        struct comparison_run *runs = realloc(side->runs, (size_t)allocated * sizeof *runs);
        if (!runs)
            return error_set(error, ERROR_MEMORY, "no memory for runs");
        side->runs = runs;
        side->allocated = allocated;
    }
    side->runs[side->used++] = *run;
    side->unstable += run->unstable;
    return 0;
}

/* Was it in this comparison before? On the other side, then it is counted. */
static bool seen_before(struct comparison *comparison, int side, const char *id)
{
    const json_t *before = json_object_get(comparison->seen, id);
    if (!before)
        json_object_set_new(comparison->seen, id, json_integer(side));
    else if (json_integer_value(before) != side)
        comparison->shared++;
    return before != NULL;
}

int comparison_add(struct comparison *comparison, int side, const struct comparison_experiment *experiment,
                   struct error *error)
{
    const struct comparison_request *request = comparison->request;
    struct comparison_count *count = &comparison->sides[side];
    struct scan_value slots[SLOTS] = {0};
    if (experiment->result)
        scan_text(places.result, experiment->result, slots);
    const char *uuid = request->sides[side].device_uuid;
    if (uuid && !value_is_string(&slots[COMPARISON_UUID], uuid))
        return 0;
    const json_t *known = known_of(comparison, side, experiment->request, error);
    if (!known)
        return -1;
    struct comparison_run run = {.point = (int)json_integer_value(json_array_get(known, 0)),
                                 .unstable = !value_is(&slots[STABLE], "true"),
                                 .executor = executor_of(&slots[PLACEMENT]),
                                 .run = {.us = value_number(&slots[request->hot ? HOT : COLD]),
                                         .placement = hash_of(&slots[PLACEMENT])}};
    if (run.point < 0 || seen_before(comparison, side, experiment->id))
        return 0;
    if (++count->experiments > COMPARISON_EXPERIMENTS_MAX)
        return error_set(error, ERROR_FULL, "there are more than %d experiments", COMPARISON_EXPERIMENTS_MAX);
    enum comparison_left left = !experiment->ended                     ? COMPARISON_NOT_ENDED
                                : !experiment->succeeded               ? COMPARISON_NOT_SUCCEEDED
                                : experiment->cut_short                ? COMPARISON_CUT_SHORT
                                : !value_is(&slots[VERIFIED], "true")  ? COMPARISON_NOT_VERIFIED
                                : !(run.run.us > 0)                    ? COMPARISON_NOT_TIMED
                                : run.unstable && request->stable_only ? COMPARISON_UNSTABLE
                                                                       : COMPARISON_LEFT;
    if (left != COMPARISON_LEFT) {
        count->left[left]++;
        return 0;
    }
    run.facts = facts_of(comparison, slots, json_string_value(json_array_get(known, 1)));
    if (run.facts < 0)
        return error_set(error, ERROR_MEMORY, "no memory for facts");
    run.started_ms = experiment->started_ms;
    run.ended_ms = experiment->ended_ms;
    return run_add(count, &run, error);
}

/* ---- judging ---- */

static int by_point(const void *left, const void *right)
{
    const struct comparison_run *a = left, *b = right;
    return (a->point > b->point) - (a->point < b->point);
}

/* Each point's runs come to lie together. */
static void runs_order(struct comparison *comparison, int side)
{
    struct comparison_count *count = &comparison->sides[side];
    if (count->used)
        qsort(count->runs, (size_t)count->used, sizeof *count->runs, by_point);
    for (int i = 0; i < count->used; i++) {
        struct comparison_point *point = &comparison->points[count->runs[i].point];
        if (!point->count[side]++) {
            point->from[side] = i;
            count->points++;
        }
        point->unstable[side] += count->runs[i].unstable;
    }
}

static int point_judge(struct comparison *comparison, struct comparison_point *point,
                       struct verdict_run *scratch)
{
    struct verdict_run *to = scratch;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < point->count[side]; i++)
            *to++ = comparison->sides[side].runs[point->from[side] + i].run;
    if (verdict_judge(scratch, point->count[0], scratch + point->count[0], point->count[1],
                      comparison->request->same_within, comparison->apart_us, &point->of) < 0)
        return -1;
    comparison->verdicts[point->of.verdict]++;
    if (point->of.need == VERDICT_NEEDS_NOTHING || point->of.need == VERDICT_NEEDS_WIDTH) {
        comparison->tellable++;
        comparison->expected += point->of.miss;
    }
    return 0;
}

/* Of the fields in common those stay that this point has, too. */
static void common_narrow(json_t *common, const json_t *fields)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe (common, next, name, value)
        if (!json_equal(value, json_object_get(fields, name)))
            json_object_del(common, name);
}

int comparison_judge(struct comparison *comparison, struct error *error)
{
    size_t most = (size_t)comparison->sides[0].used + (size_t)comparison->sides[1].used;
    struct verdict_run *scratch = malloc((most + 1) * sizeof *scratch);
    bool first = true, failed = !scratch;
    for (int side = 0; side < 2; side++)
        runs_order(comparison, side);
    for (int i = 0; i < comparison->point_count && !failed; i++) {
        struct comparison_point *point = &comparison->points[i];
        if (!comparison_matched(point))
            continue;
        if (first)
            json_object_update(comparison->common, point->fields);
        first = false;
        common_narrow(comparison->common, point->fields);
        failed = point_judge(comparison, point, scratch) < 0;
    }
    free(scratch);
    indexes_free(comparison);
    return failed ? error_set(error, ERROR_MEMORY, "no memory for a verdict") : 0;
}
