/* Refusals in the audit log: how many lines there are of them, whatever whoever is refused does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <jansson.h>
#include <cmocka.h>

#include "base/file.h"
#include "server/http/log/journal.h"
#include "server/http/log/refusals.h"
#include "tests/unit/support/scratch.h"

static const int64_t second_ns = 1000000000;

struct log {
    char folder[SCRATCH_BYTES], path[SCRATCH_BYTES + 16];
    struct journal *journal;
    struct refusals *refusals;
};

static struct log log_begin(void)
{
    struct log log;
    struct error error = {0};
    scratch_make(log.folder);
    snprintf(log.path, sizeof log.path, "%s/audit", log.folder);
    assert_int_equal(journal_open(&log.journal, log.path, NULL, &error), 0);
    assert_non_null(log.refusals = refusals_new(log.journal));
    return log;
}

/* What was written until now and at the end, an array of the lines; to be freed. */
static json_t *log_end(struct log *log)
{
    char *text, *rest;
    struct error error = {0};
    json_t *lines = json_array();
    refusals_free(log->refusals);
    journal_close(log->journal);
    assert_int_equal(file_read(&text, log->path, "log", 0, 1 << 20, &error), 0);
    rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && *line;)
        assert_int_equal(json_array_append_new(lines, json_loads(line, 0, NULL)), 0);
    free(text);
    scratch_remove(log->folder);
    return lines;
}

static bool add(struct log *log, const char *address, const char *owner, int64_t now_ns)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    const struct sockaddr *any = NULL;
    struct crowd_key key;
    if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
        any = (const struct sockaddr *)&v4;
    else if (inet_pton(AF_INET6, address, &v6.sin6_addr) == 1)
        any = (const struct sockaddr *)&v6;
    crowd_key_of(any, address, &key);
    const struct refused refused = {.address = &key, .remote = address, .owner = owner};
    return refusals_add(log->refusals, &refused, now_ns);
}

static const char *text_of(json_t *lines, size_t line, const char *member)
{
    return json_string_value(json_object_get(json_array_get(lines, line), member));
}

static json_int_t count_of(json_t *lines, size_t line)
{
    return json_integer_value(json_object_get(json_array_get(lines, line), "refused"));
}

static void a_minute_of_one_address_is_one_line_and_a_count(void **state)
{
    (void)state;
    struct log log = log_begin();
    assert_true(add(&log, "192.0.2.1", "", 0));
    for (int i = 0; i < 20000; i++)
        assert_false(add(&log, "192.0.2.1", "", i));
    refusals_write(log.refusals, 59 * second_ns);
    assert_false(add(&log, "192.0.2.1", "", 59 * second_ns));
    refusals_write(log.refusals, 60 * second_ns);
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
    assert_string_equal(text_of(lines, 2, "remote"), "2001:db8::1");
    json_decref(lines);
}

static void beyond_so_many_addresses_the_rest_share_a_count(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    int first = 0;
    struct log log = log_begin();
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < MANY; i++) {
            char address[32];
            snprintf(address, sizeof address, "10.0.%d.%d", i / 250, i % 250);
            first += add(&log, address, "", 0);
        }
    assert_int_equal(first, REFUSALS_MOST);
    json_t *lines = log_end(&log);
    assert_int_equal(json_array_size(lines), REFUSALS_MOST + 1);
    assert_null(text_of(lines, REFUSALS_MOST, "remote"));
    assert_int_equal(count_of(lines, REFUSALS_MOST), 2 * (MANY - REFUSALS_MOST));
    json_decref(lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minute_of_one_address_is_one_line_and_a_count),
        cmocka_unit_test(each_address_and_owner_is_told_apart),
        cmocka_unit_test(beyond_so_many_addresses_the_rest_share_a_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
