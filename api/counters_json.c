/* Writes counters for a result, where they are compared with the prediction, and packs them for the pipe. */
#include "api/counters_json.h"

#include <math.h>
#include <string.h>

#include "api/json_parts.h"
#include "kernels/model/access.h"

/* Percentage points by which two ways to the same efficiency may differ. */
static const double efficiency_tolerance = 0.01;

/* ---- in a result ---- */

/* Values as members of the open object, those of metrics that the request names under "metrics". */
static void write_values(struct json_writer *json, const struct counters *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->at[i].measured && !c->at[i].named)
            json_writer_amount(json, c->at[i].name, c->at[i].value);
    json_writer_begin_object(json, "metrics");
    for (int i = 0; i < c->count; i++)
        if (c->at[i].measured && c->at[i].named)
            json_writer_amount(json, c->at[i].name, c->at[i].value);
    json_writer_end(json);
    json_writer_begin_object(json, "source");
    for (int i = 0; i < c->count; i++)
        if (*c->at[i].metric)
            json_writer_string(json, c->at[i].name, c->at[i].metric);
    json_writer_end(json);
    json_writer_begin_object(json, "unavailable");
    for (int i = 0; i < c->count; i++)
        if (!c->at[i].measured)
            json_writer_string(json, c->at[i].name, c->at[i].reason);
    json_writer_end(json);
}

/* Sectors and requests, which the model predicts for one architecture and the hardware counts. */
struct pair {
    const char *name;
    uint64_t predicted;
};
enum { PAIRS = 4 };

/* NULL: what was counted can be compared with the prediction; else why not. */
static const char *incomparable(const struct result *r, const struct prediction_answer *prediction,
                                const struct pair *pairs)
{
    if (!prediction->known || strcmp(prediction->arch, r->device.arch) != 0)
        return "the model does not know this architecture";
    if (!prediction->prediction.exact)
        return "the prediction is not exact";
    for (int i = 0; i < PAIRS; i++)
        if (counters_find(&r->counters, pairs[i].name))
            return NULL;
    return "none of what the model predicts was measured";
}

static void write_difference(struct json_writer *json, const struct counter *counted, uint64_t predicted)
{
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", counted->name);
    json_writer_amount(json, "measured", counted->value);
    json_writer_uint(json, "predicted", predicted);
    json_writer_end(json);
}

static void write_against_prediction(struct json_writer *json, const struct result *r,
                                     const struct prediction_answer *prediction)
{
    const struct prediction_side *load = &prediction->prediction.load, *store = &prediction->prediction.store;
    const struct pair pairs[PAIRS] = {{"gld_transactions", load->sectors},
                                      {"gst_transactions", store->sectors},
                                      {"gld_requests", load->requests},
                                      {"gst_requests", store->requests}};
    const char *reason = incomparable(r, prediction, pairs);
    const struct counter *compared[PAIRS];
    bool different[PAIRS], equal = true;
    for (int i = 0; i < PAIRS; i++) {
        compared[i] = reason ? NULL : counters_find(&r->counters, pairs[i].name);
        different[i] = compared[i] && compared[i]->value != (double)pairs[i].predicted;
        equal = equal && !different[i];
    }
    json_writer_begin_object(json, "against_prediction");
    json_writer_known_bool(json, "equal", !reason, equal);
    json_writer_begin_array(json, "compared");
    for (int i = 0; i < PAIRS; i++)
        if (compared[i])
            json_writer_string(json, NULL, compared[i]->name);
    json_writer_end(json);
    json_writer_begin_array(json, "differences");
    for (int i = 0; i < PAIRS; i++)
        if (different[i])
            write_difference(json, compared[i], pairs[i].predicted);
    json_writer_end(json);
    if (reason)
        json_writer_string(json, "reason", reason);
    json_writer_end(json);
}

/* Requested bytes over the bytes of the sectors, in per cent: the efficiency, computed from other
   counters. NaN: not known. */
static double efficiency_of(const struct counters *c, const char *bytes, const char *sectors)
{
    const struct counter *above = counters_find(c, bytes), *below = counters_find(c, sectors);
    return above && below && below->value > 0 ? 100 * above->value / (below->value * SECTOR_BYTES) : NAN;
}

static void write_efficiency_check(struct json_writer *json, const struct counters *c)
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
    json_writer_begin_object(json, "efficiency_check");
    json_writer_known_bool(json, "ok", known, equal == known);
    json_writer_rounded(json, "gld_from_bytes_pct", other[0]);
    json_writer_rounded(json, "gst_from_bytes_pct", other[1]);
    json_writer_end(json);
}

static void write_unavailable(struct json_writer *json, const char *key, const struct counters *c)
{
    json_writer_begin_object(json, key);
    if (key)
        json_writer_string(json, "status", "unavailable");
    json_writer_string(json, "reason", c->reason);
    json_writer_string(json, "remedy", c->remedy);
    json_writer_end(json);
}

void counters_json_write(struct json_writer *json, const char *key, const struct experiment *e,
                         const struct result *r, const struct prediction_answer *prediction)
{
    const struct counters *c = &r->counters;
    if (!e->counters.on) {
        json_parts_missing(json, key, "not_requested", "\"counters\": true asks for them");
    } else if (c->status == COUNTERS_UNAVAILABLE) {
        write_unavailable(json, key, c);
    } else if (c->status != COUNTERS_MEASURED) {
        json_parts_missing(json, key, "unavailable",
                           "the kernel's output was wrong: nothing of it was counted");
    } else {
        json_writer_begin_object(json, key);
        json_writer_string(json, "status", "measured");
        json_writer_uint(json, "passes", c->passes);
        json_writer_int(json, "points_per_pass", c->points);
        write_values(json, c);
        write_efficiency_check(json, c);
        write_against_prediction(json, r, prediction);
        json_writer_end(json);
    }
}

/* ---- between executors ---- */

static void write_counter(struct json_writer *json, const struct counter *one)
{
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", one->name);
    json_writer_string(json, "metric", one->metric);
    json_writer_bool(json, "named", one->named);
    if (one->measured)
        json_writer_exact(json, "value", one->value);
    else
        json_writer_string(json, "reason", one->reason);
    json_writer_end(json);
}

static void write_counted(struct json_writer *json, const struct counters *c)
{
    json_writer_begin_object(json, NULL);
    json_writer_uint(json, "passes", c->passes);
    json_writer_int(json, "points", c->points);
    json_writer_begin_array(json, "values");
    for (int i = 0; i < c->count; i++)
        write_counter(json, &c->at[i]);
    json_writer_end(json);
    json_writer_end(json);
}

char *counters_json_pack(const struct counters *c)
{
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    if (c->status == COUNTERS_NOT_REQUESTED)
        return NULL;
    if (c->status == COUNTERS_UNAVAILABLE)
        write_unavailable(&json, NULL, c);
    else
        write_counted(&json, c);
    return buffer_take(&text);
}

char *counters_json_pack_failure(const char *reason)
{
    struct counters lost;
    counters_unavailable(
        &lost, "ask again; if it stays, see the service's log and docs/operating.md, Counters", "%s", reason);
    return counters_json_pack(&lost);
}

/* True: the member is a text that fits. */
static bool read_text(const json_t *object, const char *member, char *to, size_t size)
{
    const char *text = json_string_value(json_object_get(object, member));
    if (!text || strlen(text) >= size)
        return false;
    memcpy(to, text, strlen(text) + 1);
    return true;
}

static bool read_counter(struct counter *one, const json_t *object)
{
    const json_t *value = json_object_get(object, "value");
    one->named = json_is_true(json_object_get(object, "named"));
    one->measured = json_is_number(value);
    one->value = json_number_value(value);
    return read_text(object, "name", one->name, sizeof one->name) &&
           read_text(object, "metric", one->metric, sizeof one->metric) &&
           (one->measured || read_text(object, "reason", one->reason, sizeof one->reason));
}

static bool read_values(struct counters *c, const json_t *object)
{
    const json_t *values = json_object_get(object, "values");
    json_int_t passes = json_integer_value(json_object_get(object, "passes"));
    json_int_t points = json_integer_value(json_object_get(object, "points"));
    if (passes < 1 || passes > 1000000 || points < 1 || points > COUNTERS_POINTS || !json_is_array(values) ||
        json_array_size(values) > COUNTERS_MAX)
        return false;
    c->status = COUNTERS_MEASURED;
    c->passes = (unsigned)passes;
    c->points = (int)points;
    for (size_t i = 0; i < json_array_size(values); i++)
        if (!read_counter(&c->at[c->count++], json_array_get(values, i)))
            return false;
    return true;
}

int counters_json_unpack(struct counters *c, const char *text, struct error *error)
{
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    *c = (struct counters){0};
    bool good = false;
    if (json_object_get(object, "reason")) {
        c->status = COUNTERS_UNAVAILABLE;
        good = read_text(object, "reason", c->reason, sizeof c->reason) &&
               read_text(object, "remedy", c->remedy, sizeof c->remedy);
    } else {
        good = read_values(c, object);
    }
    json_decref(object);
    if (good)
        return 0;
    *c = (struct counters){0};
    return error_set(error, ERROR_INVALID, "what was counted cannot be understood");
}
