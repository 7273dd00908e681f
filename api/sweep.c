/* Expands a request into points, and finds the points that ask for the same experiment. */
#include "api/sweep.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device_choice.h"
#include "api/device_fit.h"
#include "api/experiment_request.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "api/recipe.h"
#include "api/sweep_axes.h"
#include "base/clock.h"
#include "base/hash.h"

/* Slots of the table that finds equal experiments: a power of two, never full. */
enum { TEXTS_BYTES = 64 << 10, SLOTS = 1 << 15 };

/* A block of texts: texts that are added do not move those that are there. */
struct sweep_texts {
    struct sweep_texts *next;
    size_t used, size;
    char bytes[];
};

struct expander {
    struct sweep *sweep;
    const struct request_kernels *kernels; /* NULL: of the suite alone */
    const struct device_offers *offers;
    struct problems *problems; /* with the whole */
    struct sweep_axes axes;
    const struct sweep_axis *device; /* the axis of devices; NULL: there is none */
    json_t *point;                   /* the request with one value for each axis */
    struct buffer text;              /* of what is being written */
    int *slots;                      /* experiment + 1 at the hash of its text; 0: free */
    int *groups;                     /* of each experiment: its place in the axis of devices */
};

static const char *text_store(struct sweep *sweep, const struct buffer *text)
{
    size_t size = text->size + 1;
    struct sweep_texts *texts = sweep->texts;
    if (text->failed)
        return NULL;
    if (!texts || texts->size - texts->used < size) {
        size_t bytes = size > TEXTS_BYTES ? size : TEXTS_BYTES;
        if (!(texts = malloc(sizeof *texts + bytes)))
            return NULL;
        *texts = (struct sweep_texts){.next = sweep->texts, .size = bytes};
        sweep->texts = texts;
    }
    char *copy = texts->bytes + texts->used;
    memcpy(copy, text->data, size);
    texts->used += size;
    return copy;
}

/* Begins another text in the place of the one before. */
static struct json_writer text_begin(struct expander *x)
{
    x->text.size = 0;
    return (struct json_writer){.out = &x->text};
}

static const char *json_store(struct expander *x, const json_t *value)
{
    struct json_writer json = text_begin(x);
    json_parts_tree(&json, NULL, value);
    return json_writer_finish(&json) == 0 ? text_store(x->sweep, &x->text) : NULL;
}

static const char *values_store(struct expander *x)
{
    struct json_writer json = text_begin(x);
    json_writer_begin_object(&json, NULL);
    for (size_t i = 0; i < x->axes.count; i++)
        json_parts_tree(&json, x->axes.at[i].name, json_object_get(x->point, x->axes.at[i].name));
    json_writer_end(&json);
    return json_writer_finish(&json) == 0 ? text_store(x->sweep, &x->text) : NULL;
}

static const char *failure_store(struct expander *x, const struct problems *problems)
{
    const struct problem *first = &problems->at[0];
    struct json_writer json = text_begin(x);
    const char *field = first->pointer + strspn(first->pointer, "#/");
    char detail[360], chinese[320];
    snprintf(detail, sizeof detail, "%s%s%s", field, *field ? ": " : "", first->detail);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "kind", "invalid");
    json_writer_string(&json, "detail", detail);
    if (problem_zh(first->detail, chinese, sizeof chinese)) {
        json_writer_begin_object(&json, "zh");
        snprintf(detail, sizeof detail, "%s%s%s", field, *field ? "：" : "", chinese);
        json_writer_string(&json, "detail", detail);
        json_writer_end(&json);
    }
    problem_write_fields(&json, "errors", problems, PROBLEM_ENGLISH);
    json_writer_end(&json);
    return text_store(x->sweep, &x->text);
}

/* The distinct experiment that asks for just this, a new one when there is none; -1: no memory. */
static int experiment_find(struct expander *x, const struct experiment_request *asked,
                           const struct device_set *devices)
{
    struct sweep *sweep = x->sweep;
    const struct experiment *experiment = &asked->experiment;
    struct json_writer json = text_begin(x);
    experiment_request_write(&json, asked, x->point);
    if (json_writer_finish(&json) < 0)
        return -1;
    uint64_t slot = hash_text(x->text.data) & (SLOTS - 1);
    for (; x->slots[slot]; slot = (slot + 1) & (SLOTS - 1))
        if (strcmp(sweep->experiments[x->slots[slot] - 1].request, x->text.data) == 0)
            return x->slots[slot] - 1;
    const char *request = text_store(sweep, &x->text);
    if (!request)
        return -1;
    sweep->experiments[sweep->experiment_count] = (struct sweep_experiment){
        .kernel = experiment->kernel->name,
        .devices = *devices,
        .open = device_choice_open(&experiment->device),
        .priority = (int)experiment->priority,
        .timeout_s = experiment->timeout_s,
        .array_bytes = (double)experiment_working_set_bytes(experiment),
        .request = request,
    };
    struct sweep_experiment *added = &sweep->experiments[sweep->experiment_count];
    added->source_count = experiment_request_definitions(asked, x->kernels, added->sources);
    x->groups[sweep->experiment_count] = x->device ? (int)x->device->current : 0;
    x->slots[slot] = ++sweep->experiment_count;
    return sweep->experiment_count - 1;
}

/* Where the current point may run, or all that is wrong with it, as for a single experiment. */
static void point_check(struct expander *x, struct experiment_request *asked, struct device_set *devices,
                        struct problems *problems)
{
    experiment_request_read(asked, x->point, x->kernels, problems);
    if (!asked->experiment.kernel)
        return;
    if (device_fit_find(&asked->experiment, x->offers, devices, problems) == DEVICE_UNKNOWN)
        x->sweep->unknown_device = device_set_next(devices, 0);
    if (!problems->count)
        experiment_request_check(asked, problems);
}

static int point_add(struct expander *x)
{
    struct sweep *sweep = x->sweep;
    struct experiment_request asked;
    struct problems problems;
    struct device_set devices;
    struct sweep_point *point = &sweep->points[sweep->point_count];
    problems.count = 0;
    point_check(x, &asked, &devices, &problems);
    point->values = values_store(x);
    point->experiment = problems.count ? -1 : experiment_find(x, &asked, &devices);
    if (problems.count) {
        point->request = json_store(x, x->point);
        point->failure = failure_store(x, &problems);
    }
    if (!point->values || (problems.count ? !point->request || !point->failure : point->experiment < 0))
        return -1;
    if (point->experiment >= 0)
        sweep->experiments[point->experiment].points++;
    sweep->point_count++;
    return 0;
}

/* How many experiments with that choice of a device can be run where: "0 (h200-1) 12, 1 (small) 8". */
static void fits_list(const struct expander *x, int choice, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < x->offers->count; i++) {
        const struct device_offer *offer = &x->offers->at[i];
        size_t used = strlen(text);
        int fit = 0;
        for (int e = 0; e < x->sweep->experiment_count; e++)
            fit += x->groups[e] == choice && device_set_has(&x->sweep->experiments[e].devices, offer->number);
        if (fit && used + 20 < size)
            snprintf(text + used, size - used, "%s%d (%.20s) %d", used ? ", " : "", offer->number,
                     offer->name, fit);
    }
}

/* A sweep that is not spread stays on one device, so that its numbers may be compared. Leaves to each
   experiment the devices that all of it can be run on, or all with the same choice of an axis "device": then
   the first of them, as its choices are devices that are compared. */
static int devices_choose(struct expander *x)
{
    struct sweep_experiment *experiments = x->sweep->experiments;
    int count = x->sweep->experiment_count, choices = x->device ? (int)json_array_size(x->device->values) : 1;
    int misfit = -1; /* an experiment whose choice no device fits */
    struct device_set *common = malloc((size_t)choices * sizeof *common);
    if (!common)
        return -1;
    memset(common, 0xff, (size_t)choices * sizeof *common);
    for (int i = 0; i < count; i++)
        common[x->groups[i]] = device_set_both(&common[x->groups[i]], &experiments[i].devices);
    for (int i = count - 1; i >= 0; i--)
        misfit = device_set_count(&common[x->groups[i]]) ? misfit : i;
    if (misfit >= 0) {
        char where[64] = "#/device", counts[120];
        fits_list(x, x->groups[misfit], counts, sizeof counts);
        if (choices > 1)
            snprintf(where, sizeof where, "#/device/%d", x->groups[misfit]);
        problem_add(
            x->problems, where,
            "no one device fits all points; it is so many on %s. \"spread\": true lets each go where it fits",
            counts);
    }
    for (int i = 0; i < count; i++) {
        const struct device_set *set = &common[x->groups[i]];
        experiments[i].devices = choices > 1 ? device_set_of(device_set_next(set, 0)) : *set;
    }
    free(common);
    return misfit < 0 ? 0 : -1;
}

static int expander_run(struct expander *x, const json_t *object, size_t total)
{
    struct sweep *sweep = x->sweep;
    sweep->points = calloc(total, sizeof *sweep->points);
    sweep->experiments = calloc(total, sizeof *sweep->experiments);
    x->slots = calloc(SLOTS, sizeof *x->slots);
    x->groups = calloc(total, sizeof *x->groups);
    json_decref(x->point);
    x->point = json_copy((json_t *)object);
    if (!sweep->points || !sweep->experiments || !x->slots || !x->groups || !x->point)
        return -1;
    x->device = sweep_axes_find(&x->axes, "device");
    do {
        int set = sweep_axes_set(&x->axes, x->point);
        if (set < 0 || (set && point_add(x) < 0))
            return -1;
    } while (sweep_axes_step(&x->axes));
    if (sweep->spread || sweep->unknown_device >= 0)
        return 0;
    return devices_choose(x);
}

static bool spread_read(const json_t *request, struct problems *problems)
{
    const json_t *spread = json_object_get(request, "spread");
    if (spread && !json_is_boolean(spread))
        problem_add(problems, "#/spread", "must be true or false, is %s", json_parts_type(spread));
    return json_is_true(spread);
}

int sweep_repeat(const json_t *request, struct problems *problems)
{
    const json_t *repeat = json_object_get(request, "repeat");
    if (!repeat)
        return 1;
    if (json_is_integer(repeat) && json_integer_value(repeat) >= 1 &&
        json_integer_value(repeat) <= SWEEP_REPEAT_MAX)
        return (int)json_integer_value(repeat);
    problem_add(problems, "#/repeat", "must be a number of rounds from 1 to %d", SWEEP_REPEAT_MAX);
    return 1;
}

static int total_check(size_t total, int rounds, struct problems *problems)
{
    if (total == SIZE_MAX)
        problem_add(problems, "#", "more points than can be counted; a sweep has at most %d",
                    SWEEP_POINTS_MAX);
    else if (total > SWEEP_POINTS_MAX)
        problem_add(problems, "#", "%zu points; a sweep has at most %d", total, SWEEP_POINTS_MAX);
    else if (total * (size_t)rounds > SWEEP_POINTS_MAX)
        problem_add(problems, "#/repeat", "%zu points in %d rounds are %zu runs; a sweep has at most %d",
                    total, rounds, total * (size_t)rounds, SWEEP_POINTS_MAX);
    else
        return 0;
    return -1;
}

/* What each point is, but for its axes' values: the request without what is of the whole. New reference. */
static json_t *round_of(const json_t *object, int rounds)
{
    json_t *round = json_copy((json_t *)object);
    int failed = round ? 0 : -1;
    json_object_del(round, "repeat");
    if (rounds > 1 && !json_object_get(round, "placement"))
        failed = json_object_set_new(round, "placement", json_string("new"));
    if (!failed)
        return round;
    json_decref(round);
    return NULL;
}

static int expander_end(struct expander *x, json_t *round, int status)
{
    sweep_axes_free(&x->axes);
    json_decref(x->point);
    json_decref(round);
    buffer_free(&x->text);
    free(x->slots);
    free(x->groups);
    if (status < 0)
        sweep_free(x->sweep);
    return status;
}

int sweep_expand(struct sweep *sweep, const json_t *object, const struct request_kernels *kernels,
                 const struct device_offers *offers, struct problems *problems)
{
    struct expander x = {.sweep = sweep, .kernels = kernels, .offers = offers, .problems = problems};
    int before = problems->count;
    *sweep = (struct sweep){.unknown_device = -1, .rounds = sweep_repeat(object, problems)};
    sweep->spread = spread_read(object, problems);
    json_t *round = round_of(object, sweep->rounds);
    json_object_del(round, "spread");
    int status = round ? sweep_axes_read(&x.axes, round, kernels, SWEEP_POINTS_MAX, problems) : -1;
    size_t total = status == 0 ? sweep_axes_total(&x.axes) : 0;
    if (status == 0 &&
        (total_check(total, sweep->rounds, problems) < 0 || sweep_axes_check(&x.axes, round, problems) < 0 ||
         device_fit_check_named(json_object_get(round, "device"), offers, problems) < 0))
        status = -1;
    if (status == 0)
        status = problems->count == before ? expander_run(&x, round, total) : -1;
    return expander_end(&x, round, status);
}

int sweep_expand_one(struct sweep *sweep, const json_t *object, const struct request_kernels *kernels,
                     const struct device_offers *offers, struct problems *problems)
{
    struct expander x = {.sweep = sweep, .kernels = kernels, .offers = offers, .problems = problems};
    struct experiment_request asked;
    struct device_set devices;
    int before = problems->count;
    *sweep = (struct sweep){.unknown_device = -1, .rounds = sweep_repeat(object, problems)};
    json_t *round = round_of(object, sweep->rounds);
    x.point = json_incref(round);
    if (round)
        point_check(&x, &asked, &devices, problems);
    int status = round && problems->count == before ? expander_run(&x, round, 1) : -1;
    return expander_end(&x, round, status);
}

/* Of the point of that experiment, or, with NULL, of one that cannot be launched. */
static const char *reference_store(struct sweep *sweep, const struct recipe *recipe,
                                   const struct sweep_experiment *experiment, const char *request,
                                   const struct device_offers *offers, bool late)
{
    const struct device_facts *device = NULL;
    for (int i = 0; i < offers->count && !device; i++)
        if (!experiment || device_set_has(&experiment->devices, offers->at[i].number))
            device = offers->at[i].facts;
    char *text =
        recipe_reference(recipe, experiment ? experiment->request : request, device ? device->arch : "",
                         late ? "the predictions of this sweep take too long to be made at once; "
                                "POST /v1/predictions makes one"
                              : NULL);
    struct buffer reference = {.data = text, .size = text ? strlen(text) : 0, .failed = !text};
    const char *copy = text_store(sweep, &reference);
    free(text);
    return copy;
}

int sweep_refer(struct sweep *sweep, const struct recipe *recipe, const struct device_offers *offers,
                int budget_ms)
{
    int64_t end_ns = clock_monotonic_ns() + budget_ms * 1000000LL;
    const char **references = calloc((size_t)sweep->experiment_count + 1, sizeof *references);
    int status = references ? 0 : -1;
    for (int i = 0; status == 0 && i < sweep->point_count; i++) {
        struct sweep_point *point = &sweep->points[i];
        bool launched = point->experiment >= 0;
        const char *reference = launched ? references[point->experiment] : NULL;
        if (!reference)
            reference =
                reference_store(sweep, recipe, launched ? &sweep->experiments[point->experiment] : NULL,
                                point->request, offers, clock_monotonic_ns() >= end_ns);
        if (launched)
            references[point->experiment] = reference;
        point->reference = reference;
        status = reference ? 0 : -1;
    }
    free(references);
    return status;
}

void sweep_free(struct sweep *sweep)
{
    for (struct sweep_texts *texts = sweep->texts, *next; texts; texts = next) {
        next = texts->next;
        free(texts);
    }
    free(sweep->experiments);
    free(sweep->points);
    *sweep = (struct sweep){0};
}
