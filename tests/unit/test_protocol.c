/* What server and executor say to each other is understood whole or refused whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    assert_true(m.build[0]);
    assert_memory_equal(&m.facts, &facts, sizeof facts);
    message_free(&m);
}

static void a_run_carries_its_request_as_it_was(void **state)
{
    (void)state;
    struct message m;
    reparse(
        message_run("01AB",
                    "{\"kernel\": \"copy\",\n \"size\": 5, \"noise\": 0.01, \"labels\": {\"a\": \"\\n\"}}",
                    NULL, 0),
        &m);
    assert_int_equal(m.type, MESSAGE_RUN);
    assert_string_equal(m.id, "01AB");
    assert_string_equal(m.payload,
                        "{\"kernel\":\"copy\",\"size\":5,\"noise\":0.01,\"labels\":{\"a\":\"\\n\"}}");
    assert_null(m.counters);
    assert_int_equal(m.pid, 0);
    message_free(&m);
    reparse(message_run("01AB", "{}", "{\"passes\": 4, \"value\": 0.123456789012345}", 4712), &m);
    assert_string_equal(m.counters, "{\"passes\":4,\"value\":0.123456789012345}");
    assert_int_equal(m.pid, 4712);
    message_free(&m);
}

static void a_progress_carries_its_phase(void **state)
{
    (void)state;
    struct message m;
    reparse(message_progress("01AB", PROTOCOL_PHASE_OPEN), &m);
    assert_int_equal(m.type, MESSAGE_PROGRESS);
    assert_string_equal(m.phase, "open");
    message_free(&m);
}

static void a_result_says_whether_it_was_verified(void **state)
{
    (void)state;
    struct message m;
    reparse(message_result("1", "{\"correctness\":{\"verified\":true}}"), &m);
    assert_int_equal(m.type, MESSAGE_RESULT);
    assert_string_equal(m.payload, "{\"correctness\":{\"verified\":true}}");
    assert_true(m.verified);
    message_free(&m);
    reparse(message_result("1", "{\"correctness\":{\"verified\":false}}"), &m);
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
    reparse(message_count(&experiments, 2.5), &m);
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

static void another_version_of_the_protocol_is_named(void **state)
{
    (void)state;
    static const char line[] = "{\"type\":\"hello\",\"protocol\":7}";
    struct message m;
    struct error error = {0};
    assert_int_equal(message_parse(&m, line, strlen(line), &error), -1);
    assert_int_equal(error.kind, ERROR_CONFLICT);
    assert_non_null(strstr(error.text, "7"));
}

static void a_payload_that_is_no_object_is_not_written(void **state)
{
    (void)state;
    assert_null(message_run("1", "[1]", NULL, 0));
    assert_null(message_run("1", "{", NULL, 0));
    assert_null(message_result("1", NULL));
    assert_null(message_count(&(struct ahead){1, {{"2", "[1]"}}}, 1));
    assert_null(message_counts("1", &(struct counts){1, {{"2", "[1]", false}}}));
    assert_null(message_run("1", "{}", "[1]", 0));
    assert_null(message_error("1", &(struct error){.kind = ERROR_INCORRECT}, "no"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hello_carries_every_fact),
        cmocka_unit_test(a_run_carries_its_request_as_it_was),
        cmocka_unit_test(a_progress_carries_its_phase),
        cmocka_unit_test(a_result_says_whether_it_was_verified),
        cmocka_unit_test(an_error_carries_kind_detail_and_perhaps_a_result),
        cmocka_unit_test(a_count_carries_its_experiments_and_their_counts_come_back),
        cmocka_unit_test(an_error_in_no_encoding_is_still_told),
        cmocka_unit_test(a_detail_too_long_is_cut_between_characters),
        cmocka_unit_test(what_is_not_of_the_protocol_is_refused),
        cmocka_unit_test(another_version_of_the_protocol_is_named),
        cmocka_unit_test(a_payload_that_is_no_object_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
