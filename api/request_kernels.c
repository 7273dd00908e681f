#include "api/request_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "api/source_json.h"
#include "base/buffer.h"

#define DEFINITIONS "definitions"
/* How a request begins that has them. */
#define JOINED "{\"" DEFINITIONS "\":["

static bool is_users(const json_t *name)
{
    return json_is_string(name) && source_kernel_is_name(json_string_value(name));
}

bool request_kernels_are_named(const json_t *value)
{
    size_t i;
    const json_t *item;
    json_array_foreach (value, i, item)
        if (is_users(item))
            return true;
    return is_users(value);
}

int request_kernels_index(const struct request_kernels *kernels, const struct kernel *kernel)
{
    for (int i = 0; kernels && i < kernels->count; i++)
        if (&kernels->at[i]->kernel == kernel)
            return i;
    return -1;
}

const struct kernel *request_kernels_find(const struct request_kernels *kernels, const char *name)
{
    for (int i = 0; kernels && i < kernels->count; i++)
        if (strcmp(kernels->at[i]->name, name) == 0)
            return &kernels->at[i]->kernel;
    return suite_find(name);
}

/* ---- taking them ---- */

/* Takes over the kernel. Returns the one of its name; NULL: *error. */
static const struct source_kernel *add(struct request_kernels *kernels, struct source_kernel *kernel,
                                       struct error *error)
{
    const struct kernel *known = request_kernels_find(kernels, kernel->name);
    if (known) {
        source_kernel_free(kernel);
        return source_kernel_of(known);
    }
    kernel->stored = true; /* from here on its name finds it: an experiment's row has it too */
    struct buffer text = source_draft_text(&kernel->draft);
    char *definition = buffer_take(&text);
    if (!definition || kernels->count == REQUEST_KERNELS) {
        error_set(error, definition ? ERROR_INVALID : ERROR_MEMORY,
                  definition ? "more kernels than a request may have" : "no memory for a kernel");
        source_kernel_free(kernel);
        free(definition);
        return NULL;
    }
    kernels->definition[kernels->count] = definition;
    return kernels->at[kernels->count++] = kernel;
}

struct taking {
    struct request_kernels *kernels;
    source_find *find;
    void *arg;
    struct error *error;
};

/* Takes over the kernel, and returns it as it is with those arguments; itself where it does not go with them. */
static struct source_kernel *with_arguments(struct source_kernel *kernel, json_t *arguments,
                                            struct error *error)
{
    struct problems problems = {0};
    struct buffer text = source_draft_text(&kernel->draft);
    json_t *definition = text.failed ? NULL : json_loads(text.data, 0, NULL);
    struct source_kernel *other = NULL;
    buffer_free(&text);
    if (json_object_set(definition, "arguments", arguments) == 0)
        other = source_json_define(definition, &problems, error);
    json_decref(definition);
    if (!other)
        return kernel;
    source_kernel_free(kernel);
    return other;
}

/* Of one object, whose "kernel" is its name from here on. `arguments`: those that a kernel found by its name is to have; NULL:
   its own. */
static void take_one(const struct taking *taking, json_t *object, json_t *arguments,
                     struct problems *problems)
{
    struct source_kernel *found = taking->find(taking->arg, object, problems, taking->error);
    if (found && arguments)
        found = with_arguments(found, arguments, taking->error);
    const struct source_kernel *kernel = found ? add(taking->kernels, found, taking->error) : NULL;
    if (kernel && json_object_set_new(object, "kernel", json_string(kernel->name)) < 0)
        error_set(taking->error, ERROR_MEMORY, "no memory for a request");
}

/* Of the list "kernel": each name that is no kernel's of the suite. */
static void take_named(const struct taking *taking, const json_t *request, struct problems *problems)
{
    size_t i;
    json_t *name;
    const json_t *names = json_object_get(request, "kernel");
    json_array_foreach (names, i, name) {
        struct problems inner = {0};
        json_t *object = is_users(name) && !problems_full(problems) ? json_copy((json_t *)request) : NULL;
        if (object && i == REQUEST_KERNELS)
            problem_add(problems, "#/kernel", "at most %d of one's own", REQUEST_KERNELS);
        else if (object && json_object_set(object, "kernel", name) == 0)
            take_one(taking, object, NULL, &inner);
        json_decref(object);
        for (int p = 0; p < inner.count && p < EXPERIMENT_PROBLEMS; p++) {
            char pointer[64];
            bool of_name = strcmp(inner.at[p].pointer, "#/kernel") == 0;
            snprintf(pointer, sizeof pointer, "#/kernel/%zu", i);
            problem_add(problems, of_name ? pointer : inner.at[p].pointer, "%s", inner.at[p].detail);
        }
    }
}

static void take_top(const struct taking *taking, json_t *request, bool axes, struct problems *problems)
{
    const json_t *name = json_object_get(request, "kernel");
    json_t *block = json_incref(json_object_get(request, "block"));
    /* Whether blocks lie along x says how many threads are derived: the first value stands for all of an axis. */
    if (axes && json_array_size(block))
        json_object_set(request, "block", json_array_get(block, 0));
    if (json_is_array(name) && !source_json_is_there(request))
        take_named(taking, request, problems);
    else if (json_is_array(json_object_get(request, "source")))
        problem_add(problems, "#/source",
                    "is one source: to compare several, store each with POST /v1/kernels, and list their "
                    "names in \"kernel\"");
    else if (source_json_is_there(request) || is_users(name))
        take_one(taking, request, NULL, problems);
    if (block)
        json_object_set(request, "block", block);
    json_decref(block);
}

/* Without "arguments" it has those of the request's kernel, of several the first's. */
static void take_reference(const struct taking *taking, json_t *reference, struct problems *problems)
{
    json_t *definition = json_loads(taking->kernels->definition[0], 0, NULL);
    json_t *arguments = json_object_get(definition, "arguments");
    bool own = json_object_get(reference, "arguments") != NULL, brought = source_json_is_there(reference);
    if (brought && !own && arguments)
        json_object_set(reference, "arguments", arguments);
    take_one(taking, reference, brought || own ? NULL : arguments, problems);
    json_decref(definition);
}

int request_kernels_take(struct request_kernels *kernels, json_t *request, bool axes, source_find *find,
                         void *arg, struct problems *problems, struct error *error)
{
    const struct taking taking = {kernels, find, arg, error};
    json_t *reference = json_object_get(request, "reference");
    struct problems inner = {0};
    int before = problems->count;
    take_top(&taking, request, axes, problems);
    if (json_is_object(reference) && kernels->count) {
        take_reference(&taking, reference, &inner);
        problem_add_within(problems, "reference", &inner);
    }
    return problems->count == before && error->kind == ERROR_NONE ? 0 : -1;
}

/* ---- scalar arguments ---- */

json_t *request_kernels_scalars(const char *request)
{
    const char *name;
    json_t *value, *object = request ? json_loads(request, 0, NULL) : NULL, *scalars = NULL;
    if (request_kernels_are_named(json_object_get(object, "kernel")))
        json_object_foreach (object, name, value)
            if (json_is_number(value) && !experiment_json_reserves(name) &&
                (scalars || (scalars = json_object())))
                json_object_set(scalars, name, value);
    json_decref(object);
    return scalars;
}

char *request_kernels_beside(const char *axes, const json_t *scalars)
{
    json_t *values = scalars ? json_loads(axes, 0, NULL) : NULL;
    if (values)
        json_object_update_missing(values, (json_t *)scalars);
    char *text = values ? json_parts_text(values) : strdup(axes);
    json_decref(values);
    return text;
}

/* ---- to an executor ---- */

int request_kernels_read(struct request_kernels *kernels, json_t *request, struct error *error)
{
    size_t i;
    json_t *definition;
    json_array_foreach (json_object_get(request, DEFINITIONS), i, definition) {
        struct problems problems = {0};
        struct source_kernel *kernel = source_json_define(definition, &problems, error);
        if (problems.count)
            error_set(error, ERROR_INVALID, "%s: %s", problems.at[0].pointer, problems.at[0].detail);
        if (!kernel || !add(kernels, kernel, error))
            return error->kind == ERROR_NONE
                       ? error_set(error, ERROR_INVALID, "the definition of a kernel is not one")
                       : -1;
    }
    json_object_del(request, DEFINITIONS);
    return 0;
}

bool request_kernels_are_joined(const char *request)
{
    return strncmp(request, JOINED, sizeof JOINED - 1) == 0;
}

char *request_kernels_join(const char *request, const char *const *definitions, int count)
{
    struct buffer text = {0};
    buffer_text(&text, count ? JOINED : "");
    for (int i = 0; i < count; i++)
        buffer_format(&text, "%s%s", i ? "," : "", definitions[i]);
    buffer_text(&text, count ? "]," : "");
    buffer_text(&text, request + (count > 0)); /* behind its brace */
    return buffer_take(&text);
}

void request_kernels_clear(struct request_kernels *kernels)
{
    for (int i = 0; i < kernels->count; i++) {
        source_kernel_free(kernels->at[i]);
        free(kernels->definition[i]);
    }
    kernels->count = 0;
}
