/* Any bytes as the body of a request that brings a kernel along, or, where they do not begin with "{", as its source. Read, refused
   with a document, or made into a kernel, which must read as the same kernel again. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "api/source_json.h"
#include "kernels/source/source_launch.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void check_refusal(struct problems *problems)
{
    struct buffer document = {0};
    must(problem_write(&document, PROBLEM_INVALID, problems->at[0].detail, "/v1/predictions", problems, NULL,
                       PROBLEM_CHINESE) == 0);
    json_t *read = json_loads(document.data, JSON_REJECT_DUPLICATES, NULL);
    must(read && json_array_size(json_object_get(read, "errors")) > 0);
    json_decref(read);
    buffer_free(&document);
}

/* What the kernel says of itself makes the same one. */
static void check_again(const struct source_kernel *kernel)
{
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    struct problems problems = {0};
    json_writer_begin_object(&json, NULL);
    source_draft_json(&json, &kernel->draft);
    json_writer_end(&json);
    must(json_writer_finish(&json) == 0);
    json_t *object = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
    must(object != NULL);
    struct source_kernel *same = source_json_take(object, &problems, NULL);
    must(same && strcmp(same->sha256, kernel->sha256) == 0);
    source_kernel_free(same);
    json_decref(object);
    buffer_free(&text);
}

static void check_launch(const struct source_kernel *kernel, const json_t *request, struct problems *problems)
{
    static const uint64_t addresses[KERNEL_BUFFERS];
    struct experiment experiment;
    unsigned char bytes[4 * SOURCE_PARAMETER_BYTES];
    source_json_require(kernel, request, problems);
    experiment_json_read_of(&experiment, &kernel->kernel, request, problems);
    if (experiment_check(&experiment, NULL, problems) < 0 || problems->count)
        return;
    struct domain domain = experiment_domain(&experiment);
    must(kernel->layout.parameter_bytes <= SOURCE_PARAMETER_BYTES);
    source_launch_parameters(kernel, &domain, addresses, bytes);
    for (int b = 0; b < kernel->kernel.buffer_count; b++) {
        uint64_t elements = kernel->kernel.elements(&domain, b);
        must(elements >= 1 && elements <= UINT64_C(1) << 53);
        source_launch_fill(kernel, b, elements - 1, elements, bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char detail[JSON_PARTS_DETAIL_BYTES];
    struct problems problems = {0};
    bool text = size && data[0] != '{';
    json_t *object = text ? json_pack("{s:o}", "source", json_stringn((const char *)data, size))
                          : json_parts_body((const char *)data, size, "{}", detail);
    if (!object)
        return 0;
    struct source_kernel *kernel = source_json_take(object, &problems, NULL);
    must((kernel != NULL) == (problems.count == 0));
    if (kernel) {
        check_again(kernel);
        check_launch(kernel, object, &problems);
    }
    if (problems.count)
        check_refusal(&problems);
    source_kernel_free(kernel);
    json_decref(object);
    return 0;
}
