#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include <jansson.h>

#include "api/device_fit.h"
#include "api/sweep.h"

static const struct device_facts device = {
    .name = "a device",
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .memory_bytes = UINT64_C(1) << 30,
};
static const struct device_offer offers[] = {{0, "one", &device, false, true, true},
                                             {1, "two", NULL, false, true, true}};
static const struct device_offers one_device = {offers, 1}, unknown = {offers, 2};

static int expand(struct sweep *sweep, const char *text, struct problems *problems)
{
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    problems->count = 0;
    int status = sweep_expand(sweep, object, NULL, &one_device, problems);
    json_decref(object);
    return status;
}

static void expand_well(struct sweep *sweep, const char *text)
{
    struct problems problems = {0};
    if (expand(sweep, text, &problems) < 0)
        fail_msg("%s: %s", problems.at[0].pointer, problems.at[0].detail);
}

/* What the points are, one behind the other. */
static void expands_to(const char *text, const char *wanted)
{
    struct sweep sweep;
    char found[2048] = "";
    expand_well(&sweep, text);
    for (int i = 0; i < sweep.point_count; i++) {
        strncat(found, i ? " " : "", sizeof found - strlen(found) - 1);
        strncat(found, sweep.points[i].values, sizeof found - strlen(found) - 1);
        if (sweep.points[i].experiment < 0)
            strncat(found, "!", sizeof found - strlen(found) - 1);
    }
    assert_string_equal(found, wanted);
    sweep_free(&sweep);
}

static void is_refused(const char *text, const char *pointer, const char *word)
{
    struct sweep sweep;
    struct problems problems = {0};
    assert_int_equal(expand(&sweep, text, &problems), -1);
    assert_true(problems.count > 0);
    assert_string_equal(problems.at[0].pointer, pointer);
    if (!strstr(problems.at[0].detail, word))
        fail_msg("%s lacks %s", problems.at[0].detail, word);
}

static void the_last_axis_is_the_fastest(void **state)
{
    (void)state;
    expands_to("{\"kernel\":\"read_offset\",\"size\":64,\"block\":[32,64],\"offset\":[1,0]}",
               "{\"block\":32,\"offset\":1} {\"block\":32,\"offset\":0} "
               "{\"block\":64,\"offset\":1} {\"block\":64,\"offset\":0}");
    expands_to("{\"offset\":[1,0],\"size\":64,\"block\":[32,64],\"kernel\":\"read_offset\"}",
               "{\"offset\":1,\"block\":32} {\"offset\":1,\"block\":64} "
               "{\"offset\":0,\"block\":32} {\"offset\":0,\"block\":64}");
    expands_to("{\"kernel\":\"copy\"}", "{}");
}

static void every_field_but_three_can_be_an_axis(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "\"dtype\":[\"f32\",\"f64\"]",
        "\"size\":[64,128]",
        "\"block\":[32,64]",
        "\"grid\":[null,64]",
        "\"offset\":[0,1]",
        "\"load\":[\"default\",\"ca\"]",
        "\"priority\":[0,1]",
        "\"timeout_s\":[1,2.5]",
        "\"transfers\":[\"none\",\"none\"]",
        "\"device\":[0,0]",
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char text[256];
        struct sweep sweep;
        snprintf(text, sizeof text, "{\"kernel\":\"read_offset\"%s,%s}",
                 strstr(fields[i], "size") ? "" : ",\"size\":64", fields[i]);
        expand_well(&sweep, text);
        assert_int_equal(sweep.point_count, 2);
        assert_true(sweep.points[0].experiment >= 0 && sweep.points[1].experiment >= 0);
        sweep_free(&sweep);
    }
    is_refused("{\"kernel\":\"copy\",\"labels\":[{}]}", "#/labels", "object");
    is_refused("{\"kernel\":\"copy\",\"counters\":[true]}", "#/counters/0", "true or false");
    is_refused("{\"kernel\":\"copy\",\"measure\":[{}]}", "#/measure", "object");
}

static void shapes_are_lists_in_a_list(void **state)
{
    (void)state;
    expands_to("{\"kernel\":\"sum_matrix_2d\",\"size\":[64,32],\"block\":[16,[16,8],[4,4]]}",
               "{\"size\":[64,32],\"block\":16} {\"size\":[64,32],\"block\":[16,8]} "
               "{\"size\":[64,32],\"block\":[4,4]}");
    expands_to("{\"kernel\":\"sum_matrix_2d\",\"size\":[[64,32],[32,64]]}",
               "{\"size\":[64,32]} {\"size\":[32,64]}");
}

static void two_numbers_are_a_size_or_two_as_the_kernel_has_dimensions(void **state)
{
    (void)state;
    expands_to("{\"kernel\":\"copy\",\"size\":[64,32]}", "{\"size\":64} {\"size\":32}");
    expands_to("{\"kernel\":[\"sum_matrix_2d\",\"copy\"],\"size\":[64,32]}",
               "{\"kernel\":\"sum_matrix_2d\",\"size\":[64,32]} {\"kernel\":\"copy\",\"size\":64} "
               "{\"kernel\":\"copy\",\"size\":32}");
    expands_to("{\"size\":[64,32],\"kernel\":[\"sum_matrix_2d\",\"copy\"]}",
               "{\"size\":[64,32],\"kernel\":\"sum_matrix_2d\"} {\"size\":64,\"kernel\":\"copy\"} "
               "{\"size\":32,\"kernel\":\"copy\"}");
}

static void what_cannot_be_launched_is_a_point_with_its_reason(void **state)
{
    (void)state;
    struct sweep sweep;
    expand_well(&sweep, "{\"kernel\":\"sum_matrix_2d\",\"size\":[64,32],\"block\":[[256,8],[8,8]]}");
    assert_int_equal(sweep.experiment_count, 1);
    assert_int_equal(sweep.points[0].experiment, -1);
    assert_int_equal(sweep.points[1].experiment, 0);
    json_t *failure = json_loads(sweep.points[0].failure, 0, NULL);
    json_t *request = json_loads(sweep.points[0].request, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(failure, "kind")), "invalid");
    assert_non_null(strstr(json_string_value(json_object_get(failure, "detail")), "1024"));
    assert_int_equal(json_array_size(json_object_get(failure, "errors")), 1);
    assert_int_equal(json_array_size(json_object_get(request, "block")), 2);
    json_decref(failure);
    json_decref(request);
    sweep_free(&sweep);
    expands_to("{\"kernel\":[\"read_offset\",\"copy\"],\"size\":64,\"offset\":[0,65]}",
               "{\"kernel\":\"read_offset\",\"offset\":0} {\"kernel\":\"read_offset\",\"offset\":65}! "
               "{\"kernel\":\"copy\",\"offset\":0}! {\"kernel\":\"copy\",\"offset\":65}!");
}

static void what_no_kernel_reads_is_refused_where_it_stands(void **state)
{
    (void)state;
    is_refused("{\"block\":[1,2]}", "#/kernel", "required");
    is_refused("{\"kernel\":[\"copy\",\"none\"]}", "#/kernel/1", "no kernel");
    is_refused("{\"kernel\":\"none\",\"block\":[1,2]}", "#/kernel", "no kernel");
    is_refused("{\"kernel\":\"copy\",\"device\":[0,1]}", "#/device/1",
               "there is no device 1; this service has 1");
    is_refused("{\"kernel\":\"copy\",\"device\":-1}", "#/device", "there is no device -1");
    is_refused("{\"kernel\":[\"copy\",\"soa\"],\"offset\":1}", "#/offset", "unknown field");
    is_refused("{\"kernel\":\"read_offset\",\"offset\":[1,2,\"3\"]}", "#/offset/2", "integer");
    is_refused("{\"kernel\":\"copy\",\"block\":[[1,2],[1,true]]}", "#/block/1/1", "integer");
    is_refused("{\"kernel\":\"copy\",\"block\":[]}", "#/block", "without values");
    is_refused("{\"kernel\":\"copy\",\"a b/c\":[]}", "#/a%20b~1c", "without values");
    is_refused("{\"kernel\":\"sum_matrix_2d\",\"size\":[64,[1,2]]}", "#/size/0", "two numbers");
}

static void equal_points_share_a_run(void **state)
{
    (void)state;
    struct sweep sweep;
    /* Written differently, the same experiment. */
    expand_well(&sweep, "{\"kernel\":\"copy\",\"size\":64,\"block\":[32,[32,1],16,32]}");
    assert_int_equal(sweep.point_count, 4);
    assert_int_equal(sweep.experiment_count, 2);
    assert_int_equal(sweep.points[1].experiment, sweep.points[0].experiment);
    assert_int_equal(sweep.points[3].experiment, sweep.points[0].experiment);
    assert_int_equal(sweep.experiments[0].points, 3);
    assert_int_equal(sweep.experiments[1].points, 1);
    assert_string_equal(sweep.experiments[0].kernel, "copy");
    sweep_free(&sweep);
}

/* {"kernel":"copy","size":64,"priority":[0,0,...],"timeout_s":[1,1,...]} */
static char *square(int rows, int columns)
{
    json_t *priority = json_array(), *timeout = json_array();
    for (int i = 0; i < rows; i++)
        json_array_append_new(priority, json_integer(i % 101));
    for (int i = 0; i < columns; i++)
        json_array_append_new(timeout, json_integer(1 + i));
    json_t *object = json_pack("{s:s,s:i,s:o,s:o}", "kernel", "copy", "size", 64, "priority", priority,
                               "timeout_s", timeout);
    char *text = json_dumps(object, 0);
    json_decref(object);
    return text;
}

static void a_sweep_has_10000_points_at_most(void **state)
{
    (void)state;
    struct sweep sweep;
    char *most = square(100, 100), *more = square(137, 73);
    expand_well(&sweep, most);
    assert_int_equal(sweep.point_count, SWEEP_POINTS_MAX);
    assert_int_equal(sweep.experiment_count, SWEEP_POINTS_MAX);
    for (int i = 0; i < SWEEP_POINTS_MAX; i++) {
        const struct sweep_experiment *run = &sweep.experiments[sweep.points[i].experiment];
        assert_int_equal(run->priority, i / 100);
        assert_true(run->timeout_s == 1 + i % 100);
    }
    sweep_free(&sweep);
    is_refused(more, "#", "10001 points");
    free(most);
    free(more);
}

static void more_than_can_be_counted_is_refused_too(void **state)
{
    (void)state;
    static const char *const names[] = {"block", "grid", "offset", "load", "dtype", "device", "priority"};
    json_t *object = json_pack("{s:s}", "kernel", "read_offset");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        json_t *values = json_array();
        for (int i = 0; i < 4000; i++)
            json_array_append_new(values, json_integer(1));
        json_object_set_new(object, names[n], values);
    }
    char *text = json_dumps(object, 0);
    json_decref(object);
    is_refused(text, "#", "more points than can be counted");
    free(text);
}

/* Each a way to make as much as a megabyte wrong for every kernel that there is. */
static json_t *wrong_fields(json_t *request, int i)
{
    char name[16];
    snprintf(name, sizeof name, "f%05d", i);
    json_object_set_new(request, name, json_integer(1));
    return request;
}

static json_t *wrong_labels(json_t *request, int i)
{
    json_t *labels = json_object_get(request, "labels");
    if (!labels)
        json_object_set_new(request, "labels", labels = json_object());
    wrong_fields(labels, i);
    return request;
}

static json_t *wrong_measure(json_t *request, int i)
{
    json_t *measure = json_object_get(request, "measure");
    if (!measure)
        json_object_set_new(request, "measure", measure = json_object());
    wrong_fields(measure, i);
    return request;
}

/* Processor time to read a sweep over `kernels` kernels that is wrong in this way, in seconds. */
static double seconds_to_refuse(json_t *(*wrong)(json_t *, int), int kernels)
{
    struct sweep sweep;
    struct problems problems = {0};
    json_t *request = json_object(), *names = json_array();
    for (int i = 0; i < kernels; i++)
        json_array_append_new(names, json_string(suite_at(i)->name));
    json_object_set_new(request, "kernel", names);
    for (int i = 0; i < 100000; i++)
        wrong(request, i);
    clock_t begun = clock();
    assert_int_equal(sweep_expand(&sweep, request, NULL, &one_device, &problems), -1);
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    assert_in_range(problems.count, 1, EXPERIMENT_PROBLEMS + 1);
    json_decref(request);
    return seconds;
}

static void a_wrong_sweep_is_not_read_to_its_end(void **state)
{
    (void)state;
    json_t *(*const ways[])(json_t *, int) = {wrong_fields, wrong_labels, wrong_measure};
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        double one = seconds_to_refuse(ways[way], 1), all = seconds_to_refuse(ways[way], suite_count());
        /* Read for each kernel it takes as many times as long as there are kernels. */
        if (all > 0.05 + 10 * one)
            fail_msg("%.2f s to read what is wrong in way %zu, and %.2f s with one kernel", all, way, one);
    }
}

static void a_device_that_is_not_known_yet_is_told(void **state)
{
    (void)state;
    struct sweep sweep;
    struct problems problems = {0};
    json_t *object = json_loads("{\"kernel\":\"copy\",\"device\":[0,1]}", 0, NULL);
    assert_int_equal(sweep_expand(&sweep, object, NULL, &unknown, &problems), 0);
    assert_int_equal(sweep.unknown_device, 1);
    sweep_free(&sweep);
    json_object_set_new(object, "device", json_integer(0));
    assert_int_equal(sweep_expand(&sweep, object, NULL, &unknown, &problems), 0);
    assert_int_equal(sweep.unknown_device, -1);
    sweep_free(&sweep);
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_axis_is_the_fastest),
        cmocka_unit_test(every_field_but_three_can_be_an_axis),
        cmocka_unit_test(shapes_are_lists_in_a_list),
        cmocka_unit_test(two_numbers_are_a_size_or_two_as_the_kernel_has_dimensions),
        cmocka_unit_test(what_cannot_be_launched_is_a_point_with_its_reason),
        cmocka_unit_test(what_no_kernel_reads_is_refused_where_it_stands),
        cmocka_unit_test(equal_points_share_a_run),
        cmocka_unit_test(a_sweep_has_10000_points_at_most),
        cmocka_unit_test(more_than_can_be_counted_is_refused_too),
        cmocka_unit_test(a_wrong_sweep_is_not_read_to_its_end),
        cmocka_unit_test(a_device_that_is_not_known_yet_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
