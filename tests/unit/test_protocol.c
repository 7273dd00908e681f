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

/* A line that we wrote ourselves; it is one line. */
static void reparse(char *line, struct message *message)
{
    assert_non_null(line);
    size_t length = strlen(line);
    assert_ptr_equal(strchr(line, '\n'), line + length - 1);
    assert_int_equal(message_parse(message, line, length - 1, NULL), 0);
    free(line);
}

static void a_hello_carries_every_fact(void **state)
{
    (void)state;
    struct message m;
    reparse(message_hello(3, true, 4711, &facts), &m);
    assert_int_equal(m.type, MESSAGE_HELLO);
    assert_int_equal(m.devices, 3);
    assert_true(m.can_count);
    assert_int_equal(m.pid, 4711);
    assert_int_equal(m.protocol, PROTOCOL_NEWEST);
    assert_true(m.build[0]);
    assert_memory_equal(&m.facts, &facts, sizeof facts);
    message_free(&m);
}

static void a_run_carries_its_request_as_it_was(void **state)
{
    (void)state;
    struct message m;
    reparse(message_run(
                "01AB", 0,
                "{\"kernel\": \"copy\",\n \"size\": 5, \"noise\": 0.01, \"labels\": {\"a\": \"\\n\"}}", NULL),
            &m);
    assert_int_equal(m.type, MESSAGE_RUN);
    assert_string_equal(m.id, "01AB");
    assert_string_equal(m.payload,
                        "{\"kernel\":\"copy\",\"size\":5,\"noise\":0.01,\"labels\":{\"a\":\"\\n\"}}");
    assert_null(m.counters);
    assert_null(m.calibration);
    assert_int_equal(m.pid, 0);
    message_free(&m);
}

static void a_run_carries_what_goes_along(void **state)
{
    (void)state;
    struct message m;
    struct calibration sent = *calibration_at(0), got;
    struct buffer text = {0};
    sent.made_ms = 1768910400000;
    sent.constant[CALIBRATION_LAUNCH].value = 0.123456789;
    assert_int_equal(calibration_write(&text, &sent), 0);
    const struct run_along along = {"{\"passes\": 4, \"value\": 0.123456789012345}", text.data, 4712};
    reparse(message_run("01AB", 0, "{}", &along), &m);
    assert_string_equal(m.counters, "{\"passes\":4,\"value\":0.123456789012345}");
    assert_int_equal(m.pid, 4712);
    assert_int_equal(calibration_read(&got, m.calibration), 0);
    assert_int_equal(got.made_ms, sent.made_ms);
    for (int i = 0; i < CALIBRATION_CONSTANTS; i++)
        assert_true(got.constant[i].value == sent.constant[i].value);
    message_free(&m);
    buffer_free(&text);
}

static void what_may_run_anywhere_is_told_where_it_runs(void **state)
{
    (void)state;
    struct message m;
    struct ahead experiments = {1, {{"01CD", "{\"device\":{\"arch\":\"sm_90\"},\"size\":5}"}}};
    reparse(message_run("01AB", 7, "{\"kernel\":\"copy\",\"device\":\"any\",\"size\":5}", NULL), &m);
    assert_string_equal(m.payload, "{\"kernel\":\"copy\",\"device\":7,\"size\":5}");
    message_free(&m);
    reparse(message_count(&experiments, 7, 1), &m);
    assert_string_equal(m.ahead.at[0].request, "{\"device\":7,\"size\":5}");
    message_free(&m);
}

static void a_progress_carries_its_phase(void **state)
{
    (void)state;
    struct message m;
    reparse(message_progress("01AB", PROTOCOL_PHASE_OPEN, 0), &m);
    assert_int_equal(m.type, MESSAGE_PROGRESS);
    assert_string_equal(m.phase, "open");
    message_free(&m);
}

static void a_result_says_whether_it_was_verified(void **state)
{
    (void)state;
    struct message m;
    reparse(message_result("1", "{\"correctness\":{\"verified\":true}}", NULL), &m);
    assert_int_equal(m.type, MESSAGE_RESULT);
    assert_string_equal(m.payload, "{\"correctness\":{\"verified\":true}}");
    assert_true(m.verified);
    message_free(&m);
    reparse(message_result("1", "{\"correctness\":{\"verified\":false}}", NULL), &m);
    assert_false(m.verified);
    message_free(&m);
}

static void an_error_carries_kind_detail_and_perhaps_a_result(void **state)
{
    (void)state;
    struct message m;
    struct error failure = {.kind = ERROR_CUDA, .text = "an illegal memory access"};
    reparse(message_error("1", &failure, NULL), &m);
    assert_int_equal(m.type, MESSAGE_ERROR);
    assert_int_equal(m.failure.kind, ERROR_CUDA);
    assert_string_equal(m.failure.text, failure.text);
    assert_null(m.payload);
    message_free(&m);
    failure.kind = ERROR_INCORRECT;
    reparse(message_error("1", &failure, "{\"correctness\":{\"verified\":false}}"), &m);
    assert_int_equal(m.failure.kind, ERROR_INCORRECT);
    assert_non_null(m.payload);
    assert_false(m.verified);
    message_free(&m);
}

static void a_count_carries_its_experiments_and_their_counts_come_back(void **state)
{
    (void)state;
    struct message m;
    struct ahead experiments = {2, {{"01CD", "{\"kernel\": \"copy\"}"}, {"01EF", "{}"}}};
    struct counts counts = {2, {{"01CD", "{\"passes\": 4}", false}, {"01EF", "{}", true}}};
    reparse(message_count(&experiments, 0, 2.5), &m);
    assert_int_equal(m.type, MESSAGE_COUNT);
    assert_string_equal(m.id, "01CD");
    assert_true(m.limit_s == 2.5);
    assert_int_equal(m.ahead.count, 2);
    assert_string_equal(m.ahead.at[0].id, "01CD");
    assert_string_equal(m.ahead.at[0].request, "{\"kernel\":\"copy\"}");
    assert_string_equal(m.ahead.at[1].request, "{}");
    message_free(&m);
    reparse(message_counts("01CD", &counts), &m);
    assert_int_equal(m.type, MESSAGE_COUNTS);
    assert_string_equal(m.id, "01CD");
    assert_int_equal(m.counts.count, 2);
    assert_string_equal(m.counts.at[0].counters, "{\"passes\":4}");
    assert_false(m.counts.at[0].no_room);
    assert_string_equal(m.counts.at[1].id, "01EF");
    assert_true(m.counts.at[1].no_room);
    message_free(&m);
}

static void an_error_in_no_encoding_is_still_told(void **state)
{
    (void)state;
    struct message m;
    struct error failure = {.kind = ERROR_SYSTEM, .text = "caf\xe9 is cut \xc3"};
    reparse(message_error("1", &failure, NULL), &m);
    assert_string_equal(m.failure.text, "caf? is cut ?");
    message_free(&m);
}

static void a_detail_too_long_is_cut_between_characters(void **state)
{
    (void)state;
    char line[4096] = "{\"type\":\"error\",\"id\":\"1\",\"kind\":\"system\",\"detail\":\"x";
    for (int i = 0; i < 400; i++)
        strcat(line, "\xc3\xa9");
    strcat(line, "\"}");
    struct message m;
    assert_int_equal(message_parse(&m, line, strlen(line), NULL), 0);
    assert_int_equal(strlen(m.failure.text), 511);
    assert_memory_equal(m.failure.text + 509, "\xc3\xa9", 3);
    message_free(&m);
}

static void what_is_not_of_the_protocol_is_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "hello",
        "[]",
        "{}",
        "null",
        "{\"type\":\"greeting\"}",
        "{\"type\":1}",
        "{\"type\":\"hello\"}",
        "{\"type\":\"hello\",\"protocol\":3}",
        "{\"type\":\"hello\",\"protocol\":3,\"devices\":0,\"build\":\"x\",\"device\":{}}",
        "{\"type\":\"hello\",\"protocol\":3,\"devices\":1,\"build\":\"x\",\"device\":{}}",
        "{\"type\":\"progress\",\"id\":\"1\"}",
        "{\"type\":\"progress\",\"phase\":\"check\"}",
        "{\"type\":\"progress\",\"id\":\"1\",\"phase\":\"a phase with a name that is too long for it\"}",
        "{\"type\":\"result\",\"id\":\"1\"}",
        "{\"type\":\"result\",\"id\":\"1\",\"result\":[]}",
        "{\"type\":\"result\",\"id\":\"\",\"result\":{}}",
        "{\"type\":\"result\",\"id\":\"1\",\"result\":{\"a\":NaN}}",
        "{\"type\":\"result\",\"id\":\"1\",\"id\":\"2\",\"result\":{}}",
        "{\"type\":\"result\",\"id\":\"1\",\"result\":{}} {}",
        "{\"type\":\"result\",\"id\":\"1\",\"result\":{}}",
        "{\"type\":\"result\",\"id\":\"1\",\"result\":{\"correctness\":{\"verified\":1}}}",
        "{\"type\":\"result\",\"id\":\"1\",\"result\":{\"correctness\":{\"status\":\"unavailable\"}}}",
        "{\"type\":\"result\",\"id\":\"1\",\"result\":{\"verified\":true}}",
        "{\"type\":\"result\",\"id\":\"1\",\"result\":{\"correctness\":{\"verified\":true},\"state\":"
        "\"queued\"}}",
        "{\"type\":\"error\",\"id\":\"1\",\"kind\":\"incorrect\",\"detail\":\"\",\"result\":{\"id\":\"2\"}}",
        "{\"type\":\"run\",\"id\":\"1\"}",
        "{\"type\":\"run\",\"id\":\"1\",\"request\":{},\"counters\":7}",
        "{\"type\":\"run\",\"id\":\"1\",\"request\":{},\"sibling\":-1}",
        "{\"type\":\"ask\",\"id\":\"1\"}",
        "{\"type\":\"hello\",\"protocol\":4,\"newest\":3}",
        "{\"type\":\"hello\",\"protocol\":3,\"newest\":\"4\"}",
        "{\"type\":\"welcome\",\"protocol\":4}",
        "{\"type\":\"welcome\",\"protocol\":5,\"heartbeat_s\":5,\"lost_s\":20}",
        "{\"type\":\"welcome\",\"protocol\":4,\"heartbeat_s\":5,\"lost_s\":5}",
        "{\"type\":\"welcome\",\"protocol\":4,\"heartbeat_s\":0,\"lost_s\":5}",
        "{\"type\":\"welcome\",\"protocol\":4,\"heartbeat_s\":-1,\"lost_s\":0}",
        "{\"type\":\"welcome\",\"protocol\":4,\"heartbeat_s\":5,\"lost_s\":1e99}",
        "{\"type\":\"beat\"}",
        "{\"type\":\"beat\",\"heard\":-1}",
        "{\"type\":\"beat\",\"heard\":1.5}",
        "{\"type\":\"leaving\",\"done\":true}",
        "{\"type\":\"leaving\",\"why\":\"SIGTERM\"}",
        "{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1}",
        "{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1,\"experiments\":{}}",
        "{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1,\"experiments\":[]}",
        "{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1,\"experiments\":[1]}",
        "{\"type\":\"count\",\"id\":\"1\",\"experiments\":[{\"id\":\"1\",\"request\":{}}]}",
        "{\"type\":\"count\",\"id\":\"1\",\"limit_s\":0,\"experiments\":[{\"id\":\"1\",\"request\":{}}]}",
        "{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1,\"experiments\":[{\"id\":\"2\",\"request\":{}}]}",
        "{\"type\":\"count\",\"id\":\"1\",\"limit_s\":1,\"experiments\":[{\"id\":\"1\",\"request\":{}},{"
        "\"id\":\"3\"}]}",
        "{\"type\":\"counts\",\"id\":\"1\"}",
        "{\"type\":\"counts\",\"id\":\"1\",\"experiments\":[{\"id\":\"1\",\"counters\":[]}]}",
        "{\"type\":\"counts\",\"id\":\"1\",\"experiments\":[{\"counters\":{}}]}",
        "{\"type\":\"counts\",\"id\":\"1\",\"experiments\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}",
        "{\"type\":\"error\",\"id\":\"1\",\"kind\":\"sadness\",\"detail\":\"\"}",
        "{\"type\":\"error\",\"id\":\"1\",\"kind\":\"cuda_error\"}",
        "{\"type\":\"error\",\"id\":\"1\",\"kind\":\"incorrect\",\"detail\":\"\",\"result\":3}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct message m;
        struct error error = {0};
        if (message_parse(&m, lines[i], strlen(lines[i]), &error) == 0)
            fail_msg("understood: %s", lines[i]);
        assert_int_equal(error.kind, ERROR_INVALID);
    }
}

/* A hello of executors of these versions; `newest` 0: it names one alone. Returns which is spoken, or 0 with *error. */
static int negotiate(int oldest, int newest, struct error *error)
{
    char *line = message_hello(1, false, 0, &facts), versions[64], hello[4096];
    const char *rest = strstr(line, ",\"build\"");
    struct message m;
    snprintf(versions, sizeof versions, newest ? ",\"newest\":%d" : "", newest);
    snprintf(hello, sizeof hello, "{\"type\":\"hello\",\"protocol\":%d%s%s", oldest, versions, rest);
    free(line);
    int failed = message_parse(&m, hello, strlen(hello), error), protocol = failed ? 0 : m.protocol;
    if (!failed)
        message_free(&m);
    return protocol;
}

static void the_newest_version_that_both_know_is_spoken(void **state)
{
    (void)state;
    static const struct {
        int oldest, newest, spoken;
    } cases[] = {
        {3, 0, 3}, {3, 3, 3}, {3, 4, 4}, {4, 4, 4}, {4, 0, 4}, {3, 9, 4}, {4, 9, 4}, {1, 3, 3}, {1, 9, 4},
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
        {5, 7, "5 to 7", "the service is too old for it"},
        {7, 0, "7 to 7", "the service is too old for it"},
        {1, 2, "1 to 2", "the executor is too old for the service"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error = {0};
        assert_int_equal(negotiate(cases[i].oldest, cases[i].newest, &error), 0);
        assert_int_equal(error.kind, ERROR_CONFLICT);
        assert_non_null(strstr(error.text, cases[i].versions));
        assert_non_null(strstr(error.text, "the service 3 to 4"));
        assert_non_null(strstr(error.text, cases[i].who));
    }
}

static void welcome_beat_and_leaving_carry_what_they_say(void **state)
{
    (void)state;
    struct message m;
    reparse(message_welcome(4, 5, 20), &m);
    assert_int_equal(m.type, MESSAGE_WELCOME);
    assert_int_equal(m.protocol, 4);
    assert_true(m.heartbeat_s == 5 && m.lost_s == 20);
    reparse(message_welcome(4, 0, 0), &m);
    assert_true(m.heartbeat_s == 0 && m.lost_s == 0);
    reparse(message_beat(INT64_C(5000000000)), &m);
    assert_int_equal(m.type, MESSAGE_BEAT);
    assert_true(m.heard == INT64_C(5000000000));
    reparse(message_leaving("SIGTERM", true), &m);
    assert_int_equal(m.type, MESSAGE_LEAVING);
    assert_string_equal(m.why, "SIGTERM");
    assert_true(m.done);
    reparse(message_leaving("SIGTERM", false), &m);
    assert_false(m.done);
}

static void a_payload_that_is_no_object_is_not_written(void **state)
{
    (void)state;
    assert_null(message_run("1", 0, "[1]", NULL));
    assert_null(message_run("1", 0, "{", NULL));
    assert_null(message_result("1", NULL, NULL));
    assert_null(message_count(&(struct ahead){1, {{"2", "[1]"}}}, 0, 1));
    assert_null(message_counts("1", &(struct counts){1, {{"2", "[1]", false}}}));
    assert_null(message_run("1", 0, "{}", &(struct run_along){.counters = "[1]"}));
    assert_null(message_run("1", 0, "{}", &(struct run_along){.calibration = "[1]"}));
    assert_null(message_error("1", &(struct error){.kind = ERROR_INCORRECT}, "no"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hello_carries_every_fact),
        cmocka_unit_test(a_run_carries_its_request_as_it_was),
        cmocka_unit_test(a_run_carries_what_goes_along),
        cmocka_unit_test(what_may_run_anywhere_is_told_where_it_runs),
        cmocka_unit_test(a_progress_carries_its_phase),
        cmocka_unit_test(a_result_says_whether_it_was_verified),
        cmocka_unit_test(an_error_carries_kind_detail_and_perhaps_a_result),
        cmocka_unit_test(a_count_carries_its_experiments_and_their_counts_come_back),
        cmocka_unit_test(an_error_in_no_encoding_is_still_told),
        cmocka_unit_test(a_detail_too_long_is_cut_between_characters),
        cmocka_unit_test(what_is_not_of_the_protocol_is_refused),
        cmocka_unit_test(the_newest_version_that_both_know_is_spoken),
        cmocka_unit_test(versions_without_a_common_one_are_named_with_who_is_too_old),
        cmocka_unit_test(welcome_beat_and_leaving_carry_what_they_say),
        cmocka_unit_test(a_payload_that_is_no_object_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
