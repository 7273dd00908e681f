/* Reads the members into a draft, which becomes a kernel. */
#include "api/source_json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "api/source_argument_json.h"
#include "api/suggest.h"
#include "base/words.h"
#include "kernels/source/source_derive.h"

/* The members that are taken from the request, and those of later requests that no argument may be called. */
static const char *const taken[] = {"source", "entry", "arguments", "constants", "threads"};
static const char *const reserved[] = {"source", "entry", "arguments", "constants", "threads",
                                       "check",  "show",  "reference", "tolerance", "title",
                                       "public", "axes",  "points",    "kernels"};

bool source_json_is_there(const json_t *request)
{
    return json_object_get(request, "source") != NULL;
}

static void read_source(struct source_draft *draft, const json_t *source, struct problems *problems)
{
    if (!source)
        problem_add(problems, "#/source", "is required: CUDA C++ with a __global__ function");
    else if (!json_is_string(source))
        problem_add(problems, "#/source", "must be a string, CUDA C++ with a __global__ function, is %s",
                    json_parts_type(source));
    else if (json_string_length(source) > SOURCE_TEXT_BYTES)
        problem_add(problems, "#/source", "has %zu bytes, at most %d are taken", json_string_length(source),
                    SOURCE_TEXT_BYTES);
    else if (!(draft->source = strdup(json_string_value(source))))
        problem_add(problems, "#/source", "no memory for %s", "a source");
}

/* The name goes to the compiler: an identifier, or an instance of a template. */
static void read_entry(struct source_draft *draft, const json_t *entry, struct problems *problems)
{
    const char *name = json_string_value(entry);
    size_t length = name ? strlen(name) : 0;
    if (!entry)
        return;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("_:<>, *&()-", name[i]))
            length = 0;
    if (!length || length >= sizeof draft->entry || isdigit((unsigned char)*name))
        problem_add(problems, "#/entry",
                    "must be the name of a __global__ function, or an instance of a template as "
                    "\"scale<float, 4>\", of at "
                    "most %d bytes",
                    SOURCE_ENTRY_BYTES - 1);
    else
        snprintf(draft->entry, sizeof draft->entry, "%s", name);
}

static void read_threads(struct source_draft *draft, const json_t *threads, struct problems *problems)
{
    size_t i;
    const json_t *one;
    if (!threads)
        return;
    if (!json_is_array(threads)) {
        source_argument_json_expression(threads, "#/threads", draft->threads[0], problems);
        return;
    }
    if (json_array_size(threads) < 1 || json_array_size(threads) > 3) {
        problem_add(problems, "#/threads",
                    "must be a number, an expression, or a list of 1 to 3 of these, has %zu",
                    json_array_size(threads));
        return;
    }
    json_array_foreach (threads, i, one) {
        char pointer[40];
        snprintf(pointer, sizeof pointer, "#/threads/%zu", i);
        source_argument_json_expression(one, pointer, draft->threads[i], problems);
    }
}

/* ---- constants ---- */

/* A number, a list of them, or {"type": ..., "values": [...]}. */
static void read_constant(struct source_draft *draft, const char *name, const json_t *value,
                          struct problems *problems)
{
    struct source_constant *c = &draft->constant[draft->constant_count++];
    const json_t *type = json_object_get(value, "type"), *values = json_object_get(value, "values");
    char pointer[64], at[64];
    problem_pointer(pointer, sizeof pointer, "#/constants", name);
    *c = (struct source_constant){.type = {.width = 0}};
    if (strlen(name) >= sizeof c->name) {
        problem_add(problems, pointer, "the name has at most %d bytes", SOURCE_NAME_BYTES - 1);
        return;
    }
    snprintf(c->name, sizeof c->name, "%s", name);
    problem_pointer(at, sizeof at, pointer, "type");
    if (type)
        source_argument_json_type(type, at, &c->type, problems);
    else if (draft->source && !source_signature_constant(draft->source, name, &c->type))
        problem_add(problems, pointer,
                    "the source has no __constant__ variable of that name whose type can be read: give "
                    "{\"type\": \"f32\", "
                    "\"values\": [...]}");
    problem_pointer(at, sizeof at, pointer, "values");
    if (json_is_object(value) && json_object_size(value) != (size_t)(type != NULL) + (size_t)(values != NULL))
        problem_add(problems, pointer,
                    "must be a number, a list of numbers, or {\"type\": \"f32\", \"values\": [...]}");
    else if (json_is_number(value)) {
        json_t *list = json_pack("[O]", value);
        source_argument_json_values(list, pointer, &c->values, &c->value_count, problems);
        json_decref(list);
    } else
        source_argument_json_values(json_is_object(value) ? values : value,
                                    json_is_object(value) ? at : pointer, &c->values, &c->value_count,
                                    problems);
}

static void read_constants(struct source_draft *draft, const json_t *constants, struct problems *problems)
{
    const char *name;
    json_t *value;
    if (!constants)
        return;
    if (!json_is_object(constants)) {
        problem_add(problems, "#/constants", "must be an object of names and values, is %s",
                    json_parts_type(constants));
        return;
    }
    if (json_object_size(constants) > SOURCE_CONSTANTS) {
        problem_add(problems, "#/constants", "at most %d, there are %zu", SOURCE_CONSTANTS,
                    json_object_size(constants));
        return;
    }
    json_object_foreach ((json_t *)constants, name, value) {
        if (problems_full(problems))
            return;
        read_constant(draft, name, value, problems);
    }
}

/* ---- names ---- */

/* A scalar's value is a member of the request, so its name must not be another member's. */
static void check_names(const struct source_draft *draft, struct problems *problems)
{
    for (int i = 0; i < draft->argument_count; i++) {
        const struct source_argument *a = &draft->argument[i];
        char pointer[64];
        source_draft_pointer(a, "name", pointer, sizeof pointer);
        for (int other = 0; other < i; other++)
            if (strcmp(draft->argument[other].name, a->name) == 0)
                problem_add(problems, pointer, "\"%s\" is there twice", a->name);
        if (!a->pointer && a->value != SOURCE_VALUE_SIZE &&
            (experiment_json_reserves(a->name) || words_find(a->name, WORDS_TABLE(reserved)) >= 0))
            problem_add(problems, pointer,
                        "a request has a member \"%s\" of another meaning: call the argument \"%.40s_\" in "
                        "\"arguments\"%s",
                        a->name, a->name,
                        strcmp(a->name, "size") == 0 ? ", or give it the \"value\": \"size\"" : "");
    }
}

/* ---- all ---- */

/* Without grid and threads a kernel of derived arguments has a thread for each element, along x. */
static void derive_threads(struct source_draft *draft, const json_t *request)
{
    const json_t *block = json_object_get(request, "block");
    bool flat = !json_is_array(block) || json_array_size(block) == 1;
    for (int i = 0; i < draft->argument_count; i++)
        if (flat && draft->argument[i].value == SOURCE_VALUE_SIZE && !json_object_get(request, "grid") &&
            !json_object_get(request, "threads"))
            snprintf(draft->threads[0], sizeof draft->threads[0], "size");
}

/* The entry is no function of the source: one of those that there are may be meant. */
static void add_missing(const char *entry, const struct source_signature *signature,
                        struct problems *problems)
{
    static const char between[] = ", ";
    char names[sizeof signature->functions], *rest = names;
    struct suggestion meant;
    snprintf(names, sizeof names, "%s", signature->functions);
    suggest_begin(&meant, entry);
    for (char *name; (name = strtok_r(rest, between, &rest));)
        suggest_consider(&meant, name);
    problem_add(problems, "#/entry", "there is no __global__ function \"%.80s\"%s there are: %s", entry,
                suggest_text(&meant), signature->functions);
}

/* The compiler took it for none, as `detail` says. */
static void add_entry(const struct source_draft *draft, const char *detail, struct problems *problems)
{
    struct source_signature *signature = calloc(1, sizeof *signature);
    struct error error = {0};
    if (signature && source_signature_read(signature, draft->source, draft->entry, &error) < 0 &&
        signature->missing)
        add_missing(draft->entry, signature, problems);
    else if (strstr(detail, "overloaded")) /* NVRTC and clang both say so of `norm`, which CUDA has, too */
        problem_add(problems, "#/entry",
                    "\"%.80s\" is also the name of another function, perhaps of CUDA's own: give the kernel "
                    "another name",
                    draft->entry);
    else
        problem_add(problems, "#/entry", "%s", detail);
    free(signature);
}

void source_json_add_faults(const struct source_kernel *kernel, const struct compilation *compilation,
                            struct problems *problems)
{
    static const char of_entry[] = COMPILATION_ENTRY_NAME ": ";
    bool entry = false; /* once: the compiler says several things of one wrong name */
    for (int i = 0; i < compilation->fault_count; i++) {
        const struct compilation_fault *fault = &compilation->faults[i];
        if (strncmp(fault->text, of_entry, sizeof of_entry - 1) != 0) {
            problem_add_at(problems, "#/source", (int)fault->line, (int)fault->column, "%s", fault->text);
            continue;
        }
        if (!entry)
            add_entry(&kernel->draft, fault->text + sizeof of_entry - 1, problems);
        entry = true;
    }
}

static void read_arguments(struct source_draft *draft, const json_t *request, struct problems *problems)
{
    const json_t *arguments = json_object_get(request, "arguments");
    struct source_signature *signature = calloc(1, sizeof *signature);
    struct error error = {0};
    bool known = signature && source_signature_read(signature, draft->source, draft->entry, &error) == 0;
    if (!signature)
        problem_add(problems, "#/source", "no memory for %s", "a source");
    /* With arguments and entry a function that cannot be read, as one that a macro makes, is the compiler's to find. */
    else if (!known && !arguments && signature->missing)
        add_missing(draft->entry, signature, problems);
    else if (!known && (!arguments || !draft->entry[0]))
        problem_add(problems, error.kind == ERROR_NOT_FOUND ? "#/source" : "#/entry", "%s", error.text);
    else if (arguments)
        source_argument_json_read(draft, arguments, signature, known, problems);
    else if (source_derive_arguments(signature, draft, problems) == 0)
        derive_threads(draft, request);
    if (known && !draft->entry[0])
        snprintf(draft->entry, sizeof draft->entry, "%s", signature->entry);
    free(signature);
}

/* `shared_bytes`: of a definition; 0: a member of that name is the experiment's. */
static struct source_kernel *take(json_t *request, int64_t shared_bytes, struct problems *problems,
                                  struct error *error)
{
    struct source_kernel *kernel = NULL;
    struct source_draft *draft = calloc(1, sizeof *draft);
    int before = problems->count;
    if (!draft) {
        error_set(error, ERROR_MEMORY, "no memory for a source");
        return NULL;
    }
    draft->shared_bytes = shared_bytes;
    if (json_object_get(request, "debug"))
        problem_add(problems, "#/debug", "is for kernels of the suite");
    read_source(draft, json_object_get(request, "source"), problems);
    read_entry(draft, json_object_get(request, "entry"), problems);
    read_threads(draft, json_object_get(request, "threads"), problems);
    read_constants(draft, json_object_get(request, "constants"), problems);
    if (draft->source)
        read_arguments(draft, request, problems);
    check_names(draft, problems);
    if (problems->count == before)
        kernel = source_kernel_new(draft, problems, error);
    const json_t *name = json_object_get(request, "kernel");
    if (name &&
        !(kernel && json_parts_is(name, kernel->name))) { /* its own is there where the service wrote it */
        problem_add(problems, "#/kernel", "a request has \"kernel\" or \"source\", not both");
        source_kernel_free(kernel);
        kernel = NULL;
    }
    source_draft_free(draft);
    free(draft);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        json_object_del(request, taken[i]);
    return kernel;
}

struct source_kernel *source_json_take(json_t *request, struct problems *problems, struct error *error)
{
    return take(request, 0, problems, error);
}

struct source_kernel *source_json_define(json_t *definition, struct problems *problems, struct error *error)
{
    const json_t *shared = json_object_get(definition, "shared_bytes");
    const char *name;
    json_t *value;
    int before = problems->count;
    int64_t shared_bytes = json_integer_value(shared);
    if (shared && (!json_is_integer(shared) || shared_bytes < 0 || shared_bytes > SOURCE_SHARED_BYTES))
        problem_add(problems, "#/shared_bytes", "must be a whole number from 0 to %d", SOURCE_SHARED_BYTES);
    json_object_del(definition, "shared_bytes");
    struct source_kernel *kernel = take(definition, shared_bytes, problems, error);
    json_object_del(definition, "kernel");
    json_object_foreach (definition, name, value) {
        char pointer[64];
        problem_pointer(pointer, sizeof pointer, "#", name);
        if (problems_full(problems))
            break;
        problem_add(problems, pointer,
                    "unknown field: a kernel has source, entry, arguments, constants, threads and "
                    "shared_bytes; what else there is belongs into a request that uses it");
    }
    if (problems->count == before)
        return kernel;
    source_kernel_free(kernel);
    return NULL;
}

struct source_kernel *source_json_read_text(const char *text, struct error *error)
{
    struct problems problems = {0};
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    struct source_kernel *kernel = object ? source_json_define(object, &problems, error) : NULL;
    if (problems.count)
        error_set(error, ERROR_INVALID, "%s: %s", problems.at[0].pointer, problems.at[0].detail);
    else if (!kernel)
        error_set(error, ERROR_INVALID, "the definition of a kernel is not JSON");
    json_decref(object);
    return kernel;
}

void source_json_require(const struct source_kernel *kernel, const json_t *request, struct problems *problems)
{
    for (int i = 0; i < kernel->layout.slot_count; i++) {
        const struct source_slot *slot = &kernel->layout.slot[i];
        for (unsigned part = 0; slot->param >= 0 && part < slot->argument->type.width; part++) {
            const char *name = kernel->kernel.params[slot->param + (int)part].name;
            char pointer[64];
            problem_pointer(pointer, sizeof pointer, "#", name);
            if (slot->argument->value == SOURCE_VALUE_ASKED && !json_object_get(request, name))
                problem_add(problems, pointer, "is required: the value of the scalar argument");
        }
    }
}
