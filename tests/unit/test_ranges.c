#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "api/range.h"
#include "api/device_fit.h"
#include "api/sweep.h"

static const struct device_facts device = {
    .name = "a device",
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .memory_bytes = UINT64_C(1) << 40,
};
static const struct device_offer offers[] = {{.name = "one", .facts = &device, .listed = true}};
static const struct device_offers one_device = {offers, 1};

static const struct {
    const char *text, *values;
} right[] = {
    {"0..4", "[0,1,2,3,4]"},
    {"7..7", "[7]"},
    {"-2..1", "[-2,-1,0,1]"},
    {" 0 .. 3 ", "[0,1,2,3]"},
    {"0..1024 step 256", "[0,256,512,768,1024]"},
    {"0..10 step 4", "[0,4,8]"},
    {"0..3 step 9", "[0]"},
    {"1..64 by x4", "[1,4,16,64]"},
    {"3..20 by x2", "[3,6,12]"},
    {"9223372036854775806..9223372036854775807", "[9223372036854775806,9223372036854775807]"},
    {"1..9223372036854775807 by x4000000000", "[1,4000000000]"},
    {"-9223372036854775808..9223372036854775807 step 9223372036854775807",
     "[-9223372036854775808,-1,9223372036854775806]"},
};

static const struct {
    const char *text, *detail;
} wrong[] = {
    {"4..0", "0..4 goes up"},
    {"0..", "no range"},
    {"..4", "no range"},
    {"..", "no range"},
    {"0...4", "no range"},
    {"0..4..8", "no range"},
    {"0..4,8", "no range"},
    {"0.5..4", "no range"},
    {"0..1e3", "no range"},
    {"0x1..4", "no range"},
    {"a..b", "no range"},
    {"32x8..64x8", "no range"},
    {"0..4step 2", "no range"},
    {"0..4 step", "no range"},
    {"0..4 step x2", "no range"},
    {"1..4 by 2", "no range"},
    {"1..4 by x", "no range"},
    {"0..99999999999999999999", "no range"},
    {"0..4 step 0", "at least 1"},
    {"0..4 step -1", "at least 1"},
    {"1..4 by x1", "at least 2"},
    {"1..4 by x0", "at least 2"},
    {"0..4 by x2", "begins at 1"},
    {"-8..4 by x2", "begins at 1"},
    {"0..10000", "more than 10000 values"},
    {"-9223372036854775808..9223372036854775807", "more than 10000 values"},
};

static void a_range_has_both_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        char detail[RANGE_DETAIL_BYTES] = "";
        json_t *list = json_array();
        assert_true(range_is(right[i].text));
        if (range_append(right[i].text, SWEEP_POINTS_MAX, list, detail) < 0)
            fail_msg("%s: %s", right[i].text, detail);
        char *values = json_dumps(list, JSON_COMPACT);
        assert_string_equal(values, right[i].values);
        free(values);
        json_decref(list);
    }
    assert_false(range_is("512"));
    assert_false(range_is(NULL));
}

static void a_wrong_range_is_told_and_makes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char detail[RANGE_DETAIL_BYTES] = "";
        json_t *list = json_array();
        assert_int_equal(range_append(wrong[i].text, SWEEP_POINTS_MAX, list, detail), -1);
        if (!strstr(detail, wrong[i].detail))
            fail_msg("%s: \"%s\" lacks \"%s\"", wrong[i].text, detail, wrong[i].detail);
        assert_int_equal(json_array_size(list), 0);
        json_decref(list);
    }
}

static int expand(struct sweep *sweep, const char *text, struct problems *problems)
{
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    problems->count = 0;
    int status = sweep_expand(sweep, object, NULL, &one_device, problems);
    json_decref(object);
    return status;
}

/* The points of one are those of the other. */
static void a_range_is_the_list_of_its_values(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"kernel\":\"read_offset\",\"size\":\"64..128 step 64\",\"offset\":\"0..3\"}",
         "{\"kernel\":\"read_offset\",\"size\":[64,128],\"offset\":[0,1,2,3]}"},
        {"{\"kernel\":\"copy\",\"block\":\"32..1024 by x2\"}",
         "{\"kernel\":\"copy\",\"block\":[32,64,128,256,512,1024]}"},
        {"{\"kernel\":\"copy\",\"timeout_s\":\"1..2\",\"priority\":\"-1..0\",\"shared_bytes\":\"0..64 step "
         "64\"}",
         "{\"kernel\":\"copy\",\"timeout_s\":[1,2],\"priority\":[-1,0],\"shared_bytes\":[0,64]}"},
        {"{\"kernel\":\"read_offset\",\"offset\":[\"0..2\",11,\"32..128 by x2\"]}",
         "{\"kernel\":\"read_offset\",\"offset\":[0,1,2,11,32,64,128]}"},
        /* two sizes, and no shape, where the kernel has two dimensions */
        {"{\"kernel\":\"sum_matrix_2d\",\"block\":\"16..32 step 16\",\"size\":[32,32]}",
         "{\"kernel\":\"sum_matrix_2d\",\"block\":[16,32],\"size\":[32,32]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sweep range, list;
        struct problems problems = {0};
        for (int j = 0; j < 2; j++)
            if (expand(j ? &list : &range, cases[i][j], &problems) < 0)
                fail_msg("%s: %s %s", cases[i][j], problems.at[0].pointer, problems.at[0].detail);
        assert_int_equal(range.point_count, list.point_count);
        for (int j = 0; j < list.point_count; j++) {
            assert_string_equal(range.points[j].values, list.points[j].values);
            assert_int_equal(range.points[j].experiment, list.points[j].experiment);
        }
        sweep_free(&range);
        sweep_free(&list);
    }
}

static void a_wrong_range_names_its_field(void **state)
{
    (void)state;
    static const struct {
        const char *request, *pointer, *detail;
    } cases[] = {
        {"{\"kernel\":\"read_offset\",\"offset\":\"4..0\"}", "#/offset", "0..4 goes up"},
        {"{\"kernel\":\"read_offset\",\"offset\":[0,\"4..0\"]}", "#/offset/1", "0..4 goes up"},
        {"{\"kernel\":\"read_offset\",\"offset\":[\"0..9999\",\"0..1\"]}", "#/offset/1",
         "more than 0 values"},
        {"{\"kernel\":\"read_offset\",\"size\":\"1..200\",\"offset\":\"1..200\"}", "#", "40000 points"},
        {"{\"kernel\":\"read_offset\",\"load\":\"0..3\"}", "#/load", "ranges are of numbers"},
        {"{\"kernel\":\"read_offset\",\"dtype\":\"0..3\"}", "#/dtype", "ranges are of numbers"},
        {"{\"kernel\":\"sum_matrix_2d\",\"block\":\"8x8..32x32\"}", "#/block", "no range of integers"},
        {"{\"kernel\":\"read_offset\",\"offset\":\"7\"}", "#/offset", "or a range, as in \"0..128\""},
        {"{\"kernel\":\"0..3\"}", "#/kernel", "there is no kernel"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sweep sweep;
        struct problems problems = {0};
        assert_int_equal(expand(&sweep, cases[i].request, &problems), -1);
        assert_string_equal(problems.at[0].pointer, cases[i].pointer);
        if (!strstr(problems.at[0].detail, cases[i].detail))
            fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].request, problems.at[0].detail, cases[i].detail);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_has_both_ends),
        cmocka_unit_test(a_wrong_range_is_told_and_makes_nothing),
        cmocka_unit_test(a_range_is_the_list_of_its_values),
        cmocka_unit_test(a_wrong_range_names_its_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
