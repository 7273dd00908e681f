/* The sentences that tell why a launch takes so long: which limiter they name, and that each number in
   them is one of the prediction's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/time/reasons.h"

static struct calibration device;

/* Limited by that bound: 200 us of 250 by itself, the second 120. */
static struct time_prediction predicted(enum time_bound limiter)
{
    struct time_prediction p = {
        .calibration = &device,
        .us = 250,
        .floor_us = 4.25,
        .ramp_us = 1.75,
        .limiter = limiter,
        .second = limiter == TIME_L2 ? TIME_L1 : TIME_L2,
        .dram_read_bytes = 67.1e6,
        .dram_write_bytes = 33.4e6,
        .rounds = 77.5,
        .waits = 2,
        .latency_ns = 920,
        .in_flight_bytes = 16400,
        .needed_bytes = 21900,
        .blocks_per_sm = 6,
        .warps_per_sm = 48,
        .places = 1,
    };
    device.constant[CALIBRATION_BANDWIDTH].value = 4416;
    device.constant[CALIBRATION_DRAM_LATENCY].value = 330;
    device.constant[CALIBRATION_QUEUE].value = 1.2;
    for (int i = 0; i < TIME_BOUNDS; i++)
        p.bound[i] = (struct time_amount){
            .amount = 7700, .unit = i == TIME_L2 ? "flits" : "things", .ceiling = 77, .us = 100};
    p.bound[limiter].amount = 262000;
    p.bound[limiter].ceiling = 1310;
    p.bound[limiter].us = 200;
    p.bound[p.second].us = 120;
    return p;
}

/* What a text may tell of such a prediction, in the text's own units. */
static bool is_of(const struct time_prediction *p, double number)
{
    const struct time_amount *limit = &p->bound[p->limiter];
    const double known[] = {p->us,
                            p->floor_us,
                            p->ramp_us,
                            limit->us,
                            limit->amount,
                            limit->ceiling,
                            1e3 / limit->ceiling,
                            limit->ceiling * p->bound[p->second].us,
                            p->bound[p->second].us,
                            100 * (p->bound[TIME_DRAM].us - p->dram_dirty_us) / p->us,
                            p->bound[TIME_DRAM].us - p->dram_opened_us - p->dram_dirty_us,
                            p->dram_opened_us,
                            p->dram_dirty_us,
                            4416,
                            p->dram_read_bytes / 1e6,
                            p->dram_write_bytes / 1e6,
                            p->in_flight_bytes / 1e3,
                            p->needed_bytes / 1e3,
                            p->needed_bytes / p->in_flight_bytes,
                            p->latency_ns,
                            330 * 2.2 /* of a busy DRAM */,
                            p->bound[TIME_LATENCY].us * 1e3 / (p->rounds * p->waits),
                            p->rounds,
                            p->waits,
                            p->warps_per_sm,
                            100 * p->places,
                            64 /* bytes of a flit */};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (fabs(number - known[i]) <= 0.005 * fabs(known[i]))
            return true;
    return false;
}

static void numbers_are_of(const struct time_prediction *p, const char *text)
{
    int found = 0;
    for (const char *at = text; *at;) {
        char *end = (char *)at + 1;
        bool name = at > text && isalpha((unsigned char)at[-1]); /* L1, L2 */
        if (isdigit((unsigned char)*at)) {
            double number = strtod(at, &end);
            if (!name && !is_of(p, number))
                fail_msg("%g is no number of the prediction: %s", number, text);
            found += !name;
        }
        at = end;
    }
    if (found < 3)
        fail_msg("%d numbers: %s", found, text);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in: %s", part, text);
}

static const struct {
    const char *en, *zh; /* the name of the bound */
    const char *number;  /* besides the microseconds */
} told[TIME_BOUNDS] = {
    [TIME_LAUNCH] = {"the start of blocks", "线程块的启动", "262000"},
    [TIME_DRAM] = {"DRAM's bandwidth", "显存（DRAM）带宽", "67.1 MB"},
    [TIME_L2] = {"multiprocessors and the L2", "通往 L2", "1310"},
    [TIME_L1] = {"the L1", "一级缓存（L1）", "1310"},
    [TIME_LINES] = {"lines of the L1", "行占用", "1310"},
    [TIME_ISSUE] = {"issue of instructions", "指令发射", "1310"},
    [TIME_LATENCY] = {"latency of memory", "访存延迟", "21.9 kB"},
};

static void whole(const struct reasons *reasons)
{
    assert_null(strpbrk(reasons->en, "{}"));
    assert_null(strpbrk(reasons->zh, "{}"));
    has(reasons->en + strlen(reasons->en) - 1, ".");
    has(reasons->zh + strlen(reasons->zh) - 3, "。");
    assert_in_range(strlen(reasons->en), 20, sizeof reasons->en - 64);
    assert_in_range(strlen(reasons->zh), 20, sizeof reasons->zh - 64);
}

static void words_of_constant_memory_are_not_told_as_instructions(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_ISSUE);
    struct reasons reasons;
    p.constant_words_us = 0.9 * p.bound[TIME_ISSUE].us;
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "Limited by different words of constant memory");
    has(reasons.zh, "常量内存中不同的字");
    assert_null(strstr(reasons.en, "less arithmetic"));
    assert_null(strstr(reasons.en, "instructions an SM"));
    p.constant_words_us = 0.1 * p.bound[TIME_ISSUE].us;
    reasons_make(&p, &reasons);
    has(reasons.en, "Limited by the issue of instructions");
}

static void each_limiter_is_named_with_its_numbers_in_both_languages(void **state)
{
    (void)state;
    for (int i = 0; i < TIME_BOUNDS; i++) {
        struct time_prediction p = predicted((enum time_bound)i);
        struct reasons reasons;
        reasons_make(&p, &reasons);
        whole(&reasons);
        has(reasons.en, told[i].en);
        has(reasons.zh, told[i].zh);
        has(reasons.en, told[i].number);
        has(reasons.zh, told[i].number);
        numbers_are_of(&p, reasons.en);
        numbers_are_of(&p, reasons.zh);
    }
}

static void a_close_second_is_named_with_its_time(void **state)
{
    (void)state;
    for (int i = 0; i < TIME_BOUNDS; i++) {
        struct time_prediction p = predicted((enum time_bound)i);
        struct reasons reasons;
        p.close = true;
        p.bound[p.second].us = 187;
        reasons_make(&p, &reasons);
        whole(&reasons);
        has(reasons.en, told[p.second].en);
        has(reasons.zh, told[p.second].zh);
        has(reasons.en, "187 us");
        has(reasons.zh, "187 us");
        numbers_are_of(&p, reasons.en);
    }
}

static void what_is_mostly_a_launch_says_so_first(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_LATENCY);
    struct reasons reasons;
    p.us = 10;
    reasons_make(&p, &reasons);
    assert_int_equal(strncmp(reasons.en, "Of 10 us, 4.25 us are an empty kernel's", 39), 0);
    has(reasons.zh, "空内核占 4.25 us");
    p.us = 6.5;
    p.bound[TIME_LATENCY].us = 0.5;
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "The rest is limited by the latency of memory: 0.50 us.");
    p = predicted(TIME_LATENCY);
    reasons_make(&p, &reasons);
    assert_null(strstr(reasons.en, "empty kernel"));
}

/* A chain of loads is not mended by more in flight. */
static void a_chain_tells_its_waits(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_LATENCY);
    struct reasons reasons;
    p.needed_bytes = 0;
    p.waits = 1024;
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "1024, 2.52 ns each"); /* 200 us of 77.5 rounds */
    has(reasons.zh, "等待 1024 次，连同其间的指令每次 2.52 ns");
    numbers_are_of(&p, reasons.en);
    numbers_are_of(&p, reasons.zh);
}

/* What is read and written at the bandwidth is not all of its time. */
static void what_dram_does_besides_moving_bytes_is_told(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_DRAM);
    struct reasons reasons;
    p.dram_opened_us = 150;
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "50 us at 4416 GB/s, and opens pages of which it reads little, 150 us more");
    has(reasons.zh, "DRAM 页又需 150 us");
    numbers_are_of(&p, reasons.en);
    numbers_are_of(&p, reasons.zh);
    p.dram_dirty_us = 20;
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "30 us at 4416 GB/s, opens pages of which it reads little, 150 us more, and what is "
                    "stored and stays in the L2 takes 20 us");
    numbers_are_of(&p, reasons.en);
    numbers_are_of(&p, reasons.zh);
    p.dram_opened_us = 0;
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "180 us at 4416 GB/s, and what is stored and stays in the L2 takes 20 us more");
    numbers_are_of(&p, reasons.en);
    numbers_are_of(&p, reasons.zh);
}

static void what_loads_nothing_tells_its_rounds(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_LATENCY);
    struct reasons reasons;
    p.needed_bytes = p.in_flight_bytes = p.waits = p.latency_ns = 0;
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "multiprocessor: 77.5; resident warps: 48;");
    has(reasons.zh, "分 77.5 轮");
    has(reasons.en, "waited for 0 us");
    numbers_are_of(&p, reasons.en);
    p.places = 1.0 / 6 / 132; /* one block on the whole device */
    reasons_make(&p, &reasons);
    has(reasons.en, "resident warps: 8;");
    has(reasons.en, "there are blocks for 0.1 %");
    assert_null(strstr(reasons.en, "More resident warps"));
}

static void where_no_more_warps_fit_more_are_not_advised(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_LATENCY);
    struct reasons reasons;
    snprintf(device.arch, sizeof device.arch, "sm_90");
    reasons_make(&p, &reasons);
    has(reasons.en, "more than the 48 warps");
    p.warps_per_sm = 64;
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "no more than the 64 warps fit");
    has(reasons.zh, "上限 64 个");
    p.needed_bytes = p.in_flight_bytes; /* what is in flight is enough: the waits in a row take the time */
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "The 64 resident warps are the most; fewer waits one after the other would take less.");
    p.latency_ns = 1; /* loads are hardly waited for */
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "The 64 resident warps are the most; fewer instructions and barriers in a row");
}

static void too_few_blocks_are_told_as_such(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_LATENCY);
    struct reasons reasons;
    p.places = 0.25;
    reasons_make(&p, &reasons);
    has(reasons.en, "blocks for 25 % of what the multiprocessors hold");
    has(reasons.zh, "25 %");
    assert_null(strstr(reasons.en, "48 warps"));
    numbers_are_of(&p, reasons.en);
    whole(&reasons);
}

static void many_are_told_in_millions(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_LAUNCH);
    struct reasons reasons;
    p.bound[TIME_LAUNCH].amount = 34078720;
    reasons_make(&p, &reasons);
    has(reasons.en, "34.1 million blocks");
    has(reasons.zh, "3408 万个线程块");
}

static void few_addresses_tell_their_slices(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_L2);
    struct reasons reasons;
    p.bound[TIME_L2].unit = "requests to one slice";
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "262000 requests to one slice of the L2");
    has(reasons.zh, "分片");
    numbers_are_of(&p, reasons.en);
}

static void what_comes_back_from_the_l2_is_told(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_L2);
    struct reasons reasons;
    p.bound[TIME_L2].unit = time_unit_back;
    reasons_make(&p, &reasons);
    whole(&reasons);
    has(reasons.en, "262000 sectors to the SMs");
    has(reasons.zh, "扇区");
    numbers_are_of(&p, reasons.en);
}

/* By Little's law 16.4 kB in flight for 920 ns is what is moved, and 21.9 kB what could be. */
static void what_is_in_flight_is_told_with_its_own_latency(void **state)
{
    (void)state;
    struct time_prediction p = predicted(TIME_LATENCY);
    struct reasons reasons;
    reasons_make(&p, &reasons);
    has(reasons.en, "16.4 kB in flight, and a load takes 920 ns");
    has(reasons.zh, "16.4 kB 在途，一次读取需 920 ns");
    has(reasons.en, "needs 21.9 kB in flight");
}

static void constants_that_are_not_known_are_told_in_both_languages(void **state)
{
    (void)state;
    struct reasons reasons;
    reasons_no_constants("AMD EPYC", &reasons);
    whole(&reasons);
    has(reasons.en, "AMD EPYC");
    has(reasons.zh, "AMD EPYC");
}

static void without_a_prediction_the_reason_is_told(void **state)
{
    (void)state;
    struct time_prediction p = {
        .why_not = {"a block does not fit a multiprocessor", "一个 SM 放不下一个线程块"}};
    struct reasons reasons;
    reasons_make(&p, &reasons);
    has(reasons.en, "a block does not fit a multiprocessor");
    has(reasons.zh, "一个 SM 放不下一个线程块");
}

static void a_change_tells_both_values_and_the_part_of_the_time(void **state)
{
    (void)state;
    struct time_prediction now = predicted(TIME_LAUNCH), then = predicted(TIME_DRAM);
    struct reasons reasons;
    then.us = 190;
    reasons_change("block", "64", "256", &now, &then, &reasons);
    whole(&reasons);
    assert_string_equal(reasons.en,
                        "block 256 instead of 64: 190 us, 76 % of 250 us; then DRAM's bandwidth limits.");
    assert_string_equal(reasons.zh,
                        "block 由 64 改为 256：预计 190 us，为 250 us 的 76 %；此时瓶颈是显存（DRAM）带宽。");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limiter_is_named_with_its_numbers_in_both_languages),
        cmocka_unit_test(words_of_constant_memory_are_not_told_as_instructions),
        cmocka_unit_test(a_close_second_is_named_with_its_time),
        cmocka_unit_test(what_is_mostly_a_launch_says_so_first),
        cmocka_unit_test(a_chain_tells_its_waits),
        cmocka_unit_test(what_dram_does_besides_moving_bytes_is_told),
        cmocka_unit_test(what_loads_nothing_tells_its_rounds),
        cmocka_unit_test(few_addresses_tell_their_slices),
        cmocka_unit_test(what_comes_back_from_the_l2_is_told),
        cmocka_unit_test(where_no_more_warps_fit_more_are_not_advised),
        cmocka_unit_test(too_few_blocks_are_told_as_such),
        cmocka_unit_test(many_are_told_in_millions),
        cmocka_unit_test(what_is_in_flight_is_told_with_its_own_latency),
        cmocka_unit_test(constants_that_are_not_known_are_told_in_both_languages),
        cmocka_unit_test(without_a_prediction_the_reason_is_told),
        cmocka_unit_test(a_change_tells_both_values_and_the_part_of_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
