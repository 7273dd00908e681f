/* For why.py: what the model of time makes of requests. A line of JSON in, {"request": ..., "registers": a thread,
   "shared": bytes a block}, and one out, with the first calibration that is shipped. Where the line has "counters" too, by
   name as a result has them, what these say of the limiter. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/experiment_json.h"
#include "kernels/time/counted.h"
#include "kernels/time/predicted_time.h"

static json_t *told(const struct time_prediction *p)
{
    if (p->why_not.en)
        return json_pack("{s:s}", "why_not", p->why_not.en);
    json_t *bounds = json_object();
    for (int b = 0; b < TIME_BOUNDS; b++)
        json_object_set_new(bounds, predicted_time_bound_name((enum time_bound)b), json_real(p->bound[b].us));
    return json_pack("{s:f,s:f,s:f,s:s,s:s,s:b,s:f,s:f,s:f,s:f,s:o}", "us", p->us, "floor_us", p->floor_us,
                     "ramp_us", p->ramp_us, "limiter", predicted_time_bound_name(p->limiter), "second",
                     predicted_time_bound_name(p->second), "close", p->close, "dram_read_bytes",
                     p->dram_read_bytes, "dram_write_bytes", p->dram_write_bytes, "l1_hit_pct", p->l1_hit_pct,
                     "achieved_occupancy", p->achieved_occupancy, "bounds", bounds);
}

/* Numbers of an object, and of the objects in it. */
static void take(struct counters *counters, json_t *from)
{
    const char *name;
    json_t *value;
    json_object_foreach (from, name, value) {
        if (json_is_object(value))
            take(counters, value);
        if (!json_is_number(value) || counters->count == COUNTERS_MAX)
            continue;
        struct counter *one = &counters->at[counters->count++];
        snprintf(one->name, sizeof one->name, "%s", name);
        one->measured = true;
        one->value = json_number_value(value);
    }
}

static void add_counted(json_t *out, json_t *from, const struct time_prediction *p)
{
    static const char *const answers[] = {"no case", "unit", "starts", "short", "waits", "open"};
    struct counters *counters = calloc(1, sizeof *counters);
    struct counted_limiter counted;
    if (!counters)
        abort();
    take(counters, from);
    counted_find(counters, NAN, p, &counted);
    json_t *shares = json_object();
    for (int b = 0; b < TIME_BOUNDS; b++)
        if (!isnan(counted.share[b]))
            json_object_set_new(shares, predicted_time_bound_name((enum time_bound)b),
                                json_real(counted.share[b]));
    bool told = counted.agreement != COUNTED_UNDECIDED;
    json_object_set_new(
        out, "counted",
        json_pack("{s:s,s:o,s:o,s:o}", "answer", answers[counted.answer], "limiter",
                  told ? json_string(predicted_time_bound_name(counted.limiter)) : json_null(), "agrees",
                  told ? json_boolean(counted.agreement == COUNTED_AGREES) : json_null(), "shares", shares));
    free(counters);
}

static json_t *answer(const json_t *row)
{
    char *text = json_dumps(json_object_get(row, "request"), 0);
    const json_t *registers = json_object_get(row, "registers"), *shared = json_object_get(row, "shared");
    struct experiment experiment;
    struct access access;
    struct time_prediction prediction;
    struct error error;
    if (!text || experiment_json_read_text(&experiment, text, NULL, &error) < 0) {
        free(text);
        return json_pack("{s:s}", "error", text ? error.text : "no request");
    }
    free(text);
    access_count(&experiment, &access);
    predicted_time_predict(&experiment, &access, calibration_at(0),
                           registers ? (int)json_integer_value(registers) : -1,
                           shared ? json_integer_value(shared) : -1, &prediction);
    json_t *out = told(&prediction), *counters = json_object_get(row, "counters");
    if (json_is_object(counters) && !prediction.why_not.en)
        add_counted(out, counters, &prediction);
    return out;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        json_t *row = json_loads(line, 0, NULL), *out = answer(row);
        char *text = json_dumps(out, JSON_COMPACT | JSON_PRESERVE_ORDER);
        puts(text ? text : "{}");
        free(text);
        json_decref(out);
        json_decref(row);
    }
    free(line);
}
