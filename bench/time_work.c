/* For why.py: what the model of time makes of requests. A line of JSON in, {"request": ..., "registers": a thread,
   "shared": bytes a block}, and one out, with the first calibration that is shipped. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/experiment_json.h"
#include "kernels/model/time/time.h"

static json_t *told(const struct time_prediction *p)
{
    if (p->why_not)
        return json_pack("{s:s}", "why_not", p->why_not);
    json_t *bounds = json_object();
    for (int b = 0; b < TIME_BOUNDS; b++)
        json_object_set_new(bounds, time_bound_name((enum time_bound)b), json_real(p->bound[b].us));
    return json_pack("{s:f,s:f,s:f,s:s,s:s,s:b,s:f,s:f,s:f,s:f,s:o}", "us", p->us, "floor_us", p->floor_us,
                     "ramp_us", p->ramp_us, "limiter", time_bound_name(p->limiter), "second",
                     time_bound_name(p->second), "close", p->close, "dram_read_bytes", p->dram_read_bytes,
                     "dram_write_bytes", p->dram_write_bytes, "l1_hit_pct", p->l1_hit_pct,
                     "achieved_occupancy", p->achieved_occupancy, "bounds", bounds);
}

static json_t *answer(const json_t *row)
{
    char *text = json_dumps(json_object_get(row, "request"), 0);
    const json_t *registers = json_object_get(row, "registers"), *shared = json_object_get(row, "shared");
    struct experiment experiment;
    struct access access;
    struct time_prediction prediction;
    struct error error;
    if (!text || experiment_from_text(&experiment, text, NULL, &error) < 0) {
        free(text);
        return json_pack("{s:s}", "error", text ? error.text : "no request");
    }
    free(text);
    access_count(&experiment, &access);
    time_predict(&experiment, &access, calibration_at(0), registers ? (int)json_integer_value(registers) : -1,
                 shared ? json_integer_value(shared) : -1, &prediction);
    return told(&prediction);
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
