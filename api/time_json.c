#include "api/time_json.h"

#include <math.h>
#include <stdio.h>

#include "api/json.h"
#include "api/time_check.h"
#include "base/clock.h"
#include "kernels/time/counted.h"
#include "kernels/time/reasons.h"
#include "kernels/time/predicted_time.h"
#include "kernels/time/what_if.h"

/* Counts whole, all else to seven digits. */
static json_t *amount_to_json(double value)
{
    bool whole = fabs(value) < 9e15 && value == floor(value);
    return whole ? json_integer((json_int_t)value) : number_to_json(value);
}

static json_t *texts_to_json(const struct reasons *reasons)
{
    return json_pack("{s:s,s:s}", "en", reasons->en, "zh", reasons->zh);
}

static json_t *bounds_to_json(const struct time_prediction *time)
{
    json_t *bounds = json_array();
    for (int i = 0; i < TIME_BOUNDS; i++) {
        const struct time_amount *bound = &time->bound[i];
        json_array_append_new(bounds, json_pack("{s:s,s:o,s:s,s:o,s:o,s:o}", "name",
                                                predicted_time_bound_name((enum time_bound)i), "amount",
                                                amount_to_json(bound->amount), "unit", bound->unit, "ceiling",
                                                number_to_json(bound->ceiling > 0 ? bound->ceiling : NAN),
                                                "ceiling_unit", json_sprintf("%s/us", bound->unit), "us",
                                                number_to_json(bound->us)));
    }
    return bounds;
}

/* Whose constants: "shipped", or when the device's own were made. */
static json_t *calibration_to_json(const struct calibration *calibration)
{
    char made[CLOCK_TEXT_BYTES];
    if (!calibration->made_ms)
        return json_string("shipped");
    clock_text(calibration->made_ms, made);
    return json_string(made);
}

static json_t *members_to_json(const struct time_prediction *time)
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
    json_t *object = json_pack("{s:s,s:o,s:s}", "device_name", time->calibration->name, "calibration",
                               calibration_to_json(time->calibration), "code_arch", time->code_arch);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set_new(object, members[i].name, amount_to_json(members[i].value));
    json_object_set_new(object, "limiter", json_string(predicted_time_bound_name(time->limiter)));
    json_object_set_new(object, "close_second",
                        time->close ? json_string(predicted_time_bound_name(time->second)) : json_null());
    json_object_set_new(object, "bounds", bounds_to_json(time));
    return object;
}

static json_t *change_to_json(const struct what_if *change, const struct what_if_case *asked)
{
    char from[TIME_CHECK_VALUE_BYTES], to[TIME_CHECK_VALUE_BYTES];
    struct reasons reasons;
    time_check_text(change, asked->experiment, from);
    time_check_text(change, &change->experiment, to);
    reasons_change(change->field, from, to, asked->now, &change->time, &reasons);
    return json_pack("{s:{s:o},s:o,s:o,s:o}", "change", change->field,
                     time_check_value(change, &change->experiment), "predicted_us",
                     number_to_json(change->time.us), "ratio",
                     number_to_json(change->time.us / asked->now->us), "text", texts_to_json(&reasons));
}

static void add_changes(json_t *object, const struct what_if_case *asked, int64_t device)
{
    struct what_if found[WHAT_IF_MOST];
    int count = what_if_find(asked, found);
    json_t *changes = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(changes, change_to_json(&found[i], asked));
    json_object_set_new(object, "what_if", changes);
    if (count)
        json_object_set_new(object, "check",
                            time_check_sweep(&found[0], asked->experiment, asked->now->calibration, device));
}

/* Predicts, too. */
static json_t *time_made(const struct experiment *experiment, const struct access *access,
                         const struct time_question *question, struct time_prediction *time)
{
    struct reasons reasons;
    predicted_time_predict(experiment, access, question->calibration, question->registers,
                           question->shared_bytes, time);
    reasons_make(time, &reasons);
    if (time->why_not.en)
        return json_pack("{s:s,s:s,s:s,s:o}", "status", "unavailable", "reason", time->why_not.en,
                         "device_name", question->calibration->name, "explanation", texts_to_json(&reasons));
    json_t *object = members_to_json(time);
    struct what_if_case asked = {experiment, access, time, question->registers, question->shared_bytes};
    json_object_set_new(object, "explanation", texts_to_json(&reasons));
    if (question->what_if)
        add_changes(object, &asked, question->device);
    return object;
}

json_t *time_to_json(const struct experiment *experiment, const struct access *access,
                     const struct time_question *question)
{
    struct time_prediction time;
    return time_made(experiment, access, question, &time);
}

static json_t *percent_to_json(double part)
{
    return number_to_json(100 * part);
}

static json_t *counted_to_json(const struct counters *counters, const struct time_prediction *time,
                               double theoretical)
{
    struct counted_limiter counted;
    struct reasons reasons;
    counted_find(counters, theoretical, time, &counted);
    reasons_counted(&counted, &reasons);
    bool told =
        counted.answer == COUNTED_UNIT || counted.answer == COUNTED_STARTS || counted.answer == COUNTED_WAITS;
    return json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "limiter",
        told ? json_string(predicted_time_bound_name(counted.limiter)) : json_null(), "agrees",
        counted.agreement == COUNTED_UNDECIDED ? json_null()
                                               : json_boolean(counted.agreement == COUNTED_AGREES),
        "launch_pct", percent_to_json(counted.share[TIME_LAUNCH]), "dram_pct",
        percent_to_json(counted.share[TIME_DRAM]), "issue_pct", percent_to_json(counted.share[TIME_ISSUE]),
        "l2_pct", percent_to_json(counted.share[TIME_L2]), "l1_pct", percent_to_json(counted.share[TIME_L1]),
        "occupancy_pct", percent_to_json(counted.occupancy), "why", texts_to_json(&reasons));
}

json_t *time_of_result(const struct experiment *experiment, const struct access *access,
                       const struct result *result, const struct calibration *calibration, double theoretical)
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
        char reason[256];
        struct reasons reasons;
        snprintf(reason, sizeof reason, "the constants that times are made of are not known for %s",
                 result->device.name);
        reasons_no_constants(result->device.name, &reasons);
        return json_pack("{s:s,s:s,s:o}", "status", "unavailable", "reason", reason, "explanation",
                         texts_to_json(&reasons));
    }
    json_t *object = time_made(experiment, access, &question, &time);
    double us = result->cold.median_us;
    if (!time.why_not.en && result->cold.samples) {
        json_object_set_new(object, "measured_us", number_to_json(us));
        json_object_set_new(object, "error_pct", number_to_json(100 * (time.us - us) / us));
    }
    if (!time.why_not.en && result->counters.status == COUNTERS_MEASURED)
        json_object_set_new(object, "counted", counted_to_json(&result->counters, &time, theoretical));
    return object;
}
