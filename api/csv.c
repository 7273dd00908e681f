/* A row is looked up in a record: one object with what the service knows of the experiment, and what was asked and
   what came back under "request" and "result", as they are in JSON. */
#include "api/csv.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/result_json.h"
#include "base/clock.h"
#include "kernels/kernel.h"

struct column {
    const char *name;
    const char *path; /* into the record; NULL: here stand the parameters of all kernels, by their names */
};

/* Whoever reads a table finds columns by their names; new ones come last all the same. */
static const struct column columns[] = {
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
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* ---- the columns ---- */

/* Did a kernel before this one, or a parameter before this one, have that name? */
static bool param_seen(const char *name, int kernel, int param)
{
    for (int k = 0; k <= kernel; k++) {
        const struct kernel *one = suite_at(k);
        for (int p = 0; p < (k < kernel ? one->param_count : param); p++)
            if (strcmp(one->params[p].name, name) == 0)
                return true;
    }
    return false;
}

/* Calls each(arg, name) for every name that a parameter of some kernel has. */
static void params_each(void (*each)(void *arg, const char *name), void *arg)
{
    for (int k = 0; k < suite_count(); k++)
        for (int p = 0; p < suite_at(k)->param_count; p++)
            if (!param_seen(suite_at(k)->params[p].name, k, p))
                each(arg, suite_at(k)->params[p].name);
}

static void header_param(void *arg, const char *name)
{
    buffer_format(arg, ",%s", name);
}

int csv_header(struct buffer *out)
{
    for (int i = 0; i < COLUMNS; i++) {
        if (columns[i].path)
            buffer_format(out, "%s%s", i ? "," : "", columns[i].name);
        else
            params_each(header_param, out);
    }
    return buffer_text(out, "\r\n");
}

/* ---- a record ---- */

/* A number of elements, or rows and columns. */
static json_t *size_make(const json_t *size)
{
    json_int_t rows = json_integer_value(json_array_get(size, 0)),
               cols = json_integer_value(json_array_get(size, 1));
    if (json_is_integer(size))
        return json_pack("{s:I}", "elements", json_integer_value(size));
    if (rows < 1 || cols < 1 || rows > INT64_MAX / cols)
        return json_object();
    return json_pack("{s:I,s:I,s:I}", "elements", rows * cols, "rows", rows, "columns", cols);
}

static void time_set(json_t *record, const char *name, int64_t wall_ms)
{
    char text[CLOCK_TEXT_BYTES];
    if (!wall_ms)
        return;
    clock_text(wall_ms, text);
    json_object_set_new(record, name, json_string(text));
}

static void experiment_set(json_t *record, const struct view_experiment *experiment)
{
    json_object_set_new(record, "id", json_string(experiment->id));
    json_object_set_new(record, "state", json_string(experiment->state));
    json_object_set_new(record, "attempt", json_integer(experiment->attempt));
    time_set(record, "submitted_at", experiment->submitted_ms);
    time_set(record, "started_at", experiment->started_ms);
    time_set(record, "finished_at", experiment->finished_ms);
    if (experiment->result)
        json_object_set_new(record, "result", json_loads(experiment->result, 0, NULL));
    if (experiment->failure && experiment->failure->kind != ERROR_NONE)
        json_object_set_new(record, "failure",
                            json_pack("{s:s,s:s}", "kind", error_kind_name(experiment->failure->kind),
                                      "detail", experiment->failure->text));
}

/* New reference; NULL: no memory. */
static json_t *record_make(const struct view_point *point)
{
    bool removed = !point->experiment && !point->failure;
    const char *text = point->experiment ? point->experiment->request : removed ? "{}" : point->request;
    json_t *record = json_object(), *request = json_loads(text, 0, NULL);
    if (!record || !request) {
        json_decref(record);
        json_decref(request);
        return NULL;
    }
    if (point->beside) {
        json_t *beside = json_loads(point->beside, 0, NULL);
        json_object_update(record, beside);
        json_decref(beside);
    }
    if (point->index >= 0)
        json_object_set_new(record, "index", json_integer(point->index));
    json_object_set_new(record, "size", size_make(json_object_get(request, "size")));
    json_object_set_new(record, "request", request);
    if (point->experiment) {
        experiment_set(record, point->experiment);
    } else {
        if (removed)
            json_object_set_new(record, "id", json_string(point->id));
        json_object_set_new(record, "state", json_string(removed ? "removed" : "failed"));
        json_object_set_new(record, "failure", json_loads(removed ? VIEW_REMOVED : point->failure, 0, NULL));
    }
    return record;
}

/* What the path leads to; NULL: nothing. A number is the first of a list of one. */
static const json_t *record_find(const json_t *node, const char *path)
{
    while (node && *path) {
        char name[64];
        size_t length = strcspn(path, "/");
        if (length >= sizeof name)
            return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        if (json_is_object(node))
            node = json_object_get(node, name);
        else if (json_is_array(node))
            node = json_array_get(node, strtoul(name, NULL, 10));
        else
            node = json_is_integer(node) && strcmp(name, "0") == 0 ? node : NULL;
        path += length + (path[length] == '/');
    }
    return node;
}

/* ---- cells ---- */

static void cell_text(struct buffer *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        buffer_text(out, text);
        return;
    }
    buffer_text(out, "\"");
    for (size_t length; *text; text += length) {
        length = strcspn(text, "\"");
        buffer_append(out, text, length);
        if (text[length]) {
            buffer_text(out, "\"\"");
            length++;
        }
    }
    buffer_text(out, "\"");
}

static int cell_bytes(const char *bytes, size_t count, void *out)
{
    return buffer_append(out, bytes, count);
}

static void cell_write(struct buffer *out, const json_t *value)
{
    if (json_is_string(value))
        cell_text(out, json_string_value(value));
    else if (json_is_number(value) || json_is_boolean(value))
        json_dump_callback(value, cell_bytes, out, API_JSON_FLAGS | JSON_ENCODE_ANY);
}

struct params_row {
    struct buffer *out;
    const json_t *request;
};

static void row_param(void *arg, const char *name)
{
    struct params_row *row = arg;
    buffer_text(row->out, ",");
    cell_write(row->out, json_object_get(row->request, name));
}

int csv_row(struct buffer *out, const struct view_point *point)
{
    json_t *record = record_make(point);
    if (!record) {
        out->failed = true;
        return -1;
    }
    struct params_row params = {out, json_object_get(record, "request")};
    for (int i = 0; i < COLUMNS; i++) {
        if (!columns[i].path) {
            params_each(row_param, &params);
            continue;
        }
        buffer_text(out, i ? "," : "");
        cell_write(out, record_find(record, columns[i].path));
    }
    json_decref(record);
    return buffer_text(out, "\r\n");
}
