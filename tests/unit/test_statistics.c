/* Medians, ranks and shifts: published examples, tables of critical values, and whether intervals hold
   what they claim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "kernels/statistics.h"
#include "tests/unit/support/draws.h"

static void near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%.9g is not %.9g", value, expected);
}

static void a_median_is_the_middle(void **state)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};
    (void)state;
    statistics_sort(odd, 3);
    statistics_sort(even, 4);
    near(statistics_median(odd, 3), 2, 0);
    near(statistics_median(even, 4), 2.5, 0);
    near(statistics_median(one, 1), 7, 0);
}

/* Ranks of the tables for the sign test. */
static void the_interval_of_a_median_has_the_published_ranks(void **state)
{
    static const struct {
        int count, left_out;
    } cases[] = {{6, 0}, {8, 0}, {9, 1}, {11, 1}, {12, 2}, {15, 3}, {20, 5}, {25, 7}, {50, 17}, {100, 39}};
    double values[100], interval[2];
    (void)state;
    for (int i = 0; i < 100; i++)
        values[i] = i;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(statistics_median_interval(values, cases[i].count, interval));
        near(interval[0], cases[i].left_out, 0);
        near(interval[1], cases[i].count - 1 - cases[i].left_out, 0);
    }
    assert_false(statistics_median_interval(values, 5, interval));
    assert_true(isnan(interval[0]) && isnan(interval[1]));
}

/* Mann and Whitney's U, 5 %, two-sided, as every table has it. */
static void ranks_are_those_of_the_tables_of_u(void **state)
{
    static const struct {
        int m, n, critical;
    } cases[] = {{4, 4, 0},    {3, 5, 0},     {5, 5, 2},    {5, 6, 3},    {6, 6, 5},
                 {5, 10, 8},   {8, 8, 13},    {7, 9, 12},   {10, 10, 23}, {5, 20, 20},
                 {12, 15, 49}, {20, 20, 127}, {15, 20, 90}, {20, 10, 55}};
    double miss;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(statistics_rank(cases[i].m, cases[i].n, &miss), cases[i].critical + 1);
    statistics_rank(5, 5, &miss);
    near(miss, 8.0 / 252, 1e-12);
    assert_int_equal(statistics_rank(3, 4, &miss), 0);
    near(miss, 0, 0);
    /* On either side of where the approximation takes over. */
    double exact = (double)statistics_rank(90, 91, &miss), beyond = (double)statistics_rank(91, 91, &miss);
    assert_true(beyond > exact && beyond < exact + 60 && miss <= 0.05);
}

/* Hollander and Wolfe, example 4.1 and what follows from it: permeability of membranes at term and before. */
static void the_published_shift_comes_out(void **state)
{
    double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    double before[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    double all[50], miss;
    struct statistics_shift shift;
    (void)state;
    for (int i = 0; i < 50; i++)
        all[i] = term[i / 5] - before[i % 5];
    statistics_sort(all, 50);
    statistics_sort(term, 10);
    statistics_sort(before, 5);
    statistics_shift(term, 10, before, 5, &shift);
    long k = statistics_rank(10, 5, &miss);
    near(shift.shift, 0.305, 1e-9);
    near(all[k - 1], -0.15, 1e-9);
    near(all[50 - k], 0.76, 1e-9);
    near(shift.low, -0.15, 1e-9);
    near(shift.high, 0.772, 1e-3); /* Welch's is wider at this end */
    near(shift.miss, miss, 0);
}

/* Against all differences, sorted. */
static void the_shift_is_the_median_of_all_differences(void **state)
{
    double a[] = {-3, 0, 0, 1.5, 8, 9}, b[] = {-1, 0, 2, 2, 7}, all[30];
    struct statistics_shift shift;
    (void)state;
    for (int i = 0; i < 30; i++)
        all[i] = a[i / 5] - b[i % 5];
    statistics_sort(all, 30);
    statistics_shift(a, 6, b, 5, &shift);
    near(shift.shift, statistics_median(all, 30), 1e-12);
    assert_true(shift.low <= all[3] && shift.high >= all[26]);
}

static void equal_values_are_no_shift_at_all(void **state)
{
    double a[] = {7, 7, 7, 7, 7}, b[] = {7, 7, 7, 7, 7.25};
    struct statistics_shift shift;
    (void)state;
    statistics_shift(a, 5, a, 5, &shift);
    near(shift.shift, 0, 0);
    near(shift.low, 0, 0);
    near(shift.high, 0, 0);
    statistics_shift(a, 5, b, 5, &shift);
    near(shift.shift, 0, 0);
    assert_true(shift.high >= 0);
    statistics_shift(a, 3, b, 4, &shift);
    assert_true(isnan(shift.low) && isnan(shift.high));
}

/* ---- do they hold what they claim? ---- */

static double lognormal(void)
{
    return exp(normal());
}

/* Placements of the arrays are good or bad. */
static double two_modes(void)
{
    return 0.1 * normal() + (uniform() < 0.5);
}

static double seldom_bad(void)
{
    return 0.1 * normal() + 10 * (uniform() < 0.1);
}

/* 7 us by a timer that ticks every 32 ns. */
static double ticks(void)
{
    return log(round(7 * exp(0.005 * normal()) / 0.032) * 0.032);
}

static double heavy_tails(void)
{
    double x = normal(), y = normal();
    return normal() / sqrt((x * x + y * y) / 2);
}

static double (*const distributions[])(void) = {normal, lognormal, two_modes, seldom_bad, ticks, heavy_tails};
enum { DISTRIBUTIONS = sizeof distributions / sizeof *distributions, DRAWS = 2000, COUNT_MAX = 40 };

/* How often of DRAWS the interval does not hold the shift between two such sets, b spread so much wider
   than a. */
static int missed(double (*draw)(void), double middle, int m, int n, double wider)
{
    int misses = 0;
    for (int i = 0; i < DRAWS; i++) {
        double a[COUNT_MAX], b[COUNT_MAX];
        struct statistics_shift shift;
        for (int k = 0; k < m; k++)
            a[k] = draw() - middle;
        for (int k = 0; k < n; k++)
            b[k] = (draw() - middle) * wider;
        statistics_sort(a, m);
        statistics_sort(b, n);
        statistics_shift(a, m, b, n, &shift);
        misses += shift.low > 0 || shift.high < 0;
    }
    return misses;
}

static const int counts[][2] = {{5, 5}, {6, 6}, {5, 10}, {10, 10}, {5, 20}, {20, 20}, {8, 40}};
enum { COUNTS = sizeof counts / sizeof *counts };

/* 5 %, and three standard deviations of what is drawn: 5 % of 2000 are 100 +- 10. */
static void two_sets_of_the_same_are_called_different_in_at_most_5_percent(void **state)
{
    (void)state;
    seed = 20261121;
    for (int i = 0; i < COUNTS; i++)
        for (int k = 0; k < DISTRIBUTIONS; k++) {
            int misses = missed(distributions[k], 0, counts[i][0], counts[i][1], 1);
            if (misses > 130)
                fail_msg("%d and %d of distribution %d: %d of %d", counts[i][0], counts[i][1], k, misses,
                         DRAWS);
        }
}

/* Ranks alone would miss in up to a third of these. Of two modes five values are all of one with 6.25 %. */
static void sets_that_are_spread_differently_keep_the_interval_honest(void **state)
{
    static const struct {
        double (*draw)(void);
        double middle;
        int most;
    } cases[] = {{normal, 0, 130}, {heavy_tails, 0, 130}, {two_modes, 0.5, 165}};
    static const double wider[] = {1.0 / 10, 1.0 / 3, 3, 10};
    (void)state;
    seed = 20261122;
    for (int i = 0; i < COUNTS; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            for (size_t w = 0; w < sizeof wider / sizeof *wider; w++) {
                int misses = missed(cases[k].draw, cases[k].middle, counts[i][0], counts[i][1], wider[w]);
                if (misses > cases[k].most)
                    fail_msg("%d and %d of case %zu, %g times wider: %d of %d", counts[i][0], counts[i][1], k,
                             wider[w], misses, DRAWS);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_median_is_the_middle),
        cmocka_unit_test(the_interval_of_a_median_has_the_published_ranks),
        cmocka_unit_test(ranks_are_those_of_the_tables_of_u),
        cmocka_unit_test(the_published_shift_comes_out),
        cmocka_unit_test(the_shift_is_the_median_of_all_differences),
        cmocka_unit_test(equal_values_are_no_shift_at_all),
        cmocka_unit_test(two_sets_of_the_same_are_called_different_in_at_most_5_percent),
        cmocka_unit_test(sets_that_are_spread_differently_keep_the_interval_honest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
