#include "api/facts_json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum fact_type { FACT_TEXT, FACT_U32, FACT_U64, FACT_REAL, FACT_THREE, FACT_NODE };

/* Every member of struct device_facts, in the order of the wire. `unknown`: 0, or an empty text, says "not known" and
   becomes null. `later`: an older executor does not tell it. */
static const struct fact {
    const char *name;
    enum fact_type type;
    size_t at, size;
    bool unknown, later;
} facts_table[] = {
#define FACT(name, type, member, unknown)                                                                    \
    {                                                                                                        \
        name, type, offsetof(struct device_facts, member), sizeof(((struct device_facts *)0)->member),       \
            unknown, false                                                                                   \
    }
#define LATER(name, type, member)                                                                            \
    {                                                                                                        \
        name, type, offsetof(struct device_facts, member), sizeof(((struct device_facts *)0)->member), true, \
            true                                                                                             \
    }
    FACT("backend", FACT_TEXT, backend, false),
    FACT("name", FACT_TEXT, name, false),
    FACT("uuid", FACT_TEXT, uuid, false),
    FACT("arch", FACT_TEXT, arch, false),
    FACT("driver", FACT_TEXT, driver, false),
    FACT("runtime", FACT_TEXT, runtime, false),
    FACT("multiprocessors", FACT_U32, multiprocessors, false),
    FACT("warp_size", FACT_U32, warp_size, false),
    FACT("max_threads_per_block", FACT_U32, max_threads_per_block, false),
    FACT("max_threads_per_multiprocessor", FACT_U32, max_threads_per_multiprocessor, true),
    FACT("max_block", FACT_THREE, max_block, false),
    FACT("max_grid", FACT_THREE, max_grid, false),
    FACT("registers_per_multiprocessor", FACT_U32, registers_per_multiprocessor, true),
    FACT("registers_per_block", FACT_U32, registers_per_block, true),
    FACT("shared_bytes_per_multiprocessor", FACT_U64, shared_bytes_per_multiprocessor, true),
    FACT("shared_bytes_per_block", FACT_U64, shared_bytes_per_block, true),
    FACT("shared_bytes_per_block_optin", FACT_U64, shared_bytes_per_block_optin, true),
    FACT("memory_bytes", FACT_U64, memory_bytes, false),
    FACT("l2_bytes", FACT_U64, l2_bytes, true),
    FACT("clock_khz", FACT_U32, clock_khz, true),
    FACT("memory_clock_khz", FACT_U32, memory_clock_khz, true),
    FACT("memory_bus_bits", FACT_U32, memory_bus_bits, true),
    FACT("compute_mode", FACT_TEXT, compute_mode, false),
    FACT("peak_gbps", FACT_REAL, peak_gbps, true),
    FACT("peak_source", FACT_TEXT, peak_source, false),
    LATER("pci", FACT_TEXT, pci),
    LATER("numa_node", FACT_NODE, numa_node),
    LATER("cpus", FACT_TEXT, cpus),
    LATER("visible_devices", FACT_TEXT, visible),
    LATER("mig", FACT_TEXT, mig),
    LATER("mig_parent", FACT_TEXT, mig_parent),
#undef FACT
#undef LATER
};
enum { FACTS = sizeof facts_table / sizeof facts_table[0] };

static json_t *fact_to_json(const struct fact *fact, const void *at)
{
    const uint32_t *three = at;
    double value = 0;
    switch (fact->type) {
    case FACT_TEXT:
        return fact->unknown && !*(const char *)at ? json_null() : json_string(at);
    case FACT_NODE:
        return *(const int32_t *)at == FACTS_NO_NODE ? json_null() : json_integer(*(const int32_t *)at);
    case FACT_THREE:
        return json_pack("[I,I,I]", (json_int_t)three[0], (json_int_t)three[1], (json_int_t)three[2]);
    case FACT_U32:
        value = *(const uint32_t *)at;
        break;
    case FACT_U64:
        value = (double)*(const uint64_t *)at;
        break;
    case FACT_REAL:
        value = *(const double *)at;
        break;
    }
    if (fact->unknown && value == 0)
        return json_null();
    if (fact->type == FACT_U64)
        return json_integer((json_int_t) * (const uint64_t *)at);
    return fact->type == FACT_REAL ? json_real(value) : json_integer((json_int_t)value);
}

json_t *facts_to_json(const struct device_facts *facts)
{
    json_t *object = json_object();
    for (int i = 0; i < FACTS; i++)
        if (json_object_set_new(object, facts_table[i].name,
                                fact_to_json(&facts_table[i], (const char *)facts + facts_table[i].at))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static int in_range(const json_t *value, json_int_t most)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= most;
}

static int fact_from_json(const struct fact *fact, void *at, const json_t *value)
{
    if (fact->unknown && json_is_null(value))
        return 0; /* stays 0 */
    switch (fact->type) {
    case FACT_TEXT:
        if (!json_is_string(value) || json_string_length(value) >= fact->size)
            return -1;
        memcpy(at, json_string_value(value), json_string_length(value) + 1);
        return 0;
    case FACT_NODE:
        if (!in_range(value, INT32_MAX))
            return -1;
        *(int32_t *)at = (int32_t)json_integer_value(value);
        return 0;
    case FACT_THREE:
        if (!json_is_array(value) || json_array_size(value) != 3)
            return -1;
        for (size_t i = 0; i < 3; i++) {
            if (!in_range(json_array_get(value, i), UINT32_MAX))
                return -1;
            ((uint32_t *)at)[i] = (uint32_t)json_integer_value(json_array_get(value, i));
        }
        return 0;
    case FACT_U32:
        if (!in_range(value, UINT32_MAX))
            return -1;
        *(uint32_t *)at = (uint32_t)json_integer_value(value);
        return 0;
    case FACT_U64:
        if (!in_range(value, INT64_MAX))
            return -1;
        *(uint64_t *)at = (uint64_t)json_integer_value(value);
        return 0;
    case FACT_REAL:
        if (!json_is_number(value))
            return -1;
        *(double *)at = json_number_value(value);
        return 0;
    }
    return -1;
}

int facts_from_json(struct device_facts *facts, const json_t *object, struct error *error)
{
    *facts = (struct device_facts){.numa_node = FACTS_NO_NODE};
    for (int i = 0; i < FACTS; i++) {
        const json_t *value = json_object_get(object, facts_table[i].name);
        if (!value && facts_table[i].later)
            continue;
        if (!value || fact_from_json(&facts_table[i], (char *)facts + facts_table[i].at, value) < 0)
            return error_set(error, ERROR_INVALID, "device facts: \"%s\" is missing or wrong",
                             facts_table[i].name);
    }
    return 0;
}
