/* JSON in, a checked experiment or every wrong field out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/kernel_json.h"
#include "api/device_json.h"
#include "api/json_parts.h"
#include "api/result_json.h"
#include "tests/unit/support/json_tree.h"

static const struct device_facts facts = {
    .name = "Test GPU",
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .memory_bytes = UINT64_C(16) << 30,
};

static int check(const char *text, struct experiment *experiment, struct problems *problems)
{
    json_error_t where;
    json_t *request = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    if (!request)
        fail_msg("%s: %s", text, where.text);
    *problems = (struct problems){0};
    int result = experiment_json_read(experiment, request, problems);
    if (result == 0)
        result = experiment_check(experiment, &facts, problems);
    json_decref(request);
    return result;
}

/* What is wrong, where it is said to be, and a word that the message must hold. */
static const struct {
    const char *request, *pointer, *word;
} wrong[] = {
    {"{}", "#/kernel", "required"},
    {"{\"kernel\":1}", "#/kernel", "string"},
    {"{\"kernel\":\"nope\"}", "#/kernel", "no kernel"},
    {"{\"kernel\":\"copy\",\"sise\":1}", "#/sise", "unknown field"},
    {"{\"kernel\":\"copy\",\"a/b~c d\":1}", "#/a~1b~0c%20d", "unknown field"},
    {"{\"kernel\":\"copy\",\"offset\":1}", "#/offset", "unknown field"},
    {"{\"kernel\":\"copy\",\"dtype\":\"f16\"}", "#/dtype", "f32"},
    {"{\"kernel\":\"copy_vec4\",\"dtype\":\"f64\"}", "#/dtype", "f64"},
    {"{\"kernel\":\"copy\",\"size\":0}", "#/size", "at least 1"},
    {"{\"kernel\":\"copy\",\"size\":-5}", "#/size", "at least 1"},
    {"{\"kernel\":\"copy\",\"size\":1.5}", "#/size", "integer"},
    {"{\"kernel\":\"copy\",\"size\":\"1\"}", "#/size", "\"1\" (write 1)"},
    {"{\"kernel\":\"copy\",\"size\":[2,2]}", "#/size", "number of elements"},
    {"{\"kernel\":\"copy\",\"size\":9223372036854775807}", "#/size", "overflow"},
    {"{\"kernel\":\"sum_matrix_2d\",\"size\":[4294967296,4294967296]}", "#/size", "overflow"},
    {"{\"kernel\":\"sum_matrix_2d\",\"size\":16}", "#/size", "rows"},
    {"{\"kernel\":\"sum_matrix_2d\",\"size\":[16,0]}", "#/size", "at least 1"},
    {"{\"kernel\":\"sum_matrix_2d\",\"size\":[1,2,3]}", "#/size", "1 to 2"},
    {"{\"kernel\":\"copy\",\"size\":17179869184}", "#/size", "bytes"},
    {"{\"kernel\":\"copy\",\"block\":0}", "#/block", "at least 1"},
    {"{\"kernel\":\"copy\",\"block\":2048}", "#/block", "1024"},
    {"{\"kernel\":\"copy\",\"block\":[32,2]}", "#/block", "1 dimension"},
    {"{\"kernel\":\"copy\",\"block\":[]}", "#/block", "1 to 3"},
    {"{\"kernel\":\"sum_matrix_2d\",\"block\":[256,8]}", "#/block", "1024"},
    {"{\"kernel\":\"copy\",\"size\":1024,\"block\":256,\"grid\":3}", "#/grid", "at least 4 blocks"},
    {"{\"kernel\":\"read_offset_unroll4\",\"size\":4097,\"block\":256,\"grid\":4}", "#/grid",
     "4 elements a thread"},
    {"{\"kernel\":\"copy\",\"grid\":0}", "#/grid", "at least 1"},
    {"{\"kernel\":\"copy\",\"grid\":4294967296}", "#/grid", "2147483647"},
    {"{\"kernel\":\"sum_matrix_mix\",\"size\":[65536,4]}", "#/size", "65535"},
    {"{\"kernel\":\"read_offset\",\"size\":100,\"offset\":101}", "#/offset", "100"},
    {"{\"kernel\":\"read_offset\",\"offset\":-1}", "#/offset", "at least 0"},
    {"{\"kernel\":\"read_offset\",\"load\":\"l3\"}", "#/load", "default, ca, cg, ldg"},
    {"{\"kernel\":\"strided\",\"stride\":0}", "#/stride", "at least 1"},
    {"{\"kernel\":\"copy\",\"device\":\"0\"}", "#/device", "integer"},
    {"{\"kernel\":\"copy\",\"measure\":3}", "#/measure", "object"},
    {"{\"kernel\":\"copy\",\"measure\":{\"samples\":3}}", "#/measure/samples", "min_samples"},
    {"{\"kernel\":\"copy\",\"measure\":{\"min_samples\":0}}", "#/measure/min_samples", "1"},
    {"{\"kernel\":\"copy\",\"measure\":{\"noise\":-1}}", "#/measure/noise", "0"},
    {"{\"kernel\":\"copy\",\"measure\":{\"max_seconds\":1e9}}", "#/measure/max_seconds", "600"},
    {"{\"kernel\":\"copy\",\"measure\":{\"quiet_s\":61}}", "#/measure/quiet_s", "60"},
    {"{\"kernel\":\"copy\",\"measure\":{\"quiet_s\":-1}}", "#/measure/quiet_s", "0"},
    {"{\"kernel\":\"copy\",\"measure\":{\"quiet_s\":\"long\"}}", "#/measure/quiet_s", "number"},
    {"{\"kernel\":\"copy\",\"counters\":1}", "#/counters", "true or false"},
    {"{\"kernel\":\"copy\",\"transfers\":\"some\"}", "#/transfers", "none"},
    {"{\"kernel\":\"copy\",\"timeout_s\":0}", "#/timeout_s", "0.1"},
    {"{\"kernel\":\"copy\",\"priority\":201}", "#/priority", "200"},
    {"{\"kernel\":\"copy\",\"labels\":[]}", "#/labels", "object"},
    {"{\"kernel\":\"copy\",\"labels\":{\"a b\":\"x\"}}", "#/labels/a%20b", "name"},
    {"{\"kernel\":\"copy\",\"labels\":{\"a\":1}}", "#/labels/a", "string"},
};

static void a_wrong_field_is_named_with_its_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct experiment e;
        struct problems problems = {0};
        if (check(wrong[i].request, &e, &problems) == 0)
            fail_msg("%s was taken", wrong[i].request);
        const struct problem *first = &problems.at[0];
        if (strcmp(first->pointer, wrong[i].pointer) || !strstr(first->detail, wrong[i].word))
            fail_msg("%s: %s: %s", wrong[i].request, first->pointer, first->detail);
    }
}

static void all_wrong_fields_are_named_at_once(void **state)
{
    (void)state;
    struct experiment e;
    struct problems problems = {0};
    assert_int_equal(check("{\"kernel\":\"copy\",\"size\":\"x\",\"block\":\"y\",\"nope\":1}", &e, &problems),
                     -1);
    assert_int_equal(problems.count, 3);
}

static void a_kernel_of_two_gpus_wants_another_gpu(void **state)
{
    static const struct {
        const char *request, *backend, *pointer, *says;
    } cases[] = {
        {"{\"kernel\":\"peer_copy\",\"peer_uuid\":\"GPU-2\"}", "cuda", NULL, ""},
        {"{\"kernel\":\"peer_copy\",\"peer_uuid\":\"GPU-1\"}", "cuda", "#/peer_uuid", "another device"},
        {"{\"kernel\":\"peer_copy\",\"peer_uuid\":\"GPU-2\"}", "cpu", "#/kernel", "two GPUs"},
        {"{\"kernel\":\"peer_copy\",\"peer_uuid\":\"../x\"}", "cuda", "#/peer_uuid", "uuid of a device"},
        {"{\"kernel\":\"copy\",\"peer_uuid\":\"GPU-2\"}", "cuda", "#/peer_uuid", "unknown field"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device_facts gpu = {.name = "a device",
                                   .uuid = "GPU-1",
                                   .max_threads_per_block = 1024,
                                   .max_block = {1024, 1024, 64},
                                   .max_grid = {2147483647, 65535, 65535},
                                   .memory_bytes = UINT64_C(1) << 34};
        struct experiment e;
        struct problems problems = {0};
        json_t *request = json_loads(cases[i].request, 0, NULL);
        snprintf(gpu.backend, sizeof gpu.backend, "%s", cases[i].backend);
        int failed =
            experiment_json_read(&e, request, &problems) < 0 || experiment_check(&e, &gpu, &problems) < 0;
        json_decref(request);
        assert_int_equal(failed, cases[i].pointer != NULL);
        if (!failed)
            continue;
        assert_string_equal(problems.at[0].pointer, cases[i].pointer);
        assert_non_null(strstr(problems.at[0].detail, cases[i].says));
    }
}

static void a_gpu_that_lacks_it_is_told(void **state)
{
    static const struct {
        const char *request, *arch, *says;
    } cases[] = {
        {"{\"kernel\":\"async_copy\"}", "sm_75", NULL},
        {"{\"kernel\":\"async_copy\",\"how\":\"async\"}", "sm_75", "needs a GPU of compute capability 8.0"},
        {"{\"kernel\":\"async_copy\",\"how\":\"async\"}", "sm_80", NULL},
        {"{\"kernel\":\"async_copy\",\"how\":\"bulk\"}", "sm_89", "of compute capability 9.0; a GPU has 8.9"},
        {"{\"kernel\":\"cluster_shared\"}", "sm_120", NULL},
        {"{\"kernel\":\"cluster_shared\"}", "x86_64", NULL}, /* a CPU does it its own way */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device_facts gpu = facts;
        struct experiment e;
        struct problems problems = {0};
        json_t *request = json_loads(cases[i].request, 0, NULL);
        strcpy(gpu.name, "a GPU");
        strcpy(gpu.arch, cases[i].arch);
        assert_int_equal(experiment_json_read(&e, request, &problems), 0);
        assert_int_equal(experiment_check(&e, &gpu, &problems) < 0, cases[i].says != NULL);
        json_decref(request);
        if (!cases[i].says)
            continue;
        assert_string_equal(problems.at[0].pointer, "#/kernel");
        assert_non_null(strstr(problems.at[0].detail, cases[i].says));
    }
}

static void a_grid_is_of_whole_clusters(void **state)
{
    (void)state;
    struct experiment e;
    struct problems problems = {0};
    const char *four = "{\"kernel\":\"cluster_shared\",\"size\":1025,\"block\":256,\"cluster\":4}";
    assert_int_equal(check(four, &e, &problems), 0);
    assert_int_equal(e.grid[0], 8);
    assert_int_equal(
        check("{\"kernel\":\"cluster_shared\",\"cluster\":4,\"size\":9,\"grid\":6}", &e, &problems), -1);
    assert_string_equal(problems.at[0].pointer, "#/grid");
    assert_non_null(strstr(problems.at[0].detail, "multiple of the cluster's 4 blocks"));
}

static void a_grid_is_derived_to_cover(void **state)
{
    (void)state;
    struct experiment e;
    struct problems problems = {0};
    assert_int_equal(check("{\"kernel\":\"copy\",\"size\":1025,\"block\":256}", &e, &problems), 0);
    assert_int_equal(e.grid[0], 5);
    assert_int_equal(check("{\"kernel\":\"read_offset_unroll4\",\"size\":1025,\"block\":64}", &e, &problems),
                     0);
    assert_int_equal(e.grid[0], 5);
    assert_int_equal(
        check("{\"kernel\":\"sum_matrix_2d\",\"size\":[100,200],\"block\":[32,8],\"order\":\"column\"}", &e,
              &problems),
        0);
    assert_int_equal(e.grid[0], 4);
    assert_int_equal(e.grid[1], 25);
}

static void a_kernel_refuses_what_its_fields_together_do_not_allow(void **state)
{
    (void)state;
    static const struct {
        const char *request, *pointer, *detail;
    } cases[] = {
        {"{\"kernel\":\"copy_width\",\"dtype\":\"f64\",\"width\":4}", "#/width", "32 bytes an access"},
        {"{\"kernel\":\"copy_width\",\"width\":3}", "#/width", "power of two from 1 to 16"},
        {"{\"kernel\":\"register_pressure\",\"block\":512}", "#/block", "at most 256"},
        {"{\"kernel\":\"pointer_chase\",\"size\":10,\"chains\":11}", "#/chains", "10 elements"},
        {"{\"kernel\":\"gather\",\"size\":4294967296}", "#/size", "2147483647"},
        {"{\"kernel\":\"copy\",\"shared_bytes\":232449}", "#/shared_bytes", "from 0 to 232448"},
        {"{\"kernel\":\"copy\",\"shared_bytes\":-1}", "#/shared_bytes", "from 0 to 232448"},
        {"{\"kernel\":\"bank_conflict\",\"block\":1024,\"shared_bytes\":230000}", "#/shared_bytes",
         "needs 4096"},
        {"{\"kernel\":\"stream_dot\",\"dtype\":\"f32\"}", "#/dtype", "takes f64, not f32"},
        {"{\"kernel\":\"copy\",\"block\":1000000000000}", "#/block", "1024"},
        {"{\"kernel\":\"copy\",\"block\":9223372036854775807}", "#/block", "1024"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct experiment e;
        struct problems problems = {0};
        assert_int_equal(check(cases[i].request, &e, &problems), -1);
        assert_string_equal(problems.at[0].pointer, cases[i].pointer);
        assert_non_null(strstr(problems.at[0].detail, cases[i].detail));
    }
}

static void a_loop_over_the_grid_takes_any_grid(void **state)
{
    (void)state;
    struct experiment e;
    struct problems problems = {0};
    assert_int_equal(
        check("{\"kernel\":\"grid_stride\",\"size\":1025,\"block\":256,\"grid\":1}", &e, &problems), 0);
    assert_int_equal(e.grid[0], 1);
    assert_int_equal(check("{\"kernel\":\"grid_stride\",\"size\":1025,\"block\":256}", &e, &problems), 0);
    assert_true(e.grid[0] >= 1 && e.grid[0] <= 5);
}

static void what_is_written_reads_back_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < suite_count(); i++) {
        struct experiment e, again;
        struct problems problems = {0};
        experiment_init(&e, suite_at(i));
        e.timeout_s = 12.5;
        e.priority = -3;
        e.shared_bytes = 1024;
        for (int p = 0; p < e.kernel->param_count; p++)
            e.param[p] =
                e.kernel->params[p].min + (e.kernel->params[p].power_of_two ? e.kernel->params[p].min : 1);
        assert_int_equal(experiment_check(&e, NULL, &problems), 0);
        json_t *written = experiment_json_tree(&e);
        assert_non_null(written);
        assert_int_equal(experiment_json_read(&again, written, &problems), 0);
        assert_int_equal(experiment_check(&again, NULL, &problems), 0);
        assert_memory_equal(again.grid, e.grid, sizeof e.grid);
        assert_int_equal(again.shared_bytes, e.shared_bytes);
        assert_memory_equal(again.param, e.param, sizeof e.param);
        json_t *twice = experiment_json_tree(&again);
        assert_true(json_equal(written, twice));
        json_decref(written);
        json_decref(twice);
    }
}

static void buffers_are_aligned_and_guarded(void **state)
{
    (void)state;
    for (int i = 0; i < suite_count(); i++) {
        struct experiment e;
        struct problems problems = {0};
        experiment_init(&e, suite_at(i));
        e.size[0] = 1003;
        assert_int_equal(experiment_check(&e, NULL, &problems), 0);
        struct domain domain = experiment_domain(&e);
        uint64_t end = 0;
        for (int b = 0; b < e.kernel->buffer_count; b++) {
            uint64_t at = experiment_buffer_at(&e, b);
            assert_int_equal(at % KERNEL_ALIGN_BYTES, 0);
            assert_true(at - end >= KERNEL_GUARD_BYTES);
            end = at + e.kernel->elements(&domain, b) * dtype_bytes(e.dtype);
        }
        assert_true(experiment_memory_bytes(&e) - end >= KERNEL_GUARD_BYTES);
    }
}

static void facts_read_back_the_same(void **state)
{
    (void)state;
    struct device_facts again;
    struct error error = {0};
    json_t *object = JSON_MEMBERS(device_json_facts, &facts);
    assert_non_null(object);
    assert_int_equal(device_json_read_facts(&again, object, &error), 0);
    assert_memory_equal(&again, &facts, sizeof facts);
    json_object_del(object, "max_grid");
    assert_int_equal(device_json_read_facts(&again, object, &error), -1);
    assert_non_null(strstr(error.text, "max_grid"));
    json_decref(object);
}

/* A result of nothing: no NaN, no infinity, no number where nothing was measured. */
static void a_result_without_timing_says_so(void **state)
{
    (void)state;
    struct experiment e;
    struct result result = {0};
    experiment_init(&e, suite_at(0));
    json_t *object = JSON_TREE(result_json_write, &e, &result);
    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(json_object_get(object, "timing"), "status")),
                        "unavailable");
    assert_string_equal(json_string_value(json_object_get(json_object_get(object, "correctness"), "status")),
                        "unavailable");
    json_decref(object);
}

static void every_kernel_describes_itself(void **state)
{
    (void)state;
    for (int i = 0; i < suite_count(); i++) {
        json_t *object = JSON_TREE(kernel_json_write, suite_at(i), true);
        assert_non_null(object);
        assert_true(strlen(suite_at(i)->lesson.en) > 20);
        assert_non_null(strstr(json_string_value(json_object_get(object, "source")), suite_at(i)->name));
        json_decref(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_field_is_named_with_its_limit),
        cmocka_unit_test(all_wrong_fields_are_named_at_once),
        cmocka_unit_test(a_kernel_of_two_gpus_wants_another_gpu),
        cmocka_unit_test(a_gpu_that_lacks_it_is_told),
        cmocka_unit_test(a_grid_is_of_whole_clusters),
        cmocka_unit_test(a_grid_is_derived_to_cover),
        cmocka_unit_test(a_kernel_refuses_what_its_fields_together_do_not_allow),
        cmocka_unit_test(a_loop_over_the_grid_takes_any_grid),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(buffers_are_aligned_and_guarded),
        cmocka_unit_test(facts_read_back_the_same),
        cmocka_unit_test(a_result_without_timing_says_so),
        cmocka_unit_test(every_kernel_describes_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
