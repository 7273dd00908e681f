/* Writes what differs between the sides, the sides and the points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/comparison.h"
#include "api/json_parts.h"

enum { ONLY_HERE_MAX = 20, VALUES_MAX = 8 };
static const double SAME_PART = 0.1;

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
        char *text = value ? json_parts_text(value) : strdup("null");
        json_int_t before = text ? json_integer_value(json_object_get(counts, text)) : 0;
        json_int_t of_side = json_integer_value(json_array_get(runs, (size_t)side));
        if (text && of_side)
            json_object_set_new(counts, text, json_integer(before + of_side));
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

/* Whether each name has about the same part of both sides. */
static bool same_parts(json_t *one, json_t *other)
{
    const char *name;
    json_t *count;
    double all[2] = {0};
    json_object_foreach (one, name, count)
        all[0] += json_number_value(count);
    json_object_foreach (other, name, count)
        all[1] += json_number_value(count);
    json_object_foreach (one, name, count)
        if (fabs(json_number_value(count) / all[0] -
                 json_number_value(json_object_get(other, name)) / all[1]) > SAME_PART)
            return false;
    return true;
}

/* Takes them out of the object, the most frequent first. */
static void write_tally(struct json_writer *json, const char *key, json_t *counts)
{
    const char *name;
    json_writer_begin_array(json, key);
    for (int i = 0; i < VALUES_MAX && (name = most_frequent(counts)); i++) {
        json_writer_begin_object(json, NULL);
        json_writer_json(json, "value", name);
        json_writer_int(json, "runs", json_integer_value(json_object_get(counts, name)));
        json_writer_end(json);
        json_object_del(counts, name);
    }
    json_writer_end(json);
}

/* One field, when it differs. `field`: of the request; else the fact of that number. */
static void write_difference(struct json_writer *json, const struct comparison *comparison,
                             const json_t *numbers, const char *field, int fact)
{
    json_t *a = tally(comparison, 0, numbers, field, fact), *b = tally(comparison, 1, numbers, field, fact);
    const char *most_a = most_frequent(a), *most_b = most_frequent(b);
    bool differs = !same_names(a, b) || (!field && comparison_facts[fact].of_build && !same_parts(a, b));
    char name[160];
    snprintf(name, sizeof name, "%s%s", field ? "request." : "", field ? field : comparison_facts[fact].name);
    if (!field && comparison_facts[fact].momentary)
        differs = most_a && most_b && strcmp(most_a, most_b) != 0;
    if (differs) {
        json_writer_begin_object(json, NULL);
        json_writer_string(json, "field", name);
        write_tally(json, "a", a);
        write_tally(json, "b", b);
        json_writer_end(json);
    }
    json_decref(a);
    json_decref(b);
}

/* How many runs of each side each of comparison->facts has, of points that are on both: {"number": [a,
   b]}; and, as members of *fields, which fields of requests there are. New references. */
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

static void write_differences(struct json_writer *json, const struct comparison *comparison)
{
    json_t *fields = json_object(), *numbers = numbers_of(comparison, fields), *value;
    const char *field;
    bool kernels = false; /* may differ, and then their sources do */
    for (int i = 0; i < comparison->request->but_for_count; i++)
        kernels = kernels || strcmp(comparison->request->but_for[i], "kernel") == 0;
    json_writer_begin_array(json, "differs");
    for (int i = 0; i < COMPARISON_FACTS; i++)
        if (!kernels || strcmp(comparison_facts[i].name, "kernel_sha256") != 0)
            write_difference(json, comparison, numbers, NULL, i);
    json_object_foreach (fields, field, value)
        write_difference(json, comparison, numbers, field, -1);
    comparison_measured_at_view(json, comparison);
    json_writer_end(json);
    json_decref(numbers);
    json_decref(fields);
}

/* ---- the sides and the points ---- */

/* The fields but for those in common. */
static void write_fields(struct json_writer *json, const char *key, const struct comparison *comparison,
                         const json_t *fields)
{
    const char *name;
    json_t *value;
    json_writer_begin_object(json, key);
    json_object_foreach ((json_t *)fields, name, value) {
        const json_t *common = json_object_get(comparison->common, name);
        if (!common || !json_equal(common, value))
            json_parts_tree(json, name, value);
    }
    json_writer_end(json);
}

static void write_only_here(struct json_writer *json, const struct comparison *comparison, int side)
{
    int count = 0, written = 0;
    for (int i = 0; i < comparison->point_count; i++)
        count += comparison->points[i].count[side] && !comparison->points[i].count[!side];
    json_writer_begin_object(json, "only_here");
    json_writer_int(json, "count", count);
    json_writer_begin_array(json, "values");
    for (int i = comparison->point_count - 1; i >= 0 && written < ONLY_HERE_MAX; i--) {
        const struct comparison_point *point = &comparison->points[i];
        if (!point->count[side] || point->count[!side])
            continue;
        written++;
        write_fields(json, NULL, comparison, point->fields);
    }
    json_writer_end(json);
    json_writer_end(json);
}

static void write_side(struct json_writer *json, const struct comparison *comparison, int side)
{
    static const char *const reasons[COMPARISON_LEFT] = {
        [COMPARISON_NOT_ENDED] = "not_ended", [COMPARISON_NOT_SUCCEEDED] = "not_succeeded",
        [COMPARISON_CUT_SHORT] = "cut_short", [COMPARISON_NOT_VERIFIED] = "not_verified",
        [COMPARISON_NOT_TIMED] = "not_timed", [COMPARISON_UNSTABLE] = "unstable"};
    const struct comparison_count *count = &comparison->sides[side];
    json_writer_begin_object(json, side ? "b" : "a");
    json_writer_int(json, "experiments", count->experiments);
    json_writer_int(json, "runs", count->used);
    json_writer_int(json, "unstable", count->unstable);
    json_writer_begin_object(json, "left_out");
    for (int i = 0; i < COMPARISON_LEFT; i++)
        json_writer_int(json, reasons[i], count->left[i]);
    json_writer_end(json);
    json_writer_int(json, "points", count->points);
    write_only_here(json, comparison, side);
    json_writer_end(json);
}

static void write_request(struct json_writer *json, const struct comparison_request *request)
{
    json_writer_string(json, "time", request->hot ? "hot" : "cold");
    json_writer_amount(json, "same_within", request->same_within);
    json_writer_begin_array(json, "but_for");
    for (int i = 0; i < request->but_for_count; i++)
        json_writer_string(json, NULL, request->but_for[i]);
    json_writer_end(json);
    json_writer_bool(json, "stable_only", request->stable_only);
}

void comparison_view_open(struct json_writer *json, const char *key, const struct comparison *comparison)
{
    json_writer_begin_object(json, key);
    write_differences(json, comparison);
    write_side(json, comparison, 0);
    write_side(json, comparison, 1);
    write_request(json, comparison->request);
    json_writer_begin_object(json, "verdicts");
    for (int i = 0; i < VERDICTS; i++)
        json_writer_int(json, verdict_name((enum verdict)i), comparison->verdicts[i]);
    json_writer_end(json);
    json_writer_begin_object(json, "chance");
    json_writer_int(json, "points", comparison->tellable);
    json_writer_amount(json, "expected", comparison->expected);
    json_writer_end(json);
    json_writer_amount(json, "apart_us", comparison->apart_us);
    comparison_apart_view(json, "apart", comparison);
    json_parts_tree(json, "common", comparison->common);
    json_writer_begin_array(json, "points");
}

static void write_runs(struct json_writer *json, const char *key, const struct verdict_side *side,
                       int unstable)
{
    json_writer_begin_object(json, key);
    json_writer_int(json, "runs", side->runs);
    json_writer_int(json, "unstable", unstable);
    json_writer_int(json, "placements", side->placements);
    json_writer_amount(json, "median_us", side->median_us);
    json_writer_amount(json, "min_us", side->min_us);
    json_writer_amount(json, "max_us", side->max_us);
    json_writer_end(json);
}

static void write_needs(struct json_writer *json, const struct verdict_of *of)
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
    if (of->need == VERDICT_NEEDS_NOTHING) {
        json_writer_null(json, "needs");
        return;
    }
    json_writer_begin_object(json, "needs");
    json_writer_int(json, "a", of->more_a);
    json_writer_int(json, "b", of->more_b);
    json_writer_string(json, "code", verdict_need_name(of->need));
    json_writer_string(json, "reason", reasons[of->need]);
    json_writer_end(json);
}

void comparison_view_point(struct json_writer *json, const char *key, const struct comparison *comparison,
                           const struct comparison_point *point)
{
    const struct verdict_of *of = &point->of;
    json_writer_begin_object(json, key);
    write_fields(json, "values", comparison, point->fields);
    write_runs(json, "a", &of->a, point->unstable[0]);
    write_runs(json, "b", &of->b, point->unstable[1]);
    json_writer_amount(json, "ratio", of->ratio);
    json_writer_begin_array(json, "ratio_ci95");
    json_writer_amount(json, NULL, of->ratio_ci[0]);
    json_writer_amount(json, NULL, of->ratio_ci[1]);
    json_writer_end(json);
    json_writer_string(json, "verdict", verdict_name(of->verdict));
    json_writer_bool(json, "uneven", of->uneven);
    write_needs(json, of);
    json_writer_end(json);
}

json_t *comparison_csv_columns(const struct comparison *comparison)
{
    json_t *names = json_object();
    for (int i = comparison->point_count - 1; i >= 0; i--)
        if (comparison_matched(&comparison->points[i]))
            json_object_update_missing(names, comparison->points[i].fields);
    return names;
}

int comparison_csv_header(struct buffer *out, const json_t *columns)
{
    const char *name;
    json_t *value;
    buffer_text(out,
                "verdict,ratio,ratio_ci95_low,ratio_ci95_high,a_runs,a_unstable,a_placements,a_median_us,"
                "a_min_us,a_max_us,b_runs,b_unstable,b_placements,b_median_us,b_min_us,b_max_us,needs_a,"
                "needs_b,needs_code,uneven");
    json_object_foreach ((json_t *)columns, name, value)
        buffer_format(out, ",%s", name);
    return buffer_text(out, "\r\n");
}

static void cell_number(struct buffer *out, double value)
{
    buffer_text(out, ",");
    if (isfinite(value))
        buffer_format(out, "%.7g", value);
}

static void cell_value(struct buffer *out, const json_t *value)
{
    char *text = value && !json_is_null(value) ? json_parts_text(value) : NULL;
    buffer_text(out, ",");
    if (json_is_string(value))
        buffer_text(out, json_string_value(value)); /* a name needs no quotes */
    else if (text)
        buffer_format(out, strchr(text, ',') ? "\"%s\"" : "%s", text);
    free(text);
}

static void cells_side(struct buffer *out, const struct verdict_side *side, int unstable)
{
    buffer_format(out, ",%d,%d,%d", side->runs, unstable, side->placements);
    cell_number(out, side->median_us);
    cell_number(out, side->min_us);
    cell_number(out, side->max_us);
}

int comparison_csv_row(struct buffer *out, const json_t *columns, const struct comparison_point *point)
{
    const struct verdict_of *of = &point->of;
    const char *name;
    json_t *value;
    buffer_text(out, verdict_name(of->verdict));
    cell_number(out, of->ratio);
    cell_number(out, of->ratio_ci[0]);
    cell_number(out, of->ratio_ci[1]);
    cells_side(out, &of->a, point->unstable[0]);
    cells_side(out, &of->b, point->unstable[1]);
    if (of->need == VERDICT_NEEDS_NOTHING)
        buffer_text(out, ",,,");
    else
        buffer_format(out, ",%d,%d,%s", of->more_a, of->more_b, verdict_need_name(of->need));
    buffer_text(out, of->uneven ? ",true" : ",false");
    json_object_foreach ((json_t *)columns, name, value)
        cell_value(out, json_object_get(point->fields, name));
    return buffer_text(out, "\r\n");
}
