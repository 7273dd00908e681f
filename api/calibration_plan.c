/* Turns the embedded plan into sweeps that fit a device, and results into rows of the fit. */
#include "api/calibration_plan.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "kernels/kernel.h"

extern const char calibration_plan_json[]; /* embedded */

/* Sizes are whole steps, so that no block is odd by accident; an array takes no more than that part of the
   memory. */
enum { STEP = 64 << 10, SIDE_STEP = 256, MEMORY_PART = 16, RESERVED_SHARED = 1 << 10 };
static const double samples_s = 0.3;

/* ---- an entry ---- */

enum scaled { SCALED_L2, SCALED_WAVES, SCALED_BLOCKS_PER_SM, SCALED };
static const char *const scaled_names[SCALED] = {"l2", "waves", "blocks_per_sm"};

/* Elements of an array of so many bytes, as the kernel's size; new reference. */
static json_t *size_of(const struct kernel *kernel, enum dtype dtype, double bytes,
                       const struct device_facts *facts)
{
    double most = (double)facts->memory_bytes / MEMORY_PART;
    double elements = (bytes < most ? bytes : most) / (double)dtype_bytes(dtype);
    if (kernel->dims == 1)
        return json_integer((json_int_t)fmax(STEP, round(elements / STEP) * STEP));
    json_int_t side = (json_int_t)fmax(SIDE_STEP, round(sqrt(elements) / SIDE_STEP) * SIDE_STEP);
    return json_pack("[I,I]", side, side);
}

/* The value of a field that follows the device; new reference. */
static json_t *scaled_value(enum scaled scaled, double amount, const struct kernel *kernel, enum dtype dtype,
                            const struct device_facts *facts)
{
    if (scaled == SCALED_L2)
        return size_of(kernel, dtype, amount * (double)facts->l2_bytes, facts);
    if (scaled == SCALED_WAVES) /* a thread has one element */
        return json_integer(
            (json_int_t)(amount * facts->multiprocessors * facts->max_threads_per_multiprocessor));
    /* Leaves half a block free for the shared memory of the kernel itself. */
    double most = (double)facts->shared_bytes_per_block_optin;
    double bytes = (double)facts->shared_bytes_per_multiprocessor / (amount + 0.5) - RESERVED_SHARED;
    return json_integer((json_int_t)fmax(0, fmin(bytes, most > 0 ? most : bytes)));
}

/* The first of an axis, or the value itself. */
static const char *first_text(const json_t *value)
{
    return json_string_value(json_is_array(value) ? json_array_get(value, 0) : value);
}

/* Sets a field that follows the device, an axis of it where the plan has a list. */
static void field_scale(json_t *object, enum scaled scaled, const json_t *amounts,
                        const struct device_facts *facts)
{
    const char *name = first_text(json_object_get(object, "kernel"));
    const char *type = first_text(json_object_get(object, "dtype"));
    const struct kernel *kernel = name ? suite_find(name) : NULL;
    size_t i;
    const json_t *amount;
    if (!amounts || !kernel)
        return;
    enum dtype dtype = type && dtype_of(type) >= 0 ? (enum dtype)dtype_of(type) : kernel->dtype;
    json_t *values = json_array();
    json_array_foreach (amounts, i, amount)
        json_array_append_new(values, scaled_value(scaled, json_number_value(amount), kernel, dtype, facts));
    if (!json_is_array(amounts))
        json_array_append_new(values, scaled_value(scaled, json_number_value(amounts), kernel, dtype, facts));
    json_object_set_new(object, scaled == SCALED_BLOCKS_PER_SM ? "shared_bytes" : "size", values);
}

/* A sweep's object for that device: a tree, which sweep_expand() takes as it takes a request. New
   reference. */
static json_t *entry_make(const json_t *entry, const struct device_offer *device)
{
    json_t *object = json_deep_copy(json_object_get(entry, "sweep"));
    for (int i = 0; i < SCALED; i++)
        field_scale(object, (enum scaled)i, json_object_get(entry, scaled_names[i]), device->facts);
    json_object_set_new(object, "device", json_integer(device->number));
    json_object_set_new(object, "priority", json_integer(-EXPERIMENT_PRIORITY_MAX));
    json_object_set_new(object, "measure", json_pack("{s:f}", "max_seconds", samples_s));
    json_object_set_new(object, "labels", json_pack("{s:O}", "calibration", json_object_get(entry, "for")));
    return object;
}

/* ---- all of them ---- */

static bool plan_grow(struct calibration_plan *plan, const struct sweep *part)
{
    struct sweep *whole = &plan->sweep;
    size_t points = (size_t)whole->point_count + (size_t)part->point_count,
           experiments = (size_t)whole->experiment_count + (size_t)part->experiment_count;
    void *grown = realloc(whole->points, (points + 1) * sizeof *whole->points);
    whole->points = grown ? grown : whole->points;
    bool ok = grown && (grown = realloc(whole->experiments, (experiments + 1) * sizeof *whole->experiments));
    whole->experiments = ok ? grown : whole->experiments;
    ok = ok && (grown = realloc(plan->parts, (size_t)(plan->count + 1) * sizeof *plan->parts));
    plan->parts = ok ? grown : plan->parts;
    return ok;
}

/* Takes the part over. Points that cannot be launched are left out: a device that lacks a type or so much
   shared memory is calibrated by the others. 0; or -1: no memory. */
static int plan_join(struct calibration_plan *plan, struct sweep *part)
{
    struct sweep *whole = &plan->sweep;
    if (!plan_grow(plan, part)) {
        sweep_free(part);
        return -1;
    }
    for (int i = 0; i < part->point_count; i++)
        if (part->points[i].experiment >= 0) {
            whole->points[whole->point_count] = part->points[i];
            whole->points[whole->point_count++].experiment += whole->experiment_count;
        }
    memcpy(whole->experiments + whole->experiment_count, part->experiments,
           (size_t)part->experiment_count * sizeof *part->experiments);
    whole->experiment_count += part->experiment_count;
    plan->parts[plan->count++] = *part;
    return 0;
}

/* 0; or -1: no memory. An entry that this build or the device can do nothing with is left out. */
static int entry_add(struct calibration_plan *plan, const json_t *entry, const struct device_offer *device)
{
    struct device_offers offers = {device, 1};
    struct problems problems = {0};
    struct sweep part;
    json_t *object = entry_make(entry, device);
    int status = object ? sweep_expand(&part, object, NULL, &offers, &problems) : -1;
    json_decref(object);
    if (status == 0)
        return plan_join(plan, &part);
    return problems.count ? 0 : -1;
}

char *calibration_plan_request(int device, const struct device_facts *facts, const char *build)
{
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "recipe", CALIBRATION_RECIPE);
    json_writer_int(&json, "device", device);
    json_writer_begin_object(&json, "labels");
    json_writer_string(&json, "uuid", facts->uuid);
    json_writer_string(&json, "driver", facts->driver);
    json_writer_string(&json, "build", build);
    json_writer_end(&json);
    json_writer_end(&json);
    return buffer_take(&text);
}

int calibration_plan_make(struct calibration_plan *plan, const struct device_offer *device, const char *build,
                          struct error *error)
{
    size_t i;
    const json_t *entry;
    json_t *entries = json_loads(calibration_plan_json, 0, NULL);
    *plan = (struct calibration_plan){.sweep = {.rounds = 1, .unknown_device = -1}};
    plan->request = calibration_plan_request(device->number, device->facts, build);
    int status = entries && plan->request ? 0 : -1;
    json_array_foreach (entries, i, entry)
        status = status == 0 ? entry_add(plan, entry, device) : status;
    json_decref(entries);
    if (status < 0)
        error_set(error, ERROR_MEMORY, "no memory for the experiments of a calibration");
    else if (plan->sweep.experiment_count < FIT_ROWS_LEAST)
        status = error_set(error, ERROR_INVALID, "%s can run %d experiments of the calibration, it takes %d",
                           device->facts->name, plan->sweep.experiment_count, FIT_ROWS_LEAST);
    if (status < 0)
        calibration_plan_free(plan);
    return status;
}

void calibration_plan_free(struct calibration_plan *plan)
{
    for (int i = 0; i < plan->count; i++)
        sweep_free(&plan->parts[i]);
    free(plan->parts);
    free(plan->sweep.points);
    free(plan->sweep.experiments);
    free(plan->request);
    *plan = (struct calibration_plan){0};
}

/* ---- what came of them ---- */

static double number_at(const json_t *object, const char *part, const char *name, double missing)
{
    const json_t *value = json_object_get(json_object_get(object, part), name);
    return json_is_number(value) ? json_number_value(value) : missing;
}

static bool is_latency(const json_t *request)
{
    const char *what = json_string_value(json_object_get(json_object_get(request, "labels"), "calibration"));
    return what && strcmp(what, calibration_about(CALIBRATION_DRAM_LATENCY)->name) == 0;
}

static int row_read(struct fit_row *row, const json_t *request, const json_t *result)
{
    struct problems problems = {0};
    const json_t *timing = json_object_get(result, "timing");
    if (experiment_json_read(&row->experiment, request, &problems) < 0 ||
        experiment_check(&row->experiment, NULL, &problems) < 0)
        return -1;
    access_count(&row->experiment, &row->access);
    row->cold_us = number_at(timing, "cold", "median_us", 0);
    row->hot_us = number_at(timing, "hot", "median_us", 0);
    row->floor_us = number_at(result, "timing", "floor_us", 0);
    row->registers = (int)number_at(result, "launch", "registers_per_thread", -1);
    row->shared_bytes = (int64_t)number_at(result, "launch", "shared_bytes_per_block", -1);
    row->latency = is_latency(request);
    return row->cold_us > 0 && row->floor_us > 0 ? 0 : -1;
}

int calibration_plan_row(struct fit_row *row, const char *request, const char *result)
{
    json_t *asked = json_loads(request, 0, NULL), *answer = json_loads(result, 0, NULL);
    int status = asked && answer ? row_read(row, asked, answer) : -1;
    json_decref(asked);
    json_decref(answer);
    return status;
}
