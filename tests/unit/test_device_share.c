/* The arithmetic of fair shares: the predicted order is the order in which all then runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "server/queue/owner.h"

enum { OWNERS_MOST = 40, DRAWS = 20000 };

/* Small numbers, so that ties are common; as doubles they add up exactly. */
static int owners_draw(unsigned *seed, struct device_share owners[])
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    int count = 1 + rand_r(seed) % 8, span = 1 + rand_r(seed) % 30;
    for (int i = 0; i < count; i++)
        owners[i] = (struct device_share){
            .name = names[i],
            .used_s = rand_r(seed) % span,
            .mean_s = 1 + rand_r(seed) % 5,
            .served = rand_r(seed) % 3 ? 1 + rand_r(seed) % 100 : 0,
            .waiting = rand_r(seed) % 12,
        };
    return count;
}

/* Runs one experiment of the owner that is next; NULL: nothing waits. */
static struct device_share *run_next(struct device_share owners[], int count, int64_t *served)
{
    struct device_share *best = NULL;
    for (int i = 0; i < count; i++)
        if (owners[i].waiting && (!best || device_share_before(&owners[i], best)))
            best = &owners[i];
    if (best) {
        best->waiting--;
        best->used_s += best->mean_s;
        best->served = ++*served;
    }
    return best;
}

static void predicted_positions_are_the_order_in_which_all_then_run(void **state)
{
    unsigned seed = 42;
    int checked = 0;
    (void)state;
    for (int draw = 0; draw < DRAWS; draw++) {
        struct device_share owners[8], before[8];
        int count = owners_draw(&seed, owners), ran[8] = {0};
        int64_t served = 1000;
        memcpy(before, owners, sizeof before);
        struct device_share *next;
        for (int position = 0; (next = run_next(owners, count, &served)); position++) {
            int own = (int)(next - owners), predicted = ran[own];
            for (int other = 0; other < count; other++)
                if (other != own)
                    predicted += device_share_count(&before[own], ran[own], &before[other]);
            if (predicted != position)
                fail_msg("draw %d: %s's number %d is predicted as %d and runs as %d", draw, next->name,
                         ran[own], predicted, position);
            ran[own]++;
            checked++;
        }
    }
    assert_true(checked > DRAWS * 5);
}

static void usage_halves_and_the_order_of_owners_stays(void **state)
{
    (void)state;
    assert_true(fabs(device_share_decayed(80, 7200, 3600) - 20) < 1e-9);
    assert_true(device_share_decayed(80, -5, 3600) == 80); /* a clock that was set back */
    assert_true(device_share_decayed(0, 1e9, 3600) == 0);
    for (double after_s = 0; after_s < 1e5; after_s += 977)
        assert_true(device_share_decayed(3, after_s, 60) < device_share_decayed(4, after_s, 60) ||
                    after_s > 6e4);
}

static void a_mean_is_of_the_first_runs_and_then_moves(void **state)
{
    struct run_mean mean = {0};
    (void)state;
    run_mean_add(&mean, 1, 0);
    run_mean_add(&mean, 3, 0);
    assert_true(mean.mean_s == 2);
    for (int i = 0; i < 200; i++)
        run_mean_add(&mean, 10, 0);
    assert_true(mean.mean_s > 9.9 && mean.mean_s <= 10);
}

/* Sixteen runs of 1 MB and 0.1 s. */
static struct run_mean small_runs(void)
{
    struct run_mean mean = {0};
    for (int i = 0; i < 16; i++)
        run_mean_add(&mean, 0.1, 1e6);
    return mean;
}

static bool within(double value, double wanted, double part)
{
    return fabs(value - wanted) <= part * wanted;
}

static void what_is_expected_grows_with_the_bytes(void **state)
{
    (void)state;
    struct run_mean mean = small_runs();
    assert_true(within(run_mean_expected_s(&mean, 1e6), 0.1, 1e-9));
    assert_true(within(run_mean_expected_s(&mean, 1e9), 0.1, 1e-9)); /* nothing larger ran yet */
    assert_true(within(run_mean_expected_s(&mean, 0), 0.1, 1e-9));
    run_mean_add(&mean, 3.1, 1e9); /* one is enough: 0.1 s and 3 s a gigabyte */
    assert_true(within(run_mean_expected_s(&mean, 1e9), 3.1, 0.2));
    assert_true(within(run_mean_expected_s(&mean, 5e8), 1.6, 0.2));
    assert_true(within(run_mean_expected_s(&mean, 1e6), 0.1, 0.5));
    run_mean_add(&mean, 1, 0); /* of unknown bytes: it moves the mean alone */
    assert_true(run_mean_expected_s(&mean, 1e9) > 3);
}

static void what_is_expected_is_no_slope_of_noise(void **state)
{
    (void)state;
    struct run_mean mean = {0};
    for (int i = 0; i < 16; i++) /* a hundredth more bytes, twice the time */
        run_mean_add(&mean, i % 2 ? 0.2 : 0.1, i % 2 ? 1.01e6 : 1e6);
    assert_true(run_mean_expected_s(&mean, 2e6) < 0.4);
    mean = small_runs();
    run_mean_add(&mean, 0.01, 1e9); /* shorter though larger */
    assert_true(within(run_mean_expected_s(&mean, 1e9), mean.mean_s, 1e-9));
    mean = small_runs();
    run_mean_add(&mean, 1000, 2e6); /* never negative, and never faster than the bytes */
    assert_true(run_mean_expected_s(&mean, 1) > 0);
    assert_true(run_mean_expected_s(&mean, 4e6) <= mean.mean_s * 4e6 / mean.mean_bytes * (1 + 1e-9));
}

/* Jain's index: 1 when all have the same, 1/n when one has all. */
static double jain(const double values[], int count)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return sum * sum / (count * squares);
}

/* Forty owners that always have something waiting; three of them have 10,000 each, and runs ten times as
   long. */
static void equal_demand_gets_equal_device_time_while_three_are_greedy(void **state)
{
    struct device_share owners[OWNERS_MOST];
    char names[OWNERS_MOST][16];
    double had_s[OWNERS_MOST] = {0}, now_s = 0;
    int64_t served = 0;
    (void)state;
    for (int i = 0; i < OWNERS_MOST; i++) {
        snprintf(names[i], sizeof names[i], "%02d", i);
        owners[i] = (struct device_share){names[i], 0, i < 3 ? 0.1 : 0.01 + 0.0002 * i, 0, i < 3 ? 10000 : 1};
    }
    while (now_s < 60) {
        struct device_share *next = run_next(owners, OWNERS_MOST, &served);
        now_s += next->mean_s;
        had_s[next - owners] += next->mean_s;
        next->waiting++;
    }
    assert_true(jain(had_s, OWNERS_MOST) >= 0.99);
    had_s[0] *= 4; /* this check can fail */
    assert_true(jain(had_s, OWNERS_MOST) < 0.99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicted_positions_are_the_order_in_which_all_then_run),
        cmocka_unit_test(usage_halves_and_the_order_of_owners_stays),
        cmocka_unit_test(a_mean_is_of_the_first_runs_and_then_moves),
        cmocka_unit_test(what_is_expected_grows_with_the_bytes),
        cmocka_unit_test(what_is_expected_is_no_slope_of_noise),
        cmocka_unit_test(equal_demand_gets_equal_device_time_while_three_are_greedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
