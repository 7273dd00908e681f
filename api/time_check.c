#include "api/time_check.h"

#include <stdio.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/json.h"

/* A number where the kernel has one dimension. */
static json_t *shape_or_number(const int64_t shape[3], int dims)
{
    return dims == 1 ? json_integer(shape[0]) : shape_to_json(shape);
}

json_t *time_check_value(const struct what_if *change, const struct experiment *e)
{
    if (change->param >= 0)
        return param_value_to_json(&e->kernel->params[change->param], e->param[change->param]);
    if (strcmp(change->field, "block") == 0)
        return shape_or_number(e->block, e->kernel->block_dims);
    if (strcmp(change->field, "grid") == 0)
        return shape_or_number(e->grid, e->kernel->grid_dims);
    return json_integer(e->shared_bytes);
}

void time_check_text(const struct what_if *change, const struct experiment *e,
                     char text[TIME_CHECK_VALUE_BYTES])
{
    json_t *value = time_check_value(change, e);
    const int64_t *shape = strcmp(change->field, "block") == 0 ? e->block : e->grid;
    if (json_is_string(value))
        snprintf(text, TIME_CHECK_VALUE_BYTES, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, TIME_CHECK_VALUE_BYTES, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, TIME_CHECK_VALUE_BYTES, shape[2] > 1 ? "%lldx%lldx%lld" : "%lldx%lld",
                 (long long)shape[0], (long long)shape[1], (long long)shape[2]);
    json_decref(value);
}

/* In a sweep a list of shapes is an axis, and a list of numbers one of numbers. */
static json_t *axis_or_number(json_t *value)
{
    return json_is_array(value) ? json_pack("[o]", value) : value;
}

json_t *time_check_sweep(const struct what_if *change, const struct experiment *now,
                         const struct calibration *calibration, int64_t device)
{
    const struct kernel *kernel = now->kernel;
    json_t *sweep = json_pack("{s:s,s:s}", "kernel", kernel->name, "dtype", dtype_name(now->dtype));
    json_object_set_new(sweep, "size",
                        kernel->dims == 2
                            ? json_pack("[I,I]", (json_int_t)now->size[0], (json_int_t)now->size[1])
                            : json_integer(now->size[0]));
    json_object_set_new(sweep, "block", axis_or_number(shape_or_number(now->block, kernel->block_dims)));
    if (!what_if_grid_derived(now, calibration))
        json_object_set_new(sweep, "grid", axis_or_number(shape_or_number(now->grid, kernel->grid_dims)));
    for (int i = 0; i < kernel->param_count; i++)
        json_object_set_new(sweep, kernel->params[i].name,
                            param_value_to_json(&kernel->params[i], now->param[i]));
    if (now->shared_bytes)
        json_object_set_new(sweep, "shared_bytes", json_integer(now->shared_bytes));
    if (device >= 0)
        json_object_set_new(sweep, "device", json_integer(device));
    json_object_set_new(
        sweep, change->field,
        json_pack("[o,o]", time_check_value(change, now), time_check_value(change, &change->experiment)));
    return sweep;
}
