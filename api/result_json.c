#include "api/result_json.h"

#include <math.h>
#include <stdlib.h>

#include "api/bandwidth_json.h"
#include "api/counters_json.h"
#include "api/json.h"
#include "api/live_json.h"
#include "api/occupancy_json.h"
#include "api/prediction_json.h"
#include "api/time_json.h"
#include "version.h"

static json_t *timing_to_json(const struct timing *t)
{
    if (!t->samples)
        return missing_to_json("unavailable", "every sample was discarded: launches did not arrive in time");
    return json_pack("{s:i,s:i,s:i,s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:[o,o],s:s,s:o,s:s}", "samples",
                     (int)t->samples, "discarded", (int)t->discarded, "launches_per_sample", (int)t->launches,
                     "rounds", (int)t->rounds, "min_us", number_to_json(t->min_us), "p25_us",
                     number_to_json(t->p25_us), "median_us", number_to_json(t->median_us), "p75_us",
                     number_to_json(t->p75_us), "max_us", number_to_json(t->max_us), "mean_us",
                     number_to_json(t->mean_us), "stddev_us", number_to_json(t->stddev_us), "ci95_us",
                     number_to_json(t->ci95_us[0]), number_to_json(t->ci95_us[1]), "interval_of", "placement",
                     "noise", number_to_json(t->noise), "stop", stop_reason_name(t->stop));
}

static json_t *timings_to_json(const struct result *r)
{
    if (!r->cold.samples)
        return missing_to_json("unavailable",
                               r->correctness.verified
                                   ? "launches did not arrive in time: every sample was discarded"
                                   : "the output was wrong: a wrong kernel is not timed");
    /* Below twice the empty kernel's time what is measured is mostly the launch. */
    bool near_floor = r->cold.median_us < 2 * r->floor_us;
    return json_pack("{s:o,s:o,s:o,s:b,s:o}", "cold", timing_to_json(&r->cold), "hot",
                     timing_to_json(&r->hot), "floor_us", number_to_json(r->floor_us), "near_floor",
                     near_floor, "tick_us", number_to_json(r->tick_us));
}

static json_t *samples_to_json(const struct result *r)
{
    if (!r->cold_series)
        return json_pack("{s:b}", "kept", 0);
    return json_pack("{s:b,s:i,s:i}", "kept", 1, "cold", (int)r->cold_series->count, "hot",
                     (int)r->hot_series->count);
}

static json_t *correctness_to_json(const struct correctness *c)
{
    if (!c->checked)
        return missing_to_json("unavailable", "the output was not checked");
    json_t *first = json_null();
    if (c->has_first)
        first = json_pack("{s:s,s:I,s:b,s:o,s:o}", "buffer", c->first.buffer, "index",
                          (json_int_t)c->first.index, "outside", c->first.guard, "expected",
                          c->first.untouched ? json_string("untouched") : number_to_json(c->first.expected),
                          "found", c->first.guard ? json_null() : number_to_json(c->first.found));
    return json_pack("{s:b,s:I,s:I,s:o,s:o}", "verified", c->verified, "elements_checked",
                     (json_int_t)c->elements_checked, "mismatches", (json_int_t)c->mismatches,
                     "max_abs_error", number_to_json(c->max_abs_error), "first_mismatch", first);
}

static json_t *launch_to_json(const struct experiment *e, const struct launch_facts *l)
{
    json_t *object = json_pack("{s:[I,I,I],s:[I,I,I]}", "grid", (json_int_t)e->grid[0],
                               (json_int_t)e->grid[1], (json_int_t)e->grid[2], "block",
                               (json_int_t)e->block[0], (json_int_t)e->block[1], (json_int_t)e->block[2]);
    bool known = l->registers_per_thread >= 0;
    json_object_set_new(object, "registers_per_thread",
                        known ? json_integer(l->registers_per_thread) : json_null());
    json_object_set_new(object, "local_bytes_per_thread",
                        known ? json_integer((json_int_t)l->local_bytes_per_thread) : json_null());
    json_object_set_new(object, "shared_bytes_per_block",
                        known ? json_integer((json_int_t)l->shared_bytes_per_block) : json_null());
    return object;
}

static json_t *device_to_json(const struct experiment *e, const struct device_facts *f)
{
    return json_pack("{s:I,s:s,s:s,s:s,s:s,s:s,s:s}", "index", (json_int_t)e->device.number, "backend",
                     f->backend, "name", f->name, "uuid", f->uuid, "arch", f->arch, "driver", f->driver,
                     "runtime", f->runtime);
}

/* Of the device itself, or of the architecture that stands in for a CPU; there no registers are known. */
static json_t *occupancy_of(const struct experiment *e, const struct result *r)
{
    bool known = arch_find(r->device.arch) != NULL;
    if (e->kernel->copied)
        return missing_to_json("unavailable", "a copy engine does it: no blocks are launched");
    struct occupancy_case question = {
        .arch = known ? r->device.arch : PREDICTION_STAND_IN,
        .registers_per_thread = r->launch.registers_per_thread,
        .shared_bytes_per_block = r->launch.shared_bytes_per_block,
        .threads_per_block = (uint64_t)(e->block[0] * e->block[1] * e->block[2]),
        .grid_blocks = (uint64_t)e->grid[0] * (uint64_t)e->grid[1] * (uint64_t)e->grid[2],
        .sms = known ? r->device.multiprocessors : 0,
    };
    return occupancy_to_json(&question);
}

static json_t *transfer_to_json(const struct transfer *t)
{
    return json_pack("{s:i,s:I,s:o,s:o,s:o}", "samples", (int)t->samples, "bytes", (json_int_t)t->bytes,
                     "median_us", number_to_json(t->median_us), "min_us", number_to_json(t->min_us), "gbps",
                     number_to_json(bandwidth_gbps((double)t->bytes, t->median_us)));
}

static json_t *transfers_to_json(const struct experiment *e, const struct result *r)
{
    if (e->transfers == TRANSFERS_NONE)
        return missing_to_json("not_requested", "\"transfers\": \"pageable\" or \"pinned\" asks for them");
    if (!r->to_device.samples)
        return missing_to_json("unavailable",
                               r->cold.samples ? "the device's memory is the host's: nothing is transferred"
                                               : "the kernel was not timed");
    return json_pack("{s:s,s:o,s:o}", "memory", transfers_name(e->transfers), "h2d",
                     transfer_to_json(&r->to_device), "d2h", transfer_to_json(&r->to_host));
}

static json_t *host_to_json(const struct result *r)
{
    if (!r->host.samples)
        return missing_to_json("unavailable", "the kernel was not timed");
    return json_pack("{s:i,s:o,s:o,s:o,s:s}", "samples", (int)r->host.samples, "first_us",
                     number_to_json(r->host.first_us), "median_us", number_to_json(r->host.median_us),
                     "min_us", number_to_json(r->host.min_us), "note",
                     "the host's clock before a launch and after the device is done: it holds what the "
                     "driver and the host take, and from the second launch on the caches are warm; "
                     "bandwidths are made of `timing`");
}

/* What the link carried, each byte once. */
static json_t *peer_to_json(const struct experiment *e, const struct result *r)
{
    struct domain domain = experiment_domain(e);
    double bytes = (double)r->load_bytes;
    return json_pack("{s:s,s:b,s:I,s:o,s:o}", "uuid", e->peer_uuid, "access", e->kernel->peer_access(&domain),
                     "bytes", (json_int_t)r->load_bytes, "cold_gbps",
                     number_to_json(bandwidth_gbps(bytes, r->cold.median_us)), "hot_gbps",
                     number_to_json(bandwidth_gbps(bytes, r->hot.median_us)));
}

json_t *result_to_json(const struct experiment *e, const struct result *r)
{
    struct access access;
    access_count(e, &access);
    json_t *prediction = prediction_for_device(e, &access, r->device.arch), *occupancy = occupancy_of(e, r);
    const json_t *theoretical = json_object_get(occupancy, "theoretical");
    json_t *time =
        time_of_result(e, &access, r, r->calibration ? r->calibration : calibration_find(r->device.name),
                       theoretical ? json_number_value(theoretical) : NAN);
    json_t *object = json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:{s:I,s:I},s:{s:s,s:s,s:s}}", "device",
        device_to_json(e, &r->device), "launch", launch_to_json(e, &r->launch), "timing", timings_to_json(r),
        "bandwidth", bandwidth_to_json(e, r, prediction), "compute", compute_to_json(r), "correctness",
        correctness_to_json(&r->correctness), "stability", stability_to_json(e, r), "counters",
        counters_to_json(e, r, prediction), "transfers", transfers_to_json(e, r), "occupancy", occupancy,
        "prediction", prediction, "time", time, "execution", "began_monotonic_ns", (json_int_t)r->began_ns,
        "ended_monotonic_ns", (json_int_t)r->ended_ns, "provenance", "version", COALESCED_VERSION, "commit",
        coalesced_commit, "kernel_sha256", e->kernel->sha256);
    if (r->placed.name[0] && object)
        json_object_set_new(object, "placement",
                            json_pack("{s:s,s:b}", "name", r->placed.name, "new", r->placed.fresh));
    if (e->measure.host_timer && object)
        json_object_set_new(object, "host_timer", host_to_json(r));
    if (e->kernel->peer && object)
        json_object_set_new(object, "peer", peer_to_json(e, r));
    if (object)
        json_object_set_new(object, "samples", samples_to_json(r));
    return object;
}

char *result_to_text(const struct experiment *e, const struct result *r)
{
    json_t *object = result_to_json(e, r);
    char *text = object ? json_dumps(object, API_JSON_FLAGS) : NULL;
    json_decref(object);
    return text;
}
