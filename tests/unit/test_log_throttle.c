/* How many lines a log gets of requests that are repeated without end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <jansson.h>
#include <cmocka.h>

#include "base/file.h"
#include "server/http/connection_limit.h"
#include "server/http/log_writer.h"
#include "server/http/access_log.h"
#include "tests/unit/support/scratch.h"

/* The members that other lines of the log have. */
static const char *const subject_null[] = {"subject", NULL};

static const int64_t second_ns = 1000000000;

struct log {
    char folder[SCRATCH_BYTES], path[SCRATCH_BYTES + 16];
    struct log_writer *log_writer;
    struct log_throttle *throttle;
};

static struct log log_begin(void)
{
    struct log log;
    struct error error = {0};
    scratch_make(log.folder);
    snprintf(log.path, sizeof log.path, "%s/audit", log.folder);
    assert_int_equal(log_writer_open(&log.log_writer, log.path, NULL, &error), 0);
    assert_non_null(log.throttle = access_log_throttle_new(log.log_writer, subject_null));
    return log;
}

/* What was written until now and at the end, an array of the lines; to be freed. */
static json_t *log_end(struct log *log)
{
    char *text, *rest;
    struct error error = {0};
    json_t *lines = json_array();
    access_log_throttle_free(log->throttle);
    log_writer_close(log->log_writer);
    assert_int_equal(file_read(&text, log->path, "log", 0, 1 << 20, &error), 0);
    rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && *line;)
        assert_int_equal(json_array_append_new(lines, json_loads(line, 0, NULL)), 0);
    free(text);
    scratch_remove(log->folder);
    return lines;
}

static bool add_code(struct log *log, const char *address, const char *owner, unsigned code, int64_t now_ns)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    const struct sockaddr *any = NULL;
    struct address_key key;
    if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
        any = (const struct sockaddr *)&v4;
    else if (inet_pton(AF_INET6, address, &v6.sin6_addr) == 1)
        any = (const struct sockaddr *)&v6;
    connection_address_key(any, address, &key);
    const struct throttled request = {.address = &key, .remote = address, .owner = owner, .code = code};
    return access_log_throttle_add(log->throttle, &request, now_ns);
}

static bool add(struct log *log, const char *address, const char *owner, int64_t now_ns)
{
    return add_code(log, address, owner, 401, now_ns);
}

static const char *text_of(json_t *lines, size_t line, const char *member)
{
    return json_string_value(json_object_get(json_array_get(lines, line), member));
}

static json_int_t count_of(json_t *lines, size_t line)
{
    return json_integer_value(json_object_get(json_array_get(lines, line), "count"));
}

static void a_minute_of_one_address_is_one_line_and_a_count(void **state)
{
    (void)state;
    struct log log = log_begin();
    assert_true(add(&log, "192.0.2.1", "", 0));
    for (int i = 0; i < 20000; i++)
        assert_false(add(&log, "192.0.2.1", "", i));
    access_log_throttle_write(log.throttle, 59 * second_ns);
    assert_false(add(&log, "192.0.2.1", "", 59 * second_ns));
    access_log_throttle_write(log.throttle, 60 * second_ns);
    assert_true(add(&log, "192.0.2.1", "", 61 * second_ns));
    json_t *lines = log_end(&log);
    assert_int_equal(json_array_size(lines), 1); /* of the second minute there is no more than its first */
    assert_int_equal(count_of(lines, 0), 20001);
    assert_string_equal(text_of(lines, 0, "remote"), "192.0.2.1");
    assert_null(text_of(lines, 0, "owner"));
    assert_non_null(text_of(lines, 0, "since"));
    json_decref(lines);
}

static void each_address_and_owner_is_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *address, *owner;
        bool first;
    } cases[] = {
        {"192.0.2.1", "", true},      {"192.0.2.2", "", true},         {"192.0.2.1", "rita", true},
        {"192.0.2.1", "rita", false}, {"2001:db8::1", "", true},       {"2001:db8::2:1", "", false},
        {"2001:db8:0:1::", "", true}, {"unix:1000", "", true},         {"unix:1001", "", true},
        {"unix:1000", "", false},     {"::ffff:192.0.2.1", "", false},
    };
    struct log log = log_begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (add(&log, cases[i].address, cases[i].owner, 0) != cases[i].first)
            fail_msg("%s %s", cases[i].address, cases[i].owner);
    json_t *lines = log_end(&log);
    assert_int_equal(json_array_size(lines), 4);
    assert_string_equal(text_of(lines, 1, "owner"), "rita");
    assert_string_equal(text_of(lines, 2, "remote"), "2001:db8::/64");
    json_decref(lines);
}

static void beyond_so_many_addresses_the_rest_share_a_count(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    int first = 0;
    struct log log = log_begin();
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            char address[32];
            snprintf(address, sizeof address, "10.0.%d.%d", i / 250, i % 250);
            first += add(&log, address, "", 0);
        }
    assert_int_equal(first, LOG_THROTTLE_UNKNOWN);
    json_t *lines = log_end(&log);
    assert_int_equal(json_array_size(lines), LOG_THROTTLE_UNKNOWN + 1);
    assert_null(text_of(lines, LOG_THROTTLE_UNKNOWN, "remote"));
    assert_int_equal(count_of(lines, LOG_THROTTLE_UNKNOWN), 2 * (MANY - LOG_THROTTLE_UNKNOWN));
    json_decref(lines);
}

static void each_code_is_told_apart(void **state)
{
    (void)state;
    struct log log = log_begin();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(add_code(&log, "192.0.2.1", "ada", 403, 0), !i);
        assert_int_equal(add_code(&log, "192.0.2.1", "ada", 200, 0), !i);
    }
    json_t *lines = log_end(&log);
    assert_int_equal(json_array_size(lines), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *code = json_object_get(json_array_get(lines, i), "code");
        assert_int_equal(json_integer_value(code), i ? 200 : 403);
        assert_int_equal(count_of(lines, i), 2);
    }
    json_decref(lines);
}

static void strangers_leave_room_for_those_who_have_a_token(void **state)
{
    (void)state;
    struct log log = log_begin();
    for (int i = 0; i < 1000; i++) {
        char address[32];
        snprintf(address, sizeof address, "10.0.%d.%d", i / 250, i % 250);
        add(&log, address, "", 0);
    }
    for (int i = 0; i < 7; i++)
        assert_int_equal(add_code(&log, "10.0.0.1", "mallory", 403, 0), !i);
    json_t *lines = log_end(&log);
    assert_int_equal(json_array_size(lines), 2); /* each client without a token came once */
    assert_string_equal(text_of(lines, 0, "owner"), "mallory");
    assert_int_equal(count_of(lines, 0), 6);
    assert_int_equal(count_of(lines, 1), 1000 - LOG_THROTTLE_UNKNOWN);
    json_decref(lines);
}

static void fill(struct log_writer *log_writer)
{
    static const char text[1 << 16] = {[0 ...(1 << 16) - 2] = ' '};
    char now[CLOCK_TEXT_BYTES];
    while (!log_writer_is_full(log_writer)) {
        buffer_text(log_writer_begin(log_writer, now), text);
        log_writer_end(log_writer);
    }
}

static void a_count_waits_until_the_log_has_room(void **state)
{
    (void)state;
    char folder[SCRATCH_BYTES], path[SCRATCH_BYTES + 16];
    struct log_writer *log_writer;
    struct error error = {0};
    const struct address_key key = {{1}};
    const struct throttled request = {.address = &key, .remote = "192.0.2.9", .owner = "", .code = 401};
    scratch_make(folder);
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    struct pollfd reader = {.fd = open(path, O_RDONLY | O_NONBLOCK), .events = POLLIN};
    assert_true(reader.fd >= 0);
    assert_int_equal(log_writer_open(&log_writer, path, NULL, &error), 0);
    struct log_throttle *throttle = access_log_throttle_new(log_writer, subject_null + 1);
    assert_true(access_log_throttle_add(throttle, &request, 0));
    assert_false(access_log_throttle_add(throttle, &request, 0));
    fill(log_writer);
    assert_int_equal(poll(&reader, 1, -1),
                     1); /* the log writer's thread writes what it has, and the pipe is full */
    fill(log_writer);
    access_log_throttle_write(throttle, 61 * second_ns);
    assert_false(access_log_throttle_add(throttle, &request, 61 * second_ns)); /* it is still counted */
    access_log_throttle_free(throttle);
    log_writer_close(log_writer);
    close(reader.fd);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minute_of_one_address_is_one_line_and_a_count),
        cmocka_unit_test(each_address_and_owner_is_told_apart),
        cmocka_unit_test(each_code_is_told_apart),
        cmocka_unit_test(strangers_leave_room_for_those_who_have_a_token),
        cmocka_unit_test(a_count_waits_until_the_log_has_room),
        cmocka_unit_test(beyond_so_many_addresses_the_rest_share_a_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
