/* From a request's body to what is to be queued. */
#include "server/routes/submission_plan.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/device_choice.h"
#include "api/json_parts.h"
#include "api/protocol.h"
#include "api/recipe.h"
#include "api/sweep_axes.h"
#include "base/hash.h"

enum { PREDICTING_MAX_MS = 2000 }; /* for the points of a recipe */

static void fingerprint_make(const char *prefix, const char *text, char out[SUBMISSION_FINGERPRINT_BYTES])
{
    unsigned long long one = hash_bytes(text, strlen(text)), other = 0x84222325cbf29ce4;
    for (; *text; text++) {
        other = (other ^ (unsigned char)*text) * 0x9e3779b97f4a7c15;
        other ^= other >> 29;
    }
    snprintf(out, SUBMISSION_FINGERPRINT_BYTES, "%s%016llx%016llx", prefix, one, other);
}

static int fail(struct submission_fault *fault, enum submission_fault_kind kind)
{
    fault->kind = kind;
    return -1;
}

/* False, with *fault: a priority above EXPERIMENT_PRIORITY_MAX goes before everybody's and is for an
   admin. */
static bool priority_allowed(int64_t priority, const struct user *user, struct submission_fault *fault)
{
    if (priority <= EXPERIMENT_PRIORITY_MAX || user->role == ROLE_ADMIN)
        return true;
    fault->kind = SUBMISSION_FORBIDDEN;
    problem_add(&fault->problems, "#/priority",
                "more than %d goes before everybody's, for which the role admin is wanted; this token has %s",
                EXPERIMENT_PRIORITY_MAX, role_name(user->role));
    return false;
}

/* 0, or -1: no memory. */
static int device_default(json_t *object, const struct request_kernels *kernels,
                          const struct submission_devices *devices)
{
    if (kernels->count)
        return device_choice_default_source(object, devices->default_device, devices->first, devices->offers);
    return device_choice_default(object, devices->default_device, devices->first);
}

/* ---- one experiment ---- */

/* What is to be queued, of an experiment whose texts and kernel's name the plan has. */
static void single_fill(struct submission_plan *plan, const struct experiment *experiment,
                        const struct device_set *set)
{
    struct sweep_experiment *single = &plan->single;
    single->open = device_choice_open(&experiment->device);
    single->kernel = plan->kernel;
    single->devices = *set;
    single->priority = (int)experiment->priority;
    single->timeout_s = experiment->timeout_s;
    single->array_bytes = (double)experiment_working_set_bytes(experiment);
    single->request = plan->single_text;
    plan->device = single->open ? -1 : device_set_next(set, 0);
    plan->items = (struct sweep){.experiments = single, .experiment_count = 1, .rounds = 1};
}

/* Reads and checks it. 0, or -1 with what is wrong in fault->problems. */
static int single_read(struct experiment_request *asked, const json_t *object,
                       const struct request_kernels *kernels, const struct submission_devices *devices,
                       struct device_set *set, enum device_fit *fit, struct problems *problems)
{
    experiment_request_read(asked, object, kernels, problems);
    if (!asked->experiment.kernel)
        return -1;
    experiment_request_require(asked->experiment.kernel, object, problems);
    /* Wrong fields hold their defaults, so that all that is wrong is found at once, and what is wrong on any
       device is said before a device is known. */
    *fit = device_fit_find(&asked->experiment, devices->offers, set, problems);
    if (!problems->count)
        experiment_request_check(asked, problems);
    return problems->count ? -1 : 0;
}

static int plan_single(struct submission_plan *plan, json_t *object, const struct submission_request *request,
                       const struct submission_devices *devices, struct submission_fault *fault)
{
    struct experiment_request asked;
    const struct experiment *experiment = &asked.experiment;
    struct device_set set = {{0}};
    struct buffer text = {0};
    enum device_fit fit = DEVICE_REFUSED;
    if (device_default(object, &plan->kernels, devices) < 0)
        return -1;
    if (single_read(&asked, object, &plan->kernels, devices, &set, &fit, &fault->problems) < 0) {
        sweep_axes_explain(experiment->kernel, object, &fault->problems);
        return fail(fault, SUBMISSION_INVALID);
    }
    fault->device = device_set_next(&set, 0);
    if (fit == DEVICE_UNKNOWN)
        return fail(fault, SUBMISSION_UNKNOWN);
    if (!priority_allowed(experiment->priority, request->user, fault))
        return -1;
    struct json_writer json = {.out = &text};
    experiment_request_write(&json, &asked, object);
    if (json_writer_finish(&json) < 0) {
        buffer_free(&text);
        return -1;
    }
    plan->single_text = text.data;
    plan->kernel = experiment->kernel->name;
    if (plan->kernels.count) { /* the name is the kernel's own */
        snprintf(plan->source_name, sizeof plan->source_name, "%s", plan->kernel);
        plan->kernel = plan->source_name;
    }
    plan->single.source_count = experiment_request_definitions(&asked, &plan->kernels, plan->single.sources);
    single_fill(plan, experiment, &set);
    if (request->key)
        fingerprint_make("", plan->single_text, plan->fingerprint);
    return 0;
}

/* ---- kernels that users bring ---- */

bool submission_plan_may_compile(const char *body, size_t length)
{
    return memmem(body, length, "\"source\"", 8) || memmem(body, length, "\"src-", 5);
}

/* Has each compiled, so that what the compiler finds is a refusal. `reference`: what is wrong with a kernel that is only that
   one's is said to be of it. */
static int kernels_compile(const struct request_kernels *kernels, const json_t *object,
                           const struct submission_sources *sources, struct submission_fault *fault)
{
    const json_t *reference = json_object_get(json_object_get(object, "reference"), "kernel");
    const json_t *named = json_object_get(object, "kernel");
    for (int i = 0; i < kernels->count; i++) {
        struct problems inner = {0};
        const char *name = kernels->at[i]->name;
        if (sources->compile(sources->arg, kernels->at[i], &inner, &fault->error) < 0)
            return -1;
        bool of_reference =
            json_parts_is(reference, name) && !json_is_array(named) && !json_parts_is(named, name);
        if (of_reference)
            problem_add_within(&fault->problems, "reference", &inner);
        for (int p = 0; p < inner.count && p < EXPERIMENT_PROBLEMS && !of_reference; p++)
            problem_add_at(&fault->problems, inner.at[p].pointer, inner.at[p].line, inner.at[p].column, "%s",
                           inner.at[p].detail);
    }
    return 0;
}

/* Longer than a message to an executor may be, with its reference? */
static void check_length(const struct request_kernels *kernels, struct problems *problems)
{
    enum { MOST = PROTOCOL_PAYLOAD_BYTES / 2 - 4096 };
    size_t bytes[2] = {0, 0}; /* of the longest two */
    for (int i = 0; i < kernels->count; i++) {
        size_t length = strlen(kernels->definition[i]);
        size_t shorter = length < bytes[0] ? length : bytes[0];
        bytes[0] = length > bytes[0] ? length : bytes[0];
        bytes[1] = shorter > bytes[1] ? shorter : bytes[1];
    }
    if (bytes[0] + bytes[1] > MOST)
        problem_add(problems, "#/source", "takes %zu bytes with its arguments and its reference, at most %d",
                    bytes[0] + bytes[1], MOST);
}

/* Takes the kernels of users out of the request, which names them from here on. 0, or -1 with *fault: then they may be there
   all the same. */
static int plan_kernels(struct submission_plan *plan, json_t *object,
                        const struct submission_request *request, struct submission_fault *fault)
{
    const struct submission_sources *sources = request->sources;
    bool brought = json_object_get(object, "source") != NULL;
    if (!brought && !request_kernels_are_named(json_object_get(object, "kernel")))
        return 0;
    if (request->sweep && json_object_get(object, "recipe")) {
        problem_add(&fault->problems, "#/recipe",
                    "is of kernels of the suite, and the request has one of one's own");
        return fail(fault, SUBMISSION_INVALID);
    }
    if (!sources) {
        problem_add(&fault->problems, brought ? "#/source" : "#/kernel",
                    "this service takes no source: it was started with --source off");
        return fail(fault, SUBMISSION_INVALID);
    }
    int status = request_kernels_take(&plan->kernels, object, request->sweep, sources->find, sources->arg,
                                      &fault->problems, &fault->error);
    if (status == 0 && kernels_compile(&plan->kernels, object, sources, fault) == 0)
        check_length(&plan->kernels, &fault->problems);
    if (fault->error.kind != ERROR_NONE)
        return fail(fault, SUBMISSION_FAILED);
    return fault->problems.count ? fail(fault, SUBMISSION_INVALID) : 0;
}

/* ---- a sweep ---- */

/* The sweep that says the same as one experiment with "repeat": shapes, which are no axes there, in lists
   of their own. */
static char *repeated_text(const json_t *object)
{
    const char *name;
    json_t *value;
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    json_writer_begin_object(&json, NULL);
    json_object_foreach ((json_t *)object, name, value) {
        bool listed = sweep_axes_is_axis(name, value);
        if (listed)
            json_writer_begin_array(&json, name);
        json_parts_tree(&json, listed ? NULL : name, value);
        if (listed)
            json_writer_end(&json);
    }
    json_writer_end(&json);
    return buffer_take(&text);
}

static int repeated_expand(struct sweep *sweep, json_t *object, const struct request_kernels *kernels,
                           const struct submission_devices *devices, struct problems *problems)
{
    const json_t *name = json_object_get(object, "kernel");
    if (device_default(object, kernels, devices) < 0)
        return -1;
    int status = sweep_expand_one(sweep, object, kernels, devices->offers, problems);
    if (status < 0 && json_is_string(name))
        sweep_axes_explain(request_kernels_find(kernels, json_string_value(name)), object, problems);
    return status;
}

static int sweep_or_recipe_expand(struct submission_plan *plan, json_t *object,
                                  const struct submission_devices *devices, struct problems *problems)
{
    const struct recipe *recipe = NULL;
    int status = -1;
    json_t *wanted = recipe_resolve(object, &recipe, problems);
    if (wanted && device_default(wanted, &plan->kernels, devices) == 0)
        status = sweep_expand(&plan->items, wanted, &plan->kernels, devices->offers, problems);
    if (status == 0 && recipe)
        status = sweep_refer(&plan->items, recipe, devices->offers, PREDICTING_MAX_MS);
    if (recipe)
        recipe_explain(recipe, object, problems);
    plan->recipe = recipe ? recipe_name(recipe) : NULL;
    json_decref(wanted);
    return status;
}

/* What may still be wrong with a sweep that was expanded. */
static int sweep_check(const struct sweep *sweep, const char *text, const struct submission_request *request,
                       struct submission_fault *fault)
{
    static_assert((int)COLUMNS_DETAIL_BYTES <= (int)JSON_PARTS_DETAIL_BYTES, "either detail fits");
    fault->device = sweep->unknown_device;
    if (sweep->unknown_device >= 0)
        return fail(fault, SUBMISSION_UNKNOWN);
    if (sweep_reply_columns_check(&request->page, sweep->points[0].values, text, fault->detail) < 0)
        return fail(fault, SUBMISSION_MALFORMED);
    for (int i = 0; i < sweep->experiment_count; i++)
        if (!priority_allowed(sweep->experiments[i].priority, request->user, fault))
            return -1;
    return 0;
}

static int plan_sweep(struct submission_plan *plan, json_t *object, const struct submission_request *request,
                      const struct submission_devices *devices, struct submission_fault *fault)
{
    experiment_members_resolve_debug(object);
    char *text = request->sweep ? json_parts_text(object) : repeated_text(object);
    plan->sweep = true;
    plan->request = text;
    plan->items.unknown_device = -1;
    int status = request->sweep
                     ? sweep_or_recipe_expand(plan, object, devices, &fault->problems)
                     : repeated_expand(&plan->items, object, &plan->kernels, devices, &fault->problems);
    if (fault->problems.count)
        fault->kind = SUBMISSION_INVALID;
    if (status < 0 || !text || fault->problems.count)
        return -1;
    /* Another one than that of the same text as an experiment. */
    if (request->key)
        fingerprint_make("sweep ", text, plan->fingerprint);
    return sweep_check(&plan->items, text, request, fault);
}

/* ---- both ---- */

static int plan_object(struct submission_plan *plan, json_t *object, const struct submission_request *request,
                       const struct submission_devices *devices, struct submission_fault *fault)
{
    if (plan_kernels(plan, object, request, fault) < 0)
        return -1;
    if (!request->sweep && json_object_get(object, "repeat")) {
        if (sweep_repeat(object, &fault->problems) > 1 || fault->problems.count) {
            fault->problems.count = 0; /* expanding it adds them again, with all others */
            return plan_sweep(plan, object, request, devices, fault);
        }
        json_object_del(object, "repeat");
    }
    return request->sweep ? plan_sweep(plan, object, request, devices, fault)
                          : plan_single(plan, object, request, devices, fault);
}

int submission_plan_make(struct submission_plan *plan, const struct submission_request *request,
                         const struct submission_devices *devices, struct submission_fault *fault)
{
    const char *least =
        request->sweep ? "{\"kernel\": \"...\"} or {\"recipe\": \"...\"}" : "{\"kernel\": \"...\"}";
    *plan = (struct submission_plan){.device = -1};
    fault->kind = SUBMISSION_NO_MEMORY; /* where nothing else is said */
    fault->problems.count = 0;
    fault->error = (struct error){0};
    json_t *object = json_parts_body(request->body, request->length, least, fault->detail);
    if (!object)
        return fail(fault, SUBMISSION_MALFORMED);
    int status = plan_object(plan, object, request, devices, fault);
    json_decref(object);
    if (status < 0) {
        submission_plan_clear(plan);
        return -1;
    }
    plan->points = plan->sweep ? plan->items.point_count : 1;
    plan->rounds = plan->items.rounds;
    plan->runs = plan->items.experiment_count * plan->rounds;
    for (int i = 0; i < plan->items.experiment_count; i++)
        plan->timeouts_s += plan->items.experiments[i].timeout_s * plan->rounds;
    return 0;
}

void submission_plan_clear(struct submission_plan *plan)
{
    if (plan->sweep)
        sweep_free(&plan->items);
    plan->items = (struct sweep){0};
    free((char *)plan->request);
    plan->request = NULL;
    free(plan->single_text);
    plan->single_text = NULL;
    request_kernels_clear(&plan->kernels);
}
