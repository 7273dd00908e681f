/* A row is one walk over the texts of an experiment (scan.h), which notes where the value of each column lies. What the
   service itself knows is written as such a text first, so that there is one way from a path to a cell. A number is
   told as it was written. */
#include "api/csv.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/json.h"
#include "api/scan.h"
#include "api/text.h"
#include "base/clock.h"
#include "kernels/kernel.h"

struct column {
    const char *name;
    /* in what the service knows, and in its texts; NULL: here stand the parameters of all kernels */
    const char *path;
};

/* Before a path: an object is told as its text; others leave the cell empty. */
#define AS_JSON "="

/* Whoever reads a table finds columns by their names; new ones come last all the same. */
static const struct column plain[] = {
    {"index", "index"},
    {"id", "id"},
    {"state", "state"},
    {"kernel", "request/kernel"},
    {"dtype", "request/dtype"},
    {"size_elements", "size/elements"},
    {"size_rows", "size/rows"},
    {"size_columns", "size/columns"},
    {"block_x", "request/block/0"},
    {"block_y", "request/block/1"},
    {"block_z", "request/block/2"},
    {"grid_x", "request/grid/0"},
    {"grid_y", "request/grid/1"},
    {"grid_z", "request/grid/2"},
    {NULL, NULL},
    {"device", "request/device"},
    {"device_name", "result/device/name"},
    {"arch", "result/device/arch"},
    {"attempt", "attempt"},
    {"submitted_at", "submitted_at"},
    {"started_at", "started_at"},
    {"finished_at", "finished_at"},
    {"verified", "result/correctness/verified"},
    {"mismatches", "result/correctness/mismatches"},
    {"cold_samples", "result/timing/cold/samples"},
    {"cold_median_us", "result/timing/cold/median_us"},
    {"cold_min_us", "result/timing/cold/min_us"},
    {"cold_max_us", "result/timing/cold/max_us"},
    {"cold_ci95_low_us", "result/timing/cold/ci95_us/0"},
    {"cold_ci95_high_us", "result/timing/cold/ci95_us/1"},
    {"cold_noise", "result/timing/cold/noise"},
    {"hot_samples", "result/timing/hot/samples"},
    {"hot_median_us", "result/timing/hot/median_us"},
    {"hot_min_us", "result/timing/hot/min_us"},
    {"hot_noise", "result/timing/hot/noise"},
    {"floor_us", "result/timing/floor_us"},
    {"requested_load_bytes", "result/bandwidth/requested_bytes/load"},
    {"requested_store_bytes", "result/bandwidth/requested_bytes/store"},
    {"working_set_bytes", "result/bandwidth/working_set_bytes"},
    {"cold_effective_gbps", "result/bandwidth/cold/effective_gbps"},
    {"cold_of_peak", "result/bandwidth/cold/of_peak"},
    {"hot_effective_gbps", "result/bandwidth/hot/effective_gbps"},
    {"hot_of_peak", "result/bandwidth/hot/of_peak"},
    {"peak_gbps", "result/bandwidth/peak_gbps"},
    {"registers_per_thread", "result/launch/registers_per_thread"},
    {"stable", "result/stability/stable"},
    {"theoretical_occupancy", "result/occupancy/theoretical"},
    {"h2d_median_us", "result/transfers/h2d/median_us"},
    {"d2h_median_us", "result/transfers/d2h/median_us"},
    {"predicted_arch", "result/prediction/arch"},
    {"predicted_exact", "result/prediction/exact"},
    {"predicted_gld_requests", "result/prediction/gld_requests"},
    {"predicted_gld_transactions", "result/prediction/gld_transactions"},
    {"predicted_gld_efficiency_pct", "result/prediction/gld_efficiency_pct"},
    {"predicted_gst_requests", "result/prediction/gst_requests"},
    {"predicted_gst_transactions", "result/prediction/gst_transactions"},
    {"predicted_gst_efficiency_pct", "result/prediction/gst_efficiency_pct"},
    {"published_elapsed_ms", "published/elapsed_ms"},
    {"published_gld_transactions", "published/gld_transactions"},
    {"published_gld_efficiency_pct", "published/gld_efficiency_pct"},
    {"published_gst_transactions", "published/gst_transactions"},
    {"published_gst_efficiency_pct", "published/gst_efficiency_pct"},
    {"published_arch", "predicted/published_arch/arch"},
    {"published_arch_gld_transactions", "predicted/published_arch/gld_transactions"},
    {"published_arch_gld_efficiency_pct", "predicted/published_arch/gld_efficiency_pct"},
    {"published_arch_gst_transactions", "predicted/published_arch/gst_transactions"},
    {"published_arch_gst_efficiency_pct", "predicted/published_arch/gst_efficiency_pct"},
    {"failure_kind", "failure/kind"},
    {"failure_detail", "failure/detail"},
    {"counters_status", "result/counters/status"},
    {"counters_passes", "result/counters/passes"},
    {"measured_gld_requests", "result/counters/gld_requests"},
    {"measured_gld_transactions", "result/counters/gld_transactions"},
    {"measured_gld_requested_bytes", "result/counters/gld_requested_bytes"},
    {"measured_gld_efficiency_pct", "result/counters/gld_efficiency_pct"},
    {"measured_gld_throughput_gbps", "result/counters/gld_throughput_gbps"},
    {"measured_gst_requests", "result/counters/gst_requests"},
    {"measured_gst_transactions", "result/counters/gst_transactions"},
    {"measured_gst_requested_bytes", "result/counters/gst_requested_bytes"},
    {"measured_gst_efficiency_pct", "result/counters/gst_efficiency_pct"},
    {"measured_gst_throughput_gbps", "result/counters/gst_throughput_gbps"},
    {"measured_achieved_occupancy", "result/counters/achieved_occupancy"},
    {"measured_inst_executed", "result/counters/inst_executed"},
    {"measured_dram_read_bytes", "result/counters/dram_read_bytes"},
    {"measured_dram_write_bytes", "result/counters/dram_write_bytes"},
    {"measured_l1_hit_rate_pct", "result/counters/l1_hit_rate_pct"},
    {"measured_l2_hit_rate_pct", "result/counters/l2_hit_rate_pct"},
    {"measured_shared_bank_conflicts", "result/counters/shared_bank_conflicts"},
    {"measured_duration_us", "result/counters/duration_us"},
    {"measured_as_predicted", "result/counters/against_prediction/equal"},
    {"sector_load_bytes", "result/bandwidth/sector_bytes/load"},
    {"sector_store_bytes", "result/bandwidth/sector_bytes/store"},
    {"sector_bytes_source", "result/bandwidth/sector_bytes/source"},
    {"cold_sector_gbps", "result/bandwidth/cold/sector_gbps"},
    {"hot_sector_gbps", "result/bandwidth/hot/sector_gbps"},
    {"cold_dram_gbps", "result/bandwidth/cold/dram_gbps"},
    {"requested_atomic_bytes", "result/bandwidth/requested_bytes/atomic"},
    {"operations", "result/compute/operations"},
    {"hot_gops", "result/compute/hot/gops"},
    {"hot_ns_per_operation", "result/compute/hot/ns_per_operation"},
    {"shared_bytes", "request/shared_bytes"},
    {"shared_bytes_per_block", "result/launch/shared_bytes_per_block"},
    {"local_bytes_per_thread", "result/launch/local_bytes_per_thread"},
    {"predicted_shared_load_bank_conflicts", "result/prediction/shared_load_bank_conflicts"},
    {"predicted_shared_store_bank_conflicts", "result/prediction/shared_store_bank_conflicts"},
    {"owner", "owner"},
    {"labels", AS_JSON "request/labels"},
    {"sweep", "sweep"},
    {"repeat_index", "repeat_index"},
    {"placement", "result/placement/name"},
    {"cold_mean_us", "result/timing/cold/mean_us"},
    {"cold_stddev_us", "result/timing/cold/stddev_us"},
    {"hot_max_us", "result/timing/hot/max_us"},
    {"hot_ci95_low_us", "result/timing/hot/ci95_us/0"},
    {"hot_ci95_high_us", "result/timing/hot/ci95_us/1"},
    {"hot_mean_us", "result/timing/hot/mean_us"},
    {"hot_stddev_us", "result/timing/hot/stddev_us"},
    {"published_achieved_occupancy", "published/achieved_occupancy"},
    {"published_gld_throughput_gbps", "published/gld_throughput_gbps"},
    {"published_h2d_ms", "published/h2d_ms"},
    {"published_d2h_ms", "published/d2h_ms"},
    {"published_off", AS_JSON "published/off"},
    {"device_alias", "device_alias"},
    {"predicted_us", "result/time/predicted_us"},
    {"limiter", "result/time/limiter"},
    {"close_second", "result/time/close_second"},
    {"counted_limiter", "result/time/counted/limiter"},
    {"host_timer_first_us", "result/host_timer/first_us"},
    {"host_timer_median_us", "result/host_timer/median_us"},
    {"predicted_lanes_active", "result/prediction/lanes_active"},
    {"published_cached_lines", "published/cached_lines"},
    {"published_cached_efficiency_pct", "published/cached_efficiency_pct"},
    {"published_uncached_segments", "published/uncached_segments"},
    {"published_uncached_efficiency_pct", "published/uncached_efficiency_pct"},
};
enum { PLAIN = sizeof plain / sizeof *plain, SIZE = COLUMNS_MAX, SLOTS };

/* ---- the columns ---- */

/* All of them, in their order: a column's place is the slot of its value. */
static struct {
    const char *names[COLUMNS_MAX];
    bool json[COLUMNS_MAX];
    int count;
    struct scan_paths paths;
    const struct scan_node *own, *request, *result; /* where the texts hang in */
} columns;

static pthread_once_t made = PTHREAD_ONCE_INIT;

static void param_add(const char *name)
{
    struct scan_node *request = scan_add(&columns.paths, "request", -1);
    for (int i = 0; i < columns.count; i++) /* another kernel has one of that name */
        if (columns.names[i] == name || strcmp(columns.names[i], name) == 0)
            return;
    if (columns.count < COLUMNS_MAX) {
        scan_add_below(&columns.paths, request, name, strlen(name), columns.count);
        columns.names[columns.count++] = name;
    }
}

static void columns_make(void)
{
    for (int i = 0; i < PLAIN; i++) {
        if (plain[i].path && columns.count < COLUMNS_MAX) {
            columns.json[columns.count] = plain[i].path[0] == AS_JSON[0];
            scan_add(&columns.paths, plain[i].path + columns.json[columns.count], columns.count);
            columns.names[columns.count++] = plain[i].name;
            continue;
        }
        for (int k = 0; k < suite_count(); k++)
            for (int p = 0; p < suite_at(k)->param_count; p++)
                param_add(suite_at(k)->params[p].name);
    }
    scan_add(&columns.paths, "request/size", SIZE);
    for (int i = 0; i < columns.count; i++) /* where it is, rather than where it may be */
        if (strcmp(columns.names[i], "device") == 0)
            scan_add(&columns.paths, "device", i);
    columns.own = scan_find(&columns.paths, "");
    columns.request = scan_find(&columns.paths, "request");
    columns.result = scan_find(&columns.paths, "result");
}

int csv_columns(struct columns *wanted, const char *text, char detail[COLUMNS_DETAIL_BYTES])
{
    pthread_once(&made, columns_make);
    return columns_read(wanted, text, columns.names, columns.count, detail);
}

int csv_header(struct buffer *out, const struct columns *wanted)
{
    return columns_header(out, wanted, columns.names);
}

/* ---- what the service knows ---- */

static void member_text(struct buffer *own, const char *name, const char *text)
{
    buffer_format(own, ",\"%s\":", name);
    text_string(own, text);
}

static void member_time(struct buffer *own, const char *name, int64_t wall_ms)
{
    char text[CLOCK_TEXT_BYTES];
    if (!wall_ms)
        return;
    clock_text(wall_ms, text);
    buffer_format(own, ",\"%s\":\"%s\"", name, text);
}

/* A number of elements, or rows and columns. */
static void member_size(struct buffer *own, const struct scan_value *size)
{
    char *end;
    if (!size->at || *size->at != '[') {
        if (size->at && *size->at != 'n')
            buffer_format(own, ",\"size\":{\"elements\":%.*s}", (int)size->length, size->at);
        return;
    }
    long long rows = strtoll(size->at + 1, &end, 10);
    long long cols = *end == ',' ? strtoll(end + 1, NULL, 10) : 0;
    if (rows >= 1 && cols >= 1 && rows <= INT64_MAX / cols)
        buffer_format(own, ",\"size\":{\"elements\":%lld,\"rows\":%lld,\"columns\":%lld}", rows * cols, rows,
                      cols);
}

static void own_experiment(struct buffer *own, const struct view_experiment *experiment)
{
    buffer_format(own, ",\"id\":\"%s\",\"state\":\"%s\",\"attempt\":%d", experiment->id, experiment->state,
                  experiment->attempt);
    if (experiment->device >= 0)
        buffer_format(own, ",\"device\":%d", experiment->device);
    if (experiment->device_name[0])
        member_text(own, "device_alias", experiment->device_name);
    if (experiment->owner)
        member_text(own, "owner", experiment->owner);
    if (experiment->sweep && experiment->sweep[0])
        member_text(own, "sweep", experiment->sweep);
    if (experiment->repeated)
        buffer_format(own, ",\"repeat_index\":%d", experiment->repeat_index);
    member_time(own, "submitted_at", experiment->submitted_ms);
    member_time(own, "started_at", experiment->started_ms);
    member_time(own, "finished_at", experiment->finished_ms);
    if (experiment->failure && experiment->failure->kind != ERROR_NONE) {
        buffer_format(own, ",\"failure\":{\"kind\":\"%s\"", error_kind_name(experiment->failure->kind));
        member_text(own, "detail", experiment->failure->text);
        buffer_text(own, "}");
    }
}

static void own_write(struct buffer *own, const struct view_point *point, const struct scan_value *size)
{
    bool removed = !point->experiment && !point->failure;
    buffer_text(own, "{\"\":0");
    if (point->index >= 0)
        buffer_format(own, ",\"index\":%d", point->index);
    member_size(own, size);
    if (point->experiment) {
        own_experiment(own, point->experiment);
    } else {
        if (point->repeated)
            buffer_format(own, ",\"repeat_index\":%d", point->repeat_index);
        if (removed)
            member_text(own, "id", point->id);
        member_text(own, "state", removed ? "removed" : "failed");
        buffer_format(own, ",\"failure\":%s", removed ? VIEW_REMOVED : point->failure);
    }
    buffer_text(own, "}");
}

/* ---- cells ---- */

void csv_text(struct buffer *out, const char *text, size_t length)
{
    bool plain_text = true;
    for (size_t i = 0; plain_text && i < length; i++)
        plain_text = !strchr(",\"\r\n", text[i]);
    if (plain_text) {
        buffer_append(out, text, length);
        return;
    }
    buffer_text(out, "\"");
    for (size_t i = 0; i < length; i++)
        buffer_append(out, text[i] == '"' ? "\"\"" : &text[i], text[i] == '"' ? 2 : 1);
    buffer_text(out, "\"");
}

static void cell_string(struct buffer *out, const struct scan_value *value)
{
    if (!memchr(value->at, '\\', value->length)) {
        csv_text(out, value->at + 1, value->length - 2);
        return;
    }
    json_t *string = json_loadb(value->at, value->length, JSON_DECODE_ANY, NULL);
    if (string)
        csv_text(out, json_string_value(string), json_string_length(string));
    json_decref(string);
}

/* Lists, null, and objects but for those that are told as JSON, leave it empty. */
static void cell_write(struct buffer *out, const struct scan_value *value, bool json)
{
    if (value->length < 1)
        return;
    if (json && *value->at == '{' && value->length > 2)
        csv_text(out, value->at, value->length);
    else if (*value->at == '"' && value->length >= 2)
        cell_string(out, value);
    else if (*value->at != '{' && *value->at != '[' && *value->at != 'n')
        buffer_append(out, value->at, value->length);
}

int csv_row(struct buffer *out, const struct columns *wanted, const struct view_point *point)
{
    const struct view_experiment *experiment = point->experiment;
    /* Of one that was removed the values are left: those of its columns that were axes. */
    const char *request = experiment ? experiment->request : point->request ? point->request : point->values;
    struct scan_value slots[SLOTS] = {0};
    struct buffer own = {0};
    if (request)
        scan_text(columns.request, request, slots);
    if (experiment && experiment->result)
        scan_text(columns.result, experiment->result, slots);
    if (point->reference)
        scan_text(columns.own, point->reference, slots);
    own_write(&own, point, &slots[SIZE]);
    if (own.failed)
        out->failed = true;
    else
        scan_text(columns.own, own.data, slots);
    for (int i = 0; i < wanted->count; i++) {
        if (i)
            buffer_append(out, ",", 1);
        cell_write(out, &slots[wanted->at[i]], columns.json[wanted->at[i]]);
    }
    buffer_free(&own);
    return buffer_append(out, "\r\n", 2);
}
