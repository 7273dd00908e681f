/* Finds the axes of a request, and walks the product of their values. */
#include "api/sweep_axes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/experiment_request.h"
#include "api/problem.h"
#include "api/range.h"
#include "base/words.h"

/* Whose lists are no axes, or who take none: what they are is for experiment_request_read() to say. */
static const char *const never[] = {"labels", "counters", "measure", "debug", "show", "reference"};

static bool is_never_axis(const char *name)
{
    return words_find(name, WORDS_TABLE(never)) >= 0;
}

bool sweep_axes_is_axis(const char *name, const json_t *value)
{
    return (json_is_array(value) || range_is(json_string_value(value))) && !is_never_axis(name);
}

static bool is_pair(const char *name, const json_t *values)
{
    return strcmp(name, "size") == 0 && json_array_size(values) == 2 &&
           json_is_integer(json_array_get(values, 0)) && json_is_integer(json_array_get(values, 1));
}

/* ---- kernels ---- */

static size_t kernel_count(const struct sweep_axes *axes)
{
    return json_is_array(axes->kernel) ? json_array_size(axes->kernel) : 1;
}

/* NULL: it is none. */
static const struct kernel *kernel_at(const struct sweep_axes *axes, size_t index)
{
    const json_t *name = json_is_array(axes->kernel) ? json_array_get(axes->kernel, index) : axes->kernel;
    return json_is_string(name) ? request_kernels_find(axes->kernels, json_string_value(name)) : NULL;
}

static bool is_flat(const struct kernel *kernel)
{
    return !kernel || kernel->dims < 2;
}

/* ---- ranges ---- */

static bool kernel_reads(const struct sweep_axes *axes, const struct kernel *kernel, const char *name,
                         json_t *value, struct problems *why)
{
    struct experiment_request asked;
    json_t *field = json_pack("{s:s,s:O}", "kernel", kernel->name, name, value);
    why->count = 0;
    bool reads = field && experiment_request_read(&asked, field, axes->kernels, why) == 0;
    json_decref(field);
    return reads;
}

/* Of distinct ones. */
static int kernels_most(const struct sweep_axes *axes)
{
    return suite_count() + (axes->kernels ? axes->kernels->count : 0);
}

/* Has one of the kernels a number there? Where none has, a text with dots is as wrong as any other one. */
static bool is_number(const struct sweep_axes *axes, const char *name)
{
    struct problems why;
    bool number = false;
    json_t *one = json_integer(1);
    for (size_t i = 0; one && !number && i < kernel_count(axes) && i < (size_t)kernels_most(axes); i++)
        number = kernel_at(axes, i) && kernel_reads(axes, kernel_at(axes, i), name, one, &why);
    json_decref(one);
    return number;
}

static bool holds_range(const json_t *value)
{
    size_t i;
    const json_t *item;
    json_array_foreach (value, i, item)
        if (range_is(json_string_value(item)))
            return true;
    return range_is(json_string_value(value));
}

/* The values of a range, or of a list with ranges in it; NULL: one of them is wrong, or there is no
   memory. */
static json_t *ranges_expand(const char *name, json_t *value, size_t limit, struct problems *problems)
{
    json_t *values = json_array();
    char pointer[96], detail[RANGE_DETAIL_BYTES] = "";
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    int status = values ? 0 : -1;
    problem_pointer(pointer, sizeof pointer, "#", name);
    for (size_t i = 0, end = strlen(pointer); status == 0 && i < count; i++) {
        json_t *item = json_is_array(value) ? json_array_get(value, i) : value;
        const char *text = json_string_value(item);
        size_t made = json_array_size(values);
        if (json_is_array(value))
            snprintf(pointer + end, sizeof pointer - end, "/%zu", i);
        if (range_is(text))
            status = range_append(text, made < limit ? limit - made : 0, values, detail);
        else
            status = json_array_append(values, item);
    }
    if (status == 0)
        return values;
    if (detail[0])
        problem_add(problems, pointer, "%s", detail);
    json_decref(values);
    return NULL;
}

/* ---- reading ---- */

static void axis_read(struct sweep_axes *axes, const char *name, json_t *value, size_t limit,
                      struct problems *problems)
{
    bool ranged = value != axes->kernel && holds_range(value) && is_number(axes, name);
    if (!ranged && !json_is_array(value))
        return;
    json_t *values = ranged ? ranges_expand(name, value, limit, problems) : value;
    if (!values)
        return;
    axes->at[axes->count++] = (struct sweep_axis){
        .name = name, .values = values, .made = ranged, .pair = !ranged && is_pair(name, values)};
    if (json_array_size(values) == 0) {
        char pointer[64];
        problem_pointer(pointer, sizeof pointer, "#", name);
        problem_add(problems, pointer, "is an axis without values");
    }
}

int sweep_axes_read(struct sweep_axes *axes, const json_t *request, const struct request_kernels *kernels,
                    size_t limit, struct problems *problems)
{
    const char *name;
    json_t *value;
    int before = problems->count;
    *axes = (struct sweep_axes){.kernel = json_object_get(request, "kernel"), .kernels = kernels};
    if (!axes->kernel)
        problem_add(problems, "#/kernel",
                    "is required, or a recipe; GET /v1/kernels and /v1/recipes list them");
    axes->at = calloc(json_object_size(request) + 1, sizeof *axes->at);
    if (!axes->at)
        return -1;
    json_object_foreach ((json_t *)request, name, value)
        if (sweep_axes_is_axis(name, value) && !problems_full(problems))
            axis_read(axes, name, value, limit, problems);
    return problems->count == before ? 0 : -1;
}

void sweep_axes_free(struct sweep_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++)
        if (axes->at[i].made)
            json_decref((json_t *)axes->at[i].values);
    free(axes->at);
    *axes = (struct sweep_axes){0};
}

/* ---- the product ---- */

static size_t product(size_t a, size_t b)
{
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

const struct sweep_axis *sweep_axes_find(const struct sweep_axes *axes, const char *name)
{
    for (size_t i = 0; i < axes->count; i++)
        if (strcmp(axes->at[i].name, name) == 0)
            return &axes->at[i];
    return NULL;
}

size_t sweep_axes_total(const struct sweep_axes *axes)
{
    size_t total = 1, flat = 0, kernels = kernel_count(axes);
    bool paired = false;
    for (size_t i = 0; i < kernels; i++)
        flat += is_flat(kernel_at(axes, i));
    for (size_t i = 0; i < axes->count; i++)
        paired |= axes->at[i].pair;
    for (size_t i = 0; i < axes->count; i++) {
        const struct sweep_axis *axis = &axes->at[i];
        if (!axis->pair && axis->values != axes->kernel)
            total = product(total, json_array_size(axis->values));
    }
    return product(total, paired ? kernels + flat : kernels);
}

/* NULL: for this kernel the axis has no such value. Borrowed. */
static json_t *axis_value(const struct sweep_axis *axis, size_t index, const struct kernel *kernel)
{
    if (axis->pair && !is_flat(kernel))
        return index == 0 ? (json_t *)axis->values : NULL;
    return json_array_get(axis->values, index);
}

int sweep_axes_set(const struct sweep_axes *axes, json_t *point)
{
    const struct kernel *kernel = kernel_at(axes, 0);
    for (size_t i = 0; i < axes->count; i++)
        if (axes->at[i].values == axes->kernel)
            kernel = kernel_at(axes, axes->at[i].current);
    for (size_t i = 0; i < axes->count; i++) {
        json_t *value = axis_value(&axes->at[i], axes->at[i].current, kernel);
        if (!value)
            return 0;
        if (json_object_set(point, axes->at[i].name, value) < 0)
            return -1;
    }
    return 1;
}

bool sweep_axes_step(struct sweep_axes *axes)
{
    for (size_t i = axes->count; i-- > 0;) {
        struct sweep_axis *axis = &axes->at[i];
        if (++axis->current < json_array_size(axis->values))
            return true;
        axis->current = 0;
    }
    return false;
}

/* ---- what no kernel can read ---- */

/* The kernels that the request names, each once; how many. Adds to *problems the names that are no
   kernel's. */
static int kernels_gather(const struct sweep_axes *axes, const struct kernel **kernels,
                          struct problems *problems)
{
    int count = 0;
    for (size_t i = 0; i < kernel_count(axes) && !problems_full(problems); i++) {
        const struct kernel *kernel = kernel_at(axes, i);
        char pointer[64] = "#/kernel";
        if (json_is_array(axes->kernel))
            snprintf(pointer, sizeof pointer, "#/kernel/%zu", i);
        const json_t *name = json_is_array(axes->kernel) ? json_array_get(axes->kernel, i) : axes->kernel;
        int known = 0;
        while (kernel && known < count && kernels[known] != kernel)
            known++;
        if (!json_is_string(name))
            problem_add(problems, pointer,
                        "must be a string or a list of them; GET /v1/kernels lists the kernels");
        else if (!kernel)
            experiment_json_no_kernel(problems, pointer, json_string_value(name));
        else if (known == count)
            kernels[count++] = kernel;
    }
    return count;
}

/* Copies problems with the value at `index` of its axis, with pointers to where it stands in the request. */
static void problems_move(struct problems *to, const struct problems *from, long index)
{
    int count = from->count < EXPERIMENT_PROBLEMS ? from->count : EXPERIMENT_PROBLEMS;
    for (int i = 0; i < count; i++) {
        const struct problem *problem = &from->at[i];
        char pointer[96];
        size_t name = 2 + strcspn(problem->pointer + 2, "/");
        if (index < 0)
            snprintf(pointer, sizeof pointer, "%s", problem->pointer);
        else
            snprintf(pointer, sizeof pointer, "%.*s/%ld%s", (int)name, problem->pointer, index,
                     problem->pointer + name);
        problem_add(to, pointer, "%s", problem->detail);
    }
}

struct check {
    const struct sweep_axes *axes;
    const struct kernel **kernels;
    int kernel_count;
    struct problems *problems;
};

/* Says what an axis is where something else stands that may have been meant for one. */
static void axis_explain(const struct kernel *kernel, const char *name, const json_t *value,
                         struct problems *problems)
{
    if (is_never_axis(name) || !experiment_json_takes(kernel, name))
        return;
    if (range_is(json_string_value(value)))
        problem_extend(problems, name,
                       "; ranges are of numbers, other values are listed: [\"one\", \"another\"]");
    else if (json_is_object(value) || json_is_string(value))
        problem_extend(problems, name,
                       "; an axis is a list of its values, as in [0, 1, 2], or a range, as in \"0..128\"");
}

/* `axis` is NULL for a field with one value. */
static void value_check(struct check *check, const char *name, const struct sweep_axis *axis, json_t *value,
                        size_t index)
{
    struct problems first = {0}, why;
    bool whole = false; /* what the first kernel was asked to read is the list itself */
    int kernels = is_never_axis(name) ? 1 : check->kernel_count; /* every kernel reads these alike */
    for (int i = 0; i < kernels; i++) {
        json_t *one = axis ? axis_value(axis, index, check->kernels[i]) : value;
        if (!one || kernel_reads(check->axes, check->kernels[i], name, one, &why))
            return;
        if (!first.count) {
            first = why;
            whole = !axis || axis->made || one == axis->values;
        }
    }
    if (!axis)
        axis_explain(check->kernels[0], name, value, &first);
    problems_move(check->problems, &first, whole ? -1 : (long)index);
}

int sweep_axes_check(const struct sweep_axes *axes, const json_t *request, struct problems *problems)
{
    const char *name;
    json_t *value;
    int before = problems->count;
    const struct kernel **kernels = calloc((size_t)kernels_most(axes), sizeof(struct kernel *));
    if (!kernels)
        return -1;
    struct check check = {axes, kernels, kernels_gather(axes, kernels, problems), problems};
    size_t next = 0;
    for (int i = 0; i < check.kernel_count; i++)
        experiment_request_require(kernels[i], request, problems);
    if (check.kernel_count)
        json_object_foreach ((json_t *)request, name, value) {
            const struct sweep_axis *axis =
                next < axes->count && strcmp(axes->at[next].name, name) == 0 ? &axes->at[next++] : NULL;
            size_t count = axis ? json_array_size(axis->values) : 1;
            if (problems_full(problems))
                break;
            for (size_t i = 0; value != axes->kernel && i < count && !problems_full(problems); i++)
                value_check(&check, name, axis, value, i);
        }
    free(kernels);
    return problems->count == before ? 0 : -1;
}

/* True if the list is one (wrong) shape, not values to try: two numbers for a kernel of two dimensions, or a block or grid
   with a number below a warp's size, which nobody lists to try. */
static bool is_shape(const struct kernel *kernel, const char *name, const json_t *value)
{
    size_t i;
    const json_t *item;
    bool shaped = strcmp(name, "block") == 0 || strcmp(name, "grid") == 0 || strcmp(name, "size") == 0;
    if (shaped && kernel && kernel->block_dims > 1 && json_array_size(value) == 2)
        return true;
    if ((strcmp(name, "block") != 0 && strcmp(name, "grid") != 0) || json_array_size(value) > 3)
        return false;
    json_array_foreach (value, i, item)
        if (json_is_integer(item) && json_integer_value(item) < 32)
            return true;
    return false;
}

void sweep_axes_explain(const struct kernel *kernel, const json_t *request, struct problems *problems)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)request, name, value)
        if (sweep_axes_is_axis(name, value) && !is_shape(kernel, name, value) &&
            (!kernel || experiment_json_takes(kernel, name)))
            problem_extend(problems, name, "; a list of values to try is for POST /v1/sweeps");
}
