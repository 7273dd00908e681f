#include "api/peaks_json.h"

#include <stdio.h>
#include <string.h>

#include "api/json.h"
#include "kernels/model/arch.h"
#include "kernels/facts.h"

/* A device of CUDA is one chip, also where a board carries two. */
enum { CHIPS = 1 };

static json_t *bandwidth_to_json(const struct device_facts *facts, double gbps)
{
    if (!(gbps > 0))
        return missing_to_json("unavailable", facts->peak_source);
    return json_pack("{s:o,s:s,s:{s:i,s:I,s:o,s:i}}", "gbps", number_to_json(gbps), "formula",
                     "transfers_per_clock x memory_bus_bits x memory_clock_mhz x chips / 8 / 1000", "inputs",
                     "transfers_per_clock", PEAK_TRANSFERS_PER_CLOCK, "memory_bus_bits",
                     (json_int_t)facts->memory_bus_bits, "memory_clock_mhz",
                     number_to_json(facts->memory_clock_khz / 1e3), "chips", CHIPS);
}

static json_t *single_to_json(const struct device_facts *facts, const struct arch *arch, double gflops)
{
    char reason[96];
    if (arch && gflops > 0)
        return json_pack("{s:o,s:s,s:{s:o,s:s,s:i,s:I,s:I,s:i}}", "gflops", number_to_json(gflops), "formula",
                         "clock_mhz x chips x multiprocessors x lanes_per_multiprocessor x "
                         "operations_per_lane / 1000",
                         "inputs", "clock_mhz", number_to_json(facts->clock_khz / 1e3), "clock",
                         "the highest (boost) clock that the driver tells", "chips", CHIPS, "multiprocessors",
                         (json_int_t)facts->multiprocessors, "lanes_per_multiprocessor",
                         (json_int_t)arch->fp32_lanes, "operations_per_lane", PEAK_OPERATIONS_PER_LANE);
    if (strcmp(facts->backend, "cpu") == 0)
        snprintf(reason, sizeof reason, "not known for a CPU");
    else if (!arch)
        snprintf(reason, sizeof reason, "there is no architecture %s in the table of FP32 lanes",
                 facts->arch);
    else
        snprintf(reason, sizeof reason, "the driver does not tell the clock");
    return missing_to_json("unavailable", reason);
}

json_t *peaks_to_json(const struct device_facts *facts)
{
    const struct arch *arch = arch_find(facts->arch);
    double gbps = facts_peak_bandwidth_gbps(facts->memory_clock_khz, facts->memory_bus_bits, CHIPS);
    double gflops =
        arch ? facts_peak_single_gflops(facts->clock_khz, facts->multiprocessors, arch->fp32_lanes, CHIPS)
             : 0;
    return json_pack("{s:o,s:o,s:o}", "peak_bandwidth", bandwidth_to_json(facts, gbps),
                     "peak_single_precision", single_to_json(facts, arch, gflops), "balance_flops_per_byte",
                     gbps > 0 && gflops > 0 ? number_to_json(gflops / gbps)
                                            : missing_to_json("unavailable", "a peak is not known"));
}
