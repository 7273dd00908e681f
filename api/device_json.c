/* The table of a device's facts, which writing and reading share; peaks; readings. */
#include "api/device_json.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/json_parts.h"
#include "kernels/model/arch.h"

/* ---- facts ---- */

/* Integers are as large as their member: 4 or 8 bytes. FACT_NODE: FACTS_NO_NODE is not known. */
enum fact_type { FACT_TEXT, FACT_INTEGER, FACT_REAL, FACT_THREE, FACT_NODE };

/* Every member of struct device_facts, in the order of the document. `unknown`: 0, or an empty text, means
   "not known" and becomes null. `later`: an older executor does not send it. */
static const struct fact {
    const char *name;
    enum fact_type type;
    size_t at, size;
    bool unknown, later;
} facts_table[] = {
#define FACT_LATER(name, type, member, unknown, later)                                                       \
    {                                                                                                        \
        name, type, offsetof(struct device_facts, member), sizeof(((struct device_facts *)0)->member),       \
            unknown, later                                                                                   \
    }
#define FACT(name, type, member, unknown) FACT_LATER(name, type, member, unknown, false)
#define LATER(name, type, member) FACT_LATER(name, type, member, true, true)
    FACT("backend", FACT_TEXT, backend, false),
    FACT("name", FACT_TEXT, name, false),
    FACT("uuid", FACT_TEXT, uuid, false),
    FACT("arch", FACT_TEXT, arch, false),
    FACT("driver", FACT_TEXT, driver, false),
    FACT("runtime", FACT_TEXT, runtime, false),
    FACT("multiprocessors", FACT_INTEGER, multiprocessors, false),
    FACT("warp_size", FACT_INTEGER, warp_size, false),
    FACT("max_threads_per_block", FACT_INTEGER, max_threads_per_block, false),
    FACT("max_threads_per_multiprocessor", FACT_INTEGER, max_threads_per_multiprocessor, true),
    FACT("max_block", FACT_THREE, max_block, false),
    FACT("max_grid", FACT_THREE, max_grid, false),
    FACT("registers_per_multiprocessor", FACT_INTEGER, registers_per_multiprocessor, true),
    FACT("registers_per_block", FACT_INTEGER, registers_per_block, true),
    FACT("shared_bytes_per_multiprocessor", FACT_INTEGER, shared_bytes_per_multiprocessor, true),
    FACT("shared_bytes_per_block", FACT_INTEGER, shared_bytes_per_block, true),
    FACT("shared_bytes_per_block_optin", FACT_INTEGER, shared_bytes_per_block_optin, true),
    FACT("memory_bytes", FACT_INTEGER, memory_bytes, false),
    FACT("l2_bytes", FACT_INTEGER, l2_bytes, true),
    FACT("clock_khz", FACT_INTEGER, clock_khz, true),
    FACT("memory_clock_khz", FACT_INTEGER, memory_clock_khz, true),
    FACT("memory_bus_bits", FACT_INTEGER, memory_bus_bits, true),
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
#undef FACT_LATER
};
enum { FACTS = sizeof facts_table / sizeof facts_table[0] };

static uint64_t integer_of(const struct fact *fact, const void *at)
{
    return fact->size == sizeof(uint64_t) ? *(const uint64_t *)at : *(const uint32_t *)at;
}

static void write_fact(struct json_writer *json, const struct fact *fact, const void *at)
{
    const uint32_t *three = at;
    switch (fact->type) {
    case FACT_TEXT:
        json_writer_string(json, fact->name, fact->unknown && !*(const char *)at ? NULL : at);
        break;
    case FACT_THREE:
        json_writer_ints(json, fact->name, (const int64_t[]){three[0], three[1], three[2]}, 3);
        break;
    case FACT_NODE:
        json_writer_known_int(json, fact->name, *(const int32_t *)at != FACTS_NO_NODE, *(const int32_t *)at);
        break;
    case FACT_REAL:
        json_writer_double(json, fact->name,
                           fact->unknown && *(const double *)at == 0 ? NAN : *(const double *)at);
        break;
    case FACT_INTEGER:
        json_writer_known_int(json, fact->name, !fact->unknown || integer_of(fact, at),
                              (int64_t)integer_of(fact, at));
    }
}

void device_json_facts(struct json_writer *json, const struct device_facts *facts)
{
    for (int i = 0; i < FACTS; i++)
        write_fact(json, &facts_table[i], (const char *)facts + facts_table[i].at);
}

/* An integer of 4 or 8 bytes, from 0 to `most`. */
static int read_integer(void *at, size_t size, json_int_t most, const json_t *value)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > most)
        return -1;
    if (size == sizeof(uint64_t))
        *(uint64_t *)at = (uint64_t)number;
    else
        *(uint32_t *)at = (uint32_t)number;
    return 0;
}

static int read_fact(const struct fact *fact, void *at, const json_t *value)
{
    int status = 0;
    if (fact->unknown && json_is_null(value))
        return 0; /* stays 0 */
    switch (fact->type) {
    case FACT_TEXT:
        if (!json_is_string(value) || json_string_length(value) >= fact->size)
            return -1;
        memcpy(at, json_string_value(value), json_string_length(value) + 1);
        return 0;
    case FACT_NODE:
        return read_integer(at, fact->size, INT32_MAX, value);
    case FACT_THREE:
        for (size_t i = 0; i < 3; i++)
            status |=
                read_integer((uint32_t *)at + i, sizeof(uint32_t), UINT32_MAX, json_array_get(value, i));
        return json_array_size(value) == 3 ? status : -1;
    case FACT_INTEGER:
        return read_integer(at, fact->size, fact->size == sizeof(uint64_t) ? INT64_MAX : UINT32_MAX, value);
    case FACT_REAL:
        *(double *)at = json_number_value(value);
        return json_is_number(value) ? 0 : -1;
    }
    return -1;
}

int device_json_read_facts(struct device_facts *facts, const json_t *object, struct error *error)
{
    *facts = (struct device_facts){.numa_node = FACTS_NO_NODE};
    for (int i = 0; i < FACTS; i++) {
        const json_t *value = json_object_get(object, facts_table[i].name);
        if (!value && facts_table[i].later)
            continue;
        if (!value || read_fact(&facts_table[i], (char *)facts + facts_table[i].at, value) < 0)
            return error_set(error, ERROR_INVALID, "device facts: \"%s\" is missing or wrong",
                             facts_table[i].name);
    }
    return 0;
}

/* ---- peaks ---- */

/* A device of CUDA is one chip, also where a board carries two. */
enum { CHIPS = 1 };

static void write_peak_bandwidth(struct json_writer *json, const struct device_facts *facts, double gbps)
{
    if (!(gbps > 0)) {
        json_parts_missing(json, "peak_bandwidth", "unavailable", facts->peak_source);
        return;
    }
    json_writer_begin_object(json, "peak_bandwidth");
    json_writer_rounded(json, "gbps", gbps);
    json_writer_string(json, "formula",
                       "transfers_per_clock x memory_bus_bits x memory_clock_mhz x chips / 8 / 1000");
    json_writer_begin_object(json, "inputs");
    json_writer_int(json, "transfers_per_clock", PEAK_TRANSFERS_PER_CLOCK);
    json_writer_uint(json, "memory_bus_bits", facts->memory_bus_bits);
    json_writer_rounded(json, "memory_clock_mhz", facts->memory_clock_khz / 1e3);
    json_writer_int(json, "chips", CHIPS);
    json_writer_end(json);
    json_writer_end(json);
}

static void write_no_single(struct json_writer *json, const struct device_facts *facts,
                            const struct arch *arch)
{
    char reason[96];
    if (strcmp(facts->backend, "cpu") == 0)
        snprintf(reason, sizeof reason, "not known for a CPU");
    else if (!arch)
        snprintf(reason, sizeof reason, "there is no architecture %s in the table of FP32 lanes",
                 facts->arch);
    else
        snprintf(reason, sizeof reason, "the driver does not tell the clock");
    json_parts_missing(json, "peak_single_precision", "unavailable", reason);
}

static void write_peak_single(struct json_writer *json, const struct device_facts *facts,
                              const struct arch *arch, double gflops)
{
    if (!arch || !(gflops > 0)) {
        write_no_single(json, facts, arch);
        return;
    }
    json_writer_begin_object(json, "peak_single_precision");
    json_writer_rounded(json, "gflops", gflops);
    json_writer_string(json, "formula",
                       "clock_mhz x chips x multiprocessors x lanes_per_multiprocessor x "
                       "operations_per_lane / 1000");
    json_writer_begin_object(json, "inputs");
    json_writer_rounded(json, "clock_mhz", facts->clock_khz / 1e3);
    json_writer_string(json, "clock", "the highest (boost) clock that the driver tells");
    json_writer_int(json, "chips", CHIPS);
    json_writer_uint(json, "multiprocessors", facts->multiprocessors);
    json_writer_uint(json, "lanes_per_multiprocessor", arch->fp32_lanes);
    json_writer_int(json, "operations_per_lane", PEAK_OPERATIONS_PER_LANE);
    json_writer_end(json);
    json_writer_end(json);
}

void device_json_peaks(struct json_writer *json, const struct device_facts *facts)
{
    const struct arch *arch = arch_find(facts->arch);
    double gbps = facts_peak_bandwidth_gbps(facts->memory_clock_khz, facts->memory_bus_bits, CHIPS);
    double gflops =
        arch ? facts_peak_single_gflops(facts->clock_khz, facts->multiprocessors, arch->fp32_lanes, CHIPS)
             : 0;
    write_peak_bandwidth(json, facts, gbps);
    write_peak_single(json, facts, arch, gflops);
    if (gbps > 0 && gflops > 0)
        json_writer_rounded(json, "balance_flops_per_byte", gflops / gbps);
    else
        json_parts_missing(json, "balance_flops_per_byte", "unavailable", "a peak is not known");
}

/* ---- now ---- */

void device_json_live_value(struct json_writer *json, const char *key, const struct live_value *value)
{
    if (value->known)
        json_writer_amount(json, key, value->value);
    else
        json_parts_missing(json, key, "unavailable", value->reason[0] ? value->reason : "it was not read");
}

void device_json_throttle(struct json_writer *json, const char *key, unsigned long long bits)
{
    json_writer_begin_array(json, key);
    for (int bit = 0; bit < 64; bit++) {
        char unnamed[16];
        const char *name = live_throttle_name(bit);
        snprintf(unnamed, sizeof unnamed, "bit_%d", bit);
        if (bits >> bit & 1u)
            json_writer_string(json, NULL, name ? name : unnamed);
    }
    json_writer_end(json);
}

static const struct {
    enum live_quantity quantity;
    const char *name;
} live_members[] = {
    {LIVE_TEMPERATURE, "temperature_c"},     {LIVE_POWER, "power_w"},
    {LIVE_SM_CLOCK, "sm_clock_mhz"},         {LIVE_MEMORY_CLOCK, "memory_clock_mhz"},
    {LIVE_SM_CLOCK_MAX, "sm_clock_max_mhz"}, {LIVE_MEMORY_CLOCK_MAX, "memory_clock_max_mhz"},
    {LIVE_MEMORY_USED, "memory_used_bytes"}, {LIVE_UTILISATION, "utilisation_pct"},
    {LIVE_OTHERS, "other_processes"},
};
enum { LIVE_MEMBERS = sizeof live_members / sizeof *live_members };

/* Which quantities are those of the whole GPU that the device is a part of. */
static void write_of_parent(struct json_writer *json, const struct live_reading *reading)
{
    int count = 0;
    for (int i = 0; i < LIVE_MEMBERS; i++) {
        if (!reading->of[live_members[i].quantity].of_parent)
            continue;
        if (!count++)
            json_writer_begin_array(json, "of_parent");
        json_writer_string(json, NULL, live_members[i].name);
    }
    if (count)
        json_writer_end(json);
}

void device_json_live(struct json_writer *json, const char *key, const struct live_reading *reading,
                      double age_s)
{
    const struct live_value *throttle = &reading->of[LIVE_THROTTLE];
    if (!live_known(reading)) {
        json_parts_missing(json, key, "unavailable", live_reason(reading));
        return;
    }
    json_writer_begin_object(json, key);
    json_writer_string(json, "status", "measured");
    json_writer_rounded(json, "age_s", age_s);
    json_writer_rounded(json, "took_us", reading->took_us);
    for (int i = 0; i < LIVE_MEMBERS; i++)
        device_json_live_value(json, live_members[i].name, &reading->of[live_members[i].quantity]);
    write_of_parent(json, reading);
    if (throttle->known)
        device_json_throttle(json, "throttle_reasons", (unsigned long long)throttle->value);
    else
        device_json_live_value(json, "throttle_reasons", throttle);
    json_writer_end(json);
}
