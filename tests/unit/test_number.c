/* Numbers as the command writes them: what is not 0 is never written as 0. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "client/terminal/number.h"

static void assert_interval(double value, double low, double high, const char *expected)
{
    char text[NUMBER_BYTES];
    number_interval(text, value, low, high, true);
    assert_string_equal(text, expected);
}

static void assert_fixed(double value, int decimals, const char *expected)
{
    char text[NUMBER_BYTES];
    number_fixed(text, value, decimals);
    assert_string_equal(text, expected);
}

static void test_an_interval_has_no_digits_beyond_it(void **state)
{
    (void)state;
    assert_interval(2.842, 2.839, 2.845, "2.842 +- 0.003");
    assert_interval(2.842, 2.840, 2.851, "2.842 (2.840 to 2.851)");
    assert_interval(3, NAN, 4, "3.000");
    assert_interval(550.2, 1e-9, 1.9e16, "550 (<0.1 to >1000000)");
}

static void test_what_is_not_0_is_not_written_as_0(void **state)
{
    (void)state;
    assert_interval(75, 0.03, 151, "75 (0.03 to 151)");
    assert_interval(0.4, 0.03, 151, "0.4 (0.03 to 151)");
    assert_interval(5, 0, 151, "5 (0 to 151)");
    assert_interval(5, -0.2, 151, "5 (-0.2 to 151)");
    assert_fixed(0.5, 0, "0.5");
    assert_fixed(0.51, 0, "1");
    assert_fixed(0.000031, 4, "0.00003");
    assert_fixed(0.00006, 4, "0.0001");
    assert_fixed(0, 2, "0.00");
}

static void test_each_text_has_room(void **state)
{
    (void)state;
    char text[NUMBER_BYTES];
    assert_fixed(NAN, 2, "nan");
    number_fixed(text, -1e300, 4);
    assert_true(strlen(text) < NUMBER_BYTES);
    number_fixed(text, 1e-300, 4);
    assert_true(strlen(text) < NUMBER_BYTES);
    number_interval(text, 1e14 / 3, 1e-300, 1e20, true);
    assert_true(strlen(text) < NUMBER_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_interval_has_no_digits_beyond_it),
        cmocka_unit_test(test_what_is_not_0_is_not_written_as_0),
        cmocka_unit_test(test_each_text_has_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
