/* What an executor answers to a count, and what becomes of it as text on its way to the result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/counters_json.h"
#include "api/experiment_json.h"
#include "api/protocol.h"
#include "executor/executor.h"
#include "kernels/measure/runner.h"
#include "tests/faults/counted_device.h"

static const char request[] = "{\"kernel\":\"copy\",\"size\":5000,\"counters\":true}";

/* Of so many experiments, "P0", "P1" ...; to be freed. */
static struct message count(int experiments, const char *const requests[], struct error *error)
{
    struct message message = {
        .type = MESSAGE_COUNT, .id = "P0", .limit_s = 5, .ahead = {.count = experiments}};
    struct message answer = {0};
    for (int i = 0; i < experiments; i++) {
        snprintf(message.ahead.at[i].id, sizeof message.ahead.at[i].id, "P%d", i);
        message.ahead.at[i].request = (char *)requests[i];
    }
    *error = (struct error){0};
    struct buffer bytes = {0};
    struct protocol_frame frame;
    int status = executor_count(runner, &message, NULL, &bytes, error);
    assert_int_equal(status < 0, error->kind != ERROR_NONE);
    if (status == 0) {
        assert_int_equal(protocol_frame_find(&frame, bytes.data, bytes.size), bytes.size);
        assert_int_equal(protocol_parse(&answer, &frame, NULL), 0);
    }
    buffer_free(&bytes);
    return answer;
}

static struct counters counters_of(const struct message *message, int i)
{
    struct counters counters;
    assert_int_equal(counters_json_unpack(&counters, message->counts.at[i].counters, NULL), 0);
    return counters;
}

static void sixteen_are_counted_at_once_each_with_its_own_values(void **state)
{
    (void)state;
    const char *requests[PROTOCOL_POINTS];
    struct error error;
    for (int i = 0; i < PROTOCOL_POINTS; i++)
        requests[i] = request;
    struct message answer = count(PROTOCOL_POINTS, requests, &error);
    assert_int_equal(answer.counts.count, PROTOCOL_POINTS);
    assert_int_equal(launches, PROTOCOL_POINTS * PASSES);
    for (int i = 0; i < PROTOCOL_POINTS; i++) {
        char id[16];
        struct counters counters = counters_of(&answer, i);
        snprintf(id, sizeof id, "P%d", i);
        assert_string_equal(answer.counts.at[i].id, id);
        assert_int_equal(counters.status, COUNTERS_MEASURED);
        assert_int_equal(counters.points, PROTOCOL_POINTS);
        assert_int_equal(counters.passes, PASSES);
        assert_int_equal(place_of(&counters), i * 4);
    }
    protocol_message_free(&answer);
}

static void what_cannot_share_passes_is_left_out_and_so_is_what_is_no_request(void **state)
{
    (void)state;
    static const char *const requests[] = {request,
                                           "{\"kernel\":\"bank_conflict\",\"size\":4096,\"counters\":true}",
                                           "{\"kernel\":\"no such kernel\"}", request};
    struct error error;
    struct message answer = count(4, requests, &error);
    assert_int_equal(answer.counts.count, 2);
    assert_string_equal(answer.counts.at[1].id, "P3");
    protocol_message_free(&answer);
    answer = count(1, &requests[2], &error);
    assert_int_equal(counters_of(&answer, 0).status, COUNTERS_UNAVAILABLE);
    protocol_message_free(&answer);
}

static void what_does_not_fit_says_so(void **state)
{
    (void)state;
    static const char *const requests[] = {"{\"kernel\":\"copy\",\"size\":9000000,\"counters\":true}",
                                           request};
    struct error error;
    memory_limit = 1 << 20;
    struct message answer = count(2, requests, &error);
    assert_int_equal(answer.counts.count, 1);
    assert_true(answer.counts.at[0].no_room);
    assert_int_equal(counters_of(&answer, 0).status, COUNTERS_UNAVAILABLE);
    protocol_message_free(&answer);
}

static void a_refusal_comes_back_with_its_remedy(void **state)
{
    (void)state;
    static const char *const requests[] = {request, request};
    struct error error;
    refuses = true;
    struct message answer = count(2, requests, &error);
    assert_int_equal(answer.counts.count, 1);
    struct counters counters = counters_of(&answer, 0);
    assert_int_equal(counters.status, COUNTERS_UNAVAILABLE);
    assert_string_equal(counters.reason, "refused by this test");
    assert_string_equal(counters.remedy, "ask for them");
    protocol_message_free(&answer);
}

/* ---- as text ---- */

static void counters_survive_their_way_as_text(void **state)
{
    (void)state;
    static const struct counters_wanted wanted = {.on = true, .count = 1, .name = {"sm__cycles_active.avg"}};
    static struct counters before, after;
    counters_begin(&before, &wanted);
    before.status = COUNTERS_MEASURED;
    before.passes = 5;
    before.points = 16;
    for (int i = 0; i < before.count; i++) {
        before.at[i].measured = i % 3 != 2;
        before.at[i].value = i % 3 == 2 ? 0 : i % 3 ? 1.0 / (3 + i) : 9007199254740991.0 / (1 + i);
        if (i % 3 == 2)
            snprintf(before.at[i].reason, sizeof before.at[i].reason, "the chip has none of \"these\"");
    }
    char *text = counters_json_pack(&before);
    assert_int_equal(counters_json_unpack(&after, text, NULL), 0);
    assert_memory_equal(&before, &after, sizeof before);
    free(text);
}

static void what_is_no_counters_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        "x",
        "{\"reason\":\"why\"}",
        "{\"reason\":3,\"remedy\":\"\"}",
        "{\"passes\":4,\"points\":1}",
        "{\"passes\":0,\"points\":1,\"values\":[]}",
        "{\"passes\":4,\"points\":17,\"values\":[]}",
        "{\"passes\":4,\"points\":1,\"values\":[3]}",
        "{\"passes\":4,\"points\":1,\"values\":[{\"name\":\"a\",\"metric\":\"b\"}]}",
        "{\"passes\":4,\"points\":1,\"values\":[{\"name\":\"a\",\"value\":1}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        static struct counters counters;
        struct error error = {0};
        if (counters_json_unpack(&counters, texts[i], &error) == 0)
            fail_msg("understood: %s", texts[i]);
        assert_int_equal(error.kind, ERROR_INVALID);
        assert_int_equal(counters.status, COUNTERS_NOT_REQUESTED);
        assert_int_equal(counters.count, 0);
    }
}

static void a_lost_count_says_why_in_any_encoding(void **state)
{
    (void)state;
    static struct counters counters;
    char *text = counters_json_pack_failure("caf\xe9 was killed by SIGKILL");
    assert_int_equal(counters_json_unpack(&counters, text, NULL), 0);
    assert_int_equal(counters.status, COUNTERS_UNAVAILABLE);
    assert_string_equal(counters.reason, "caf\xef\xbf\xbd was killed by SIGKILL");
    free(text);
}

static void a_request_says_whether_it_wants_counters(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        bool wants;
    } cases[] = {
        {"{\"kernel\":\"copy\",\"counters\":true}", true},
        {"{\"counters\":[\"a\"]}", true},
        {"{\"device\":{\"counters\":true},\"counters\":false,\"labels\":{\"counters\":true}}", false},
        {"{\"device\":{\"counters\":true},\"size\":[1,2],\"counters\":true}", true},
        {"{\"device\":\"a \\\"counters\\\":true {\",\"counters\":[\"b\"]}", true},
        {"{\"device\":\"a \\\"counters\\\":true\"}", false},
        {"{\"device\":\"without an end", false},
        {"{}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (experiment_text_wants_counters(cases[i].request) != cases[i].wants)
            fail_msg("%s", cases[i].request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTED(sixteen_are_counted_at_once_each_with_its_own_values),
        COUNTED(what_cannot_share_passes_is_left_out_and_so_is_what_is_no_request),
        COUNTED(what_does_not_fit_says_so),
        COUNTED(a_refusal_comes_back_with_its_remedy),
        cmocka_unit_test(counters_survive_their_way_as_text),
        cmocka_unit_test(what_is_no_counters_is_refused),
        cmocka_unit_test(a_lost_count_says_why_in_any_encoding),
        cmocka_unit_test(a_request_says_whether_it_wants_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
