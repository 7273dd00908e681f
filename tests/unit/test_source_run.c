/* Outputs of two launches compared, and the answer of a run that nobody trusts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/run_request.h"
#include "kernels/source/source_run.h"

enum { ELEMENTS = 4 };

/* One output of four elements, all written. */
static struct source_run run_of(const char *type, const void *bytes)
{
    struct source_run run = {.output_count = 1, .complete = true};
    struct source_output *output = &run.output[0];
    assert_true(source_type_of(type, &output->type));
    size_t size = ELEMENTS * source_type_bytes(output->type);
    output->name = "out";
    output->elements = output->written = ELEMENTS;
    assert_non_null(output->bytes = malloc(size));
    memcpy(output->bytes, bytes, size);
    assert_non_null(output->stored = calloc(ELEMENTS, sizeof *output->stored));
    for (int i = 0; i < ELEMENTS; i++)
        output->stored[i] = 8;
    return run;
}

static struct correctness compared(const char *type, const void *found, const void *wanted, double tolerance)
{
    struct correctness correctness;
    struct source_run run = run_of(type, found), reference = run_of(type, wanted);
    source_run_compare(&run, &reference, tolerance, &correctness);
    source_run_free(&run);
    source_run_free(&reference);
    return correctness;
}

static void equal_numbers_and_two_nans_are_equal(void **state)
{
    (void)state;
    const float found[] = {1, NAN, -0.0f, INFINITY}, other[] = {1, 2, 0, INFINITY};
    float wanted[] = {1, NAN, 0.0f, INFINITY};
    struct correctness same = compared("f32", found, wanted, 0),
                       differs = compared("f32", found, other, 1000);
    assert_true(same.verified && same.elements_checked == ELEMENTS && !same.mismatches);
    assert_false(differs.verified); /* no tolerance makes a number of a NaN */
    assert_int_equal(differs.mismatches, 1);
    assert_int_equal(differs.first.index, 1);
    assert_int_equal(differs.first.line, 7);
}

static void integers_are_compared_in_all_their_bits(void **state)
{
    (void)state;
    const uint64_t found[] = {UINT64_MAX, (UINT64_C(1) << 53) + 1, 3, 4},
                   wanted[] = {UINT64_MAX, UINT64_C(1) << 53, 3, 4};
    struct correctness correctness = compared("u64", found, wanted, 0);
    assert_int_equal(correctness.mismatches, 1);
    assert_int_equal(correctness.first.index, 1);
}

static void a_tolerance_is_absolute_and_holds_for_each_component(void **state)
{
    (void)state;
    const double found[2 * ELEMENTS] = {1, 2, 3, 4.4, 5, 6, 7, 8}, wanted[] = {1, 2, 3, 4, 5, 6, 7.2, 8};
    static const struct {
        double tolerance;
        int mismatches;
    } cases[] = {{0, 2}, {0.1, 2}, {0.3, 1}, {0.5, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct correctness correctness = compared("f64x2", found, wanted, cases[i].tolerance);
        assert_int_equal(correctness.mismatches, cases[i].mismatches);
        assert_true(fabs(correctness.max_abs_error - 0.4) < 1e-9);
    }
}

static void what_one_wrote_and_the_other_did_not_is_a_mismatch(void **state)
{
    (void)state;
    const int32_t values[ELEMENTS] = {1, 2, 3, 4};
    struct correctness correctness;
    struct source_run run = run_of("i32", values), reference = run_of("i32", values);
    run.output[0].stored[2] = reference.output[0].stored[3] = 0;
    source_run_compare(&run, &reference, 0, &correctness);
    assert_int_equal(correctness.mismatches, 2);
    assert_true(correctness.first.index == 2 && isnan(correctness.first.found));
    assert_true(!correctness.first.line && correctness.first.reference_line == 7);
    run.output[0].stored[3] = reference.output[0].stored[2] = 0;
    source_run_compare(&run, &reference, 0, &correctness);
    assert_true(correctness.verified);
    source_run_free(&run);
    source_run_free(&reference);
}

static void a_run_without_outputs_is_never_verified(void **state)
{
    (void)state;
    struct correctness correctness;
    const struct source_run nothing = {.complete = true};
    source_run_compare(&nothing, &nothing, 0, &correctness);
    assert_false(correctness.verified);
}

static void an_answer_is_read_and_a_wrong_one_is_not(void **state)
{
    (void)state;
#define MEMBERS "\"members\":{\"correctness\":{},\"interpreter\":{},\"outputs\":[]}"
    static const struct {
        const char *text;
        bool read;
        enum error_kind kind;
    } cases[] = {
        {"{\"failure\":null," MEMBERS "}", true, ERROR_NONE},
        {"{\"failure\":{\"kind\":\"incorrect\",\"detail\":\"x\"}," MEMBERS "}", true, ERROR_INCORRECT},
        {"{\"failure\":{\"kind\":\"timed_out\",\"detail\":\"x\"}," MEMBERS "}", true, ERROR_TIMED_OUT},
        {"{\"failure\":{\"kind\":\"cuda_error\",\"detail\":\"x\"}," MEMBERS "}", false, ERROR_NONE},
        {"{\"failure\":{\"kind\":\"incorrect\"}," MEMBERS "}", false, ERROR_NONE},
        {"{\"failure\":null,\"members\":{\"correctness\":{},\"interpreter\":{},\"timing\":{}}}", false,
         ERROR_NONE},
        {"{\"failure\":null,\"members\":{\"correctness\":true,\"interpreter\":{}}}", false, ERROR_NONE},
        {"{\"failure\":null}", false, ERROR_NONE},
        {"[]", false, ERROR_NONE},
        {"{", false, ERROR_NONE},
        {"", false, ERROR_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error failure = {0}, error = {0};
        json_t *members = run_request_read_answer(cases[i].text, strlen(cases[i].text), &failure, &error);
        assert_int_equal(members != NULL, cases[i].read);
        assert_int_equal(failure.kind, cases[i].kind);
        assert_int_equal(error.kind, cases[i].read ? ERROR_NONE : ERROR_CRASHED);
        json_decref(members);
    }
}

static void a_run_that_is_not_whole_is_refused(void **state)
{
    (void)state;
    const struct experiment_request source = {.tolerance = 0.5, .shown = {{1, 2, 3}}, .shown_count = 1};
    const struct launch_request launch = {.definition = "{}",
                                          .request = "{}",
                                          .code = {.symbol = "k", .ptx = "ptx", .ptx_bytes = 3},
                                          .seconds = 1};
    struct buffer bytes = run_request_write(&source, &launch, &launch);
    struct run_request request;
    assert_int_equal(run_request_read(&request, bytes.data, bytes.size, NULL), 0);
    assert_true(request.has_reference && request.tolerance == 0.5 && request.shown_count == 1);
    assert_true(request.shown[0].buffer == 1 && request.shown[0].first == 2 && request.shown[0].last == 3);
    assert_string_equal(request.reference.definition, "{}");
    run_request_free(&request);
    for (size_t size = 0; size < bytes.size; size++) {
        struct error error = {0};
        assert_int_equal(run_request_read(&request, bytes.data, size, &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
    }
    buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_numbers_and_two_nans_are_equal),
        cmocka_unit_test(integers_are_compared_in_all_their_bits),
        cmocka_unit_test(a_tolerance_is_absolute_and_holds_for_each_component),
        cmocka_unit_test(what_one_wrote_and_the_other_did_not_is_a_mismatch),
        cmocka_unit_test(a_run_without_outputs_is_never_verified),
        cmocka_unit_test(an_answer_is_read_and_a_wrong_one_is_not),
        cmocka_unit_test(a_run_that_is_not_whole_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
