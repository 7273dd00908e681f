/* Bytes from the counters or the prediction, divided by the times. */
#include "api/result_json.h"

#include <math.h>
#include <string.h>

#include "api/json_parts.h"
#include "kernels/model/access.h"

double result_json_gbps(double bytes, double us)
{
    return us > 0 ? bytes / us / 1e3 : NAN;
}

/* A count of bytes: requested, moved in sectors between L1 and L2, or moved by DRAM. */
struct traffic_bytes {
    double load, store;
    const char *source;          /* NULL: not known */
    const char *status, *reason; /* why, where it is not known */
};

static struct traffic_bytes of_counters(const struct counters *c, const char *load, const char *store,
                                        double unit_bytes)
{
    const struct counter *loads = counters_find(c, load), *stores = counters_find(c, store);
    struct traffic_bytes bytes = {.status = "unavailable", .reason = "this was not counted"};
    if (loads && stores) {
        bytes.load = loads->value * unit_bytes;
        bytes.store = stores->value * unit_bytes;
        bytes.source = "counters";
    }
    return bytes;
}

static struct traffic_bytes sector_bytes(const struct result *r, const struct prediction_answer *prediction)
{
    struct traffic_bytes bytes =
        of_counters(&r->counters, "gld_transactions", "gst_transactions", SECTOR_BYTES);
    if (bytes.source)
        return bytes;
    if (strcmp(prediction->arch, r->device.arch) != 0) {
        bytes.reason = "not counted, and the model does not know this device's architecture";
    } else if (!prediction->known) {
        bytes.reason = "not counted, and the prediction says why it has none";
    } else {
        bytes.load = (double)prediction->prediction.load.sectors * SECTOR_BYTES;
        bytes.store = (double)prediction->prediction.store.sectors * SECTOR_BYTES;
        bytes.source = "prediction";
    }
    return bytes;
}

static struct traffic_bytes dram_bytes(const struct experiment *e, const struct result *r)
{
    struct traffic_bytes bytes = of_counters(&r->counters, "dram_read_bytes", "dram_write_bytes", 1);
    if (!e->counters.on) {
        bytes.status = "not_requested";
        bytes.reason = "\"counters\": true asks for them";
    } else if (r->counters.status == COUNTERS_UNAVAILABLE) {
        bytes.reason = r->counters.reason;
    }
    return bytes;
}

static void write_bytes(struct json_writer *json, const char *key, const struct traffic_bytes *bytes,
                        const char *load, const char *store)
{
    if (!bytes->source) {
        json_parts_missing(json, key, bytes->status, bytes->reason);
        return;
    }
    json_writer_begin_object(json, key);
    json_writer_int(json, load, (int64_t)bytes->load);
    json_writer_int(json, store, (int64_t)bytes->store);
    json_writer_string(json, "source", bytes->source);
    json_writer_end(json);
}

/* A rate, and whether it is above the device's peak; null where the bytes are not known. */
static void write_rate(struct json_writer *json, const char *gbps, const char *above,
                       const struct traffic_bytes *bytes, double us, double peak)
{
    double rate = bytes->source ? result_json_gbps(bytes->load + bytes->store, us) : NAN;
    json_writer_rounded(json, gbps, rate);
    json_writer_bool(json, above, peak > 0 && rate > peak);
}

/* Leaves the object open. */
static void open_rates(struct json_writer *json, const char *key, const struct result *r,
                       const struct timing *t, const struct traffic_bytes *sectors)
{
    double bytes = (double)(r->load_bytes + r->store_bytes + r->atomic_bytes);
    double peak = r->device.peak_gbps, effective = result_json_gbps(bytes, t->median_us);
    json_writer_begin_object(json, key);
    json_writer_rounded(json, "effective_gbps", effective);
    json_writer_rounded(json, "best_gbps", result_json_gbps(bytes, t->min_us));
    json_writer_rounded(json, "of_peak", peak > 0 ? effective / peak : NAN);
    json_writer_bool(json, "above_peak", peak > 0 && effective > peak);
    write_rate(json, "sector_gbps", "sector_above_peak", sectors, t->median_us, peak);
}

static void write_all_rates(struct json_writer *json, const struct result *r,
                            const struct traffic_bytes *sectors, const struct traffic_bytes *dram)
{
    const char *untimed = "the kernel was not timed", *reason = NULL;
    if (!r->cold.samples)
        reason = untimed;
    else if (!r->load_bytes && !r->store_bytes && !r->atomic_bytes)
        reason = "nothing was touched";
    if (reason) {
        json_parts_missing(json, "cold", "unavailable", reason);
        json_parts_missing(json, "hot", "unavailable", reason);
        return;
    }
    open_rates(json, "cold", r, &r->cold, sectors);
    /* The counters count one cold launch. The rate is over the cold median, as the other rates are, so
       that they can be compared; the profiler's own duration differs a little from it. */
    write_rate(json, "dram_gbps", "dram_above_peak", dram, r->cold.median_us, r->device.peak_gbps);
    json_writer_end(json);
    if (!r->hot.samples) {
        json_parts_missing(json, "hot", "unavailable", untimed);
        return;
    }
    open_rates(json, "hot", r, &r->hot, sectors);
    json_writer_end(json);
}

void result_json_bandwidth(struct json_writer *json, const char *key, const struct experiment *e,
                           const struct result *r, const struct prediction_answer *prediction)
{
    struct traffic_bytes sectors = sector_bytes(r, prediction), dram = dram_bytes(e, r);
    json_writer_begin_object(json, key);
    json_writer_begin_object(json, "requested_bytes");
    json_writer_uint(json, "load", r->load_bytes);
    json_writer_uint(json, "store", r->store_bytes);
    json_writer_uint(json, "atomic", r->atomic_bytes);
    json_writer_end(json);
    write_bytes(json, "sector_bytes", &sectors, "load", "store");
    write_bytes(json, "dram_bytes", &dram, "read", "write");
    json_writer_rounded(json, "peak_gbps", r->device.peak_gbps > 0 ? r->device.peak_gbps : NAN);
    json_writer_string(json, "peak_source", r->device.peak_source);
    json_writer_uint(json, "working_set_bytes", r->working_set_bytes);
    json_writer_known_bool(json, "fits_in_l2", r->device.l2_bytes,
                           r->working_set_bytes <= r->device.l2_bytes);
    write_all_rates(json, r, &sectors, &dram);
    json_writer_end(json);
}

static void write_pace(struct json_writer *json, const char *key, const struct result *r,
                       const struct timing *t)
{
    if (!t->samples) {
        json_parts_missing(json, key, "unavailable", "the kernel was not timed");
        return;
    }
    json_writer_begin_object(json, key);
    json_writer_rounded(json, "gops", (double)r->operations / t->median_us / 1e3);
    json_writer_rounded(json, "ns_per_operation", t->median_us * 1e3 / (double)r->operations);
    json_writer_end(json);
}

void result_json_compute(struct json_writer *json, const char *key, const struct result *r)
{
    if (!r->operations) {
        json_parts_missing(json, key, "not_applicable", "the kernel is about bytes");
        return;
    }
    json_writer_begin_object(json, key);
    json_writer_uint(json, "operations", r->operations);
    write_pace(json, "cold", r, &r->cold);
    write_pace(json, "hot", r, &r->hot);
    json_writer_end(json);
}
