#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "kernels/device/device.h"
#include "kernels/measure/timing.h"
#include "tests/unit/support/draws.h"

static void near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * (1 + fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Of samples that were taken in one round. */
static void summarise(struct timing *t, double *samples, unsigned count, double tick_us)
{
    struct series series = {.us = samples, .count = count, .rounds = 1, .round_end = {count}};
    assert_int_equal(timing_summarise(t, &series, tick_us, 0, NULL), 0);
}

static void the_statistics_of_known_samples_are_known(void **state)
{
    (void)state;
    double samples[] = {9, 1, 8, 2, 7, 3, 6, 4, 5};
    struct timing t = {0};
    summarise(&t, samples, 9, 0.5);
    near(t.min_us, 1);
    near(t.p25_us, 3);
    near(t.median_us, 5);
    near(t.p75_us, 7);
    near(t.max_us, 9);
    near(t.mean_us, 5);
    near(t.stddev_us, sqrt(7.5));
    /* 9 samples: ranks 2 and 8 hold the median with at least 95 % by the binomial distribution (96.1 %). */
    near(t.noise, (8 - 2) / 2. / 5);
    near(t.ci95_us[1], 5 * exp(hypot(log(8 / 5.), asinh(TIMING_UNSEEN_SHARE))));
}

/* The exact binomial: the median lies between the ranks low and high (from 1) of n with this probability. */
static double coverage(unsigned n, unsigned low, unsigned high)
{
    double sum = 0;
    for (unsigned k = low; k < high; k++)
        sum += exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) - n * log(2));
    return sum;
}

static void the_interval_of_the_median_covers_it_with_95_percent(void **state)
{
    (void)state;
    for (unsigned n = 6; n < 400; n++) {
        double samples[400];
        struct timing t = {0};
        double middle = (n + 1) / 2.0 - 30; /* the median is far above a nanosecond */
        for (unsigned i = 0; i < n; i++)    /* so far apart that constants are nothing beside a rank */
            samples[i] = exp(i + 1 - middle);
        summarise(&t, samples, n, 0);
        double covered = coverage(n, (unsigned)lround(log(t.ci95_us[0]) + middle),
                                  (unsigned)lround(log(t.ci95_us[1]) + middle));
        if (covered < 0.95 || (n > 20 && covered > 0.985))
            fail_msg("%u samples: %.4f", n, covered);
    }
}

static double skewed(void)
{
    return -log(uniform()) / log(2);
}

static double spread_wide(void)
{
    return exp(1.5 * normal());
}

/* A processor that is taken away for a while. */
static double held_up(void)
{
    return exp(0.02 * normal()) * (uniform() < 0.4 ? 20 : 1) / 1.01954;
}

/* Rounds of a busy machine differ by more than their samples, and two rounds are all there was time for. A time is
   positive, so its interval is. */
static void an_interval_holds_the_median_and_is_positive_however_far_times_are_spread(void **state)
{
    enum { DRAWS = 2000 };
    static const struct {
        double (*draw)(void);
        double between; /* standard deviation of the rounds' logarithms */
        unsigned rounds;
    } cases[] = {{skewed, 0, 5},      {spread_wide, 0, 5}, {held_up, 0, 5}, {spread_wide, 1, 5},
                 {spread_wide, 1, 9}, {skewed, 0.5, 7},    {skewed, 1, 2}};
    (void)state;
    seed = 20261124;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int misses = 0;
        for (int i = 0; i < DRAWS; i++) {
            double samples[54];
            struct series series = {.us = samples, .count = 6 * cases[c].rounds, .rounds = cases[c].rounds};
            for (unsigned r = 0, k = 0; r < series.rounds; series.round_end[r++] = k)
                for (double level = exp(cases[c].between * normal()); k < 6 * (r + 1); k++)
                    samples[k] = level * cases[c].draw();
            struct timing t = {0};
            assert_int_equal(timing_summarise(&t, &series, 1e-4, 1e-4, NULL), 0);
            if (!(t.ci95_us[0] > 0) || t.ci95_us[0] > t.median_us || t.ci95_us[1] < t.median_us)
                fail_msg("case %zu: %g to %g around %g", c, t.ci95_us[0], t.ci95_us[1], t.median_us);
            misses += t.ci95_us[0] > 1 || t.ci95_us[1] < 1;
        }
        if (misses > 130) /* 5 %, and three standard deviations of what is drawn */
            fail_msg("case %zu: %d of %d do not hold the median", c, misses, DRAWS);
    }
}

static void a_time_of_zero_has_no_interval(void **state)
{
    (void)state;
    double samples[] = {0, 0, 0, 0, 0, 0, 1};
    struct timing t = {0};
    summarise(&t, samples, 7, 0.032);
    assert_true(isnan(t.ci95_us[0]) && isnan(t.ci95_us[1]) && isnan(t.noise));
}

static void rounds_of_zero_widen_the_interval_also_where_the_tick_is_not_known(void **state)
{
    (void)state;
    double samples[] = {1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    struct series series = {.us = samples, .count = 18, .rounds = 3, .round_end = {6, 12, 18}};
    struct timing unknown = {0}, nanosecond = {0};
    assert_int_equal(timing_summarise(&unknown, &series, 0, 0, NULL), 0);
    assert_int_equal(timing_summarise(&nanosecond, &series, 1e-3, 0, NULL), 0);
    assert_true(unknown.noise > 1 && unknown.ci95_us[0] > 0);
    near(unknown.noise, nanosecond.noise);
    near(unknown.ci95_us[0], nanosecond.ci95_us[0]);
    near(unknown.ci95_us[1], nanosecond.ci95_us[1]);
    double one_round[] = {0, 0, 0, 1, 1, 1, 1};
    summarise(&unknown, one_round, 7, 0);
    assert_true(unknown.ci95_us[0] > 0);
}

static void noise_is_never_told_below_the_tick(void **state)
{
    (void)state;
    double samples[] = {7, 7, 7, 7, 7, 7, 7};
    struct timing t = {0};
    summarise(&t, samples, 7, 0.032);
    near(t.noise, 0.032 / 7);
}

/* No two of five samples hold the median between them with 95 %. */
static void noise_is_not_known_of_a_few_samples(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 6; n++) {
        double samples[] = {7, 7, 8, 8, 7, 8};
        struct timing t = {0};
        summarise(&t, samples, n, 0.032);
        assert_int_equal(!isnan(t.noise), n == 6);
        assert_int_equal(!isnan(t.ci95_us[0]), n == 6);
        assert_int_equal(!isnan(t.ci95_us[1]), n == 6);
    }
}

static void the_tick_is_the_least_difference(void **state)
{
    (void)state;
    double samples[] = {2.24, 2.304, 2.24, 2.272, 2.4}, equal[] = {1, 1, 1};
    assert_true(fabs(timing_tick(samples, 5) - 0.032) < 1e-6);
    near(timing_tick(equal, 3), 0);
}

struct source {
    unsigned calls;
    double spread, drift;
    int discard_every;
};

/* Alternates around 100 us; the spread shrinks by `drift` a call. */
static int take(void *arg, double *us, struct error *error)
{
    struct source *s = arg;
    (void)error;
    s->calls++;
    if (s->discard_every && s->calls % (unsigned)s->discard_every == 0) {
        *us = -1;
        return 0;
    }
    s->spread *= 1 - s->drift;
    *us = 100 + (s->calls * 7 % 11 - 5.0) / 5 * s->spread;
    return 0;
}

static const struct timing_plan plan = {
    .min_samples = 30, .look_every = 10, .noise = 0.01, .max_seconds = 5, .tick_us = 0.03};

/* Round after round, until it is over. */
static int collect(struct timing *t, const struct timing_plan *how,
                   int (*sample)(void *arg, double *us, struct error *error), void *arg)
{
    struct series series = {0};
    struct sampling sampling = {.series = &series};
    struct error error = {0};
    int result = 0;
    while (!sampling.over && result == 0)
        result = timing_round(&sampling, how, sample, arg, &error);
    *t = sampling.timing;
    timing_series_free(&series);
    return result;
}

static void quiet_samples_stop_at_the_least_number(void **state)
{
    (void)state;
    struct source s = {.spread = 0.1};
    struct timing t = {0};
    assert_int_equal(collect(&t, &plan, take, &s), 0);
    assert_int_equal(t.stop, STOP_NOISE);
    assert_int_equal(t.samples, 30);
}

static void few_samples_do_not_stop_for_their_noise(void **state)
{
    (void)state;
    struct source s = {.spread = 0.1};
    struct timing t = {0};
    struct timing_plan content = plan;
    content.min_samples = 1;
    content.noise = 1;
    assert_int_equal(collect(&t, &content, take, &s), 0);
    assert_int_equal(t.stop, STOP_NOISE);
    assert_int_equal(t.samples, 11); /* the second look */
}

static void noise_that_does_not_fall_stops_after_three_looks(void **state)
{
    (void)state;
    struct source s = {.spread = 0};
    struct timing t = {0};
    struct timing_plan hopeless = plan;
    hopeless.noise = 0; /* never reached: the tick keeps it above */
    assert_int_equal(collect(&t, &hopeless, take, &s), 0);
    assert_int_equal(t.stop, STOP_NO_GAIN);
    assert_int_equal(t.samples, 60);
}

static int take_nothing(void *arg, double *us, struct error *error)
{
    (void)arg;
    (void)error;
    *us = 0;
    return 0;
}

static void a_median_of_zero_stops_at_the_first_look(void **state)
{
    (void)state;
    struct timing t = {0};
    assert_int_equal(collect(&t, &plan, take_nothing, NULL), 0);
    assert_int_equal(t.stop, STOP_NO_GAIN);
    assert_int_equal(t.samples, 30);
}

static void time_is_a_limit_and_one_sample_is_always_taken(void **state)
{
    (void)state;
    struct source s = {.spread = 1};
    struct timing t = {0};
    struct timing_plan none = plan;
    none.max_seconds = 0;
    assert_int_equal(collect(&t, &none, take, &s), 0);
    assert_int_equal(t.stop, STOP_TIME);
    assert_int_equal(t.samples, 1);
}

static void discarded_samples_are_counted_and_do_not_count(void **state)
{
    (void)state;
    struct source s = {.spread = 0.1, .discard_every = 4};
    struct timing t = {0};
    assert_int_equal(collect(&t, &plan, take, &s), 0);
    assert_int_equal(t.samples, 30);
    assert_int_equal(t.discarded, s.calls - 30);
}

static int refuse(void *arg, double *us, struct error *error)
{
    (void)arg;
    *us = -1;
    (void)error;
    return 0;
}

static void a_source_that_only_discards_gives_no_timing_and_no_endless_loop(void **state)
{
    (void)state;
    struct timing t = {0};
    assert_int_equal(collect(&t, &plan, refuse, NULL), 0);
    assert_int_equal(t.samples, 0);
    assert_int_equal(t.discarded, 200);
    struct timing_plan short_plan = plan;
    short_plan.max_seconds = 0;
    assert_int_equal(collect(&t, &short_plan, refuse, NULL), 0);
    assert_int_equal(t.samples, 0);
    assert_int_equal(t.discarded, 20);
}

static void a_slope_is_of_launches_alone_and_none_when_the_shorter_sequence_was_held_up(void **state)
{
    (void)state;
    /* 2.5 us a launch and 6 us a sequence */
    assert_true(fabs(timing_slope_us(6 + 54 * 2.5, 54, 6 + 217 * 2.5, 217) - 2.5) < 1e-9);
    /* two long launches and one */
    assert_true(fabs(timing_slope_us(9000, 1, 18000, 2) - 9000) < 1e-9);
    /* The shorter lost its processor for a while: a launch would have taken 0.05 us. */
    assert_true(timing_slope_us(540, 54, 6 + 217 * 2.5, 217) < 0);
    assert_true(timing_slope_us(600, 54, 500, 217) < 0);
    /* The longer did: slow, and for the median to judge. */
    assert_true(timing_slope_us(6 + 54 * 2.5, 54, 2000, 217) > 2.5);
}

static void one_delay_of_the_host_makes_a_few_samples_longer_and_not_all_that_follow(void **state)
{
    (void)state;
    static const double usual_ns = 6000, delay_ns = 300000;
    double spin_ns = DEVICE_SPIN_LEAST_NS, spent_ns = 0;
    int early = 0;
    for (int i = 0; i < 1000; i++) {
        double enqueue_ns = i % 200 == 50 ? delay_ns : usual_ns;
        bool was_early = enqueue_ns > spin_ns;
        early += was_early;
        spent_ns += spin_ns;
        spin_ns = device_spin_ns(spin_ns, enqueue_ns, was_early);
    }
    assert_int_equal(early, 5); /* the delays themselves */
    assert_true(spent_ns < 1000 * 1.2 * DEVICE_SPIN_LEAST_NS);
    assert_true(spin_ns == DEVICE_SPIN_LEAST_NS);
}

static void the_spin_follows_what_enqueueing_takes(void **state)
{
    (void)state;
    double spin_ns = DEVICE_SPIN_LEAST_NS;
    int early = 0;
    for (int i = 0; i < 1000; i++) { /* a graph of many launches, or a slow host */
        bool was_early = spin_ns < 90000;
        early += was_early;
        spin_ns = device_spin_ns(spin_ns, 90000, was_early);
    }
    assert_true(early <= 4);
    assert_true(spin_ns >= 90000 && spin_ns <= 1.3 * 90000);
    for (int i = 0; i < 100; i++)
        spin_ns = device_spin_ns(spin_ns, 1e9, true);
    assert_true(spin_ns == DEVICE_SPIN_MOST_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_statistics_of_known_samples_are_known),
        cmocka_unit_test(the_interval_of_the_median_covers_it_with_95_percent),
        cmocka_unit_test(an_interval_holds_the_median_and_is_positive_however_far_times_are_spread),
        cmocka_unit_test(a_time_of_zero_has_no_interval),
        cmocka_unit_test(rounds_of_zero_widen_the_interval_also_where_the_tick_is_not_known),
        cmocka_unit_test(noise_is_never_told_below_the_tick),
        cmocka_unit_test(noise_is_not_known_of_a_few_samples),
        cmocka_unit_test(few_samples_do_not_stop_for_their_noise),
        cmocka_unit_test(the_tick_is_the_least_difference),
        cmocka_unit_test(a_slope_is_of_launches_alone_and_none_when_the_shorter_sequence_was_held_up),
        cmocka_unit_test(one_delay_of_the_host_makes_a_few_samples_longer_and_not_all_that_follow),
        cmocka_unit_test(the_spin_follows_what_enqueueing_takes),
        cmocka_unit_test(quiet_samples_stop_at_the_least_number),
        cmocka_unit_test(noise_that_does_not_fall_stops_after_three_looks),
        cmocka_unit_test(a_median_of_zero_stops_at_the_first_look),
        cmocka_unit_test(time_is_a_limit_and_one_sample_is_always_taken),
        cmocka_unit_test(discarded_samples_are_counted_and_do_not_count),
        cmocka_unit_test(a_source_that_only_discards_gives_no_timing_and_no_endless_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
