/* What server and executor say to each other is understood whole or refused whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/calibration_json.h"
#include "api/protocol.h"

static const struct device_facts facts = {
    .backend = "cuda",
    .name = "Made-up \"quoted\" device",
    .uuid = "GPU-1234",
    .arch = "sm_90",
    .driver = "1",
    .runtime = "2",
    .multiprocessors = 132,
    .warp_size = 32,
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .memory_bytes = 150ull << 30,
    .peak_gbps = 4814.336,
    .peak_source = "2 x memory clock x bus width",
};

/* A frame that we wrote ourselves: its first newline ends the header. */
static void reparse(struct buffer bytes, struct message *message)
{
    struct protocol_frame frame;
    struct error error = {0};
    assert_false(bytes.failed);
    assert_int_equal(protocol_frame_find(&frame, bytes.data, bytes.size), bytes.size);
    if (protocol_parse(message, &frame, &error) < 0)
        fail_msg("%s: %s", bytes.data, error.text);
    buffer_free(&bytes);
}

/* A header, which gets the length of its payload, and the payload. */
static int parse(struct message *message, const char *header, const char *payload, struct error *error)
{
    char whole[8192];
    if (payload[0])
        snprintf(whole, sizeof whole, "{\"bytes\":%zu,%s", strlen(payload), header + 1);
    else
        snprintf(whole, sizeof whole, "%s", header);
    return protocol_parse(message, &(struct protocol_frame){whole, strlen(whole), payload, strlen(payload)},
                          error);
}

static void a_hello_carries_every_fact(void **state)
{
    (void)state;
    struct message m;
    reparse(protocol_write_hello(3, true, 4711, &facts), &m);
    assert_int_equal(m.type, MESSAGE_HELLO);
    assert_int_equal(m.devices, 3);
    assert_true(m.can_count);
    assert_int_equal(m.pid, 4711);
    assert_int_equal(m.protocol, PROTOCOL_NEWEST);
    assert_true(m.build[0]);
    assert_memory_equal(&m.facts, &facts, sizeof facts);
    protocol_message_free(&m);
}

static void a_run_carries_its_request_byte_for_byte(void **state)
{
    (void)state;
    static const char request[] =
        "{\"kernel\": \"copy\",\n \"device\": \"any\", \"noise\": 0.0100, \"labels\": {\"a\": \"\\n\"}}";
    struct message m;
    reparse(protocol_write_run("01AB", 7, request, NULL), &m);
    assert_int_equal(m.type, MESSAGE_RUN);
    assert_string_equal(m.id, "01AB");
    assert_string_equal(m.request, request);
    assert_int_equal(m.device, 7);
    assert_null(m.counters);
    assert_null(m.calibration);
    assert_int_equal(m.counting_pid, 0);
    protocol_message_free(&m);
}

static void a_run_carries_what_goes_along(void **state)
{
    (void)state;
    struct message m;
    struct calibration sent = *calibration_at(0), got;
    struct buffer text = {0};
    sent.made_ms = 1768910400000;
    sent.constant[CALIBRATION_LAUNCH].value = 0.123456789;
    calibration_json_write(&(struct json_writer){.out = &text}, NULL, &sent);
    const struct run_along along = {"{\"passes\": 4, \"value\": 0.123456789012345}", text.data, 4712};
    reparse(protocol_write_run("01AB", 0, "{}", &along), &m);
    assert_string_equal(m.request, "{}");
    assert_string_equal(m.counters, along.counters);
    assert_int_equal(m.counting_pid, 4712);
    assert_int_equal(calibration_json_read(&got, m.calibration), 0);
    assert_int_equal(got.made_ms, sent.made_ms);
    for (int i = 0; i < CALIBRATION_CONSTANTS; i++)
        assert_true(got.constant[i].value == sent.constant[i].value);
    protocol_message_free(&m);
    buffer_free(&text);
}

static void a_progress_carries_its_phase(void **state)
{
    (void)state;
    struct message m;
    reparse(protocol_write_progress("01AB", PROTOCOL_PHASE_OPEN, 0), &m);
    assert_int_equal(m.type, MESSAGE_PROGRESS);
    assert_string_equal(m.phase, "open");
    protocol_message_free(&m);
}

static void a_result_says_whether_it_was_verified(void **state)
{
    (void)state;
    struct message m;
    reparse(protocol_write_result("1", "{\"correctness\":{\"verified\":true}}", NULL), &m);
    assert_int_equal(m.type, MESSAGE_RESULT);
    assert_string_equal(m.result, "{\"correctness\":{\"verified\":true}}");
    assert_true(m.verified);
    protocol_message_free(&m);
    reparse(protocol_write_result("1", "{\"correctness\":{\"verified\":false}}", NULL), &m);
    assert_false(m.verified);
    protocol_message_free(&m);
}

static void an_error_carries_kind_detail_and_perhaps_a_result(void **state)
{
    (void)state;
    struct message m;
    struct error failure = {.kind = ERROR_CUDA, .text = "an illegal memory access"};
    reparse(protocol_write_error("1", &failure, NULL), &m);
    assert_int_equal(m.type, MESSAGE_ERROR);
    assert_int_equal(m.failure.kind, ERROR_CUDA);
    assert_string_equal(m.failure.text, failure.text);
    assert_null(m.result);
    protocol_message_free(&m);
    failure.kind = ERROR_INCORRECT;
    reparse(protocol_write_error("1", &failure, "{\"correctness\":{\"verified\":false}}"), &m);
    assert_int_equal(m.failure.kind, ERROR_INCORRECT);
    assert_non_null(m.result);
    assert_false(m.verified);
    protocol_message_free(&m);
}

static void a_count_carries_its_experiments_and_their_counts_come_back(void **state)
{
    (void)state;
    struct message m;
    struct ahead experiments = {2, {{"01CD", "{\"kernel\": \"copy\"}"}, {"01EF", "{}"}}};
    struct counts counts = {2, {{"01CD", "{\"passes\": 4}", false}, {"01EF", "{}", true}}};
    reparse(protocol_write_count(&experiments, 3, 2.5), &m);
    assert_int_equal(m.type, MESSAGE_COUNT);
    assert_string_equal(m.id, "01CD");
    assert_true(m.limit_s == 2.5);
    assert_int_equal(m.ahead.count, 2);
    assert_string_equal(m.ahead.at[0].id, "01CD");
    assert_string_equal(m.ahead.at[0].request, "{\"kernel\": \"copy\"}");
    assert_int_equal(m.device, 3);
    assert_string_equal(m.ahead.at[1].request, "{}");
    protocol_message_free(&m);
    reparse(protocol_write_counts("01CD", &counts), &m);
    assert_int_equal(m.type, MESSAGE_COUNTS);
    assert_string_equal(m.id, "01CD");
    assert_int_equal(m.counts.count, 2);
    assert_string_equal(m.counts.at[0].counters, "{\"passes\": 4}");
    assert_false(m.counts.at[0].no_room);
    assert_string_equal(m.counts.at[1].id, "01EF");
    assert_true(m.counts.at[1].no_room);
    protocol_message_free(&m);
}

static void an_error_in_no_encoding_is_still_told(void **state)
{
    (void)state;
    struct message m;
    struct error failure = {.kind = ERROR_SYSTEM, .text = "caf\xe9 is cut \xc3"};
    reparse(protocol_write_error("1", &failure, NULL), &m);
    assert_string_equal(m.failure.text, "caf\xef\xbf\xbd is cut \xef\xbf\xbd");
    protocol_message_free(&m);
}

static void a_detail_too_long_is_cut_between_characters(void **state)
{
    (void)state;
    char line[4096] = "{\"type\":\"error\",\"id\":\"1\",\"kind\":\"system\",\"detail\":\"x";
    for (int i = 0; i < 400; i++)
        strcat(line, "\xc3\xa9");
    strcat(line, "\"}");
    struct message m;
    assert_int_equal(protocol_parse_header(&m, line, NULL), 0);
    assert_int_equal(strlen(m.failure.text), 511);
    assert_memory_equal(m.failure.text + 509, "\xc3\xa9", 3);
    protocol_message_free(&m);
}

static void what_is_not_of_the_protocol_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *header, *payload;
    } cases[] = {
        {"", ""},
        {"hello", ""},
        {"[]", ""},
        {"{}", ""},
        {"null", ""},
        {"{\"type\":\"greeting\"}", ""},
        {"{\"type\":1}", ""},
        {"{\"type\":\"hello\"}", ""},
        {"{\"type\":\"hello\",\"protocol\":5}", ""},
        {"{\"type\":\"hello\",\"protocol\":5,\"devices\":0,\"build\":\"x\",\"device\":{}}", ""},
        {"{\"type\":\"hello\",\"protocol\":5,\"devices\":1,\"build\":\"x\",\"device\":{}}", ""},
        {"{\"type\":\"progress\",\"id\":\"1\"}", ""},
        {"{\"type\":\"progress\",\"phase\":\"check\"}", ""},
        {"{\"type\":\"progress\",\"id\":\"1\",\"phase\":\"a phase with a name that is too long for it\"}",
         ""},
        {"{\"type\":\"result\",\"id\":\"1\"}", ""},
        {"{\"type\":\"run\",\"id\":\"1\"}", ""},
        {"{\"type\":\"ask\",\"id\":\"1\"}", ""},
        {"{\"type\":\"hello\",\"protocol\":5,\"newest\":4}", ""},
        {"{\"type\":\"hello\",\"protocol\":5,\"newest\":\"5\"}", ""},
        {"{\"type\":\"welcome\",\"protocol\":5}", ""},
        {"{\"type\":\"welcome\",\"protocol\":6,\"heartbeat_s\":5,\"lost_s\":20}", ""},
        {"{\"type\":\"welcome\",\"protocol\":5,\"heartbeat_s\":5,\"lost_s\":5}", ""},
        {"{\"type\":\"welcome\",\"protocol\":5,\"heartbeat_s\":0,\"lost_s\":5}", ""},
        {"{\"type\":\"welcome\",\"protocol\":5,\"heartbeat_s\":-1,\"lost_s\":0}", ""},
        {"{\"type\":\"welcome\",\"protocol\":5,\"heartbeat_s\":5,\"lost_s\":1e99}", ""},
        {"{\"type\":\"beat\"}", ""},
        {"{\"type\":\"beat\",\"heard\":-1}", ""},
        {"{\"type\":\"beat\",\"heard\":1.5}", ""},
        {"{\"type\":\"leaving\",\"done\":true}", ""},
        {"{\"type\":\"leaving\",\"why\":\"SIGTERM\"}", ""},
        {"{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1}", ""},
        {"{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1,\"experiments\":{}}", ""},
        {"{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1,\"experiments\":[]}", ""},
        {"{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1,\"experiments\":[1]}", ""},
        {"{\"type\":\"counts\",\"id\":\"1\"}", ""},
        {"{\"type\":\"counts\",\"id\":\"1\",\"experiments\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}", ""},
        {"{\"type\":\"error\",\"id\":\"1\",\"kind\":\"sadness\",\"detail\":\"\"}", ""},
        {"{\"type\":\"error\",\"id\":\"1\",\"kind\":\"cuda_error\"}", ""},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":2}", "{}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":2}", "[]"},
        {"{\"type\":\"result\",\"id\":\"\",\"result\":33}", "{\"correctness\":{\"verified\":true}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":9}", "{\"a\":NaN}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"id\":\"2\",\"result\":33}",
         "{\"correctness\":{\"verified\":true}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":36}", "{\"correctness\":{\"verified\":true}} {}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":34}", " {\"correctness\":{\"verified\":true}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":34}", "{\"correctness\":{\"verified\":true}}\n"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":34}", "{\"correctness\":\n{\"verified\":true}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":65}",
         "{\"correctness\":{\"verified\":true},\"correctness\":{\"verified\":true}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":30}", "{\"correctness\":{\"verified\":1}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":40}",
         "{\"correctness\":{\"status\":\"unavailable\"}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":17}", "{\"verified\":true}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":50}",
         "{\"correctness\":{\"verified\":true},\"state\":\"queued\"}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":-1}", "{\"correctness\":{\"verified\":true}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":34}", "{\"correctness\":{\"verified\":true}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":32}", "{\"correctness\":{\"verified\":true}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":\"33\"}", "{\"correctness\":{\"verified\":true}}"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":33}", ""},
        {"{\"type\":\"result\",\"id\":\"1\"}", ""},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":33,\"cold\":1}",
         "{\"correctness\":{\"verified\":true}}\1"},
        {"{\"type\":\"result\",\"id\":\"1\",\"result\":33,\"cold\":1,\"hot\":1}",
         "{\"correctness\":{\"verified\":true}}\1\1"},
        {"{\"type\":\"progress\",\"id\":\"1\",\"phase\":\"check\"}", "more"},
        {"{\"type\":\"error\",\"id\":\"1\",\"kind\":\"incorrect\",\"detail\":\"\",\"result\":10}",
         "{\"id\":\"2\"}"},
        {"{\"type\":\"error\",\"id\":\"1\",\"kind\":\"incorrect\",\"detail\":\"\",\"result\":1}", "3"},
        {"{\"type\":\"run\",\"id\":\"1\",\"device\":0}", ""},
        {"{\"type\":\"run\",\"id\":\"1\",\"request\":2}", "{}"},
        {"{\"type\":\"run\",\"id\":\"1\",\"device\":-1,\"request\":2}", "{}"},
        {"{\"type\":\"run\",\"id\":\"1\",\"device\":0,\"request\":2,\"counters\":{}}", "{}{}"},
        {"{\"type\":\"run\",\"id\":\"1\",\"device\":0,\"request\":2,\"counting_pid\":-1}", "{}"},
        {"{\"type\":\"run\",\"id\":\"1\",\"device\":0,\"request\":2}", "{}{}"},
        {"{\"type\":\"count\",\"id\":\"1\",\"device\":0,\"limit_s\":1,\"experiments\":[1]}", "{}"},
        {"{\"type\":\"count\",\"id\":\"1\",\"device\":0,\"experiments\":[{\"id\":\"1\",\"request\":2}]}",
         "{}"},
        {"{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1,\"experiments\":[{\"id\":\"1\",\"request\":2}]}",
         "{}"},
        {"{\"type\":\"count\",\"id\":\"1\",\"device\":0,\"limit_s\":0,\"experiments\":[{\"id\":\"1\","
         "\"request\":2}]}",
         "{}"},
        {"{\"type\":\"count\",\"id\":\"1\",\"device\":0,\"limit_s\":1,\"experiments\":[{\"id\":\"2\","
         "\"request\":2}]}",
         "{}"},
        {"{\"type\":\"count\",\"id\":\"1\",\"device\":0,\"limit_s\":1,\"experiments\":[{\"id\":\"1\","
         "\"request\":2},{\"id\":\"3\"}]}",
         "{}"},
        {"{\"type\":\"counts\",\"id\":\"1\",\"experiments\":[{\"id\":\"1\",\"counters\":3}]}", "{}"},
        {"{\"type\":\"counts\",\"id\":\"1\",\"experiments\":[{\"counters\":2}]}", "{}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct message m;
        struct error error = {0};
        if (parse(&m, cases[i].header, cases[i].payload, &error) == 0)
            fail_msg("understood: %s %s", cases[i].header, cases[i].payload);
        assert_int_equal(error.kind, ERROR_INVALID);
    }
}

static void a_frame_is_whole_or_too_long_or_not_yet_there(void **state)
{
    (void)state;
    static char bytes[2 * PROTOCOL_PAYLOAD_BYTES];
    struct protocol_frame frame;
    struct buffer run = protocol_write_run("1", 0, "{\"kernel\":\"copy\"}", NULL);
    for (size_t i = 0; i < run.size; i++)
        assert_int_equal(protocol_frame_find(&frame, run.data, i), 0);
    buffer_text(&run, "{\"type\"");
    ssize_t length = protocol_frame_find(&frame, run.data, run.size);
    assert_int_equal(length, run.size - 7);
    assert_int_equal(frame.payload_bytes, 17);
    assert_memory_equal(frame.payload, "{\"kernel\":\"copy\"}", 17);
    buffer_free(&run);
    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(protocol_frame_find(&frame, bytes, PROTOCOL_HEADER_BYTES), 0);
    assert_int_equal(protocol_frame_find(&frame, bytes, PROTOCOL_HEADER_BYTES + 1), -1);
    static const char *const lengths[] = {"1048577", "99999999999999999999999999", "-1"};
    for (int i = 0; i < 2; i++) {
        snprintf(bytes, sizeof bytes, "{\"bytes\":%s,\"type\":\"beat\"}\n", lengths[i]);
        assert_int_equal(protocol_frame_find(&frame, bytes, sizeof bytes), -1);
    }
    snprintf(bytes, sizeof bytes, "{\"bytes\":%s,\"type\":\"beat\",\"heard\":1}\n", lengths[2]);
    assert_true(protocol_frame_find(&frame, bytes, strlen(bytes)) > 0);
    assert_int_equal(protocol_parse(&(struct message){0}, &frame, NULL), -1);
}

/* A hello of executors of these versions; `newest` 0: it names one alone. Returns which is spoken, or 0
   with *error. */
static int negotiate(int oldest, int newest, struct error *error)
{
    struct buffer frame = protocol_write_hello(1, false, 0, &facts);
    char versions[64], hello[4096];
    const char *rest = strstr(frame.data, ",\"build\"");
    struct message m;
    snprintf(versions, sizeof versions, newest ? ",\"newest\":%d" : "", newest);
    snprintf(hello, sizeof hello, "{\"type\":\"hello\",\"protocol\":%d%s%s", oldest, versions, rest);
    buffer_free(&frame);
    int failed = protocol_parse_header(&m, hello, error), protocol = failed ? 0 : m.protocol;
    if (!failed)
        protocol_message_free(&m);
    return protocol;
}

static void the_newest_version_that_both_know_is_spoken(void **state)
{
    (void)state;
    static const struct {
        int oldest, newest, spoken;
    } cases[] = {
        {5, 0, 5}, {5, 5, 5}, {4, 5, 5}, {5, 9, 5}, {1, 9, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error = {0};
        int spoken = negotiate(cases[i].oldest, cases[i].newest, &error);
        if (spoken != cases[i].spoken)
            fail_msg("%d to %d: %d, %s", cases[i].oldest, cases[i].newest, spoken, error.text);
    }
}

static void versions_without_a_common_one_are_named_with_who_is_too_old(void **state)
{
    (void)state;
    static const struct {
        int oldest, newest;
        const char *versions, *who;
    } cases[] = {
        {6, 7, "6 to 7", "the service is too old for it"},
        {7, 0, "7 to 7", "the service is too old for it"},
        {3, 4, "3 to 4", "the executor is too old for the service"},
        {3, 0, "3 to 3", "the executor is too old for the service"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error = {0};
        assert_int_equal(negotiate(cases[i].oldest, cases[i].newest, &error), 0);
        assert_int_equal(error.kind, ERROR_CONFLICT);
        assert_non_null(strstr(error.text, cases[i].versions));
        assert_non_null(strstr(error.text, "the service 5 to 5"));
        assert_non_null(strstr(error.text, cases[i].who));
    }
}

static void welcome_beat_and_leaving_carry_what_they_say(void **state)
{
    (void)state;
    struct message m;
    reparse(protocol_write_welcome(5, 5, 20), &m);
    assert_int_equal(m.type, MESSAGE_WELCOME);
    assert_int_equal(m.protocol, 5);
    assert_true(m.heartbeat_s == 5 && m.lost_s == 20);
    reparse(protocol_write_welcome(5, 0, 0), &m);
    assert_true(m.heartbeat_s == 0 && m.lost_s == 0);
    reparse(protocol_write_beat(INT64_C(5000000000)), &m);
    assert_int_equal(m.type, MESSAGE_BEAT);
    assert_true(m.heard == INT64_C(5000000000));
    reparse(protocol_write_leaving("SIGTERM", true), &m);
    assert_int_equal(m.type, MESSAGE_LEAVING);
    assert_string_equal(m.why, "SIGTERM");
    assert_true(m.done);
    reparse(protocol_write_leaving("SIGTERM", false), &m);
    assert_false(m.done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hello_carries_every_fact),
        cmocka_unit_test(a_run_carries_its_request_byte_for_byte),
        cmocka_unit_test(a_run_carries_what_goes_along),
        cmocka_unit_test(a_progress_carries_its_phase),
        cmocka_unit_test(a_result_says_whether_it_was_verified),
        cmocka_unit_test(an_error_carries_kind_detail_and_perhaps_a_result),
        cmocka_unit_test(a_count_carries_its_experiments_and_their_counts_come_back),
        cmocka_unit_test(an_error_in_no_encoding_is_still_told),
        cmocka_unit_test(a_detail_too_long_is_cut_between_characters),
        cmocka_unit_test(what_is_not_of_the_protocol_is_refused),
        cmocka_unit_test(a_frame_is_whole_or_too_long_or_not_yet_there),
        cmocka_unit_test(the_newest_version_that_both_know_is_spoken),
        cmocka_unit_test(versions_without_a_common_one_are_named_with_who_is_too_old),
        cmocka_unit_test(welcome_beat_and_leaving_carry_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
