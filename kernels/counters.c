/* The table of the default counters, and the result of a measurement before it is made. */
#include "kernels/counters.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The counters that are always wanted fit four passes on every chip from Turing on. The bank conflicts would
   need a fifth, because they and the requests need the same counters of the L1. */
const struct counter_kind counter_kinds[] = {
    {"gld_transactions", {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}, 1, COUNTERS_ALWAYS},
    {"gst_transactions", {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}, 1, COUNTERS_ALWAYS},
    {"gld_requests", {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}, 1, COUNTERS_ALWAYS},
    {"gst_requests", {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}, 1, COUNTERS_ALWAYS},
    {"gld_requested_bytes", {"smsp__sass_data_bytes_mem_global_op_ld.sum"}, 1, COUNTERS_ALWAYS},
    {"gst_requested_bytes", {"smsp__sass_data_bytes_mem_global_op_st.sum"}, 1, COUNTERS_ALWAYS},
    {"gld_efficiency_pct",
     {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"},
     1,
     COUNTERS_ALWAYS},
    {"gst_efficiency_pct",
     {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"},
     1,
     COUNTERS_ALWAYS},
    {"gld_throughput_gbps",
     {"l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second"},
     1e-9,
     COUNTERS_ALWAYS},
    {"gst_throughput_gbps",
     {"l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second"},
     1e-9,
     COUNTERS_ALWAYS},
    {"achieved_occupancy", {"sm__warps_active.avg.pct_of_peak_sustained_active"}, 0.01, COUNTERS_ALWAYS},
    {"inst_executed", {"smsp__inst_executed.sum"}, 1, COUNTERS_ALWAYS},
    {"dram_read_bytes", {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}, 1, COUNTERS_ALWAYS},
    {"dram_write_bytes", {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}, 1, COUNTERS_ALWAYS},
    {"l1_hit_rate_pct", {"l1tex__t_sector_hit_rate.pct"}, 1, COUNTERS_ALWAYS},
    {"l2_hit_rate_pct", {"lts__t_sector_hit_rate.pct"}, 1, COUNTERS_ALWAYS},
    {"duration_us", {"gpu__time_duration.sum"}, 1e-3, COUNTERS_ALWAYS},
    {"shared_bank_conflicts", {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}, 1, COUNTERS_SHARED},
    {"local_load_bytes", {"l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum"}, 1, COUNTERS_BY_NAME},
    {"local_store_bytes", {"l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum"}, 1, COUNTERS_BY_NAME},
    {NULL, {NULL}, 0, COUNTERS_ALWAYS},
};

bool counters_name_valid(const char *name)
{
    size_t length = strlen(name);
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_' && *at != '.')
            return false;
    return length > 0 && length < COUNTERS_NAME_BYTES;
}

void counters_unavailable(struct counters *counters, const char *remedy, const char *format, ...)
{
    va_list arguments;
    *counters = (struct counters){.status = COUNTERS_UNAVAILABLE};
    snprintf(counters->remedy, sizeof counters->remedy, "%s", remedy);
    va_start(arguments, format);
    vsnprintf(counters->reason, sizeof counters->reason, format, arguments);
    va_end(arguments);
}

static bool is_named(const struct counters_wanted *wanted, const char *name)
{
    for (int i = 0; i < wanted->count; i++)
        if (strcmp(wanted->name[i], name) == 0)
            return true;
    return false;
}

const struct counter_kind *counters_kind_find(const char *name)
{
    for (const struct counter_kind *kind = counter_kinds; kind->name; kind++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}

static void add(struct counters *counters, const char *name, const char *metric, bool named)
{
    struct counter *counter = &counters->at[counters->count++];
    counter->named = named;
    snprintf(counter->name, sizeof counter->name, "%s", name);
    snprintf(counter->metric, sizeof counter->metric, "%s", metric);
}

void counters_begin(struct counters *counters, const struct counters_wanted *wanted)
{
    *counters = (struct counters){0};
    for (const struct counter_kind *kind = counter_kinds; kind->name; kind++)
        if (kind->when == COUNTERS_ALWAYS || (kind->when == COUNTERS_SHARED && wanted->shared) ||
            is_named(wanted, kind->name))
            add(counters, kind->name, kind->metrics[0], false);
    for (int i = 0; i < wanted->count; i++)
        if (!counters_kind_find(wanted->name[i]))
            add(counters, wanted->name[i], wanted->name[i], true);
}

const struct counter *counters_find(const struct counters *counters, const char *name)
{
    for (int i = 0; i < counters->count; i++)
        if (counters->at[i].measured && strcmp(counters->at[i].name, name) == 0)
            return &counters->at[i];
    return NULL;
}
