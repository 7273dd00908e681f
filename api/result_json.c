/* Writes each member of a result in a function of its own. */
#include "api/result_json.h"

#include <math.h>
#include <stdio.h>

#include "api/counters_json.h"
#include "api/json_parts.h"
#include "api/occupancy_json.h"
#include "api/prediction_json.h"
#include "api/source_predictions.h"
#include "base/words.h"
#include "api/time_json.h"
#include "version.h"

static void write_device(struct json_writer *json, const struct experiment *e, const struct device_facts *f)
{
    json_writer_begin_object(json, "device");
    json_writer_int(json, "index", e->device.number);
    json_writer_string(json, "backend", f->backend);
    json_writer_string(json, "name", f->name);
    json_writer_string(json, "uuid", f->uuid);
    json_writer_string(json, "arch", f->arch);
    json_writer_string(json, "driver", f->driver);
    json_writer_string(json, "runtime", f->runtime);
    json_writer_end(json);
}

static void write_launch(struct json_writer *json, const struct experiment *e, const struct launch_facts *l)
{
    bool known = l->registers_per_thread >= 0;
    json_writer_begin_object(json, "launch");
    json_writer_ints(json, "grid", e->grid, 3);
    json_writer_ints(json, "block", e->block, 3);
    json_writer_known_int(json, "registers_per_thread", known, l->registers_per_thread);
    json_writer_known_int(json, "local_bytes_per_thread", known, (int64_t)l->local_bytes_per_thread);
    json_writer_known_int(json, "shared_bytes_per_block", known, (int64_t)l->shared_bytes_per_block);
    json_writer_known_int(json, "constant_bytes", known, (int64_t)l->constant_bytes);
    json_writer_end(json);
}

/* ---- times ---- */

static void write_timing(struct json_writer *json, const char *key, const struct timing *t)
{
    if (!t->samples) {
        json_parts_missing(json, key, "unavailable",
                           "every sample was discarded: launches did not arrive in time");
        return;
    }
    json_writer_begin_object(json, key);
    json_writer_uint(json, "samples", t->samples);
    json_writer_uint(json, "discarded", t->discarded);
    json_writer_uint(json, "launches_per_sample", t->launches);
    json_writer_uint(json, "rounds", t->rounds);
    json_writer_rounded(json, "min_us", t->min_us);
    json_writer_rounded(json, "p25_us", t->p25_us);
    json_writer_rounded(json, "median_us", t->median_us);
    json_writer_rounded(json, "p75_us", t->p75_us);
    json_writer_rounded(json, "max_us", t->max_us);
    json_writer_rounded(json, "mean_us", t->mean_us);
    json_writer_rounded(json, "stddev_us", t->stddev_us);
    json_writer_interval(json, "ci95_us", t->ci95_us);
    json_writer_string(json, "interval_of", "placement");
    json_writer_rounded(json, "noise", t->noise);
    json_writer_string(json, "stop", stop_reason_name(t->stop));
    json_writer_end(json);
}

static void write_timings(struct json_writer *json, const struct result *r)
{
    if (!r->cold.samples) {
        json_parts_missing(json, "timing", "unavailable",
                           r->correctness.verified
                               ? "every sample was discarded: launches did not arrive in time"
                               : "the output was wrong: a wrong kernel is not timed");
        return;
    }
    json_writer_begin_object(json, "timing");
    write_timing(json, "cold", &r->cold);
    write_timing(json, "hot", &r->hot);
    json_writer_rounded(json, "floor_us", r->floor_us);
    /* Below twice the empty kernel's time what is measured is mostly the launch. */
    json_writer_bool(json, "near_floor", r->cold.median_us < 2 * r->floor_us);
    json_writer_rounded(json, "tick_us", r->tick_us);
    json_writer_end(json);
}

static void write_samples(struct json_writer *json, const struct result *r)
{
    json_writer_begin_object(json, "samples");
    json_writer_bool(json, "kept", r->cold_series != NULL);
    if (r->cold_series) {
        json_writer_uint(json, "cold", r->cold_series->count);
        json_writer_uint(json, "hot", r->hot_series->count);
    }
    json_writer_end(json);
}

static void write_host_timer(struct json_writer *json, const struct result *r)
{
    if (!r->host.samples) {
        json_parts_missing(json, "host_timer", "unavailable", "the kernel was not timed");
        return;
    }
    json_writer_begin_object(json, "host_timer");
    json_writer_uint(json, "samples", r->host.samples);
    json_writer_rounded(json, "first_us", r->host.first_us);
    json_writer_rounded(json, "median_us", r->host.median_us);
    json_writer_rounded(json, "min_us", r->host.min_us);
    json_writer_string(
        json, "note",
        "the host's clock before a launch and after the device is done: it holds what the driver and the "
        "host "
        "take, and from the second launch on the caches are warm; bandwidths are made of `timing`");
    json_writer_end(json);
}

/* ---- the rest ---- */

static void write_first_mismatch(struct json_writer *json, const struct correctness *c)
{
    if (!c->has_first) {
        json_writer_null(json, "first_mismatch");
        return;
    }
    json_writer_begin_object(json, "first_mismatch");
    json_writer_string(json, "buffer", c->first.buffer);
    json_writer_int(json, "index", (int64_t)c->first.index);
    json_writer_bool(json, "outside", c->first.guard);
    if (c->first.untouched)
        json_writer_string(json, "expected", "untouched");
    else
        json_writer_rounded(json, "expected", c->first.expected);
    json_writer_rounded(json, "found", c->first.guard ? NAN : c->first.found);
    json_writer_end(json);
}

static void write_correctness(struct json_writer *json, const struct correctness *c)
{
    if (!c->checked) {
        json_parts_missing(json, "correctness", "unavailable", "the output was not checked");
        return;
    }
    json_writer_begin_object(json, "correctness");
    json_writer_bool(json, "verified", c->verified);
    json_writer_uint(json, "elements_checked", c->elements_checked);
    json_writer_uint(json, "mismatches", c->mismatches);
    json_writer_rounded(json, "max_abs_error", c->max_abs_error);
    write_first_mismatch(json, c);
    json_writer_end(json);
}

static void write_transfer(struct json_writer *json, const char *key, const struct transfer *t)
{
    json_writer_begin_object(json, key);
    json_writer_uint(json, "samples", t->samples);
    json_writer_uint(json, "bytes", t->bytes);
    json_writer_rounded(json, "median_us", t->median_us);
    json_writer_rounded(json, "min_us", t->min_us);
    json_writer_rounded(json, "gbps", result_json_gbps((double)t->bytes, t->median_us));
    json_writer_end(json);
}

static void write_transfers(struct json_writer *json, const struct experiment *e, const struct result *r)
{
    if (e->transfers == TRANSFERS_NONE) {
        json_parts_missing(json, "transfers", "not_requested",
                           "\"transfers\": \"pageable\" or \"pinned\" asks for them");
        return;
    }
    if (!r->to_device.samples) {
        json_parts_missing(json, "transfers", "unavailable",
                           r->cold.samples ? "the device's memory is the host's: nothing is transferred"
                                           : "the kernel was not timed");
        return;
    }
    json_writer_begin_object(json, "transfers");
    json_writer_string(json, "memory", transfers_name(e->transfers));
    write_transfer(json, "h2d", &r->to_device);
    write_transfer(json, "d2h", &r->to_host);
    json_writer_end(json);
}

/* The occupancy on the device itself, or on the architecture that stands in for a CPU, whose registers are those of
   the code known for it. Returns the theoretical one; NAN: not known. */
static double write_occupancy(struct json_writer *json, const struct experiment *e, const struct result *r)
{
    bool known = arch_find(r->device.arch) != NULL;
    struct occupancy_case question = occupancy_json_case(e, known ? r->device.arch : PREDICTION_STAND_IN);
    if (r->launch.registers_per_thread >= 0)
        question.registers_per_thread = r->launch.registers_per_thread;
    question.shared_bytes_per_block = r->launch.shared_bytes_per_block;
    question.grid_blocks = (uint64_t)e->grid[0] * (uint64_t)e->grid[1] * (uint64_t)e->grid[2];
    question.sms = known ? r->device.multiprocessors : 0;
    if (!e->kernel->copied)
        return occupancy_json_write(json, "occupancy", &question);
    json_parts_missing(json, "occupancy", "unavailable", "a copy engine does it: no blocks are launched");
    return NAN;
}

/* What the link carried, each byte once. */
static void write_peer(struct json_writer *json, const struct experiment *e, const struct result *r)
{
    struct domain domain = experiment_domain(e);
    double bytes = (double)r->load_bytes;
    json_writer_begin_object(json, "peer");
    json_writer_string(json, "uuid", e->peer_uuid);
    json_writer_bool(json, "access", e->kernel->peer_access(&domain));
    json_writer_uint(json, "bytes", r->load_bytes);
    json_writer_rounded(json, "cold_gbps", result_json_gbps(bytes, r->cold.median_us));
    json_writer_rounded(json, "hot_gbps", result_json_gbps(bytes, r->hot.median_us));
    json_writer_end(json);
}

static void write_origin(struct json_writer *json, const struct experiment *e, const struct result *r)
{
    json_writer_begin_object(json, "execution");
    json_writer_int(json, "began_monotonic_ns", r->began_ns);
    json_writer_int(json, "ended_monotonic_ns", r->ended_ns);
    json_writer_end(json);
    json_writer_begin_object(json, "provenance");
    json_writer_string(json, "version", COALESCED_VERSION);
    json_writer_string(json, "commit", coalesced_commit);
    json_writer_string(json, "kernel_sha256", e->kernel->sha256);
    json_writer_end(json);
    if (!r->placed.name[0])
        return;
    json_writer_begin_object(json, "placement");
    json_writer_string(json, "name", r->placed.name);
    json_writer_bool(json, "new", r->placed.fresh);
    json_writer_end(json);
}

void result_json_write(struct json_writer *json, const char *key, const struct experiment *e,
                       const struct result *r)
{
    struct access access;
    struct prediction_answer prediction;
    access_count(e, &access);
    prediction_json_of_device(&prediction, e, &access, r->device.arch);
    json_writer_begin_object(json, key);
    write_device(json, e, &r->device);
    write_launch(json, e, &r->launch);
    write_timings(json, r);
    result_json_bandwidth(json, "bandwidth", e, r, &prediction);
    result_json_compute(json, "compute", r);
    write_correctness(json, &r->correctness);
    result_json_stability(json, "stability", e, r);
    counters_json_write(json, "counters", e, r, &prediction);
    write_transfers(json, e, r);
    double theoretical = write_occupancy(json, e, r);
    prediction_json_write(json, "prediction", &prediction);
    time_json_of_result(json, "time", e, &access, r,
                        r->calibration ? r->calibration : calibration_find(r->device.name), theoretical);
    write_origin(json, e, r);
    if (e->measure.host_timer)
        write_host_timer(json, r);
    if (e->kernel->peer)
        write_peer(json, e, r);
    write_samples(json, r);
    json_writer_end(json);
}

bool result_json_has_member(const char *name)
{
    static const char *const members[] = {
        "device",      "launch",    "timing",    "bandwidth", "compute",    "correctness",
        "stability",   "counters",  "transfers", "occupancy", "prediction", "execution",
        "provenance",  "placement", "samples",   "peer",      "time",       "host_timer",
        "interpreter", "outputs",   "faults",    "notes"};
    return words_find(name, WORDS_TABLE(members)) >= 0;
}

char *result_json_text(const struct experiment *experiment, const struct result *result)
{
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    result_json_write(&json, NULL, experiment, result);
    return buffer_take(&text);
}

/* What is predicted of a source: occupancy, prediction and time, as of a kernel of the suite. */
static void write_predicted(struct json_writer *json, const struct experiment *e, const struct result *r,
                            const struct source_prediction *made)
{
    struct prediction_answer answer;
    const struct experiment own = source_predictions_experiment(e, made);
    const struct access access = source_predictions_access(made, PREDICTION_STAND_IN);
    struct occupancy_case question = occupancy_json_case(&own, PREDICTION_STAND_IN);
    source_predictions_occupancy(&question, &own, made);
    question.grid_blocks = (uint64_t)e->grid[0] * (uint64_t)e->grid[1] * (uint64_t)e->grid[2];
    double theoretical = occupancy_json_write(json, "occupancy", &question);
    prediction_json_of_device(&answer, &own, &access, r->device.arch);
    source_predictions_code(&answer, made);
    prediction_json_open(json, "prediction", &answer);
    source_predictions_write_code(json, made, &answer);
    json_writer_end(json);
    time_json_of_result(json, "time", &own, &access, r, calibration_find(r->device.name), theoretical);
}

static void write_unpredicted(struct json_writer *json, const char *why)
{
    struct prediction_answer answer = {.arch = PREDICTION_STAND_IN};
    snprintf(answer.reason, sizeof answer.reason, "%s", why);
    prediction_json_write(json, "prediction", &answer);
}

char *result_json_interpreted(const struct experiment *experiment, const struct result *result,
                              const struct json_t *members, const struct source_prediction *made,
                              const char *why)
{
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    const char *name;
    json_t *value;
    json_writer_begin_object(&json, NULL);
    write_device(&json, experiment, &result->device);
    write_launch(&json, experiment, &result->launch);
    json_parts_missing(&json, "timing", "not_applicable",
                       "the PTX was interpreted: how long that takes says nothing about a GPU");
    json_parts_missing(&json, "bandwidth", "not_applicable", "there is no timing");
    json_parts_missing(&json, "counters", "unavailable", "the PTX was interpreted: no hardware counted");
    json_writer_begin_object(&json, "stability");
    json_writer_bool(&json, "stable", false);
    json_writer_begin_array(&json, "reasons");
    json_writer_string(&json, NULL, "there is no timing");
    json_writer_end(&json);
    json_writer_end(&json);
    json_object_foreach ((json_t *)members, name, value)
        json_parts_tree(&json, name, value);
    if (made)
        write_predicted(&json, experiment, result, made);
    else
        write_unpredicted(&json, why);
    write_origin(&json, experiment, result);
    write_samples(&json, result);
    json_writer_end(&json);
    return buffer_take(&text);
}
