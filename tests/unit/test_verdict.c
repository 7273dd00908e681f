/* Which side is faster: verdicts, what they need, and how often they are false when nothing differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>

#include "kernels/verdict.h"
#include "tests/unit/support/draws.h"

enum { RUNS_MAX = 64 };

/* Runs at placements of their own, so many times and in per cent around them. */
static void runs_around(struct verdict_run *runs, int count, double us)
{
    for (int i = 0; i < count; i++)
        runs[i] = (struct verdict_run){(uint64_t)i + 1, us * (1 + 0.001 * (i % 5 - 2))};
}

static void a_verdict_is_what_the_whole_interval_says(void **state)
{
    static const struct {
        double b_us, same_within;
        enum verdict verdict;
    } cases[] = {
        {9.8, 0.005, VERDICT_BETTER}, {10.2, 0.005, VERDICT_WORSE},
        {10, 0.005, VERDICT_SAME},    {10.05, 0.005, VERDICT_CANNOT_TELL},
        {9.8, 0.05, VERDICT_SAME},    {9.995, 0, VERDICT_CANNOT_TELL},
        {9.9, 0, VERDICT_BETTER},     {10.1, 0, VERDICT_WORSE},
        {10, 0, VERDICT_CANNOT_TELL}, {5, 0.5, VERDICT_BETTER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict_run a[10], b[10];
        struct verdict_of of;
        runs_around(a, 10, 10);
        runs_around(b, 10, cases[i].b_us);
        assert_int_equal(verdict_judge(a, 10, b, 10, cases[i].same_within, 0, &of), 0);
        assert_string_equal(verdict_name(of.verdict), verdict_name(cases[i].verdict));
        assert_true(fabs(of.ratio - 10 / cases[i].b_us) < 1e-3);
        assert_true(of.ratio_ci[0] <= of.ratio && of.ratio <= of.ratio_ci[1]);
        assert_true((of.need == VERDICT_NEEDS_NOTHING) == (of.verdict != VERDICT_CANNOT_TELL));
        assert_true(fabs(of.a.median_us - 10) < 1e-9 && fabs(of.a.min_us - 9.98) < 1e-9);
    }
}

static void turning_the_sides_round_turns_the_answer_round(void **state)
{
    struct verdict_run a[7], b[6];
    struct verdict_of one, other;
    (void)state;
    runs_around(a, 7, 10);
    runs_around(b, 6, 9.7);
    verdict_judge(a, 7, b, 6, 0.005, 0, &one);
    verdict_judge(b, 6, a, 7, 0.005, 0, &other);
    assert_int_equal(one.verdict, VERDICT_BETTER);
    assert_int_equal(other.verdict, VERDICT_WORSE);
    assert_true(fabs(one.ratio * other.ratio - 1) < 1e-12);
    assert_true(fabs(one.ratio_ci[0] * other.ratio_ci[1] - 1) < 1e-12);
}

/* However clear it looks. */
static void below_five_runs_or_placements_a_side_it_cannot_be_told(void **state)
{
    static const struct {
        int a, b, a_placements, b_placements, more_a, more_b;
        enum verdict_need need;
    } cases[] = {
        {4, 20, 4, 20, 1, 0, VERDICT_NEEDS_RUNS},        {1, 1, 1, 1, 4, 4, VERDICT_NEEDS_RUNS},
        {20, 20, 1, 20, 4, 0, VERDICT_NEEDS_PLACEMENTS}, {20, 20, 20, 4, 0, 1, VERDICT_NEEDS_PLACEMENTS},
        {48, 48, 4, 1, 1, 4, VERDICT_NEEDS_PLACEMENTS},  {5, 5, 5, 5, 0, 0, VERDICT_NEEDS_NOTHING},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict_run a[RUNS_MAX], b[RUNS_MAX];
        struct verdict_of of;
        runs_around(a, cases[i].a, 10);
        runs_around(b, cases[i].b, 5);
        for (int k = 0; k < cases[i].a; k++)
            a[k].placement = (uint64_t)(k % cases[i].a_placements);
        for (int k = 0; k < cases[i].b; k++)
            b[k].placement = (uint64_t)(k % cases[i].b_placements);
        verdict_judge(a, cases[i].a, b, cases[i].b, 0.005, 0, &of);
        assert_int_equal(of.a.placements, cases[i].a_placements);
        assert_int_equal(of.need, cases[i].need);
        assert_int_equal(of.verdict, of.need ? VERDICT_CANNOT_TELL : VERDICT_BETTER);
        assert_int_equal(of.more_a, cases[i].more_a);
        assert_int_equal(of.more_b, cases[i].more_b);
    }
}

static void runs_at_one_placement_count_as_their_median(void **state)
{
    struct verdict_run a[] = {{1, 10}, {2, 20}, {1, 12}, {1, 100}, {2, 22}}, b[] = {{7, 6}};
    struct verdict_of of;
    (void)state;
    verdict_judge(a, 5, b, 1, 0.005, 0, &of);
    assert_int_equal(of.a.runs, 5);
    assert_int_equal(of.a.placements, 2);
    assert_true(fabs(of.a.min_us - 12) < 1e-12 && fabs(of.a.max_us - 21) < 1e-12);
    assert_true(fabs(of.a.median_us - 16.5) < 1e-12 && of.b.median_us == 6);
    assert_true(isnan(of.ratio_ci[0]) && isnan(of.ratio_ci[1]));
    assert_int_equal(of.more_b, 4);
}

/* Of runs in two groups the median over all pairs is another than the ratio of the two medians. */
static void a_ratio_that_is_none_is_marked_where_it_cannot_be_told(void **state)
{
    static const struct {
        double a[5], b[5];
        bool uneven;
    } cases[] = {
        {{10, 10, 10, 20, 20}, {10, 10, 20, 20, 20}, true},
        {{10, 10.1, 10.2, 10.3, 10.4}, {10, 10.1, 10.2, 10.3, 10.4}, false},
        {{30, 30, 30, 60, 60}, {10, 10, 20, 20, 20}, false}, /* a verdict: the ratio is as good as that */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict_run a[5], b[5];
        struct verdict_of of;
        for (int k = 0; k < 5; k++) {
            a[k] = (struct verdict_run){(uint64_t)k, cases[i].a[k]};
            b[k] = (struct verdict_run){(uint64_t)k, cases[i].b[k]};
        }
        verdict_judge(a, 5, b, 5, 0, 0, &of);
        assert_int_equal(of.uneven, cases[i].uneven);
        assert_int_equal(of.verdict, i < 2 ? VERDICT_CANNOT_TELL : VERDICT_BETTER);
    }
}

static void an_estimate_of_further_runs_is_a_round_number(void **state)
{
    static const double us[] = {9.7, 9.75, 9.8, 9.85, 9.88, 9.9, 9.92};
    (void)state;
    for (size_t i = 0; i < sizeof us / sizeof *us; i++) {
        struct verdict_run a[6], b[6];
        struct verdict_of of;
        for (int k = 0; k < 6; k++) {
            a[k] = (struct verdict_run){(uint64_t)k, 10 * (1 + 0.02 * (k - 2.5))};
            b[k] = (struct verdict_run){(uint64_t)k, us[i] * (1 + 0.02 * (k - 2.5))};
        }
        verdict_judge(a, 6, b, 6, 0.005, 0, &of);
        assert_int_equal(of.need, VERDICT_NEEDS_WIDTH);
        int n = of.more_a;
        while (n > 3 && n % 2 == 0)
            n /= 2;
        assert_true(of.more_a == of.more_b && (n <= 3 || of.more_a == VERDICT_NEEDS_MOST));
    }
}

/* ---- what chance does ---- */

/* Standard deviations in parts of the time, as seen on an H200 of small experiments cold. */
struct world {
    double executor, placement, run;
    bool modes; /* placements are good or bad */
    int runs_a_placement;
    double same_within;
};

/* `count` placements, of one executor, or drawn over twelve. */
static int side_draw(struct verdict_run *runs, int count, const struct world *world,
                     const double executors[12], int executor)
{
    int made = 0;
    for (int i = 0; i < count; i++) {
        int from = executor >= 0 ? executor : (int)(uniform() * 12);
        double place = world->modes ? (uniform() < 0.3 ? 2 : 0) + 0.2 * normal() : normal();
        for (int k = 0; k < world->runs_a_placement; k++) {
            double us = 7 * (1 + executors[from] + world->placement * place + world->run * normal());
            runs[made++] = (struct verdict_run){(uint64_t)i, round(us / 0.032) * 0.032};
        }
    }
    return made;
}

/* Of `rounds` comparisons of the same with the same: how many are called better or worse. */
static int alarms(const struct world *world, int placements, int rounds, bool one_each)
{
    int count = 0;
    for (int i = 0; i < rounds; i++) {
        double executors[12];
        struct verdict_run a[RUNS_MAX], b[RUNS_MAX];
        struct verdict_of of;
        for (int k = 0; k < 12; k++)
            executors[k] = world->executor * normal();
        int runs_a = side_draw(a, placements, world, executors, one_each ? 0 : -1);
        int runs_b = side_draw(b, placements, world, executors, one_each ? 1 : -1);
        assert_int_equal(verdict_judge(a, runs_a, b, runs_b, world->same_within, 0, &of), 0);
        count += of.verdict == VERDICT_BETTER || of.verdict == VERDICT_WORSE;
    }
    return count;
}

/* 5 % of 4000 are 200 +- 14. */
static void the_same_against_itself_is_called_different_in_at_most_5_percent(void **state)
{
    static const struct world worlds[] = {
        {0.008, 0.008, 0.003, false, 1, 0}, {0.008, 0.02, 0.003, true, 1, 0},
        {0.002, 0.001, 0.001, false, 1, 0}, {0.008, 0.008, 0.003, false, 3, 0},
        {0.008, 0.02, 0.003, true, 2, 0},   {0.008, 0.008, 0.003, false, 1, 0.005},
    };
    static const int placements[] = {5, 6, 8, 12, 20};
    (void)state;
    seed = 20261121;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        for (size_t k = 0; k < sizeof placements / sizeof *placements; k++) {
            int count = alarms(&worlds[i], placements[k], 4000, false);
            if (count > 242)
                fail_msg("world %zu, %d placements: %d of 4000", i, placements[k], count);
        }
}

/* What an executor does to all of its runs is no placement's: each side from one of its own keeps the
   claim only as far as that stays within what is called the same, as it does where each run has its arrays
   placed anew. */
static void sides_of_one_executor_each_keep_it_while_executors_differ_less_than_the_same(void **state)
{
    static const struct world small = {0.0015, 0.008, 0.003, false, 1, 0.005};
    static const struct world large = {0.02, 0.001, 0.001, false, 1, 0.005};
    (void)state;
    seed = 20261122;
    assert_in_range(alarms(&small, 6, 4000, true), 0, 242);
    assert_in_range(alarms(&large, 6, 4000, true), 1000,
                    4000); /* so that this test is seen to be able to fail */
}

static void a_difference_of_one_percent_is_found(void **state)
{
    static const struct world world = {0.0005, 0.0015, 0.001, false, 1, 0.005};
    int found = 0;
    (void)state;
    seed = 20261123;
    for (int i = 0; i < 1000; i++) {
        double executors[12] = {0};
        struct verdict_run a[RUNS_MAX], b[RUNS_MAX];
        struct verdict_of of;
        int runs_a = side_draw(a, 6, &world, executors, 0), runs_b = side_draw(b, 6, &world, executors, 1);
        for (int k = 0; k < runs_a; k++)
            a[k].us = a[k].us * 1000; /* a kernel that takes milliseconds: ticks are nothing */
        for (int k = 0; k < runs_b; k++)
            b[k].us = b[k].us * 1000 / 1.0102;
        verdict_judge(a, runs_a, b, runs_b, 0.002, 0, &of);
        found += of.verdict == VERDICT_BETTER;
        assert_int_not_equal(of.verdict, VERDICT_WORSE);
    }
    assert_in_range(found, 900, 1000);
}

/* About as many more as it says are enough, more often than not. */
static void what_is_said_to_be_needed_is_about_enough(void **state)
{
    static const struct world world = {0, 0.01, 0, false, 1, 0.005};
    int told = 0, asked = 0;
    double executors[12] = {0};
    (void)state;
    seed = 20261124;
    for (int i = 0; i < 500; i++) {
        struct verdict_run a[RUNS_MAX], b[RUNS_MAX];
        struct verdict_of of;
        for (int n = 6, tries = 0; tries < 2; tries++) {
            side_draw(a, n, &world, executors, 0);
            side_draw(b, n, &world, executors, 1);
            for (int k = 0; k < n; k++)
                b[k].us /= 1.02;
            verdict_judge(a, n, b, n, 0.005, 0, &of);
            if (tries)
                told += of.verdict == VERDICT_BETTER;
            if (of.verdict != VERDICT_CANNOT_TELL || n + of.more_a > RUNS_MAX)
                break;
            asked += !tries;
            n += of.more_a;
        }
    }
    assert_in_range(asked, 100, 500);
    assert_in_range(told, asked * 4 / 10, asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verdict_is_what_the_whole_interval_says),
        cmocka_unit_test(turning_the_sides_round_turns_the_answer_round),
        cmocka_unit_test(below_five_runs_or_placements_a_side_it_cannot_be_told),
        cmocka_unit_test(runs_at_one_placement_count_as_their_median),
        cmocka_unit_test(a_ratio_that_is_none_is_marked_where_it_cannot_be_told),
        cmocka_unit_test(an_estimate_of_further_runs_is_a_round_number),
        cmocka_unit_test(the_same_against_itself_is_called_different_in_at_most_5_percent),
        cmocka_unit_test(sides_of_one_executor_each_keep_it_while_executors_differ_less_than_the_same),
        cmocka_unit_test(a_difference_of_one_percent_is_found),
        cmocka_unit_test(what_is_said_to_be_needed_is_about_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
