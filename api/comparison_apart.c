/* Why two sides of a comparison have no point in common: the fields of the request in which they share no value; and
   whether they were measured one after the other. */
#include "api/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_parts.h"
#include "kernels/statistics.h"
#include "base/clock.h"

enum { VALUES_MAX = 8 };

/* The value of the field `name` as JSON text; with `others`, all fields but that one. NULL: no memory. */
static char *text_of(const json_t *fields, const char *name, bool others)
{
    const json_t *value = json_object_get(fields, name);
    if (!others)
        return value ? json_parts_text(value) : strdup("null");
    json_t *rest = json_copy((json_t *)fields);
    json_object_del(rest, name);
    char *text = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(rest);
    return text;
}

/* The different ones of these texts in the side's points, as keys, in the order in which points are sent. New
   reference; NULL: no memory. */
static json_t *texts_of(const struct comparison *comparison, int side, const char *name, bool others)
{
    json_t *texts = json_object();
    for (int i = comparison->point_count - 1; i >= 0; i--) {
        const struct comparison_point *point = &comparison->points[i];
        char *text = point->count[side] ? text_of(point->fields, name, others) : NULL;
        if (text)
            json_object_set_new(texts, text, json_true());
        free(text);
    }
    return texts;
}

static bool share_one(json_t *a, const json_t *b)
{
    const char *text;
    json_t *yes;
    json_object_foreach (a, text, yes)
        if (json_object_get(b, text))
            return true;
    return false;
}

static bool grid_alone_differs(const struct comparison *comparison)
{
    json_t *a = texts_of(comparison, 0, "grid", true), *b = texts_of(comparison, 1, "grid", true);
    bool found = share_one(a, b);
    json_decref(a);
    json_decref(b);
    return found;
}

static void write_values(struct json_writer *json, const char *key, json_t *values)
{
    const char *text;
    json_t *yes;
    int written = 0;
    json_writer_begin_object(json, key);
    json_writer_uint(json, "count", json_object_size(values));
    json_writer_begin_array(json, "values");
    json_object_foreach (values, text, yes)
        if (written++ < VALUES_MAX)
            json_writer_json(json, NULL, text);
    json_writer_end(json);
    json_writer_end(json);
}

static void write_field(struct json_writer *json, const struct comparison *comparison, const char *name)
{
    json_t *a = texts_of(comparison, 0, name, false), *b = texts_of(comparison, 1, name, false);
    if (!share_one(a, b) && (strcmp(name, "grid") != 0 || grid_alone_differs(comparison))) {
        json_writer_begin_object(json, NULL);
        json_writer_string(json, "field", name);
        write_values(json, "a", a);
        write_values(json, "b", b);
        json_writer_end(json);
    }
    json_decref(a);
    json_decref(b);
}

void comparison_apart_view(struct json_writer *json, const char *key, const struct comparison *comparison)
{
    json_t *names = json_object(), *value;
    const char *name;
    bool apart = comparison->sides[0].points && comparison->sides[1].points;
    for (int i = comparison->point_count - 1; i >= 0 && apart; i--) {
        const struct comparison_point *point = &comparison->points[i];
        apart = !comparison_matched(point);
        if (point->count[0] || point->count[1])
            json_object_update_missing(names, point->fields);
    }
    json_object_del(names, "device_uuid"); /* of the result, not of the request */
    json_writer_begin_array(json, key);
    json_object_foreach (names, name, value)
        if (apart)
            write_field(json, comparison, name);
    json_writer_end(json);
    json_decref(names);
}

/* ---- when ---- */

/* When one side was measured, over its runs at points that both sides have: from the start of the first to the end of the
   last, and the median over the runs of the middle of each. */
struct measured_span {
    int runs;
    int64_t first_ms, last_ms;
    double middle_ms;
};

static struct measured_span span_of(const struct comparison *comparison, int side)
{
    struct measured_span span = {0};
    double *middles_ms = calloc((size_t)comparison->sides[side].used + 1, sizeof *middles_ms);
    for (int i = 0; i < comparison->sides[side].used; i++) {
        const struct comparison_run *run = &comparison->sides[side].runs[i];
        if (!comparison_matched(&comparison->points[run->point]))
            continue;
        if (!span.runs++ || run->started_ms < span.first_ms)
            span.first_ms = run->started_ms;
        if (run->ended_ms > span.last_ms)
            span.last_ms = run->ended_ms;
        if (middles_ms)
            middles_ms[span.runs - 1] = (double)run->started_ms / 2 + (double)run->ended_ms / 2;
    }
    if (middles_ms && span.runs) {
        statistics_sort(middles_ms, span.runs);
        span.middle_ms = statistics_median(middles_ms, span.runs);
    }
    free(middles_ms);
    return span;
}

static bool is_within(double ms, const struct measured_span *span)
{
    return ms >= (double)span->first_ms && ms <= (double)span->last_ms;
}

/* True if runs of the two sides alternate. Medians decide, because a few late runs on both sides do not make up for sides
   that were measured one after the other. */
static bool in_turns(const struct measured_span *a, const struct measured_span *b)
{
    return is_within(a->middle_ms, b) && is_within(b->middle_ms, a);
}

static void write_span(struct json_writer *json, const char *key, struct measured_span span)
{
    char from[CLOCK_TEXT_BYTES], to[CLOCK_TEXT_BYTES], text[2 * CLOCK_TEXT_BYTES + 1];
    clock_text(span.first_ms, from);
    clock_text(span.last_ms, to);
    snprintf(text, sizeof text, "%s/%s", from, to);
    json_writer_begin_array(json, key);
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "value", text);
    json_writer_int(json, "runs", span.runs);
    json_writer_end(json);
    json_writer_end(json);
}

void comparison_measured_at_view(struct json_writer *json, const struct comparison *comparison)
{
    const struct measured_span a = span_of(comparison, 0), b = span_of(comparison, 1);
    bool known = a.first_ms > 0 && b.first_ms > 0;
    if (!known || in_turns(&a, &b))
        return;
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "field", "measured_at");
    write_span(json, "a", a);
    write_span(json, "b", b);
    json_writer_end(json);
}
