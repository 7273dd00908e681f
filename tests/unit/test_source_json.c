/* A request that brings a kernel along: read, refused member by member, written and read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/experiment_json.h"
#include "api/problem.h"
#include "api/source_json.h"
#include "kernels/kernel_param.h"
#include "tests/unit/support/json_tree.h"

#define SHIFTED                                                                                              \
    "\"source\": \"extern \\\"C\\\" __global__ void shifted(const float *in, float *out, unsigned n, "       \
    "unsigned offset) { out[0] = in[n + offset]; }\""
#define ARGUMENTS                                                                                            \
    "\"arguments\": [{\"name\": \"in\", \"type\": \"f32\", \"elements\": \"n + offset\"}, {\"name\": "       \
    "\"out\", "                                                                                              \
    "\"type\": \"f32\", \"elements\": \"n\"}, {\"name\": \"n\", \"type\": \"u32\"}, {\"name\": \"offset\", " \
    "\"type\": \"u32\"}]"

/* What a caller does with a request: the kernel, then the experiment. */
static struct source_kernel *read_request(const char *text, struct experiment *e, struct problems *problems)
{
    json_error_t where;
    json_t *request = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    if (!request)
        fail_msg("%s: %s at %d", text, where.text, where.position);
    *problems = (struct problems){0};
    *e = (struct experiment){0};
    struct source_kernel *kernel = source_json_take(request, problems, NULL);
    if (kernel) {
        source_json_require(kernel, request, problems);
        experiment_json_read_of(e, &kernel->kernel, request, problems);
        experiment_check(e, NULL, problems);
    }
    json_decref(request);
    return kernel;
}

static void test_the_contracts_request_is_read(void **state)
{
    struct experiment e;
    struct problems problems = {0};
    (void)state;
    struct source_kernel *k = read_request(
        "{" SHIFTED ", " ARGUMENTS ", \"n\": 1048576, \"offset\": 11, \"block\": 256, \"grid\": 4096}", &e,
        &problems);
    if (problems.count)
        fail_msg("%s %s", problems.at[0].pointer, problems.at[0].detail);
    assert_string_equal(k->draft.entry, "shifted");
    assert_string_equal(k->kernel.title.en, "shifted");
    assert_int_equal(k->kernel.buffers[0].role, BUFFER_INPUT);
    assert_int_equal(k->kernel.buffers[1].role, BUFFER_OUTPUT);
    struct domain domain = experiment_domain(&e);
    assert_int_equal(k->kernel.elements(&domain, 0), 1048587);
    assert_int_equal(e.param[1], 11);
    assert_int_equal(e.grid[0], 4096);
    source_kernel_free(k);
}

/* The request's text has no size and no dtype, and says each scalar. */
static void test_its_experiment_is_written_and_read_again(void **state)
{
    struct experiment e, again;
    struct problems problems = {0};
    (void)state;
    struct source_kernel *k = read_request(
        "{\"source\": \"__global__ void f(double x, unsigned long long s, long long t) {}\", \"x\": 0.1, "
        "\"s\": \"18446744073709551615\", \"t\": -9223372036854775808, \"grid\": 1}",
        &e, &problems);
    if (problems.count)
        fail_msg("%s %s", problems.at[0].pointer, problems.at[0].detail);
    json_t *tree = experiment_json_tree(&e);
    assert_null(json_object_get(tree, "size"));
    assert_null(json_object_get(tree, "dtype"));
    assert_string_equal(json_string_value(json_object_get(tree, "kernel")), k->name);
    assert_string_equal(json_string_value(json_object_get(tree, "s")), "18446744073709551615");
    assert_true(json_real_value(json_object_get(tree, "x")) == 0.1);
    struct source_kernel *same = source_json_take(tree, &problems, NULL);
    assert_string_equal(same->name, k->name);
    assert_int_equal(experiment_json_read_of(&again, &same->kernel, tree, &problems), 0);
    source_kernel_free(same);
    assert_memory_equal(again.param, e.param, sizeof e.param);
    assert_true((uint64_t)e.param[1] == UINT64_MAX && e.param[2] == INT64_MIN);
    json_decref(tree);
    source_kernel_free(k);
}

static void test_what_is_derived_reads_as_the_same_kernel(void **state)
{
    static const char *const requests[] = {
        "{\"source\": \"__global__ void f(const float *in, float4 *out, int *sum, int n, float a) { out[n] = "
        "in[n]; }\", "
        "\"n\": 77, \"threads\": \"size\"}",
        "{" SHIFTED ", " ARGUMENTS ", \"n\": 5, \"offset\": 1, \"threads\": [\"n\", 2]}",
        "{\"source\": \"struct p {}; __constant__ float c[4]; __global__ void f(p s, const unsigned char *b) "
        "{}\", "
        "\"arguments\": [{\"name\": \"s\", \"fields\": [{\"name\": \"x\", \"type\": \"f64\", \"value\": "
        "0.5}, {\"name\": \"to\", "
        "\"type\": \"i32\", \"elements\": 8, \"fill\": {\"hash\": 10}}]}, {\"name\": \"b\", \"type\": "
        "\"u8\", \"elements\": 3, "
        "\"fill\": {\"values\": [1, 2.5, -3]}}], \"constants\": {\"c\": [1, 2, 0.5]}, \"grid\": 1}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct experiment e;
        struct problems problems = {0};
        struct source_kernel *k = read_request(requests[i], &e, &problems);
        if (problems.count)
            fail_msg("%s %s", problems.at[0].pointer, problems.at[0].detail);
        json_t *members = JSON_MEMBERS(source_draft_json, &k->draft);
        struct source_kernel *same = source_json_take(members, &problems, NULL);
        if (problems.count)
            fail_msg("%s %s", problems.at[0].pointer, problems.at[0].detail);
        assert_string_equal(k->kernel.sha256, same->kernel.sha256);
        assert_int_equal(json_object_size(members), 0);
        json_decref(members);
        source_kernel_free(same);
        source_kernel_free(k);
    }
}

static void test_the_size_has_the_functions_name_for_it_too(void **state)
{
    struct experiment e;
    struct problems problems = {0};
    (void)state;
#define COPY "\"source\": \"__global__ void f(const float *in, float *out, int n) {}\", \"threads\": \"n\""
    struct source_kernel *k = read_request("{" COPY ", \"n\": 77}", &e, &problems);
    assert_int_equal(problems.count, 0);
    assert_int_equal(e.size[0], 77);
    assert_int_equal(e.grid[0], 1);
    source_kernel_free(k);
    k = read_request("{" COPY ", \"size\": 1000}", &e, &problems);
    assert_int_equal(problems.count, 0);
    assert_int_equal(e.grid[0], 4);
    source_kernel_free(k);
    k = read_request("{" COPY ", \"n\": 77, \"size\": 77}", &e, &problems);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.at[0].pointer, "#/size");
    source_kernel_free(k);
}

#define ONE(argument)                                                                                        \
    "{\"source\": \"__global__ void f(float *p) {}\", \"arguments\": [" argument "], \"grid\": 1}"
#define SCALAR(argument)                                                                                     \
    "{\"source\": \"__global__ void f(int m) {}\", \"arguments\": [" argument "], \"grid\": 1}"

/* What is wrong, where it is said to be, and a word that the message must hold. */
static const struct {
    const char *request, *pointer, *word;
} wrong[] = {
    {"{}", "#/source", "is required"},
    {"{\"source\": 5}", "#/source", "string"},
    {"{\"source\": \"\"}", "#/source", "no __global__ function"},
    {"{\"source\": \"__global__ void f() {} __global__ void g() {}\"}", "#/entry", "several"},
    {"{\"source\": \"__global__ void f() {}\", \"entry\": \"g\"}", "#/entry", "there are: f"},
    {"{\"source\": \"__global__ void f() {}\", \"entry\": \"f;g\"}", "#/entry", "must be the name"},
    {"{\"source\": \"__global__ void f() {}\", \"entry\": \"\"}", "#/entry", "must be the name"},
    {"{\"source\": \"__global__ void f() {}\", \"kernel\": \"copy\"}", "#/kernel", "not both"},
    {"{\"source\": \"__global__ void f() {}\", \"debug\": true}", "#/debug", "suite"},
    {"{\"source\": \"__global__ void f() {}\", \"grid\": 1, \"size\": 5}", "#/size", "unknown field"},
    {"{\"source\": \"__global__ void f() {}\", \"grid\": 1, \"dtype\": \"f32\"}", "#/dtype", "unknown field"},
    {"{\"source\": \"__global__ void f() {}\", \"grid\": 1, \"blok\": 5}", "#/blok", "\"block\"?"},
    {"{\"source\": \"__global__ void f() {}\"}", "#/grid", "\"threads\""},
    {"{\"source\": \"__global__ void f() {}\", \"threads\": true}", "#/threads", "true"},
    {"{\"source\": \"__global__ void f() {}\", \"threads\": []}", "#/threads", "list of 1 to 3"},
    {"{\"source\": \"__global__ void f() {}\", \"threads\": [1, \"m\"]}", "#/threads/1", "\"m\""},
    {"{\"source\": \"__global__ void f(int block) {}\", \"grid\": 1}", "#/arguments/0/name", "\"block_\""},
    {"{\"source\": \"__global__ void f(float *a) {}\", \"grid\": 1}", "#/arguments", "\"a\""},
    {"{" SHIFTED ", " ARGUMENTS ", \"n\": 5, \"grid\": 1}", "#/offset", "is required"},
    {"{" SHIFTED ", " ARGUMENTS ", \"n\": 5, \"offset\": 1.5, \"grid\": 1}", "#/offset", "integer"},
    {"{" SHIFTED ", " ARGUMENTS ", \"n\": 5, \"offset\": 4294967296, \"grid\": 1}", "#/offset",
     "at most 4294967295"},
    {"{" SHIFTED ", " ARGUMENTS ", \"n\": 0, \"offset\": 0, \"grid\": 1}", "#/arguments/0/elements",
     "at least 1"},
    {"{" SHIFTED ", \"arguments\": 5}", "#/arguments", "must be a list"},
    {"{" SHIFTED ", \"arguments\": []}", "#/arguments",
     "0 arguments are described, the function has 4 parameters"},
    {ONE("5"), "#/arguments/0", "an object"},
    {ONE("{\"type\": \"f32\", \"elements\": 5}"), "#/arguments/0/name", "name of C"},
    {ONE("{\"name\": \"a b\", \"type\": \"f32\", \"elements\": 5}"), "#/arguments/0/name", "name of C"},
    {ONE("{\"name\": \"p\", \"type\": \"flot\", \"elements\": 5}"), "#/arguments/0/type", "no type \"flot\""},
    {ONE("{\"name\": \"p\", \"type\": \"bf61\", \"elements\": 5}"), "#/arguments/0/type",
     "did you mean \"bf16\"?"},
    {ONE("{\"name\": \"p\", \"type\": \"f64\", \"elements\": 5}"), "#/arguments/0/type", "float*p"},
    {ONE("{\"name\": \"p\", \"type\": \"f32\"}"), "#/arguments/0/elements", "is required"},
    {ONE("{\"name\": \"p\", \"elements\": 0}"), "#/arguments/0/elements", "at least 1"},
    {ONE("{\"name\": \"p\", \"elements\": 1.5}"), "#/arguments/0/elements",
     "must be a number, or an expression"},
    {ONE("{\"name\": \"p\", \"elements\": \"q\"}"), "#/arguments/0/elements", "\"q\" is no scalar argument"},
    {ONE("{\"name\": \"p\", \"elements\": 5, \"fiil\": 1}"), "#/arguments/0/fiil", "\"fill\"?"},
    {ONE("{\"name\": \"p\", \"elements\": 5, \"fill\": \"indices\"}"), "#/arguments/0/fill", "\"index\""},
    {ONE("{\"name\": \"p\", \"elements\": 5, \"fill\": {\"modulo\": 0}}"), "#/arguments/0/fill/modulo",
     "at least 1"},
    {ONE("{\"name\": \"p\", \"elements\": 5, \"fill\": {\"values\": []}}"), "#/arguments/0/fill/values",
     "list of 1"},
    {ONE("{\"name\": \"p\", \"elements\": 5, \"fill\": {\"values\": [1, \"2\"]}}"),
     "#/arguments/0/fill/values", "value 1"},
    {ONE("{\"name\": \"p\", \"elements\": 5, \"role\": \"inout\"}"), "#/arguments/0/role", "accumulated"},
    {SCALAR("{\"name\": \"m\", \"elements\": 5}"), "#/arguments/0", "is no pointer"},
    {SCALAR("{\"name\": \"m\", \"type\": \"u64\"}"), "#/arguments/0/type", "size"},
    {SCALAR("{\"name\": \"m\", \"value\": \"n\"}"), "#/arguments/0/value", "\"size\""},
    {SCALAR("{\"name\": \"size\", \"type\": \"i32\"}"), "#/arguments/0/name", "\"value\": \"size\""},
    {SCALAR("{\"name\": \"s\", \"fields\": []}"), "#/arguments/0/fields", "list of fields"},
    {SCALAR("{\"name\": \"s\", \"fields\": [{\"name\": \"x\"}]}"), "#/arguments/0/fields/0/type",
     "is required"},
    {SCALAR("{\"name\": \"s\", \"fields\": [{\"name\": \"x\", \"type\": \"f32\"}, {\"name\": \"x\", "
            "\"type\": \"f32\"}]}"),
     "#/arguments/0/fields/1/name", "twice"},
    {"{" SHIFTED ", \"arguments\": [{\"name\": \"out\", \"elements\": 1}, {\"name\": \"in\", \"elements\": "
     "1}, {\"name\": \"n\"}, "
     "{\"name\": \"offset\"}]}",
     "#/arguments/0/name", "parameter 2"},
    {"{\"source\": \"__global__ void f() {}\", \"grid\": 1, \"constants\": {\"c\": 1}}", "#/constants/c",
     "no __constant__"},
    {"{\"source\": \"__constant__ int c; __global__ void f() {}\", \"grid\": 1, \"constants\": {\"c\": "
     "\"1\"}}",
     "#/constants/c", "list"},
    {"{\"source\": \"__global__ void f() {}\", \"grid\": 1, \"constants\": 5}", "#/constants", "object"},
};

static void test_each_wrong_member_is_told_by_its_pointer(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct experiment e;
        struct problems problems = {0};
        bool told = false;
        source_kernel_free(read_request(wrong[i].request, &e, &problems));
        for (int p = 0; p < problems.count && p < EXPERIMENT_PROBLEMS; p++)
            told = told || (strcmp(problems.at[p].pointer, wrong[i].pointer) == 0 &&
                            strstr(problems.at[p].detail, wrong[i].word));
        if (!told)
            fail_msg("%s\n%d: %s %s", wrong[i].request, problems.count, problems.at[0].pointer,
                     problems.at[0].detail);
        for (int p = 0; p < problems.count && p < EXPERIMENT_PROBLEMS; p++) {
            char chinese[1024];
            if (!problem_zh(problems.at[p].detail, chinese, sizeof chinese))
                fail_msg("no Chinese: %s", problems.at[p].detail);
        }
    }
}

static void test_all_that_is_wrong_is_told_at_once(void **state)
{
    struct experiment e;
    struct problems problems = {0};
    (void)state;
    assert_null(read_request(
        "{" SHIFTED ", \"entry\": 7, \"threads\": {}, \"constants\": [], \"arguments\": [1, {}, 3, 4]}", &e,
        &problems));
    assert_true(problems.count >= 6);
}

static void test_a_source_has_a_limit(void **state)
{
    json_t *request = json_object();
    struct problems problems = {0};
    char *text = malloc(SOURCE_TEXT_BYTES + 2);
    (void)state;
    memset(text, ' ', SOURCE_TEXT_BYTES + 1);
    text[SOURCE_TEXT_BYTES + 1] = '\0';
    json_object_set_new(request, "source", json_string(text));
    assert_null(source_json_take(request, &problems, NULL));
    assert_string_equal(problems.at[0].pointer, "#/source");
    assert_non_null(strstr(problems.at[0].detail, "65536"));
    json_decref(request);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_contracts_request_is_read),
        cmocka_unit_test(test_its_experiment_is_written_and_read_again),
        cmocka_unit_test(test_what_is_derived_reads_as_the_same_kernel),
        cmocka_unit_test(test_the_size_has_the_functions_name_for_it_too),
        cmocka_unit_test(test_each_wrong_member_is_told_by_its_pointer),
        cmocka_unit_test(test_all_that_is_wrong_is_told_at_once),
        cmocka_unit_test(test_a_source_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
