#include "api/comparison_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json.h"
#include "api/text.h"

enum { ONLY_HERE_MAX = 20, VALUES_MAX = 8 };

static int append(const char *bytes, size_t count, void *out)
{
    return buffer_append(out, bytes, count);
}

static void write_value(struct buffer *out, const json_t *value)
{
    if (json_dump_callback(value, append, out, API_JSON_FLAGS | JSON_ENCODE_ANY) < 0)
        out->failed = true;
}

/* As number_to_json(). */
static void write_number(struct buffer *out, double value)
{
    if (isfinite(value))
        buffer_format(out, "%.7g", value);
    else
        buffer_text(out, "null");
}

/* ---- what differs ---- */

/* How often each value of a fact is there, by its text; NULL: no memory. New reference. */
static json_t *tally(const struct comparison *comparison, int side, const json_t *numbers, const char *field,
                     int fact)
{
    json_t *counts = json_object();
    const char *key;
    json_t *runs;
    json_object_foreach ((json_t *)numbers, key, runs) {
        const json_t *facts = json_array_get(comparison->facts, (size_t)atoi(key));
        const json_t *value = json_array_get(facts, (size_t)fact);
        if (field)
            value = json_object_get(json_array_get(facts, COMPARISON_FACTS), field);
        char *text = value ? json_dumps(value, API_JSON_FLAGS | JSON_ENCODE_ANY) : strdup("null");
        json_int_t before = text ? json_integer_value(json_object_get(counts, text)) : 0;
        json_int_t more = json_integer_value(json_array_get(runs, (size_t)side));
        if (text && more)
            json_object_set_new(counts, text, json_integer(before + more));
        free(text);
    }
    return counts;
}

/* The name with the greatest number; of several the first in order. NULL: the object is empty. */
static const char *most_frequent(json_t *counts)
{
    const char *name, *found = NULL;
    json_t *count;
    json_int_t most = 0;
    json_object_foreach (counts, name, count) {
        json_int_t this = json_integer_value(count);
        if (this > most || (this == most && found && strcmp(name, found) < 0)) {
            most = this;
            found = name;
        }
    }
    return found;
}

static bool same_names(json_t *one, json_t *other)
{
    const char *name;
    json_t *count;
    json_object_foreach (one, name, count)
        if (!json_object_get(other, name))
            return false;
    return json_object_size(one) == json_object_size(other);
}

/* Takes them out of the object, the most frequent first. */
static void write_tally(struct buffer *out, json_t *counts)
{
    const char *name;
    buffer_text(out, "[");
    for (int i = 0; i < VALUES_MAX && (name = most_frequent(counts)); i++) {
        buffer_format(out, "%s{\"value\":", i ? "," : "");
        buffer_text(out, name);
        buffer_format(out, ",\"runs\":%lld}", (long long)json_integer_value(json_object_get(counts, name)));
        json_object_del(counts, name);
    }
    buffer_text(out, "]");
}

/* One field, when it differs. `field`: of the request; else the fact of that number. */
static void write_difference(struct buffer *out, const struct comparison *comparison, const json_t *numbers,
                             const char *field, int fact, bool *begun)
{
    json_t *a = tally(comparison, 0, numbers, field, fact), *b = tally(comparison, 1, numbers, field, fact);
    const char *most_a = most_frequent(a), *most_b = most_frequent(b);
    bool differs = !same_names(a, b);
    if (!field && comparison_facts[fact].momentary)
        differs = most_a && most_b && strcmp(most_a, most_b) != 0;
    if (differs) {
        buffer_format(out, "%s{\"field\":\"%s%s\",\"a\":", *begun ? "," : "", field ? "request." : "",
                      field ? field : comparison_facts[fact].name);
        write_tally(out, a);
        buffer_text(out, ",\"b\":");
        write_tally(out, b);
        buffer_text(out, "}");
        *begun = true;
    }
    json_decref(a);
    json_decref(b);
}

/* How many runs of each side each of comparison->facts has, of points that are on both: {"number": [a, b]}; and, as
   members of *fields, which fields of requests there are. New references. */
static json_t *numbers_of(const struct comparison *comparison, json_t *fields)
{
    size_t total = json_array_size(comparison->facts);
    json_t *numbers = json_object();
    int(*counts)[2] = calloc(total + 1, sizeof *counts);
    for (int side = 0; counts && side < 2; side++)
        for (int i = 0; i < comparison->sides[side].used; i++) {
            const struct comparison_run *run = &comparison->sides[side].runs[i];
            counts[run->facts][side] += comparison_matched(&comparison->points[run->point]);
        }
    for (size_t i = 0; counts && i < total; i++) {
        char key[24];
        if (!counts[i][0] && !counts[i][1])
            continue;
        snprintf(key, sizeof key, "%zu", i);
        json_object_set_new(numbers, key, json_pack("[i,i]", counts[i][0], counts[i][1]));
        json_object_update(fields, json_array_get(json_array_get(comparison->facts, i), COMPARISON_FACTS));
    }
    free(counts);
    return numbers;
}

static void write_differences(struct buffer *out, const struct comparison *comparison)
{
    json_t *fields = json_object(), *numbers = numbers_of(comparison, fields), *value;
    const char *field;
    bool begun = false;
    buffer_text(out, "{\"differs\":[");
    for (int i = 0; i < COMPARISON_FACTS; i++)
        write_difference(out, comparison, numbers, NULL, i, &begun);
    json_object_foreach (fields, field, value)
        write_difference(out, comparison, numbers, field, -1, &begun);
    buffer_text(out, "]");
    json_decref(numbers);
    json_decref(fields);
}

/* ---- the sides and the points ---- */

/* The fields but for those in common. */
static void write_fields(struct buffer *out, const struct comparison *comparison, const json_t *fields)
{
    const char *name;
    json_t *value;
    bool begun = false;
    buffer_text(out, "{");
    json_object_foreach ((json_t *)fields, name, value) {
        const json_t *common = json_object_get(comparison->common, name);
        if (common && json_equal(common, value))
            continue;
        buffer_text(out, begun ? "," : "");
        text_string(out, name);
        buffer_text(out, ":");
        write_value(out, value);
        begun = true;
    }
    buffer_text(out, "}");
}

static void write_only_here(struct buffer *out, const struct comparison *comparison, int side)
{
    int count = 0;
    for (int i = 0; i < comparison->point_count; i++)
        count += comparison->points[i].count[side] && !comparison->points[i].count[!side];
    buffer_format(out, ",\"only_here\":{\"count\":%d,\"values\":[", count);
    int written = 0;
    for (int i = comparison->point_count - 1; i >= 0 && written < ONLY_HERE_MAX; i--) {
        const struct comparison_point *point = &comparison->points[i];
        if (!point->count[side] || point->count[!side])
            continue;
        buffer_text(out, written++ ? "," : "");
        write_fields(out, comparison, point->fields);
    }
    buffer_text(out, "]}");
}

static void write_side(struct buffer *out, const struct comparison *comparison, int side)
{
    const struct comparison_count *count = &comparison->sides[side];
    buffer_format(out,
                  ",\"%s\":{\"experiments\":%d,\"runs\":%d,\"unstable\":%d,\"left_out\":{\"not_ended\":%d,"
                  "\"not_succeeded\":%d,\"not_verified\":%d,\"not_timed\":%d,\"unstable\":%d},\"points\":%d",
                  side ? "b" : "a", count->experiments, count->used, count->unstable,
                  count->left[COMPARISON_NOT_ENDED], count->left[COMPARISON_NOT_SUCCEEDED],
                  count->left[COMPARISON_NOT_VERIFIED], count->left[COMPARISON_NOT_TIMED],
                  count->left[COMPARISON_UNSTABLE], count->points);
    write_only_here(out, comparison, side);
    buffer_text(out, "}");
}

int comparison_view(struct buffer *out, const struct comparison *comparison)
{
    const struct comparison_request *request = comparison->request;
    write_differences(out, comparison);
    write_side(out, comparison, 0);
    write_side(out, comparison, 1);
    buffer_format(out, ",\"time\":\"%s\",\"same_within\":", request->hot ? "hot" : "cold");
    write_number(out, request->same_within);
    buffer_text(out, ",\"but_for\":[");
    for (int i = 0; i < request->but_for_count; i++) {
        buffer_text(out, i ? "," : "");
        text_string(out, request->but_for[i]);
    }
    buffer_format(out, "],\"stable_only\":%s,\"verdicts\":{", request->stable_only ? "true" : "false");
    for (int i = 0; i < VERDICTS; i++)
        buffer_format(out, "%s\"%s\":%d", i ? "," : "", verdict_name((enum verdict)i),
                      comparison->verdicts[i]);
    buffer_format(out, "},\"chance\":{\"points\":%d,\"expected\":", comparison->tellable);
    write_number(out, comparison->expected);
    buffer_text(out, "},\"apart_us\":");
    write_number(out, comparison->apart_us);
    buffer_text(out, ",\"common\":");
    write_value(out, comparison->common);
    return buffer_text(out, ",\"points\":[");
}

static void write_runs(struct buffer *out, const struct verdict_side *side, int unstable)
{
    buffer_format(out, "{\"runs\":%d,\"unstable\":%d,\"placements\":%d,\"median_us\":", side->runs, unstable,
                  side->placements);
    write_number(out, side->median_us);
    buffer_text(out, ",\"min_us\":");
    write_number(out, side->min_us);
    buffer_text(out, ",\"max_us\":");
    write_number(out, side->max_us);
    buffer_text(out, "}");
}

static void write_needs(struct buffer *out, const struct verdict_of *of)
{
    static const char *const reasons[] = {
        [VERDICT_NEEDS_RUNS] =
            "a verdict needs at least five runs on each side, each at a placement of its own",
        [VERDICT_NEEDS_PLACEMENTS] =
            "a verdict needs runs at five placements of the arrays at least on each side: repeats place them "
            "anew, runs at one placement count as one",
        [VERDICT_NEEDS_WIDTH] = "the interval lies neither within what is called the same nor beyond it; it "
                                "narrows as one over the root of the runs",
    };
    if (of->need == VERDICT_NEEDS_NOTHING)
        buffer_text(out, "null");
    else
        buffer_format(out, "{\"a\":%d,\"b\":%d,\"code\":\"%s\",\"reason\":\"%s\"}", of->more_a, of->more_b,
                      verdict_need_name(of->need), reasons[of->need]);
}

int comparison_view_point(struct buffer *out, const struct comparison *comparison,
                          const struct comparison_point *point)
{
    const struct verdict_of *of = &point->of;
    buffer_text(out, "{\"values\":");
    write_fields(out, comparison, point->fields);
    buffer_text(out, ",\"a\":");
    write_runs(out, &of->a, point->unstable[0]);
    buffer_text(out, ",\"b\":");
    write_runs(out, &of->b, point->unstable[1]);
    buffer_text(out, ",\"ratio\":");
    write_number(out, of->ratio);
    buffer_text(out, ",\"ratio_ci95\":[");
    write_number(out, of->ratio_ci[0]);
    buffer_text(out, ",");
    write_number(out, of->ratio_ci[1]);
    buffer_format(out, "],\"verdict\":\"%s\",\"needs\":", verdict_name(of->verdict));
    write_needs(out, of);
    return buffer_text(out, "}");
}
