/* Comparisons without a service: what is a point, what is refused, and what the answer holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "api/comparison.h"

struct fixture {
    struct comparison_request request;
    struct comparison *comparison;
    struct problems problems;
    int made; /* experiments */
};

static void begin(struct fixture *fixture, const char *text)
{
    json_t *object = json_loads(text, 0, NULL);
    *fixture = (struct fixture){0};
    assert_non_null(object);
    assert_int_equal(comparison_request_read(&fixture->request, object, &fixture->problems), 0);
    assert_non_null(fixture->comparison = comparison_new(&fixture->request));
}

static void end(struct fixture *fixture)
{
    comparison_free(fixture->comparison);
    comparison_request_clear(&fixture->request);
}

/* One that succeeded, of read_offset with these fields and at a placement of its own. */
static int add(struct fixture *fixture, int side, const char *fields, double us, struct error *error)
{
    char id[32], request[256], result[256];
    snprintf(id, sizeof id, "%d", fixture->made);
    snprintf(
        request, sizeof request,
        "{\"kernel\":\"read_offset\",\"dtype\":\"f32\",\"size\":1024,\"block\":[512,1,1],\"grid\":[2,1,1],"
        "\"labels\":{\"n\":\"%d\"}%s}",
        fixture->made, fields);
    snprintf(result, sizeof result,
             "{\"timing\":{\"cold\":{\"median_us\":%.6f}},\"correctness\":{\"verified\":true},"
             "\"placement\":{\"name\":\"p%d\",\"new\":true},\"stability\":{\"stable\":true}}",
             us, fixture->made++);
    struct comparison_experiment experiment = {id, true, true, request, result, 0, 0, false};
    return comparison_add(fixture->comparison, side, &experiment, error);
}

static const char anything[] = "{\"a\":{\"kernel\":\"read_offset\"},\"b\":{\"kernel\":\"read_offset\"}}";

static void labels_and_how_it_was_measured_make_no_other_point(void **state)
{
    static const char *const fields[] = {"",
                                         ",\"priority\":3",
                                         ",\"measure\":{\"noise\":0.5}",
                                         ",\"device\":4",
                                         ",\"placement\":\"new\"",
                                         ",\"counters\":true,\"timeout_s\":5.0"};
    struct fixture fixture;
    struct error error = {0};
    (void)state;
    begin(&fixture, anything);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_int_equal(add(&fixture, i % 2, fields[i], 10, &error), 0);
    assert_int_equal(fixture.comparison->point_count, 1);
    assert_int_equal(add(&fixture, 0, ",\"offset\":1", 10, &error), 0);
    assert_int_equal(add(&fixture, 0, ",\"load\":\"cg\"", 10, &error), 0);
    assert_int_equal(fixture.comparison->point_count, 3);
    end(&fixture);
}

static void more_points_or_experiments_than_may_be_are_refused(void **state)
{
    struct fixture fixture;
    struct error error = {0};
    char fields[32];
    int status = 0;
    (void)state;
    begin(&fixture, anything);
    for (int i = 0; status == 0 && i <= COMPARISON_POINTS_MAX; i++) {
        snprintf(fields, sizeof fields, ",\"offset\":%d", i);
        status = add(&fixture, 0, fields, 10, &error);
    }
    assert_int_equal(fixture.made, COMPARISON_POINTS_MAX + 1);
    assert_true(status < 0 && error.kind == ERROR_FULL && strstr(error.text, "10000 points"));
    end(&fixture);

    error_clear(&error);
    begin(&fixture, anything);
    for (status = 0; status == 0 && fixture.made <= COMPARISON_EXPERIMENTS_MAX;)
        status = add(&fixture, 1, "", 10, &error);
    assert_int_equal(fixture.made, COMPARISON_EXPERIMENTS_MAX + 1);
    assert_true(status < 0 && error.kind == ERROR_FULL && strstr(error.text, "20000 experiments"));
    end(&fixture);
}

static void an_experiment_counts_once_and_on_one_side(void **state)
{
    struct fixture fixture;
    struct error error = {0};
    (void)state;
    begin(&fixture, anything);
    for (int side = 0; side < 2; side++) {
        for (int again = 0; again < 2; again++) {
            fixture.made = 0;
            assert_int_equal(add(&fixture, side, "", 10, &error), 0);
        }
    }
    assert_int_equal(fixture.comparison->sides[0].used, 1);
    assert_int_equal(fixture.comparison->sides[1].used, 0);
    assert_int_equal(fixture.comparison->shared, 2);
    end(&fixture);
}

/* A grid that was asked for is another launch; one that follows from the size is not. */
static void a_grid_is_held_against_it_when_it_was_asked_for(void **state)
{
    struct fixture fixture;
    struct error error = {0};
    static const char text[] =
        "{\"a\":{\"kernel\":\"read_offset\"},\"b\":{\"kernel\":\"read_offset\"},\"but_for\":[\"size\"]}";
    static const struct {
        const char *request;
        int points;
    } cases[] = {{"{\"kernel\":\"read_offset\",\"size\":1024,\"block\":[512,1,1],\"grid\":[2,1,1]}", 1},
                 {"{\"kernel\":\"read_offset\",\"size\":4096,\"block\":[512,1,1],\"grid\":[8,1,1]}", 1},
                 {"{\"kernel\":\"grid_stride\",\"size\":4096,\"block\":[512,1,1],\"grid\":[8,1,1]}", 2},
                 {"{\"kernel\":\"grid_stride\",\"size\":8192,\"block\":[512,1,1],\"grid\":[4,1,1]}", 3},
                 {"{\"kernel\":\"gone\",\"size\":8192,\"block\":[512,1,1],\"grid\":[4,1,1]}", 4}};
    (void)state;
    begin(&fixture, text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char id[8];
        snprintf(id, sizeof id, "%zu", i);
        struct comparison_experiment experiment = {id, true, true, cases[i].request, NULL, 0, 0, false};
        assert_int_equal(comparison_add(fixture.comparison, 0, &experiment, &error), 0);
        assert_int_equal(fixture.comparison->point_count, cases[i].points);
    }
    end(&fixture);
}

/* Whatever it is, it takes down nothing. */
static void a_result_or_request_that_is_broken_is_left_out(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "null",
        "[]",
        "{\"timing\":{\"cold\":{\"median_us\":\"x\"}}}",
        "{\"correctness\":{\"verified\":true},\"timing\":{\"cold\":{\"median_us\":-1}}}",
        "{\"correctness\":{\"verified\":true},\"timing\":{\"status\":\"unavailable\"}}"};
    struct fixture fixture;
    struct error error = {0};
    (void)state;
    begin(&fixture, anything);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char id[8];
        snprintf(id, sizeof id, "%zu", i);
        struct comparison_experiment one = {id, true, true, "{\"kernel\":\"copy\"}", texts[i], 0, 0, false};
        struct comparison_experiment other = {"other", true, true, texts[i], NULL, 0, 0, false};
        assert_int_equal(comparison_add(fixture.comparison, 0, &one, &error), 0);
        assert_int_equal(comparison_add(fixture.comparison, 1, &other, &error), 0);
    }
    assert_int_equal(fixture.comparison->sides[0].used, 0);
    assert_int_equal(comparison_judge(fixture.comparison, &error), 0);
    end(&fixture);
}

static void the_answer_holds_a_verdict_for_each_point(void **state)
{
    struct fixture fixture;
    struct error error = {0};
    struct buffer out = {0};
    (void)state;
    begin(&fixture, anything);
    for (int i = 0; i < 6; i++)
        for (int side = 0; side < 2; side++)
            assert_int_equal(add(&fixture, side, ",\"offset\":1", (side ? 9 : 10) + 0.01 * i, &error), 0);
    assert_int_equal(comparison_judge(fixture.comparison, &error), 0);
    struct json_writer json = {.out = &out};
    comparison_view_open(&json, NULL, fixture.comparison);
    comparison_view_point(&json, NULL, fixture.comparison, &fixture.comparison->points[0]);
    json_writer_end(&json);
    json_writer_end(&json);
    json_t *answer = json_loads(out.data, 0, NULL);
    assert_non_null(answer);
    const json_t *point = json_array_get(json_object_get(answer, "points"), 0);
    assert_string_equal(json_string_value(json_object_get(point, "verdict")), "better");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(answer, "common"), "offset")), 1);
    json_decref(answer);
    buffer_free(&out);
    end(&fixture);
}

/* "apart" of the answer, as text. The points of each side differ in what stands there, up to a NULL. */
static void apart_is(const char *const a[], const char *const b[], const char *wanted)
{
    struct fixture fixture;
    struct error error = {0};
    struct buffer out = {0};
    begin(&fixture, anything);
    for (; *b; b++)
        assert_int_equal(add(&fixture, 1, *b, 10, &error), 0);
    for (; *a; a++)
        assert_int_equal(add(&fixture, 0, *a, 10, &error), 0);
    assert_int_equal(comparison_judge(fixture.comparison, &error), 0);
    comparison_apart_view(&(struct json_writer){.out = &out}, NULL, fixture.comparison);
    assert_string_equal(out.data, wanted);
    buffer_free(&out);
    end(&fixture);
}

/* A later member of the same name replaces the one before. */
#define GRID(n) ",\"grid\":[" #n ",1,1]"
#define SIZE(n, grid) ",\"size\":" #n GRID(grid)

static void what_keeps_the_sides_apart_is_said_where_no_point_is_common(void **state)
{
    static const char *const plain[] = {"", NULL}, *const cached[] = {",\"load\":\"ca\"", NULL},
                             *const both[] = {",\"load\":\"ca\"", "", NULL}, *const none[] = {NULL};
    (void)state;
    apart_is(plain, cached,
             "[{\"field\":\"load\",\"a\":{\"count\":1,\"values\":[null]},"
             "\"b\":{\"count\":1,\"values\":[\"ca\"]}}]");
    apart_is(plain, both, "[]");
    apart_is(plain, none, "[]");
    apart_is(none, cached, "[]");
}

/* More points than the answer lists, and more values. */
static void what_keeps_the_sides_apart_does_so_at_all_points(void **state)
{
    static char fields[30][24];
    const char *a[31] = {NULL}, *b[31] = {NULL};
    (void)state;
    for (int i = 0; i < 30; i++) {
        snprintf(fields[i], sizeof fields[i], ",\"offset\":%d", 30 - i);
        (i < 9 ? a : b)[i < 9 ? i : i - 9] = fields[i];
    }
    apart_is(a, b,
             "[{\"field\":\"offset\",\"a\":{\"count\":9,\"values\":[22,23,24,25,26,27,28,29]},"
             "\"b\":{\"count\":21,\"values\":[1,2,3,4,5,6,7,8]}}]");
    a[9] = ",\"offset\":1,\"load\":\"ca\"";
    apart_is(a, b, "[]");
}

static void the_grid_keeps_apart_only_what_differs_in_nothing_else(void **state)
{
    static const char *const two[] = {GRID(2), NULL}, *const four[] = {GRID(4), SIZE(8192, 8), NULL},
                             *const small[] = {SIZE(1024, 2), SIZE(2048, 4), NULL},
                             *const large[] = {SIZE(4096, 8), SIZE(8192, 16), NULL};
    (void)state;
    apart_is(two, four,
             "[{\"field\":\"grid\",\"a\":{\"count\":1,\"values\":[[2,1,1]]},"
             "\"b\":{\"count\":2,\"values\":[[8,1,1],[4,1,1]]}}]");
    apart_is(small, large,
             "[{\"field\":\"size\",\"a\":{\"count\":2,\"values\":[2048,1024]},"
             "\"b\":{\"count\":2,\"values\":[8192,4096]}}]");
}

/* One at a placement of its own on that device. */
static void add_on(struct fixture *fixture, int side, const char *uuid, double us)
{
    char id[32], result[256];
    struct error error = {0};
    snprintf(id, sizeof id, "%d", fixture->made);
    snprintf(
        result, sizeof result,
        "{\"device\":{\"uuid\":\"%s\"},\"timing\":{\"cold\":{\"median_us\":%.6f}},\"correctness\":{"
        "\"verified\":true},\"placement\":{\"name\":\"p%d\",\"new\":true},\"stability\":{\"stable\":true}}",
        uuid, us, fixture->made++);
    struct comparison_experiment experiment = {
        id,     true, true, "{\"kernel\":\"read_offset\",\"size\":1024,\"block\":[512,1,1]}",
        result, 0,    0,    false};
    assert_int_equal(comparison_add(fixture->comparison, side, &experiment, &error), 0);
}

static int judged_points(struct fixture *fixture, int verdict)
{
    struct error error = {0};
    int matched = 0;
    assert_int_equal(comparison_devices_split(fixture->comparison), 0);
    assert_int_equal(comparison_judge(fixture->comparison, &error), 0);
    for (int i = 0; i < fixture->comparison->point_count; i++)
        matched += comparison_matched(&fixture->comparison->points[i]);
    assert_int_equal(fixture->comparison->verdicts[verdict], matched);
    return matched;
}

/* Side a ran mostly on the fast device and side b on the slow one; on each of them b takes a tenth less.
   Put together, b would seem the slower. */
static void times_are_compared_within_each_device_that_both_sides_ran_on(void **state)
{
    static const char *const uuids[] = {"GPU-fast", "GPU-slow"};
    struct fixture fixture;
    (void)state;
    begin(&fixture, anything);
    for (int i = 0; i < 18; i++) {
        int slow = i % 3 == 0;
        add_on(&fixture, 0, uuids[slow], (slow ? 20 : 10) + 0.001 * i);
        add_on(&fixture, 1, uuids[!slow], (slow ? 9 : 18) + 0.001 * i);
    }
    assert_int_equal(judged_points(&fixture, VERDICT_BETTER), 2);
    for (int i = 0; i < 2; i++) {
        const struct comparison_point *point = &fixture.comparison->points[i];
        assert_string_equal(json_string_value(json_object_get(point->fields, "device_uuid")), uuids[!i]);
        assert_int_equal(point->count[0] + point->count[1], 18);
        assert_true(point->of.ratio > 1.1 && point->of.ratio < 1.12);
    }
    end(&fixture);
}

static void sides_on_different_devices_are_put_together_and_say_so(void **state)
{
    static const char *const uuids[2][2] = {{"GPU-1", "GPU-2"}, {"GPU-1", "GPU-3"}};
    struct fixture fixture;
    struct buffer out = {0};
    (void)state;
    begin(&fixture, anything);
    for (int i = 0; i < 16; i++)
        for (int side = 0; side < 2; side++)
            add_on(&fixture, side, uuids[side][i % 2], 10 + 0.0001 * i);
    assert_int_equal(judged_points(&fixture, VERDICT_SAME), 1);
    assert_null(json_object_get(fixture.comparison->points[0].fields, "device_uuid"));
    comparison_view_open(&(struct json_writer){.out = &out}, NULL, fixture.comparison);
    assert_non_null(strstr(out.data, "{\"differs\":[{\"field\":\"device_uuid\""));
    buffer_free(&out);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_compared_within_each_device_that_both_sides_ran_on),
        cmocka_unit_test(sides_on_different_devices_are_put_together_and_say_so),
        cmocka_unit_test(labels_and_how_it_was_measured_make_no_other_point),
        cmocka_unit_test(more_points_or_experiments_than_may_be_are_refused),
        cmocka_unit_test(an_experiment_counts_once_and_on_one_side),
        cmocka_unit_test(a_grid_is_held_against_it_when_it_was_asked_for),
        cmocka_unit_test(a_result_or_request_that_is_broken_is_left_out),
        cmocka_unit_test(the_answer_holds_a_verdict_for_each_point),
        cmocka_unit_test(what_keeps_the_sides_apart_is_said_where_no_point_is_common),
        cmocka_unit_test(what_keeps_the_sides_apart_does_so_at_all_points),
        cmocka_unit_test(the_grid_keeps_apart_only_what_differs_in_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
