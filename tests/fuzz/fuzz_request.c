/* Any bytes as the body of POST /v1/experiments: read, checked, refused with a document or made into the
   request that is stored, which must read as the same experiment again. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/experiment_json.h"
#include "api/problem.h"
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

static char *text_of(const struct experiment *experiment, const json_t *request)
{
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    experiment_text_write(&json, NULL, experiment, request);
    must(json_writer_finish(&json) == 0);
    return buffer_take(&text);
}

/* What was stored reads as what it was made of. */
static void check_again(const struct experiment *experiment, const json_t *request)
{
    struct experiment again;
    struct problems problems = {0};
    char *text = text_of(experiment, request);
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    must(object && experiment_json_read(&again, object, &problems) == 0);
    must(experiment_check(&again, &device, &problems) == 0);
    char *same = text_of(&again, object);
    must(strcmp(text, same) == 0);
    free(same);
    json_decref(object);
    free(text);
}

static void check_refusal(const struct experiment *experiment, const json_t *request,
                          struct problems *problems)
{
    struct buffer document = {0};
    sweep_axes_explain(experiment->kernel, request, problems);
    must(problem_write(&document, PROBLEM_INVALID, problems->at[0].detail, "/v1/experiments", problems, NULL,
                       PROBLEM_CHINESE) == 0);
    json_t *read = json_loads(document.data, JSON_REJECT_DUPLICATES, NULL);
    must(read && json_array_size(json_object_get(read, "errors")) > 0);
    json_decref(read);
    buffer_free(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char detail[JSON_PARTS_DETAIL_BYTES];
    struct experiment experiment;
    struct problems problems = {0};
    json_t *object = json_parts_body((const char *)data, size, "{}", detail);
    if (!object)
        return 0;
    int bad = experiment_json_read(&experiment, object, &problems) < 0;
    must(bad == (problems.count > 0));
    if (experiment.kernel)
        bad |= experiment_check(&experiment, &device, &problems) < 0;
    if (bad)
        check_refusal(&experiment, object, &problems);
    else
        check_again(&experiment, object);
    json_decref(object);
    return 0;
}
