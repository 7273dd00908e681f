#include "api/counters_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/json.h"
#include "kernels/model/access.h"

/* Percentage points by which two ways to the same efficiency may differ. */
static const double efficiency_tolerance = 0.01;

/* ---- asked for ---- */

static void read_name(struct counters_wanted *wanted, const json_t *value, size_t index,
                      struct problems *problems)
{
    const char *name = json_string_value(value);
    char pointer[64];
    snprintf(pointer, sizeof pointer, "#/counters/%zu", index);
    if (!name || json_string_length(value) != strlen(name) || !counters_name_valid(name)) {
        problem_add(problems, pointer,
                    "must be a metric's name, 1 to %d letters, digits, '_' or '.'; true or false ask for the "
                    "default set or none",
                    COUNTERS_NAME_BYTES - 1);
        return;
    }
    for (int i = 0; i < wanted->count; i++)
        if (strcmp(wanted->name[i], name) == 0) {
            problem_add(problems, pointer, "\"%s\" is there twice", name);
            return;
        }
    snprintf(wanted->name[wanted->count++], COUNTERS_NAME_BYTES, "%s", name);
}

void counters_wanted_from_json(struct counters_wanted *wanted, const json_t *value, struct problems *problems)
{
    struct counters_wanted found = {.on = !json_is_false(value)};
    int before = problems->count;
    size_t i;
    const json_t *item;
    if (json_is_array(value) && json_array_size(value) > COUNTERS_NAMES)
        problem_add(problems, "#/counters", "at most %d metrics beside the default set, there are %zu",
                    COUNTERS_NAMES, json_array_size(value));
    else if (json_is_array(value))
        json_array_foreach ((json_t *)value, i, item)
            read_name(&found, item, i, problems);
    else if (!json_is_boolean(value))
        problem_add(problems, "#/counters", "must be true or false, or a list of names of metrics");
    if (problems->count == before)
        *wanted = found;
}

/* ---- measured ---- */

/* Counts whole, however large; all else to seven digits. */
static json_t *value_to_json(double value)
{
    bool whole = fabs(value) < 9e15 && value == floor(value);
    return whole ? json_integer((json_int_t)value) : number_to_json(value);
}

/* Values as members of *object, those of named metrics under "metrics". */
static void add_values(json_t *object, const struct counters *c)
{
    json_t *metrics = json_object(), *source = json_object(), *unavailable = json_object();
    for (int i = 0; i < c->count; i++) {
        const struct counter *one = &c->at[i];
        if (one->measured)
            json_object_set_new(one->named ? metrics : object, one->name, value_to_json(one->value));
        else
            json_object_set_new(unavailable, one->name, json_string(one->reason));
        if (*one->metric)
            json_object_set_new(source, one->name, json_string(one->metric));
    }
    json_object_set_new(object, "metrics", metrics);
    json_object_set_new(object, "source", source);
    json_object_set_new(object, "unavailable", unavailable);
}

/* The model counts sectors and requests for one architecture, and the hardware these, whatever path a load takes. NULL:
   comparable. */
static const char *incomparable(const struct result *r, const json_t *prediction)
{
    const char *arch = json_string_value(json_object_get(prediction, "arch"));
    if (json_object_get(prediction, "status") || !arch || strcmp(arch, r->device.arch) != 0)
        return "the model does not know this architecture";
    return json_is_true(json_object_get(prediction, "exact")) ? NULL : "the prediction is sampled";
}

static json_t *against_prediction(const struct result *r, const json_t *prediction)
{
    static const struct {
        const char *measured, *predicted;
    } pairs[] = {
        {"gld_transactions", "gld_sectors"},
        {"gst_transactions", "gst_sectors"},
        {"gld_requests", "gld_requests"},
        {"gst_requests", "gst_requests"},
    };
    const char *reason = incomparable(r, prediction);
    json_t *compared = json_array(), *differences = json_array();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && !reason; i++) {
        const struct counter *one = counters_find(&r->counters, pairs[i].measured);
        json_int_t predicted = json_integer_value(json_object_get(prediction, pairs[i].predicted));
        if (!one)
            continue;
        json_array_append_new(compared, json_string(one->name));
        if (one->value != (double)predicted)
            json_array_append_new(differences, json_pack("{s:s,s:o,s:I}", "name", one->name, "measured",
                                                         value_to_json(one->value), "predicted", predicted));
    }
    if (!reason && json_array_size(compared) == 0)
        reason = "none of what the model predicts was measured";
    json_t *object = json_pack("{s:o,s:o,s:o}", "equal",
                               reason ? json_null() : json_boolean(json_array_size(differences) == 0),
                               "compared", compared, "differences", differences);
    if (reason)
        json_object_set_new(object, "reason", json_string(reason));
    return object;
}

/* Requested bytes over the bytes of the sectors, in per cent: what the efficiency is, by other counters. NaN: not known. */
static double efficiency_of(const struct counters *c, const char *bytes, const char *sectors)
{
    const struct counter *above = counters_find(c, bytes), *below = counters_find(c, sectors);
    return above && below && below->value > 0 ? 100 * above->value / (below->value * SECTOR_BYTES) : NAN;
}

static json_t *efficiency_check(const struct counters *c)
{
    double other[2] = {efficiency_of(c, "gld_requested_bytes", "gld_transactions"),
                       efficiency_of(c, "gst_requested_bytes", "gst_transactions")};
    const struct counter *metric[2] = {counters_find(c, "gld_efficiency_pct"),
                                       counters_find(c, "gst_efficiency_pct")};
    int known = 0, equal = 0;
    for (int i = 0; i < 2; i++)
        if (metric[i] && isfinite(other[i])) {
            known++;
            equal += fabs(metric[i]->value - other[i]) <= efficiency_tolerance;
        }
    return json_pack("{s:o,s:o,s:o}", "ok", known ? json_boolean(equal == known) : json_null(),
                     "gld_from_bytes_pct", number_to_json(other[0]), "gst_from_bytes_pct",
                     number_to_json(other[1]));
}

json_t *counters_to_json(const struct experiment *e, const struct result *r, const json_t *prediction)
{
    const struct counters *c = &r->counters;
    if (!e->counters.on)
        return missing_to_json("not_requested", "\"counters\": true asks for them");
    if (c->status == COUNTERS_UNAVAILABLE)
        return json_pack("{s:s,s:s,s:s}", "status", "unavailable", "reason", c->reason, "remedy", c->remedy);
    if (c->status != COUNTERS_MEASURED)
        return missing_to_json("unavailable", "the kernel's output was wrong: nothing of it was counted");
    json_t *object = json_pack("{s:s,s:i,s:i}", "status", "measured", "passes", (int)c->passes,
                               "points_per_pass", c->points);
    add_values(object, c);
    json_object_set_new(object, "efficiency_check", efficiency_check(c));
    json_object_set_new(object, "against_prediction", against_prediction(r, prediction));
    return object;
}
