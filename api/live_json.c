#include "api/live_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/json.h"

static json_t *missing_value(const struct live_value *value)
{
    return missing_to_json("unavailable", value->reason[0] ? value->reason : "it was not read");
}

/* Almost all are whole, and look it. */
static json_t *quantity_to_json(double value)
{
    return value == floor(value) ? json_integer((json_int_t)value) : number_to_json(value);
}

static json_t *value_to_json(const struct live_value *value)
{
    return value->known ? quantity_to_json(value->value) : missing_value(value);
}

static json_t *throttle_to_json(unsigned long long bits)
{
    json_t *names = json_array();
    for (int bit = 0; bit < 64; bit++) {
        char unnamed[16];
        const char *name = live_throttle_name(bit);
        if (!(bits >> bit & 1u))
            continue;
        snprintf(unnamed, sizeof unnamed, "bit_%d", bit);
        json_array_append_new(names, json_string(name ? name : unnamed));
    }
    return names;
}

json_t *live_to_json(const struct live_reading *reading, double age_s)
{
    static const struct {
        enum live_quantity quantity;
        const char *name;
    } members[] = {
        {LIVE_TEMPERATURE, "temperature_c"},     {LIVE_POWER, "power_w"},
        {LIVE_SM_CLOCK, "sm_clock_mhz"},         {LIVE_MEMORY_CLOCK, "memory_clock_mhz"},
        {LIVE_SM_CLOCK_MAX, "sm_clock_max_mhz"}, {LIVE_MEMORY_CLOCK_MAX, "memory_clock_max_mhz"},
        {LIVE_MEMORY_USED, "memory_used_bytes"}, {LIVE_UTILISATION, "utilisation_pct"},
        {LIVE_OTHERS, "other_processes"},
    };
    if (!live_known(reading))
        return missing_to_json("unavailable", live_reason(reading));
    json_t *object = json_pack("{s:s,s:o,s:o}", "status", "measured", "age_s", number_to_json(age_s),
                               "took_us", number_to_json(reading->took_us));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set_new(object, members[i].name, value_to_json(&reading->of[members[i].quantity]));
    json_t *of_parent = json_array();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (reading->of[members[i].quantity].of_parent)
            json_array_append_new(of_parent, json_string(members[i].name));
    if (json_array_size(of_parent))
        json_object_set(object, "of_parent", of_parent);
    json_decref(of_parent);
    const struct live_value *bits = &reading->of[LIVE_THROTTLE];
    json_object_set_new(object, "throttle_reasons",
                        bits->known ? throttle_to_json((unsigned long long)bits->value)
                                    : missing_value(bits));
    return object;
}

/* ---- of a result ---- */

/* One quantity at every look; a look that lacks it makes all of it missing. */
static json_t *looks_to_json(const struct stability *s, enum live_quantity quantity)
{
    json_t *list = json_array();
    for (int i = 0; i < s->looks; i++) {
        const struct live_value *value = &s->look[i].of[quantity];
        if (!value->known) {
            json_decref(list);
            return missing_value(value);
        }
        json_array_append_new(list, quantity_to_json(value->value));
    }
    return list;
}

static json_t *throttles_to_json(const struct stability *s)
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
    return missing ? missing_value(missing) : throttle_to_json(bits);
}

/* Of the first and the last look, which alone ask for it. */
static json_t *others_to_json(const struct stability *s)
{
    const struct live_value *first = &s->look[0].of[LIVE_OTHERS],
                            *last = &s->look[s->looks - 1].of[LIVE_OTHERS];
    if (!first->known || !last->known)
        return missing_value(first->known ? last : first);
    return quantity_to_json(fmax(first->value, last->value));
}

static json_t *looks_live(const struct stability *s)
{
    double took_us = 0;
    if (!s->looks)
        return missing_to_json("unavailable", "the kernel was not timed");
    if (!live_known(&s->look[0]))
        return missing_to_json("unavailable", live_reason(&s->look[0]));
    for (int i = 0; i < s->looks; i++)
        took_us += s->look[i].took_us;
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o}", "status", "measured", "sm_clock_mhz",
                     looks_to_json(s, LIVE_SM_CLOCK), "memory_clock_mhz", looks_to_json(s, LIVE_MEMORY_CLOCK),
                     "throttle_reasons", throttles_to_json(s), "temperature_c",
                     value_to_json(&s->look[s->looks - 1].of[LIVE_TEMPERATURE]), "other_processes",
                     others_to_json(s), "took_us", number_to_json(took_us));
}

static void judge_noise(struct stability_reasons *reasons, const char *which, const struct timing *t,
                        double wanted)
{
    if (t->samples && t->samples < TIMING_LEAST)
        stability_reason(reasons, STABILITY_FEW, "%s samples: only %u, and their noise is known from %d on",
                         which, t->samples, TIMING_LEAST);
    else if (t->samples && t->noise > wanted)
        stability_reason(reasons, STABILITY_NOISE, "%s samples: noise stayed at %.2g, %.2g was asked for",
                         which, t->noise, wanted);
}

json_t *stability_to_json(const struct experiment *e, const struct result *r)
{
    struct stability_reasons reasons = {0};
    json_t *texts = json_array(), *codes = json_array();
    if (!r->cold.samples)
        stability_reason(&reasons, STABILITY_UNTIMED, "there is no timing");
    stability_judge(&r->stability, &reasons);
    judge_noise(&reasons, "cold", &r->cold, e->measure.noise);
    judge_noise(&reasons, "hot", &r->hot, e->measure.noise);
    for (int i = 0; i < reasons.count; i++)
        json_array_append_new(texts, json_string(reasons.text[i]));
    for (int i = 0; i < reasons.count; i++)
        json_array_append_new(codes, json_string(stability_code_name(reasons.code[i])));
    return json_pack("{s:b,s:o,s:o,s:o,s:o}", "stable", reasons.count == 0, "reasons", texts, "codes", codes,
                     "waited_s", number_to_json(r->stability.waited_s), "live", looks_live(&r->stability));
}

/* ---- of a result, back ---- */

static unsigned codes_from_json(const json_t *list)
{
    unsigned set = 0;
    size_t i;
    const json_t *name;
    json_array_foreach (list, i, name)
        for (unsigned code = 0; code < STABILITY_CODES; code++)
            if (json_is_string(name) && strcmp(json_string_value(name), stability_code_name(code)) == 0)
                set |= 1u << code;
    return set;
}

/* The last one of a list, or the number itself. */
static void quantity_from_json(struct live_reading *reading, enum live_quantity quantity, const json_t *value)
{
    if (json_is_array(value))
        value = json_array_get(value, json_array_size(value) - 1);
    reading->of[quantity].known = json_is_number(value);
    reading->of[quantity].value = json_number_value(value);
}

static void throttle_from_json(struct live_value *bits, const json_t *names)
{
    unsigned long long set = 0;
    size_t i;
    const json_t *name;
    bits->known = json_is_array(names);
    json_array_foreach (names, i, name)
        for (int bit = 0; live_throttle_name(bit); bit++)
            if (json_is_string(name) && strcmp(json_string_value(name), live_throttle_name(bit)) == 0)
                set |= 1ull << bit;
    bits->value = (double)set;
}

void stability_from_json(struct stability_summary *told, const json_t *stability)
{
    const json_t *live = json_object_get(stability, "live");
    *told = (struct stability_summary){.codes = codes_from_json(json_object_get(stability, "codes"))};
    quantity_from_json(&told->latest, LIVE_SM_CLOCK, json_object_get(live, "sm_clock_mhz"));
    quantity_from_json(&told->latest, LIVE_MEMORY_CLOCK, json_object_get(live, "memory_clock_mhz"));
    quantity_from_json(&told->latest, LIVE_TEMPERATURE, json_object_get(live, "temperature_c"));
    quantity_from_json(&told->latest, LIVE_OTHERS, json_object_get(live, "other_processes"));
    throttle_from_json(&told->latest.of[LIVE_THROTTLE], json_object_get(live, "throttle_reasons"));
}
