/* POST /v1/predictions: the model alone, no queue, no device: an experiment's fields, a list of architectures, and
   whether loads go through L1. Answers at once. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/experiment_json.h"
#include "api/json.h"
#include "api/occupancy_json.h"
#include "api/prediction_json.h"
#include "server/http/route.h"
#include "server/routes/service.h"

enum { ARCHS_MAX = 32 };

/* What is asked for besides an experiment. */
struct question {
    json_t *archs; /* a list of names; owned */
    enum l1_setting l1;
    int registers; /* a thread; -1: not said */
    int shared_bytes;
};

static json_t *all_archs(void)
{
    json_t *archs = json_array();
    for (int i = 0; i < arch_count(); i++)
        if (!arch_at(i)->access.half_warps)
            json_array_append_new(archs, json_string(arch_at(i)->name));
    return archs;
}

static void check_arch(const json_t *name, const char *pointer, struct problems *problems)
{
    char known[224] = "";
    if (!json_is_string(name)) {
        problem_add(problems, pointer, "must be a string, the name of an architecture");
    } else if (!arch_find(json_string_value(name))) {
        for (int i = 0; i < arch_count(); i++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, " %s", arch_at(i)->name);
        }
        problem_add(problems, pointer, "the model knows no %.16s, but%s", json_string_value(name), known);
    }
}

static void check_archs(const json_t *archs, struct problems *problems)
{
    size_t i;
    const json_t *name;
    if (!json_is_array(archs) || !json_array_size(archs) || json_array_size(archs) > ARCHS_MAX) {
        problem_add(problems, "#/arch", "must be the name of an architecture, or a list of 1 to %d of them",
                    ARCHS_MAX);
        return;
    }
    json_array_foreach (archs, i, name) {
        char pointer[32];
        snprintf(pointer, sizeof pointer, "#/arch/%zu", i);
        check_arch(name, pointer, problems);
    }
}

/* Takes a whole number out of the request; `fallback` when it is not there. */
static int number_take(json_t *request, const char *name, int min, int max, int fallback,
                       struct problems *problems)
{
    const json_t *value = json_object_get(request, name);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : fallback;
    char pointer[64];
    snprintf(pointer, sizeof pointer, "#/%s", name);
    if (value && (!json_is_integer(value) || number < min || number > max))
        problem_add(problems, pointer, "must be a whole number from %d to %d", min, max);
    json_object_del(request, name);
    return (int)number;
}

/* Takes what is not an experiment's out of the request. */
static void question_take(struct question *question, json_t *request, struct problems *problems)
{
    json_t *archs = json_incref(json_object_get(request, "arch"));
    json_t *l1 = json_object_get(request, "l1");
    if (l1 && !json_is_boolean(l1))
        problem_add(problems, "#/l1", "must be true or false");
    question->l1 = !l1 ? L1_BY_ARCH : json_is_true(l1) ? L1_ON : L1_OFF;
    if (json_is_string(archs)) {
        check_arch(archs, "#/arch", problems);
        json_t *one = json_pack("[O]", archs);
        json_decref(archs);
        archs = one;
    } else if (archs) {
        check_archs(archs, problems);
    } else {
        archs = all_archs();
    }
    question->archs = archs;
    question->registers = number_take(request, "registers_per_thread", 1, 255, -1, problems);
    question->shared_bytes = number_take(request, "shared_bytes_per_block", 0, 1 << 20, -1, problems);
    json_object_del(request, "arch");
    json_object_del(request, "l1");
}

static json_t *answer_make(const struct experiment *experiment, const struct question *question)
{
    struct access access;
    size_t i;
    const json_t *name;
    json_t *predictions = json_array();
    access_count(experiment, &access);
    json_array_foreach (question->archs, i, name) {
        json_t *row = prediction_for(experiment, &access, json_string_value(name), question->l1);
        struct occupancy_case fill = {
            .arch = json_string_value(name),
            .registers_per_thread = question->registers,
            .shared_bytes_per_block = question->shared_bytes < 0 ? experiment_shared_bytes(experiment)
                                                                 : (uint64_t)question->shared_bytes,
            .threads_per_block =
                (uint64_t)(experiment->block[0] * experiment->block[1] * experiment->block[2]),
        };
        json_object_set_new(row, "occupancy", occupancy_to_json(&fill));
        json_array_append_new(predictions, row);
    }
    return json_pack("{s:o,s:o}", "request", experiment_to_json(experiment), "predictions", predictions);
}

static enum handled handle(struct request *request)
{
    enum handled handled;
    struct experiment experiment;
    struct problems problems = {0};
    struct question question = {0};
    char detail[BODY_DETAIL_BYTES];
    size_t length;
    const char *body = request_body(request, &length);
    json_t *object = body_parse(body, length, "{\"kernel\": \"...\"}", detail);
    if (!object)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", detail);
    question_take(&question, object, &problems);
    experiment_from_json(&experiment, object, &problems);
    if (experiment.kernel)
        experiment_check(&experiment, NULL, &problems);
    if (problems.count) {
        handled = reply_fields(request, &problems);
    } else {
        json_t *answer = answer_make(&experiment, &question);
        char *text = answer ? json_dumps(answer, API_JSON_FLAGS) : NULL;
        handled = reply_text(request, text);
        json_decref(answer);
    }
    json_decref(question.archs);
    json_decref(object);
    return handled;
}

const struct route route_post_predictions = {
    .method = "POST",
    .pattern = "/v1/predictions",
    .type = "application/json",
    .flags = ROUTE_READ | ROUTE_JSON | ROUTE_APART,
    .handle = handle,
};
