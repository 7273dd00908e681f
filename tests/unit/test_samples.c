/* Raw samples: packed and unpacked, on a line of the protocol, and as they are answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/protocol.h"
#include "api/samples.h"

/* Ticks of 32 ns about 7 us, a slope's digits, very long ones, and a round without any. */
static const double of_events[] = {7.04, 7.072, 7.008, 7.072, 7.072, 6.976},
                    of_slopes[] = {2.804123457, 2.805, 2.7999996}, of_hours[] = {3600e6, 0, 7200e6};

static void series_of(struct series *series, const double *us, unsigned count)
{
    *series = (struct series){.us = (double *)(uintptr_t)us,
                              .count = count,
                              .rounds = 3,
                              .round_end = {count / 2, count / 2, count}};
}

static void samples_come_back_as_they_were_to_a_picosecond(void **state)
{
    (void)state;
    static const struct {
        const double *us;
        unsigned count;
    } cases[] = {{of_events, 6}, {of_slopes, 3}, {of_hours, 3}, {NULL, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct series series, back;
        struct buffer packed = {0};
        series_of(&series, cases[i].us, cases[i].count);
        assert_int_equal(samples_pack(&packed, &series), 0);
        assert_int_equal(samples_unpack(&back, packed.data, packed.size), 0);
        assert_int_equal(back.count, series.count);
        assert_int_equal(back.rounds, 3);
        assert_memory_equal(back.round_end, series.round_end, 3 * sizeof *back.round_end);
        for (unsigned k = 0; k < back.count; k++)
            assert_true(fabs(back.us[k] - series.us[k]) <= SAMPLES_EXACT_US);
        free(back.us);
        buffer_free(&packed);
    }
}

static void samples_by_a_timer_that_ticks_take_few_bytes(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    double us[COUNT];
    struct series series;
    struct buffer packed = {0};
    for (unsigned i = 0; i < COUNT; i++)
        us[i] = 6.88 + 0.032 * (i * 7 % 11);
    series_of(&series, us, COUNT);
    assert_int_equal(samples_pack(&packed, &series), 0);
    assert_in_range(packed.size, COUNT, 4 * COUNT);
    buffer_free(&packed);
}

static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    struct series series, back;
    struct buffer packed = {0};
    series_of(&series, of_events, 6);
    assert_int_equal(samples_pack(&packed, &series), 0);
    for (size_t size = 0; size < packed.size; size++)
        assert_int_equal(samples_unpack(&back, packed.data, size), -1);
    buffer_append(&packed, "\0", 1);
    assert_int_equal(samples_unpack(&back, packed.data, packed.size), -1);
    static const char *const others[] = {"\x41", "\x01\xff\xff\x7f", "\x01\x01\x01",
                                         "\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(samples_unpack(&back, others[i], strlen(others[i])), -1);
    buffer_free(&packed);
}

static void packed(struct samples *samples)
{
    struct series cold, hot;
    series_of(&cold, of_events, 6);
    series_of(&hot, of_slopes, 3);
    *samples = (struct samples){0};
    assert_int_equal(samples_pack(&samples->cold, &cold), 0);
    assert_int_equal(samples_pack(&samples->hot, &hot), 0);
}

static void a_result_brings_them_along(void **state)
{
    (void)state;
    struct samples samples;
    struct message m;
    struct error error = {0};
    packed(&samples);
    struct buffer bytes = protocol_write_result("1", "{\"correctness\":{\"verified\":true}}", &samples);
    struct protocol_frame frame;
    assert_int_equal(protocol_frame_find(&frame, bytes.data, bytes.size), bytes.size);
    assert_int_equal(protocol_parse(&m, &frame, &error), 0);
    assert_int_equal(m.samples.cold.size, samples.cold.size);
    assert_memory_equal(m.samples.cold.data, samples.cold.data, samples.cold.size);
    assert_int_equal(m.samples.hot.size, samples.hot.size);
    assert_memory_equal(m.samples.hot.data, samples.hot.data, samples.hot.size);
    protocol_message_free(&m);
    /* Another number of rounds: then bytes are left over. */
    bytes.data[bytes.size - samples.hot.size]++;
    assert_int_equal(protocol_parse(&m, &frame, &error), -1);
    buffer_free(&bytes);
    samples_free(&samples);
}

static void they_are_answered_with_what_the_result_says_of_them(void **state)
{
    (void)state;
    static const char result[] = "{\"timing\":{\"cold\":{\"discarded\":2,\"launches_per_sample\":1},\"hot\":{"
                                 "\"discarded\":0,\"launches_per_sample\":150}},"
                                 "\"placement\":{\"name\":\"a-1\",\"new\":true}}";
    static const char view[] =
        "{\"experiment\":\"X\",\"unit\":\"us\",\"placement\":{\"name\":\"a-1\",\"new\":true},"
        "\"cold\":{\"discarded\":2,\"launches_per_sample\":1,\"rounds\":[3,0,3],"
        "\"samples_us\":[7.04,7.072,7.008,7.072,7.072,6.976]},"
        "\"hot\":{\"discarded\":0,\"launches_per_sample\":150,\"rounds\":[1,0,2],\"samples_us\":[2.804123,2."
        "805,2.8]}}\n";
    static const char table[] =
        "time,round,index,us\r\n"
        "cold,0,0,7.04\r\ncold,0,1,7.072\r\ncold,0,2,7.008\r\ncold,2,3,7.072\r\ncold,2,4,7.072\r\n"
        "cold,2,5,6.976\r\nhot,0,0,2.804123\r\nhot,2,1,2.805\r\nhot,2,2,2.8\r\n";
    struct samples samples;
    struct buffer out = {0};
    packed(&samples);
    assert_int_equal(samples_view(&out, "X", result, &samples), 0);
    assert_string_equal(out.data, view);
    buffer_free(&out);
    assert_int_equal(samples_table(&out, &samples), 0);
    assert_string_equal(out.data, table);
    buffer_free(&out);
    samples.hot.data[0]++;
    assert_int_equal(samples_view(&out, "X", result, &samples), -1);
    buffer_free(&out);
    samples_free(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_back_as_they_were_to_a_picosecond),
        cmocka_unit_test(samples_by_a_timer_that_ticks_take_few_bytes),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(a_result_brings_them_along),
        cmocka_unit_test(they_are_answered_with_what_the_result_says_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
