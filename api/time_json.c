/* Writes predicted times, the changes that would help, and the comparison with what was measured. */
#include "api/time_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/kernel_json.h"
#include "base/clock.h"
#include "kernels/time/counted.h"
#include "kernels/time/predicted_time.h"
#include "kernels/time/reasons.h"
#include "kernels/time/what_if.h"

static void write_texts(struct json_writer *json, const char *key, const char *en, const char *zh)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "en", en);
    json_writer_string(json, "zh", zh);
    json_writer_end(json);
}

static void write_unavailable(struct json_writer *json, const char *key, const char *reason,
                              const char *device_name, const struct reasons *reasons)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "status", "unavailable");
    json_writer_string(json, "reason", reason);
    if (device_name)
        json_writer_string(json, "device_name", device_name);
    write_texts(json, "explanation", reasons->en, reasons->zh);
    json_writer_end(json);
}

/* ---- a prediction ---- */

static void write_bound(struct json_writer *json, enum time_bound which, const struct time_amount *bound)
{
    char ceiling_unit[64];
    snprintf(ceiling_unit, sizeof ceiling_unit, "%s/us", bound->unit);
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", predicted_time_bound_name(which));
    json_writer_amount(json, "amount", bound->amount);
    json_writer_string(json, "unit", bound->unit);
    json_writer_rounded(json, "ceiling", bound->ceiling > 0 ? bound->ceiling : NAN);
    json_writer_string(json, "ceiling_unit", ceiling_unit);
    json_writer_rounded(json, "us", bound->us);
    json_writer_end(json);
}

static void write_members(struct json_writer *json, const struct time_prediction *time)
{
    const struct {
        const char *name;
        double value; /* NAN: null */
    } members[] = {
        {"predicted_us", time->us},
        {"floor_us", time->floor_us},
        {"ramp_us", time->ramp_us},
        {"dram_read_bytes", time->dram_read_bytes},
        {"dram_write_bytes", time->dram_write_bytes},
        {"dram_stays_us", time->dram_dirty_us},
        {"l1_hit_pct", time->l1_hit_pct < 0 ? NAN : time->l1_hit_pct},
        {"blocks_per_sm", time->blocks_per_sm},
        {"warps_per_sm", time->warps_per_sm},
        {"achieved_occupancy", time->achieved_occupancy},
        {"rounds", time->rounds},
        {"waits", time->waits},
        {"latency_ns", time->latency_ns},
        {"in_flight_bytes", time->in_flight_bytes},
        {"needed_bytes", time->needed_bytes > 0 ? time->needed_bytes : NAN},
    };
    char made[CLOCK_TEXT_BYTES] = "shipped"; /* whose constants: else when the device's own were made */
    if (time->calibration->made_ms)
        clock_text(time->calibration->made_ms, made);
    json_writer_string(json, "device_name", time->calibration->name);
    json_writer_string(json, "calibration", made);
    json_writer_string(json, "code_arch", time->code_arch);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_writer_amount(json, members[i].name, members[i].value);
    json_writer_string(json, "limiter", predicted_time_bound_name(time->limiter));
    json_writer_string(json, "close_second", time->close ? predicted_time_bound_name(time->second) : NULL);
    json_writer_begin_array(json, "bounds");
    for (int i = 0; i < TIME_BOUNDS; i++)
        write_bound(json, (enum time_bound)i, &time->bound[i]);
    json_writer_end(json);
}

/* ---- a change that would help, and the sweep that checks it ---- */

/* A number where the kernel has one dimension. */
static void write_shape(struct json_writer *json, const char *key, const int64_t shape[3], int dims)
{
    if (dims == 1)
        json_writer_int(json, key, shape[0]);
    else
        json_writer_ints(json, key, shape, 3);
}

/* What the changed field is in that experiment, as a request has it. */
static void write_value(struct json_writer *json, const char *key, const struct what_if *change,
                        const struct experiment *e)
{
    if (change->param >= 0)
        kernel_json_param(json, key, &e->kernel->params[change->param], e->param[change->param]);
    else if (strcmp(change->field, "block") == 0)
        write_shape(json, key, e->block, e->kernel->block_dims);
    else if (strcmp(change->field, "grid") == 0)
        write_shape(json, key, e->grid, e->kernel->grid_dims);
    else
        json_writer_int(json, key, e->shared_bytes);
}

enum { VALUE_BYTES = 64 };

/* The same for a sentence: "32x8", "256", "cg". */
static void value_text(const struct what_if *change, const struct experiment *e, char text[VALUE_BYTES])
{
    const bool block = strcmp(change->field, "block") == 0, grid = strcmp(change->field, "grid") == 0;
    const struct kernel_param *param = change->param >= 0 ? &e->kernel->params[change->param] : NULL;
    const int64_t *shape = block ? e->block : e->grid, number = param           ? e->param[change->param]
                                                                : block || grid ? shape[0]
                                                                                : e->shared_bytes;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a change is of an experiment, which has a kernel */
    int dims = param ? 1 : block ? e->kernel->block_dims : grid ? e->kernel->grid_dims : 1;
    if (param && param->type == PARAM_CHOICE)
        snprintf(text, VALUE_BYTES, "%s", param->choices[number]);
    else if (dims == 1)
        snprintf(text, VALUE_BYTES, "%lld", (long long)number);
    else
        snprintf(text, VALUE_BYTES, shape[2] > 1 ? "%lldx%lldx%lld" : "%lldx%lld", (long long)shape[0],
                 (long long)shape[1], (long long)shape[2]);
}

static void write_change(struct json_writer *json, const struct what_if *change,
                         const struct what_if_case *asked)
{
    char from[VALUE_BYTES], to[VALUE_BYTES];
    struct reasons reasons;
    value_text(change, asked->experiment, from);
    value_text(change, &change->experiment, to);
    reasons_change(change->field, from, to, asked->now, &change->time, &reasons);
    json_writer_begin_object(json, NULL);
    json_writer_begin_object(json, "change");
    write_value(json, change->field, change, &change->experiment);
    json_writer_end(json);
    json_writer_rounded(json, "predicted_us", change->time.us);
    json_writer_rounded(json, "ratio", change->time.us / asked->now->us);
    write_texts(json, "text", reasons.en, reasons.zh);
    json_writer_end(json);
}

/* The axis of the sweep that checks a change: the value now, and the changed one. */
static void write_axis(struct json_writer *json, const struct what_if *change, const struct experiment *now)
{
    json_writer_begin_array(json, change->field);
    write_value(json, NULL, change, now);
    write_value(json, NULL, change, &change->experiment);
    json_writer_end(json);
}

/* A shape that does not change. In a sweep a list of shapes is an axis. */
static void write_fixed_shape(struct json_writer *json, const char *key, const int64_t shape[3], int dims)
{
    if (dims > 1)
        json_writer_begin_array(json, key);
    write_shape(json, dims > 1 ? NULL : key, shape, dims);
    if (dims > 1)
        json_writer_end(json);
}

/* A body for POST /v1/sweeps: the request, and the request with the change. */
static void write_check(struct json_writer *json, const struct what_if *change, const struct experiment *now,
                        const struct calibration *calibration, int64_t device)
{
    const struct kernel *kernel = now->kernel;
    const char *changed = change->param < 0 ? change->field : "";
    const bool of_block = strcmp(changed, "block") == 0, of_grid = strcmp(changed, "grid") == 0,
               of_shared = changed[0] && !of_block && !of_grid,
               has_grid = !what_if_grid_derived(now, calibration);
    json_writer_begin_object(json, "check");
    json_writer_string(json, "kernel", kernel->name);
    kernel_json_domain(json, kernel, now->dtype, now->size);
    if (of_block)
        write_axis(json, change, now);
    else
        write_fixed_shape(json, "block", now->block, kernel->block_dims);
    if (of_grid && has_grid)
        write_axis(json, change, now);
    else if (has_grid)
        write_fixed_shape(json, "grid", now->grid, kernel->grid_dims);
    for (int i = 0; i < kernel->param_count; i++)
        if (i == change->param)
            write_axis(json, change, now);
        else
            kernel_json_param(json, kernel->params[i].name, &kernel->params[i], now->param[i]);
    if (of_shared && now->shared_bytes)
        write_axis(json, change, now);
    else if (now->shared_bytes)
        json_writer_int(json, "shared_bytes", now->shared_bytes);
    if (device >= 0)
        json_writer_int(json, "device", device);
    if ((of_grid && !has_grid) || (of_shared && !now->shared_bytes))
        write_axis(json, change, now);
    json_writer_end(json);
}

static void write_changes(struct json_writer *json, const struct what_if_case *asked, int64_t device)
{
    struct what_if found[WHAT_IF_MOST];
    int count = what_if_find(asked, found);
    json_writer_begin_array(json, "what_if");
    for (int i = 0; i < count; i++)
        write_change(json, &found[i], asked);
    json_writer_end(json);
    if (count)
        write_check(json, &found[0], asked->experiment, asked->now->calibration, device);
}

/* Predicts into *time. Leaves the object open, unless the model does not apply: then time->why_not.en is
   set. */
static void open_time(struct json_writer *json, const char *key, const struct experiment *experiment,
                      const struct access *access, const struct time_question *question,
                      struct time_prediction *time)
{
    struct reasons reasons;
    predicted_time_predict(experiment, access, question->calibration, question->registers,
                           question->shared_bytes, time);
    reasons_make(time, &reasons);
    if (time->why_not.en) {
        write_unavailable(json, key, time->why_not.en, question->calibration->name, &reasons);
        return;
    }
    struct what_if_case asked = {experiment, access, time, question->registers, question->shared_bytes};
    json_writer_begin_object(json, key);
    write_members(json, time);
    write_texts(json, "explanation", reasons.en, reasons.zh);
    if (question->note.en)
        write_texts(json, "note", question->note.en, question->note.zh);
    if (question->what_if)
        write_changes(json, &asked, question->device);
}

void time_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                     const struct access *access, const struct time_question *question)
{
    struct time_prediction time;
    open_time(json, key, experiment, access, question, &time);
    if (!time.why_not.en)
        json_writer_end(json);
}

/* ---- of a result ---- */

static void write_counted(struct json_writer *json, const struct counters *counters,
                          const struct time_prediction *time, double theoretical)
{
    struct counted_limiter counted;
    struct reasons reasons;
    counted_find(counters, theoretical, time, &counted);
    reasons_counted(&counted, &reasons);
    bool known =
        counted.answer == COUNTED_UNIT || counted.answer == COUNTED_STARTS || counted.answer == COUNTED_WAITS;
    json_writer_begin_object(json, "counted");
    json_writer_string(json, "limiter", known ? predicted_time_bound_name(counted.limiter) : NULL);
    json_writer_known_bool(json, "agrees", counted.agreement != COUNTED_UNDECIDED,
                           counted.agreement == COUNTED_AGREES);
    json_writer_rounded(json, "launch_pct", 100 * counted.share[TIME_LAUNCH]);
    json_writer_rounded(json, "dram_pct", 100 * counted.share[TIME_DRAM]);
    json_writer_rounded(json, "issue_pct", 100 * counted.share[TIME_ISSUE]);
    json_writer_rounded(json, "l2_pct", 100 * counted.share[TIME_L2]);
    json_writer_rounded(json, "l1_pct", 100 * counted.share[TIME_L1]);
    json_writer_rounded(json, "occupancy_pct", 100 * counted.occupancy);
    write_texts(json, "why", reasons.en, reasons.zh);
    json_writer_end(json);
}

static void write_unknown_device(struct json_writer *json, const char *key, const char *name)
{
    char reason[256];
    struct reasons reasons;
    snprintf(reason, sizeof reason, "the constants that times are made of are not known for %s", name);
    reasons_no_constants(name, &reasons);
    write_unavailable(json, key, reason, NULL, &reasons);
}

void time_json_of_result(struct json_writer *json, const char *key, const struct experiment *experiment,
                         const struct access *access, const struct result *result,
                         const struct calibration *calibration, double theoretical)
{
    struct time_prediction time;
    bool known = result->launch.registers_per_thread >= 0;
    struct time_question question = {
        .calibration = calibration,
        .registers = result->launch.registers_per_thread,
        .shared_bytes = known ? (int64_t)result->launch.shared_bytes_per_block : -1,
        .what_if = access->exact,
        .device = experiment->device.number,
    };
    if (!calibration) {
        write_unknown_device(json, key, result->device.name);
        return;
    }
    open_time(json, key, experiment, access, &question, &time);
    if (time.why_not.en)
        return;
    double us = result->cold.median_us;
    if (result->cold.samples) {
        json_writer_rounded(json, "measured_us", us);
        json_writer_rounded(json, "error_pct", 100 * (time.us - us) / us);
    }
    if (result->counters.status == COUNTERS_MEASURED)
        write_counted(json, &result->counters, &time, theoretical);
    json_writer_end(json);
}
