/* Judges the readings and the noise of a result, writes the reasons, and reads them again. */
#include "api/result_json.h"

#include <math.h>
#include <stddef.h>

#include "api/device_json.h"
#include "api/json_parts.h"

/* One quantity at every look; a look that lacks it makes all of it missing. */
static void write_looks(struct json_writer *json, const char *key, const struct stability *s,
                        enum live_quantity quantity)
{
    for (int i = 0; i < s->looks; i++)
        if (!s->look[i].of[quantity].known) {
            device_json_live_value(json, key, &s->look[i].of[quantity]);
            return;
        }
    json_writer_begin_array(json, key);
    for (int i = 0; i < s->looks; i++)
        device_json_live_value(json, NULL, &s->look[i].of[quantity]);
    json_writer_end(json);
}

static void write_throttle(struct json_writer *json, const char *key, const struct stability *s)
{
    unsigned long long bits = 0;
    const struct live_value *missing = NULL;
    for (int i = 0; i < s->looks; i++) {
        const struct live_value *value = &s->look[i].of[LIVE_THROTTLE];
        if (value->known)
            bits |= (unsigned long long)value->value;
        else
            missing = value;
    }
    if (missing)
        device_json_live_value(json, key, missing);
    else
        device_json_throttle(json, key, bits);
}

/* Other processes at the first and the last look, which alone ask for them. */
static void write_others(struct json_writer *json, const char *key, const struct stability *s)
{
    const struct live_value *first = &s->look[0].of[LIVE_OTHERS],
                            *last = &s->look[s->looks - 1].of[LIVE_OTHERS];
    if (first->known && last->known)
        json_writer_amount(json, key, fmax(first->value, last->value));
    else
        device_json_live_value(json, key, first->known ? last : first);
}

static void write_live(struct json_writer *json, const char *key, const struct stability *s)
{
    double took_us = 0;
    if (!s->looks || !live_known(&s->look[0])) {
        json_parts_missing(json, key, "unavailable",
                           s->looks ? live_reason(&s->look[0]) : "the kernel was not timed");
        return;
    }
    for (int i = 0; i < s->looks; i++)
        took_us += s->look[i].took_us;
    json_writer_begin_object(json, key);
    json_writer_string(json, "status", "measured");
    write_looks(json, "sm_clock_mhz", s, LIVE_SM_CLOCK);
    write_looks(json, "memory_clock_mhz", s, LIVE_MEMORY_CLOCK);
    write_throttle(json, "throttle_reasons", s);
    device_json_live_value(json, "temperature_c", &s->look[s->looks - 1].of[LIVE_TEMPERATURE]);
    write_others(json, "other_processes", s);
    json_writer_rounded(json, "took_us", took_us);
    json_writer_end(json);
}

static void judge_noise(struct stability_reasons *reasons, const char *which, const struct timing *t,
                        double wanted)
{
    if (t->samples && t->samples < TIMING_LEAST)
        stability_reason(reasons, STABILITY_FEW, "%s samples: only %u, and their noise is known from %d on",
                         which, t->samples, TIMING_LEAST);
    else if (t->samples && isnan(t->noise))
        stability_reason(reasons, STABILITY_NOISE, "%s samples: the median is 0, so their noise is not known",
                         which);
    else if (t->samples && t->noise > wanted)
        stability_reason(reasons, STABILITY_NOISE, "%s samples: noise stayed at %.2g, %.2g was asked for",
                         which, t->noise, wanted);
}

void result_json_stability(struct json_writer *json, const char *key, const struct experiment *e,
                           const struct result *r)
{
    struct stability_reasons reasons = {0};
    if (!r->cold.samples)
        stability_reason(&reasons, STABILITY_UNTIMED, "there is no timing");
    stability_judge(&r->stability, &reasons);
    judge_noise(&reasons, "cold", &r->cold, e->measure.noise);
    judge_noise(&reasons, "hot", &r->hot, e->measure.noise);
    json_writer_begin_object(json, key);
    json_writer_bool(json, "stable", reasons.count == 0);
    json_writer_begin_array(json, "reasons");
    for (int i = 0; i < reasons.count; i++)
        json_writer_string(json, NULL, reasons.text[i]);
    json_writer_end(json);
    json_writer_begin_array(json, "codes");
    for (int i = 0; i < reasons.count; i++)
        json_writer_string(json, NULL, stability_code_name(reasons.code[i]));
    json_writer_end(json);
    json_writer_rounded(json, "waited_s", r->stability.waited_s);
    write_live(json, "live", &r->stability);
    json_writer_end(json);
}

/* ---- reading ---- */

static unsigned read_codes(const json_t *list)
{
    unsigned set = 0;
    size_t i;
    const json_t *name;
    json_array_foreach (list, i, name)
        for (unsigned code = 0; code < STABILITY_CODES; code++)
            if (json_parts_is(name, stability_code_name(code)))
                set |= 1u << code;
    return set;
}

/* The last one of a list, or the number itself. */
static void read_quantity(struct live_reading *reading, enum live_quantity quantity, const json_t *value)
{
    if (json_is_array(value))
        value = json_array_get(value, json_array_size(value) - 1);
    reading->of[quantity].known = json_is_number(value);
    reading->of[quantity].value = json_number_value(value);
}

static void read_throttle(struct live_value *bits, const json_t *names)
{
    unsigned long long set = 0;
    size_t i;
    const json_t *name;
    bits->known = json_is_array(names);
    json_array_foreach (names, i, name)
        for (int bit = 0; live_throttle_name(bit); bit++)
            if (json_parts_is(name, live_throttle_name(bit)))
                set |= 1ull << bit;
    bits->value = (double)set;
}

void result_json_read_stability(struct stability_summary *summary, const json_t *stability)
{
    const json_t *live = json_object_get(stability, "live");
    *summary = (struct stability_summary){.codes = read_codes(json_object_get(stability, "codes"))};
    read_quantity(&summary->latest, LIVE_SM_CLOCK, json_object_get(live, "sm_clock_mhz"));
    read_quantity(&summary->latest, LIVE_MEMORY_CLOCK, json_object_get(live, "memory_clock_mhz"));
    read_quantity(&summary->latest, LIVE_TEMPERATURE, json_object_get(live, "temperature_c"));
    read_quantity(&summary->latest, LIVE_OTHERS, json_object_get(live, "other_processes"));
    read_throttle(&summary->latest.of[LIVE_THROTTLE], json_object_get(live, "throttle_reasons"));
}
