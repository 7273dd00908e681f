#include "api/experiment_request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/problem.h"
#include "api/range.h"
#include "api/source_json.h"
#include "base/words.h"
#include "kernels/source/source_run.h"

/* What of a request is not read by experiment_json_read_of(). */
static const char *const wanted[] = {"show", "reference", "tolerance"};
/* What a reference may have of its own. */
static const char *const launch_members[] = {"block", "grid", "shared_bytes"};

/* ---- show ---- */

static int buffer_find(const struct kernel *kernel, const char *name)
{
    for (int b = 0; b < kernel->buffer_count; b++)
        if (strcmp(kernel->buffers[b].name, name) == 0 && kernel->buffers[b].role != BUFFER_INPUT)
            return b;
    return -1;
}

/* A number, or a range with both ends. */
static bool range_of(const json_t *value, struct source_shown *shown)
{
    const char *text = json_string_value(value);
    json_t *list = json_array();
    char detail[RANGE_DETAIL_BYTES];
    bool read = false;
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        shown->first = shown->last = (uint64_t)json_integer_value(value);
        read = true;
    } else if (range_is(text) && !strpbrk(text, "x s") &&
               range_append(text, SOURCE_SHOWN_ELEMENTS, list, detail) == 0) {
        json_int_t first = json_integer_value(json_array_get(list, 0));
        shown->first = (uint64_t)first;
        shown->last = shown->first + json_array_size(list) - 1;
        read = first >= 0;
    }
    json_decref(list);
    return read;
}

static void read_show(struct experiment_request *asked, const json_t *show, struct problems *problems)
{
    const char *name;
    json_t *value;
    uint64_t elements = 0;
    if (show && !json_is_object(show))
        problem_add(problems, "#/show", "must be an object of outputs and ranges, as {\"out\": \"0..31\"}");
    json_object_foreach ((json_t *)show, name, value) {
        char pointer[64];
        struct source_shown one = {.buffer = buffer_find(asked->experiment.kernel, name)};
        problem_pointer(pointer, sizeof pointer, "#/show", name);
        if (problems_full(problems) || asked->shown_count == SOURCE_SHOWN) {
            problem_add(problems, pointer, "at most %d outputs are shown", SOURCE_SHOWN);
            return;
        }
        bool read = range_of(value, &one);
        elements += read ? one.last - one.first + 1 : 0;
        if (one.buffer < 0)
            problem_add(problems, pointer, "\"%.48s\" is no output of the kernel", name);
        else if (!read || elements > SOURCE_SHOWN_ELEMENTS)
            problem_add(problems, pointer,
                        "must be an element's number or a range as \"0..31\", of at most %d elements in all",
                        SOURCE_SHOWN_ELEMENTS);
        else
            asked->shown[asked->shown_count++] = one;
    }
}

/* ---- reference ---- */

static void check_members(const json_t *reference, struct problems *problems)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)reference, name, value) {
        char pointer[64];
        problem_pointer(pointer, sizeof pointer, "#", name);
        if (strcmp(name, "kernel") != 0 && words_find(name, WORDS_TABLE(launch_members)) < 0)
            problem_add(
                problems, pointer,
                "unknown field: a reference has a kernel (kernel, or source with what belongs to it), "
                "and its own block, grid and shared_bytes");
    }
}

/* Its launch is the experiment's, but for what the object says. `request`: the experiment's members, without those. */
static void read_reference(struct experiment_request *asked, const json_t *reference, const json_t *request,
                           const struct request_kernels *kernels, struct problems *problems)
{
    struct problems inner = {0};
    char differs[200];
    const char *name = json_string_value(json_object_get(reference, "kernel"));
    const struct kernel *kernel = name ? request_kernels_find(kernels, name) : NULL;
    const struct source_kernel *brought = kernel ? source_kernel_of(kernel) : NULL;
    if (!json_is_object(reference) || !brought) {
        problem_add(
            problems, "#/reference",
            "must be an object with \"kernel\" or \"source\": another kernel with the same arguments");
        return;
    }
    json_t *members = json_copy((json_t *)request);
    check_members(reference, &inner);
    json_object_update(members, (json_t *)reference);
    if (!inner.count && !source_run_same_arguments(source_kernel_of(asked->experiment.kernel), brought,
                                                   differs, sizeof differs))
        problem_add(&inner, "#/arguments", "%s", differs);
    else if (!inner.count)
        experiment_json_read_of(&asked->reference, kernel, members, &inner);
    json_decref(members);
    problem_add_within(problems, "reference", &inner);
}

/* ---- all ---- */

static void read_brought(struct experiment_request *asked, const struct kernel *kernel, const json_t *request,
                         const struct request_kernels *kernels, struct problems *problems)
{
    json_t *members = json_copy((json_t *)request);
    const json_t *reference = json_object_get(request, "reference"),
                 *tolerance = json_object_get(request, "tolerance");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        json_object_del(members, wanted[i]);
    experiment_json_read_of(&asked->experiment, kernel, members, problems);
    if (json_object_get(request, "debug"))
        problem_add(problems, "#/debug", "is for kernels of the suite");
    read_show(asked, json_object_get(request, "show"), problems);
    if (reference)
        read_reference(asked, reference, members, kernels, problems);
    if (tolerance && (!json_is_number(tolerance) || !(json_number_value(tolerance) >= 0)))
        problem_add(problems, "#/tolerance", "must be a number of at least 0: how far values may differ");
    asked->tolerance = json_number_value(tolerance);
    json_decref(members);
}

int experiment_request_read(struct experiment_request *asked, const json_t *request,
                            const struct request_kernels *kernels, struct problems *problems)
{
    int before = problems->count;
    const char *name = json_string_value(json_object_get(request, "kernel"));
    const struct kernel *kernel = name ? request_kernels_find(kernels, name) : NULL;
    asked->reference.kernel = NULL;
    asked->tolerance = 0;
    asked->shown_count = 0;
    if (kernel && source_kernel_of(kernel))
        read_brought(asked, kernel, request, kernels, problems);
    else
        experiment_json_read(&asked->experiment, request, problems);
    return problems->count == before ? 0 : -1;
}

void experiment_request_require(const struct kernel *kernel, const json_t *request, struct problems *problems)
{
    if (!source_kernel_of(kernel))
        return;
    source_json_require(source_kernel_of(kernel), request, problems);
    if (json_object_get(request, "tolerance") && !json_object_get(request, "reference"))
        problem_add(problems, "#/tolerance", "is for a comparison with a \"reference\", which is missing");
}

/* ---- values ---- */

/* Measurements that need a GPU or timed launches: refused for a kernel whose PTX is interpreted on a CPU. */
static void check_measured(const struct experiment *e, struct problems *problems)
{
    static const char no_time[] = "is not known of a source: its PTX is interpreted, and nothing is timed";
    if (e->counters.on)
        problem_add(problems, "#/counters",
                    "must be false for a source: its PTX is interpreted, and no hardware counts");
    if (e->transfers != TRANSFERS_NONE)
        problem_add(problems, "#/transfers", "%s", no_time);
    if (e->measure.keep_samples)
        problem_add(problems, "#/measure/keep_samples", "%s", no_time);
    if (e->measure.host_timer)
        problem_add(problems, "#/measure/host_timer", "%s", no_time);
}

int experiment_request_check(struct experiment_request *asked, struct problems *problems)
{
    const struct kernel *kernel = asked->experiment.kernel;
    struct domain domain = experiment_domain(&asked->experiment);
    struct problems inner = {0};
    int before = problems->count;
    if (!source_kernel_of(kernel))
        return 0;
    check_measured(&asked->experiment, problems);
    for (int i = 0; i < asked->shown_count; i++) {
        const struct source_shown *one = &asked->shown[i];
        uint64_t elements = kernel->elements(&domain, one->buffer);
        char pointer[64];
        problem_pointer(pointer, sizeof pointer, "#/show", kernel->buffers[one->buffer].name);
        if (one->last >= elements)
            problem_add(problems, pointer, "ends at %llu, there are %llu elements",
                        (unsigned long long)one->last, (unsigned long long)elements);
    }
    const struct experiment *own = &asked->experiment;
    struct experiment *other = &asked->reference;
    if (other->kernel && !source_kernel_of(other->kernel)->threads[0] && !other->grid[0] && !other->grid[1] &&
        !other->grid[2])
        memcpy(other->grid, own->grid, sizeof other->grid);
    if (other->kernel && experiment_check(other, NULL, &inner) < 0)
        problem_add_within(problems, "reference", &inner);
    return problems->count == before ? 0 : -1;
}

int experiment_request_read_text(struct experiment_request *asked, struct request_kernels *kernels,
                                 const char *text, struct error *error)
{
    struct problems problems = {0};
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!object)
        error_set(error, ERROR_INVALID, "the request is not JSON");
    else if (request_kernels_read(kernels, object, error) == 0 &&
             experiment_request_read(asked, object, kernels, &problems) < 0)
        error_set(error, ERROR_INVALID, "%s: %s", problems.at[0].pointer, problems.at[0].detail);
    json_decref(object);
    return error->kind == ERROR_NONE ? 0 : -1;
}

int experiment_request_definitions(const struct experiment_request *asked,
                                   const struct request_kernels *kernels,
                                   struct source_definition used[SOURCE_DEFINITIONS])
{
    const struct kernel *const own[SOURCE_DEFINITIONS] = {asked->experiment.kernel, asked->reference.kernel};
    int count = 0;
    for (int i = 0; i < SOURCE_DEFINITIONS && own[i]; i++) {
        int at = request_kernels_index(kernels, own[i]);
        if (at >= 0)
            used[count++] = (struct source_definition){kernels->at[at]->name, kernels->at[at]->draft.entry,
                                                       kernels->definition[at]};
    }
    return count;
}

/* ---- writing ---- */

static void write_show(struct json_writer *json, const struct experiment_request *asked)
{
    json_writer_begin_object(json, "show");
    for (int i = 0; i < asked->shown_count; i++) {
        const struct source_shown *one = &asked->shown[i];
        char range[64];
        snprintf(range, sizeof range, "%llu..%llu", (unsigned long long)one->first,
                 (unsigned long long)one->last);
        json_writer_string(json, asked->experiment.kernel->buffers[one->buffer].name, range);
    }
    json_writer_end(json);
}

static void write_reference(struct json_writer *json, const struct experiment *e)
{
    json_writer_begin_object(json, "reference");
    json_writer_string(json, "kernel", e->kernel->name);
    json_writer_ints(json, "block", e->block, 3);
    json_writer_ints(json, "grid", e->grid, 3);
    json_writer_int(json, "shared_bytes", e->shared_bytes);
    json_writer_end(json);
}

void experiment_request_write(struct json_writer *json, const struct experiment_request *asked,
                              const json_t *request)
{
    struct buffer plain = {0};
    if (!asked->shown_count && !asked->reference.kernel) {
        experiment_text_write(json, NULL, &asked->experiment, request);
        return;
    }
    experiment_text_write(&(struct json_writer){.out = &plain}, NULL, &asked->experiment, request);
    json_writer_begin_object(json, NULL);
    json_writer_members(json, plain.data);
    if (asked->shown_count)
        write_show(json, asked);
    if (asked->reference.kernel) {
        write_reference(json, &asked->reference);
        json_writer_double(json, "tolerance", asked->tolerance);
    }
    json_writer_end(json);
    json->out->failed |= plain.failed;
    buffer_free(&plain);
}
