#include "api/bandwidth_json.h"

#include <math.h>
#include <string.h>

#include "api/json.h"
#include "kernels/model/access.h"

double bandwidth_gbps(double bytes, double us)
{
    return us > 0 ? bytes / us / 1e3 : NAN;
}

/* One count of bytes, told apart: asked for, moved in sectors between L1 and L2, moved by DRAM. */
struct traffic_bytes {
    double load, store;
    const char *source;          /* NULL: not known */
    const char *status, *reason; /* then */
};

static struct traffic_bytes of_counters(const struct counters *c, const char *load, const char *store,
                                        double each)
{
    const struct counter *loads = counters_find(c, load), *stores = counters_find(c, store);
    struct traffic_bytes bytes = {.status = "unavailable", .reason = "this was not counted"};
    if (loads && stores) {
        bytes.load = loads->value * each;
        bytes.store = stores->value * each;
        bytes.source = "counters";
    }
    return bytes;
}

static struct traffic_bytes sector_bytes(const struct result *r, const json_t *prediction)
{
    struct traffic_bytes bytes =
        of_counters(&r->counters, "gld_transactions", "gst_transactions", SECTOR_BYTES);
    const char *arch = json_string_value(json_object_get(prediction, "arch"));
    const json_t *load = json_object_get(prediction, "gld_sectors"),
                 *store = json_object_get(prediction, "gst_sectors");
    if (bytes.source)
        return bytes;
    if (arch && strcmp(arch, r->device.arch) == 0 && !load) {
        bytes.reason = "not counted, and the prediction says why it has none";
        return bytes;
    }
    if (!arch || strcmp(arch, r->device.arch) != 0 || !load || !store) {
        bytes.reason = "not counted, and the model does not know this device's architecture";
        return bytes;
    }
    bytes.load = (double)json_integer_value(load) * SECTOR_BYTES;
    bytes.store = (double)json_integer_value(store) * SECTOR_BYTES;
    bytes.source = "prediction";
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

static json_t *bytes_to_json(const struct traffic_bytes *bytes, const char *load, const char *store)
{
    return bytes->source ? json_pack("{s:I,s:I,s:s}", load, (json_int_t)bytes->load, store,
                                     (json_int_t)bytes->store, "source", bytes->source)
                         : missing_to_json(bytes->status, bytes->reason);
}

/* name_gbps and name_above_peak; null where the bytes are not known, which says why. */
static void add_rate(json_t *rates, const char *gbps, const char *above, const struct traffic_bytes *bytes,
                     double us, double peak)
{
    double rate = bytes->source ? bandwidth_gbps(bytes->load + bytes->store, us) : NAN;
    json_object_set_new(rates, gbps, number_to_json(rate));
    json_object_set_new(rates, above, json_boolean(peak > 0 && rate > peak));
}

static json_t *rates_to_json(const struct result *r, const struct timing *t,
                             const struct traffic_bytes *sectors)
{
    double bytes = (double)(r->load_bytes + r->store_bytes + r->atomic_bytes);
    double peak = r->device.peak_gbps, effective = bandwidth_gbps(bytes, t->median_us);
    json_t *rates = json_pack("{s:o,s:o,s:o,s:b}", "effective_gbps", number_to_json(effective), "best_gbps",
                              number_to_json(bandwidth_gbps(bytes, t->min_us)), "of_peak",
                              number_to_json(peak > 0 ? effective / peak : NAN), "above_peak",
                              peak > 0 && effective > peak);
    add_rate(rates, "sector_gbps", "sector_above_peak", sectors, t->median_us, peak);
    return rates;
}

json_t *bandwidth_to_json(const struct experiment *e, const struct result *r, const json_t *prediction)
{
    struct traffic_bytes sectors = sector_bytes(r, prediction), dram = dram_bytes(e, r);
    json_t *requested = json_pack("{s:I,s:I,s:I}", "load", (json_int_t)r->load_bytes, "store",
                                  (json_int_t)r->store_bytes, "atomic", (json_int_t)r->atomic_bytes);
    json_t *object = json_pack(
        "{s:o,s:o,s:o,s:o,s:s,s:I,s:o}", "requested_bytes", requested, "sector_bytes",
        bytes_to_json(&sectors, "load", "store"), "dram_bytes", bytes_to_json(&dram, "read", "write"),
        "peak_gbps", r->device.peak_gbps > 0 ? number_to_json(r->device.peak_gbps) : json_null(),
        "peak_source", r->device.peak_source, "working_set_bytes", (json_int_t)r->working_set_bytes,
        "fits_in_l2",
        r->device.l2_bytes ? json_boolean(r->working_set_bytes <= r->device.l2_bytes) : json_null());
    const char *reason = !r->cold.samples                                        ? "the kernel was not timed"
                         : !r->load_bytes && !r->store_bytes && !r->atomic_bytes ? "nothing was touched"
                                                                                 : NULL;
    json_t *cold = reason ? missing_to_json("unavailable", reason) : rates_to_json(r, &r->cold, &sectors);
    /* What was counted is a cold launch. Over the cold median, as the others are, so that they can be held against each
       other; the profiler's own duration differs a little from it. */
    if (!reason)
        add_rate(cold, "dram_gbps", "dram_above_peak", &dram, r->cold.median_us, r->device.peak_gbps);
    json_object_set_new(object, "cold", cold);
    json_object_set_new(object, "hot",
                        reason || !r->hot.samples
                            ? missing_to_json("unavailable", reason ? reason : "the kernel was not timed")
                            : rates_to_json(r, &r->hot, &sectors));
    return object;
}

static json_t *pace_to_json(const struct result *r, const struct timing *t)
{
    if (!t->samples)
        return missing_to_json("unavailable", "the kernel was not timed");
    return json_pack("{s:o,s:o}", "gops", number_to_json((double)r->operations / t->median_us / 1e3),
                     "ns_per_operation", number_to_json(t->median_us * 1e3 / (double)r->operations));
}

json_t *compute_to_json(const struct result *r)
{
    if (!r->operations)
        return missing_to_json("not_applicable", "the kernel is about bytes");
    return json_pack("{s:I,s:o,s:o}", "operations", (json_int_t)r->operations, "cold",
                     pace_to_json(r, &r->cold), "hot", pace_to_json(r, &r->hot));
}
