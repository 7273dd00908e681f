/* What makes a result unstable, judged by readings alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "kernels/live.h"
#include "kernels/stability.h"

static struct live_reading look_of(double sm, double memory, unsigned throttle, double others)
{
    struct live_reading reading = {.measured = true};
    reading.of[LIVE_SM_CLOCK] = (struct live_value){.known = true, .value = sm};
    reading.of[LIVE_MEMORY_CLOCK] = (struct live_value){.known = true, .value = memory};
    reading.of[LIVE_THROTTLE] = (struct live_value){.known = true, .value = throttle};
    reading.of[LIVE_OTHERS] = (struct live_value){.known = others >= 0, .value = others};
    return reading;
}

static void each_cause_is_a_sentence_with_its_figures(void **state)
{
    static const struct {
        double sm[3], memory[3];
        unsigned throttle[3];
        double others[3];
        const char *reason; /* NULL: stable */
    } cases[] = {
        {{1980, 1980, 1980}, {3201, 3201, 3201}, {0}, {0, -1, 0}, NULL},
        {{1980, 1965, 1980}, {3201, 3201, 3201}, {0}, {0, -1, 0}, NULL}, /* one step */
        {{1980, 1980, 1755},
         {3201, 3201, 3201},
         {0},
         {0, -1, 0},
         "SM clock moved from 1980 to 1755 MHz while timing"},
        {{1980, 1755, 1980},
         {3201, 3201, 3201},
         {0},
         {0, -1, 0},
         "SM clock moved from 1980 to 1755 MHz while timing"},
        {{345, 1980, 1980},
         {3201, 3201, 3201},
         {0},
         {0, -1, 0},
         "SM clock moved from 345 to 1980 MHz while timing"},
        {{1980, 1980, 1980},
         {3201, 3201, 1593},
         {0},
         {0, -1, 0},
         "memory clock moved from 3201 to 1593 MHz while timing"},
        {{1980, 1980, 1980}, {3201, 3201, 3201}, {0x1, 0x2, 0x112}, {0, -1, 0}, NULL}, /* idle and settings */
        {{1980, 1980, 1980}, {3201, 3201, 3201}, {0, 0x4, 0}, {0, -1, 0}, "throttled: SW power cap"},
        {{1980, 1980, 1980},
         {3201, 3201, 3201},
         {0x8, 0x48, 0xa0},
         {0, -1, 0},
         "throttled: HW slowdown, SW thermal, HW thermal, HW power brake"},
        {{1980, 1980, 1980},
         {3201, 3201, 3201},
         {0},
         {0, -1, 1},
         "another process holds a context on this device (1 other)"},
        {{1980, 1980, 1980},
         {3201, 3201, 3201},
         {0},
         {3, -1, 1},
         "another process holds a context on this device (3 others)"},
        {{1980, 1980, 1980}, {3201, 3201, 3201}, {0}, {-1, -1, -1}, NULL}, /* not known is no reason */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stability s = {.looks = 3};
        struct stability_reasons reasons = {0};
        for (int l = 0; l < 3; l++)
            s.look[l] = look_of(cases[i].sm[l], cases[i].memory[l], cases[i].throttle[l], cases[i].others[l]);
        stability_judge(&s, &reasons);
        assert_int_equal(reasons.count, cases[i].reason ? 1 : 0);
        if (cases[i].reason)
            assert_string_equal(reasons.text[0], cases[i].reason);
    }
}

static void nothing_read_is_no_reason(void **state)
{
    struct stability none = {0}, unread = {.looks = 3};
    struct stability_reasons reasons = {0};
    (void)state;
    stability_judge(&none, &reasons);
    stability_judge(&unread, &reasons);
    assert_int_equal(reasons.count, 0);
    assert_false(stability_busy(&unread.look[0]));
}

static void all_causes_fit_and_more_than_fit_are_dropped(void **state)
{
    struct stability s = {.look = {look_of(1980, 3201, 0xec, 2), look_of(345, 405, 0, 0)}, .looks = 2};
    struct stability_reasons reasons = {0};
    (void)state;
    stability_judge(&s, &reasons);
    assert_int_equal(reasons.count, 4);
    for (int i = 0; i < 2 * STABILITY_REASONS; i++)
        stability_reason(&reasons, STABILITY_NOISE, "one more");
    assert_int_equal(reasons.count, STABILITY_REASONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cause_is_a_sentence_with_its_figures),
        cmocka_unit_test(nothing_read_is_no_reason),
        cmocka_unit_test(all_causes_fit_and_more_than_fit_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
