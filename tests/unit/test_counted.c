/* What limits by the counters: each unit by its own witness, what is too short, what was not counted, and
   the sentences. The device is made up: 100 multiprocessors at 1 GHz, 4 instructions a cycle, 4000 GB/s,
   and a launch of 100 us and its ramp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/time/reasons.h"

static const double busy_us = 100, ramp_us = 2;
static struct calibration device;
static struct time_prediction prediction;
static struct counters counters;
static struct counted_limiter counted;

static void count(const char *name, double value)
{
    struct counter *one = &counters.at[counters.count++];
    snprintf(one->name, sizeof one->name, "%s", name);
    one->measured = true;
    one->value = value;
}

static void drop(const char *name)
{
    for (int i = 0; i < counters.count; i++)
        if (strcmp(counters.at[i].name, name) == 0)
            counters.at[i].measured = false;
}

static void set(const char *name, double value)
{
    drop(name);
    count(name, value);
}

/* A named metric is of the whole duration: that part of the time without the ramp. */
static void busy(const char *metric, double part)
{
    set(metric, 100 * part * busy_us / (busy_us + ramp_us));
}

static const char *const named[] = {COUNTED_L2, COUNTED_TO_L2,  COUNTED_FROM_L2, COUNTED_SLICE,
                                    COUNTED_L1, COUNTED_ISSUED, COUNTED_PIPES,   COUNTED_WORDS};
enum { NAMED = sizeof named / sizeof *named };

static void dram(double part)
{
    set("dram_read_bytes", part * 4000e3 * busy_us);
}

static void executed(double part)
{
    set("inst_executed", part * 4 * 1000 * 100 * busy_us);
}

/* Nothing above 30 %, all of it counted; memory's latency is predicted. */
static int set_up(void **state)
{
    (void)state;
    device = (struct calibration){.name = "made up", .sms = 100, .clock_khz = 1000000};
    device.constant[CALIBRATION_BANDWIDTH].value = 4000;
    device.constant[CALIBRATION_ISSUE].value = 4;
    prediction = (struct time_prediction){
        .calibration = &device,
        .us = 106,
        .floor_us = 3,
        .ramp_us = ramp_us,
        .limiter = TIME_LATENCY,
        .second = TIME_L2,
    };
    for (int i = 0; i < TIME_BOUNDS; i++)
        prediction.bound[i] = (struct time_amount){.unit = i == TIME_L2 ? "flits" : "things", .us = 20};
    counters = (struct counters){.status = COUNTERS_MEASURED};
    count("duration_us", busy_us + ramp_us);
    count("dram_write_bytes", 0);
    count("achieved_occupancy", 0.3);
    dram(0.3);
    executed(0.2);
    for (int i = 0; i < NAMED; i++)
        busy(named[i], 0.25);
    return 0;
}

static void find(void)
{
    struct reasons reasons;
    counted_find(&counters, 0.5, &prediction, &counted);
    reasons_counted(&counted, &reasons);
    assert_null(strpbrk(reasons.en, "{}"));
    assert_null(strpbrk(reasons.zh, "{}"));
    assert_string_equal(reasons.en + strlen(reasons.en) - 1, ".");
    assert_string_equal(reasons.zh + strlen(reasons.zh) - 3, "。");
    assert_in_range(strlen(reasons.en), 20, sizeof reasons.en - 16);
    assert_in_range(strlen(reasons.zh), 20, sizeof reasons.zh - 16);
}

static void says(const char *en)
{
    struct reasons reasons;
    reasons_counted(&counted, &reasons);
    if (!strstr(reasons.en, en))
        fail_msg("no \"%s\" in: %s", en, reasons.en);
}

/* What is found, and what that says to each prediction. */
static void limits(enum counted_answer answer, enum time_bound limiter)
{
    find();
    if (counted.answer != answer || counted.limiter != limiter)
        fail_msg("answer %d, limiter %s", (int)counted.answer, predicted_time_bound_name(counted.limiter));
    bool waits = limiter == TIME_LATENCY;
    for (int i = 0; i < TIME_BOUNDS; i++) {
        bool same = i == (int)limiter || (waits && i == TIME_LINES);
        prediction.limiter = (enum time_bound)i;
        find();
        assert_int_equal(counted.agreement, same ? COUNTED_AGREES : COUNTED_DIFFERS);
    }
}

static void undecided(enum counted_answer answer)
{
    for (int i = 0; i < TIME_BOUNDS; i++) {
        prediction.limiter = (enum time_bound)i;
        find();
        assert_int_equal(counted.answer, answer);
        assert_int_equal(counted.agreement, COUNTED_UNDECIDED);
    }
}

static bool near_to(double value, double expected)
{
    return fabs(value - expected) < 1e-6;
}

/* ---- each by its witness ---- */

static void where_nothing_is_busy_warps_wait(void **state)
{
    (void)state;
    limits(COUNTED_WAITS, TIME_LATENCY);
    says("No unit was above 30 % of what it can do (DRAM): the warps wait.");
    assert_true(near_to(counted.occupancy, 0.6));
}

static void dram_is_its_bytes_over_the_bandwidth(void **state)
{
    (void)state;
    dram(0.5);
    set("dram_write_bytes", 0.35 * 4000e3 * busy_us);
    limits(COUNTED_UNIT, TIME_DRAM);
    assert_true(near_to(counted.share[TIME_DRAM], 0.85));
    assert_false(counted.way);
    says("DRAM at 85 %");
}

/* Pages that are opened for a few bytes: DRAM moves little, and the slices wait for it. */
static void dram_is_the_way_to_it_too(void **state)
{
    (void)state;
    dram(0.6);
    busy(COUNTED_L2, 0.9);
    busy(COUNTED_TO_L2, 0.4);
    limits(COUNTED_UNIT, TIME_DRAM);
    assert_true(counted.way);
    says("the way between DRAM and the L2 at 90 %");
    busy(COUNTED_L2, 0.86);
    limits(COUNTED_WAITS, TIME_LATENCY);
}

/* The same figure of the slices tells nothing of DRAM where it is the crossbar's. */
static void ask_is_the_crossbar_in_either_direction(void **state)
{
    (void)state;
    for (int back = 0; back < 2; back++) {
        set_up(NULL);
        busy(COUNTED_L2, 0.92);
        busy(back ? COUNTED_FROM_L2 : COUNTED_TO_L2, 0.92);
        limits(COUNTED_UNIT, TIME_L2);
        says("the crossbar between the multiprocessors and the L2 at 92 %");
    }
}

static void a_slice_that_all_ask_is_shown_by_the_busiest_one_alone(void **state)
{
    (void)state;
    busy(COUNTED_SLICE, 0.97);
    limits(COUNTED_WAITS, TIME_LATENCY); /* many chunks are asked for */
    prediction.bound[TIME_L2].unit = "requests to one slice";
    limits(COUNTED_UNIT, TIME_L2);
    says("the busiest slice of the L2 at 97 %");
    drop(COUNTED_SLICE);
    prediction.limiter = TIME_L2;
    find();
    assert_int_equal(counted.answer, COUNTED_OPEN);
    assert_int_equal(counted.agreement, COUNTED_UNDECIDED);
}

static void tag_is_the_l1(void **state)
{
    (void)state;
    busy(COUNTED_L1, 0.88);
    limits(COUNTED_UNIT, TIME_L1);
    says("the L1 at 88 %");
}

static void issue_is_instructions_constants_or_a_pipe(void **state)
{
    (void)state;
    executed(0.9);
    limits(COUNTED_UNIT, TIME_ISSUE);
    static const char *const units[] = {COUNTED_PIPES, COUNTED_WORDS, COUNTED_ISSUED};
    for (int i = 0; i < 3; i++) {
        set_up(NULL);
        busy(units[i], 0.9);
        limits(COUNTED_UNIT, TIME_ISSUE);
    }
}

static void turns_of_shared_memory_are_the_l1_s(void **state)
{
    (void)state;
    executed(0.3);
    count("shared_bank_conflicts", 0.9 * 1000 * 100 * busy_us);
    limits(COUNTED_UNIT, TIME_L1);
    assert_true(near_to(counted.share[TIME_L1], 0.9));
    assert_true(near_to(counted.share[TIME_ISSUE], 0.3));
}

/* By the calibration an SM issues 3 instructions a cycle at most, not 4. */
static void what_is_issued_is_held_against_the_calibrated_rate(void **state)
{
    (void)state;
    device.constant[CALIBRATION_ISSUE].value = 3;
    busy(COUNTED_ISSUED, 0.63);
    limits(COUNTED_UNIT, TIME_ISSUE);
    assert_true(near_to(counted.share[TIME_ISSUE], 0.84));
}

static void launch_is_the_starts_of_the_blocks(void **state)
{
    (void)state;
    prediction.bound[TIME_LAUNCH].us = 93;
    limits(COUNTED_STARTS, TIME_LAUNCH);
    says("take 93 % of the duration");
    dram(0.95); /* the busiest of them */
    limits(COUNTED_UNIT, TIME_DRAM);
}

static void a_close_second_is_as_good(void **state)
{
    (void)state;
    dram(0.9);
    prediction.second = TIME_DRAM;
    find();
    assert_int_equal(counted.agreement, COUNTED_DIFFERS);
    prediction.close = true;
    find();
    assert_int_equal(counted.agreement, COUNTED_AGREES);
}

/* ---- what does not tell ---- */

static void what_is_too_short_is_not_told_but_where_a_unit_is_busy_all_the_same(void **state)
{
    (void)state;
    prediction.floor_us = 0.2 * (busy_us + ramp_us) - ramp_us - 0.01;
    limits(COUNTED_WAITS, TIME_LATENCY);
    prediction.floor_us += 0.02;
    undecided(COUNTED_SHORT);
    says("Too short to tell");
    dram(0.81);
    limits(COUNTED_UNIT, TIME_DRAM);
}

static void the_default_counters_tell_what_they_have(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED; i++)
        drop(named[i]);
    for (int i = 0; i < TIME_BOUNDS; i++) {
        prediction.limiter = (enum time_bound)i;
        find();
        assert_int_equal(counted.answer, COUNTED_OPEN);
        /* The blocks are known; each of the others has a witness that was not named. */
        assert_int_equal(counted.agreement, i == TIME_LAUNCH ? COUNTED_DIFFERS : COUNTED_UNDECIDED);
    }
    for (int i = 0; i < NAMED; i++)
        says(named[i]);
    prediction.bound[TIME_LAUNCH].us = 90;
    limits(COUNTED_STARTS, TIME_LAUNCH);
    prediction.bound[TIME_LAUNCH].us = 20;
    dram(0.9);
    limits(COUNTED_UNIT, TIME_DRAM);
    dram(0.3);
    executed(0.9);
    limits(COUNTED_UNIT, TIME_ISSUE);
}

/* What was counted whole is excluded, whatever was not. */
static void each_witness_that_is_missing_leaves_its_own_bound_open(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        enum time_bound bound;
    } missing[] = {{COUNTED_L2, TIME_DRAM}, {COUNTED_TO_L2, TIME_L2},    {COUNTED_FROM_L2, TIME_L2},
                   {COUNTED_L1, TIME_L1},   {COUNTED_PIPES, TIME_ISSUE}, {COUNTED_WORDS, TIME_ISSUE}};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        set_up(NULL);
        drop(missing[i].metric);
        for (int b = 0; b < TIME_BOUNDS; b++) {
            bool may = b == (int)missing[i].bound || b == TIME_LATENCY || b == TIME_LINES;
            prediction.limiter = (enum time_bound)b;
            find();
            assert_int_equal(counted.answer, COUNTED_OPEN);
            assert_int_equal(counted.agreement, may ? COUNTED_UNDECIDED : COUNTED_DIFFERS);
        }
    }
}

static void without_bytes_or_duration_there_is_no_case(void **state)
{
    (void)state;
    drop("dram_write_bytes");
    undecided(COUNTED_NO_CASE);
    set_up(NULL);
    drop("duration_us");
    undecided(COUNTED_NO_CASE);
    set_up(NULL);
    drop("achieved_occupancy"); /* is told, and not needed */
    limits(COUNTED_WAITS, TIME_LATENCY);
    assert_true(isnan(counted.occupancy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(where_nothing_is_busy_warps_wait, set_up),
        cmocka_unit_test_setup(dram_is_its_bytes_over_the_bandwidth, set_up),
        cmocka_unit_test_setup(dram_is_the_way_to_it_too, set_up),
        cmocka_unit_test_setup(ask_is_the_crossbar_in_either_direction, set_up),
        cmocka_unit_test_setup(a_slice_that_all_ask_is_shown_by_the_busiest_one_alone, set_up),
        cmocka_unit_test_setup(tag_is_the_l1, set_up),
        cmocka_unit_test_setup(turns_of_shared_memory_are_the_l1_s, set_up),
        cmocka_unit_test_setup(issue_is_instructions_constants_or_a_pipe, set_up),
        cmocka_unit_test_setup(what_is_issued_is_held_against_the_calibrated_rate, set_up),
        cmocka_unit_test_setup(launch_is_the_starts_of_the_blocks, set_up),
        cmocka_unit_test_setup(a_close_second_is_as_good, set_up),
        cmocka_unit_test_setup(what_is_too_short_is_not_told_but_where_a_unit_is_busy_all_the_same, set_up),
        cmocka_unit_test_setup(the_default_counters_tell_what_they_have, set_up),
        cmocka_unit_test_setup(each_witness_that_is_missing_leaves_its_own_bound_open, set_up),
        cmocka_unit_test_setup(without_bytes_or_duration_there_is_no_case, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
