/* Reads the stability of a result, and knows the names of its members. */
#include "api/result_read.h"

#include <stddef.h>
#include <string.h>

bool result_read_has_member(const char *name)
{
    static const char *const members[] = {"device",      "launch",    "timing",     "bandwidth", "compute",
                                          "correctness", "stability", "counters",   "transfers", "occupancy",
                                          "prediction",  "execution", "provenance", "placement", "samples",
                                          "peer",        "time",      "host_timer"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i], name) == 0)
            return true;
    return false;
}

static unsigned read_codes(const json_t *list)
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
            if (json_is_string(name) && strcmp(json_string_value(name), live_throttle_name(bit)) == 0)
                set |= 1ull << bit;
    bits->value = (double)set;
}

void result_read_stability(struct stability_summary *summary, const json_t *stability)
{
    const json_t *live = json_object_get(stability, "live");
    *summary = (struct stability_summary){.codes = read_codes(json_object_get(stability, "codes"))};
    read_quantity(&summary->latest, LIVE_SM_CLOCK, json_object_get(live, "sm_clock_mhz"));
    read_quantity(&summary->latest, LIVE_MEMORY_CLOCK, json_object_get(live, "memory_clock_mhz"));
    read_quantity(&summary->latest, LIVE_TEMPERATURE, json_object_get(live, "temperature_c"));
    read_quantity(&summary->latest, LIVE_OTHERS, json_object_get(live, "other_processes"));
    read_throttle(&summary->latest.of[LIVE_THROTTLE], json_object_get(live, "throttle_reasons"));
}
