/* Any bytes as the body of POST /v1/sweeps: expanded, refused with a document, or points of which each can
   be launched or says why not. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>

#include "api/json_parts.h"
#include "api/experiment_json.h"
#include "api/problem.h"
#include "api/recipe.h"
#include "api/device_fit.h"
#include "api/sweep.h"
#include "api/sweep_axes.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct device_facts device = {
    .name = "a device",
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .shared_bytes_per_block = 49152,
    .memory_bytes = UINT64_C(1) << 30,
};
static const struct device_offer offers[] = {{0, "one", &device, true, true, true},
                                             {1, "two", NULL, false, true, true}};
static const struct device_offers devices = {offers, 2};

/* The same inputs take the same ways in every run. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    json_object_seed(1);
    return 0;
}

static void must(int holds)
{
    if (!holds)
        abort();
}

static json_t *object_of(const char *text)
{
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    must(object && json_is_object(object));
    return object;
}

static void check_sweep(const struct sweep *sweep)
{
    int launched = 0, asked = 0;
    must(sweep->point_count >= 1 && sweep->point_count * sweep->rounds <= SWEEP_POINTS_MAX);
    for (int i = 0; i < sweep->point_count; i++) {
        const struct sweep_point *point = &sweep->points[i];
        must(point->experiment >= -1 && point->experiment < sweep->experiment_count);
        launched += point->experiment >= 0;
        json_decref(object_of(point->values));
        if (point->experiment < 0) {
            json_decref(object_of(point->request));
            json_decref(object_of(point->failure));
        }
    }
    for (int i = 0; i < sweep->experiment_count; i++) {
        struct error error = {0};
        struct experiment experiment;
        int known = device_set_has(&sweep->experiments[i].devices, 0);
        asked += sweep->experiments[i].points;
        must(experiment_json_read_text(&experiment, sweep->experiments[i].request, known ? &device : NULL,
                                       &error) == 0);
    }
    must(asked == launched);
}

static void check_refusal(const struct problems *problems)
{
    struct buffer document = {0};
    must(problem_write(&document, PROBLEM_INVALID, problems->at[0].detail, "/v1/sweeps", problems, NULL,
                       PROBLEM_CHINESE) == 0);
    json_decref(object_of(document.data));
    buffer_free(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char detail[JSON_PARTS_DETAIL_BYTES];
    struct sweep sweep;
    struct problems problems = {0};
    const struct recipe *recipe = NULL;
    json_t *object = json_parts_body((const char *)data, size, "{}", detail);
    json_t *wanted = object ? recipe_resolve(object, &recipe, &problems) : NULL;
    if (wanted && sweep_expand(&sweep, wanted, NULL, &devices, &problems) == 0) {
        must(!problems.count);
        check_sweep(&sweep);
        sweep_free(&sweep);
    } else if (object) {
        must(problems.count > 0);
        if (recipe)
            recipe_explain(recipe, object, &problems);
        check_refusal(&problems);
    }
    problems.count = 0;
    if (object && sweep_expand_one(&sweep, object, NULL, &devices, &problems) == 0) {
        must(!problems.count && sweep.point_count == 1 && sweep.experiment_count == 1);
        check_sweep(&sweep);
        sweep_free(&sweep);
    } else if (object) {
        must(problems.count > 0);
        sweep_axes_explain(NULL, object, &problems);
        check_refusal(&problems);
    }
    json_decref(wanted);
    json_decref(object);
    return 0;
}
