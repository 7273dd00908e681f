/* Whether the interval of a single result holds for its placement: many made-up runs of one thing, of
   which no more than 5 of 100 pairs may have intervals that do not touch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "kernels/measure/timing.h"

enum { RUNS = 200, ROUNDS = 5 };

/* How the samples come about, in shares of the median. */
struct origin {
    const char *name;
    double median_us;
    unsigned samples;  /* of a run */
    double spread;     /* of a sample, as a standard deviation */
    double kept;       /* how much of one sample's deviation the next one has too */
    double between_us; /* what runs differ by and a run cannot see, as a standard deviation */
    double drift;      /* how much slower a run ends than it begins */
    double unseen_us;  /* as of the plan */
    bool one_round;    /* all samples are said to be of one round */
    double apart_least, apart_most, half_width_most; /* shares: of pairs, of pairs, of the median */
};

static uint64_t random_state;

/* Normal enough: of twelve uniform numbers, by an LCG whose upper bits are used. */
static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        random_state = random_state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(random_state >> 11) / 9007199254740992.0;
    }
    return sum;
}

static void run(const struct origin *o, struct timing *timing)
{
    double samples[100], deviation = normal(), between_us = o->between_us * normal();
    struct series series = {.us = samples, .count = o->samples};
    for (unsigned i = 0; i < o->samples; i++) {
        deviation = o->kept * deviation + sqrt(1 - o->kept * o->kept) * normal();
        samples[i] = o->median_us * (1 + o->spread * deviation + o->drift * i / o->samples) + between_us;
    }
    series.rounds = o->one_round ? 1 : ROUNDS;
    for (unsigned i = 0; i < series.rounds; i++)
        series.round_end[i] = (i + 1) * o->samples / series.rounds;
    assert_int_equal(timing_summarise(timing, &series, 0.0002, o->unseen_us, NULL), 0);
}

static void two_runs_at_one_placement_are_seldom_apart(void **state)
{
    (void)state;
    static const struct origin origins[] = {
        {.name = "independent",
         .median_us = 60,
         .samples = 30,
         .spread = 0.01,
         .apart_most = 0.01,
         .half_width_most = 0.008},
        {.name = "alike",
         .median_us = 60,
         .samples = 30,
         .spread = 0.01,
         .kept = 0.7,
         .apart_most = 0.05,
         .half_width_most = 0.013},
        {.name = "alike, and the rounds not looked at",
         .median_us = 60,
         .samples = 30,
         .spread = 0.01,
         .kept = 0.7,
         .one_round = true,
         .apart_least = 0.05,
         .apart_most = 1,
         .half_width_most = 1},
        {.name = "alike, hot",
         .median_us = 60,
         .samples = 10,
         .spread = 0.002,
         .kept = 0.7,
         .unseen_us = TIMING_UNSEEN_SEQUENCE_US,
         .apart_most = 0.05,
         .half_width_most = 0.005},
        {.name = "slower and slower",
         .median_us = 60,
         .samples = 30,
         .spread = 0.002,
         .drift = 0.01,
         .apart_most = 0.01,
         .half_width_most = 0.008},
        {.name = "short launches, elsewhere in each run",
         .median_us = 1.1,
         .samples = 10,
         .spread = 0.001,
         .between_us = 0.006,
         .unseen_us = TIMING_UNSEEN_SEQUENCE_US,
         .apart_most = 0.05,
         .half_width_most = 0.011},
        {.name = "short and cold, the timer at another level in each run",
         .median_us = 4,
         .samples = 30,
         .spread = 0.005,
         .between_us = 0.05,
         .unseen_us = TIMING_UNSEEN_TIMER_US,
         .apart_most = 0.05,
         .half_width_most = 0.022},
        {.name = "short launches, and that not counted in",
         .median_us = 1.1,
         .samples = 10,
         .spread = 0.001,
         .between_us = 0.006,
         .apart_least = 0.3,
         .apart_most = 1,
         .half_width_most = 1},
    };
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        static struct timing runs[RUNS];
        int apart = 0, pairs = 0;
        double half_width = 0;
        random_state = i + 1;
        for (int k = 0; k < RUNS; k++) {
            run(&origins[i], &runs[k]);
            half_width += (runs[k].ci95_us[1] - runs[k].ci95_us[0]) / 2 / runs[k].median_us / RUNS;
            for (int other = 0; other < k; other++, pairs++)
                apart += runs[k].ci95_us[0] > runs[other].ci95_us[1] ||
                         runs[k].ci95_us[1] < runs[other].ci95_us[0];
        }
        double share = (double)apart / pairs;
        print_message("%s: %.2f %% apart, half width %.2f %%\n", origins[i].name, 100 * share,
                      100 * half_width);
        assert_true(share >= origins[i].apart_least && share <= origins[i].apart_most);
        assert_true(half_width <= origins[i].half_width_most);
    }
}

/* More samples can make the noise less and not what no run sees: whoever waits for noise would wait for
   ever. */
static void noise_is_what_more_samples_can_lessen(void **state)
{
    (void)state;
    const struct origin equal = {.median_us = 1, .samples = 30, .unseen_us = TIMING_UNSEEN_SEQUENCE_US};
    struct timing timing;
    run(&equal, &timing);
    assert_true(fabs(timing.noise - 0.0002) < 1e-9);
    double half_width =
        sqrt(pow(0.0002, 2) + pow(TIMING_UNSEEN_SEQUENCE_US, 2) + pow(TIMING_UNSEEN_SHARE, 2));
    assert_true(fabs(timing.ci95_us[0] - exp(-half_width)) < 1e-6);
    assert_true(fabs(timing.ci95_us[1] - exp(half_width)) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_at_one_placement_are_seldom_apart),
        cmocka_unit_test(noise_is_what_more_samples_can_lessen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
