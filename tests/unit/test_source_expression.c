/* Expressions over scalar arguments: what they are worth, and what is said of those that are not taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <pthread.h>

#include "kernels/source/source_expression.h"

static const char *const names[] = {"n", "offset", "p.x", "alpha"};
enum { NAMES = 4 };

/* Wants the value, or with 0 a word of the refusal. */
static void expect(const char *text, double n, double offset, uint64_t wanted, const char *word)
{
    struct error error = {0};
    uint64_t value = 0;
    double values[NAMES] = {n, offset, 3, 0.5};
    struct source_expression *e = source_expression_new(text, names, NAMES, &error);
    if (e && source_expression_value(e, values, &value, &error) < 0)
        value = 0;
    source_expression_free(e);
    if (value != wanted || (!wanted && !strstr(error.text, word)))
        fail_msg("%s is %llu, not %llu: %s", text, (unsigned long long)value, (unsigned long long)wanted,
                 error.text);
    if (!wanted)
        assert_int_equal(error.kind, ERROR_INVALID);
}

static void test_values(void **state)
{
    (void)state;
    expect("1048576", 1, 0, 1048576, NULL);
    expect("n", 7, 0, 7, NULL);
    expect("n + offset", 1048576, 11, 1048587, NULL);
    expect("2*(n-1)+1", 5, 0, 9, NULL);
    expect("ceil(n / 4) * 4", 5, 0, 8, NULL);
    expect("floor(n/3)", 9007199254740991.0, 0, 3002399751580330, NULL);
    expect("max(n, offset, 32)", 5, 6, 32, NULL);
    expect("min(n, 4)", 5, 0, 4, NULL);
    expect("abs(offset - n)", 5, 2, 3, NULL);
    expect("round(n * alpha)", 5, 0, 3, NULL);
    expect("n * 0.1 * 10", 10, 0, 10, NULL);
    expect("p.x + 1", 0, 0, 4, NULL);
    expect("-offset + n", 5, 2, 3, NULL);
    expect("1e3", 0, 0, 1000, NULL);
    expect("9007199254740992", 0, 0, 9007199254740992u, NULL);
    expect("n", 9007199254740992.0, 0, 9007199254740992u, NULL);
}

static void test_refusals(void **state)
{
    (void)state;
    expect("", 1, 1, 0, "is empty");
    expect("   ", 1, 1, 0, "is empty");
    expect("m * 2", 1, 1, 0, "character 1: \"m\" is no scalar argument; there are: n, offset, p.x, alpha");
    expect("n + offzet", 1, 1, 0, "character 5: \"offzet\"");
    expect("n +", 1, 1, 0, "it ends");
    expect("(n", 1, 1, 0, "\")\" is missing");
    expect("n)", 1, 1, 0, "character 2: \")\"");
    expect("2n", 1, 1, 0, "character 1: \"2n\"");
    expect("n n", 1, 1, 0, "character 3: \"n\"");
    expect("n = 5", 1, 1, 0, "character 3: \"=\"");
    expect("\"n\"", 1, 1, 0, "character 1: \"\"\"");
    expect("n\n", 1, 1, 0, "character 2: a byte");
    expect("n\xC3\xA9", 1, 1, 0, "character 2: a byte");
    expect("1, n", 1, 1, 0, "character 2: a comma");
    expect("(1), n", 1, 1, 0, "character 4: a comma");
    expect("n ^ 2", 1, 1, 0, "character 3: \"^\"");
    expect("n ? 1 : 2", 1, 1, 0, "character 3: \"?\"");
    expect("sin(n)", 1, 1, 0, "character 1: \"sin\"");
    expect("_pi", 1, 1, 0, "\"_pi\"");
    expect("0x10", 1, 1, 0, "\"");
    expect("1.2.3", 1, 1, 0, "character 1: \"1.2.3\"");
    expect("ceil(1, 2)", 1, 1, 0, "number of values");
    expect("n / 2", 5, 1, 0, "is 2.5");
    expect("n / 3", 5, 1, 0, "is about 1.66667");
    expect("n / offset", 5, 0, 0, "divides by 0");
    expect("offset - offset / offset", 5, 0, 0, "divides by 0");
    expect("n - 6", 5, 1, 0, "must be at least 1, is -1");
    expect("n - 5", 5, 1, 0, "must be at least 1, is 0");
    expect("n * 2", 9007199254740991.0, 1, 0, "2^53");
    expect("9007199254740993", 1, 1, 0, "2^53");
    expect("1e300 * 1e300", 1, 1, 0, "2^53");
}

/* A step that is rounded gives a wrong whole number, which looks like a right one. */
static void test_a_rounded_step_is_refused(void **state)
{
    (void)state;
    expect("n * n - (n - 1) * (n + 1)", 134217729, 0, 0, "exact");
    expect("n * n - (n - 1) * (n + 1)", 67108863, 0, 1, NULL);
    expect("n + 1 - offset", 9007199254740992.0, 9007199254740991.0, 0, "exact");
    expect("9007199254740991 * 3 - 27021597764222972 + n", 1, 0, 0, "2^53");
}

static void test_length_is_bounded(void **state)
{
    char text[SOURCE_EXPRESSION_BYTES + 2];
    struct error error = {0};
    (void)state;
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_null(source_expression_new(text, names, NAMES, &error));
    assert_non_null(strstr(error.text, "200 bytes"));
    memset(text, '1', sizeof text - 1);
    for (size_t i = 1; i < sizeof text; i += 2)
        text[i] = '+';
    text[SOURCE_EXPRESSION_BYTES - 1] = '\0';
    expect(text, 1, 1, 100, NULL);
}

static void test_it_knows_what_it_uses(void **state)
{
    struct source_expression *e = source_expression_new("offset + max(p.x, 2)", names, NAMES, NULL);
    (void)state;
    assert_false(source_expression_uses(e, 0));
    assert_true(source_expression_uses(e, 1));
    assert_true(source_expression_uses(e, 2));
    assert_false(source_expression_uses(e, 3));
    assert_string_equal(source_expression_text(e), "offset + max(p.x, 2)");
    source_expression_free(e);
}

static void *compute_often(void *arg)
{
    for (uint64_t n = 1; n < 3000; n++) {
        double values[NAMES] = {(double)n, 1, 2, 3};
        uint64_t value = 0;
        if (source_expression_value(arg, values, &value, NULL) < 0 || value != (n + 2) / 3)
            return arg;
    }
    return NULL;
}

static void test_threads_may_share_one(void **state)
{
    struct source_expression *e = source_expression_new("ceil(n / 3)", names, NAMES, NULL);
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compute_often, e), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    source_expression_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_a_rounded_step_is_refused),
        cmocka_unit_test(test_length_is_bounded),
        cmocka_unit_test(test_it_knows_what_it_uses),
        cmocka_unit_test(test_threads_may_share_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
