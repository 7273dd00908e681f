#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <cmocka.h>

#include "server/http/origin_check.h"
#include "server/http/connection_limit.h"

static struct origin_check *origin_check_of(const char *hosts, const char *origins, bool guarded)
{
    struct error error = {0};
    struct origin_check *origin_check = NULL;
    assert_int_equal(origin_check_new(&origin_check, hosts, origins, guarded, &error), 0);
    return origin_check;
}

static void a_guarded_door_answers_to_its_names_alone(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        bool answered;
    } cases[] = {
        {NULL, true},
        {"", false},
        {"localhost", true},
        {"LocalHost:1", true},
        {"127.0.0.1:65535", true},
        {"127.255.0.1", true},
        {"[::1]:80", true},
        {"lab.example", true},
        {"LAB.EXAMPLE:99", true},
        {"[2001:DB8::1]", true},
        {"localhost:", true},
        {"lab.example.", false},
        {"xlab.example", false},
        {"localhost:123456", false},
        {"[", false},
        {"[]", false},
        {"[::1", false},
        {"[::1]x", false},
        {"::1", false},
        {":80", false},
        {"127.0.0.1 ", false},
        {"local\xffhost", false},
        {"[127.0.0.1]", false},
        {"128.0.0.1", false},
        {"[::ffff:127.0.0.1]", false},
    };
    struct origin_check *origin_check = origin_check_of("lab.example,[2001:db8::1]", "", true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (origin_check_answers(origin_check, cases[i].host) != cases[i].answered)
            fail_msg("%s", cases[i].host);
    char longest[1000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(origin_check_answers(origin_check, longest));
    origin_check_free(origin_check);
}

static void names_that_are_given_guard_a_door_that_was_open(void **state)
{
    (void)state;
    struct origin_check *open = origin_check_of("", "", false),
                        *given = origin_check_of("lab.example", "", false);
    assert_true(origin_check_answers(open, "evil.example"));
    assert_false(origin_check_answers(given, "evil.example"));
    assert_true(origin_check_answers(given, "lab.example") && origin_check_answers(given, "localhost"));
    assert_string_equal(origin_check_names(given), "localhost, 127.0.0.0/8, [::1], lab.example");
    origin_check_free(open);
    origin_check_free(given);
}

static void an_origin_is_allowed_as_a_whole(void **state)
{
    (void)state;
    static const char *const foreign[] = {"null",
                                          "",
                                          "https://lab",
                                          "https://lab.example.evil",
                                          "http://lab.example",
                                          "https://lab.example:444",
                                          "https://lab.example/",
                                          "lab.example"};
    struct origin_check *origin_check =
        origin_check_of("", "https://Lab.example, http://[::1]:8000 vscode-webview://1a2b", false);
    assert_true(origin_check_shares(origin_check));
    assert_string_equal(origin_check_allows(origin_check, "https://lab.example"), "https://lab.example");
    assert_non_null(origin_check_allows(origin_check, "HTTPS://LAB.EXAMPLE"));
    assert_non_null(origin_check_allows(origin_check, "http://[::1]:8000"));
    assert_non_null(origin_check_allows(origin_check, "vscode-webview://1a2b"));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_null(origin_check_allows(origin_check, foreign[i]));
    origin_check_free(origin_check);
    origin_check = origin_check_of("", " , ", false);
    assert_false(origin_check_shares(origin_check));
    origin_check_free(origin_check);
}

static void an_origin_is_of_the_host_that_is_asked(void **state)
{
    (void)state;
    assert_true(origin_check_same("http://localhost:8080", "localhost:8080"));
    assert_true(origin_check_same("https://LAB.example", "lab.EXAMPLE"));
    assert_true(origin_check_same("https://lab.example", "lab.example:443")); /* as a proxy may tell it */
    assert_true(origin_check_same("http://[::1]", "[::1]:80"));
    assert_false(origin_check_same("http://localhost:8080", "localhost:8081"));
    assert_false(origin_check_same("http://lab.example", "lab.example:443"));
    assert_false(origin_check_same("https://lab.example:4", "lab.example:443"));
    assert_false(origin_check_same("http://", ""));
    assert_false(origin_check_same("http://", ":80"));
    assert_false(origin_check_same("http://localhost", "localhost.evil"));
    assert_false(origin_check_same("ftp://localhost", "localhost"));
    assert_false(origin_check_same("null", "null"));
    assert_false(origin_check_same("http://", NULL));
    assert_false(origin_check_same("http://localhost", NULL));
}

static struct address_limit *join_v4(void **table, const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
    return connection_address_join(table, (struct sockaddr *)&address);
}

static struct address_limit *join_v6(void **table, const char *text)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    assert_int_equal(inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return connection_address_join(table, (struct sockaddr *)&address);
}

static void a_crowd_is_one_address_or_one_network(void **state)
{
    (void)state;
    void *table = NULL;
    struct address_limit *first = join_v4(&table, "192.0.2.1");
    assert_ptr_equal(join_v4(&table, "192.0.2.1"), first);
    assert_ptr_equal(join_v6(&table, "::ffff:192.0.2.1"), first);
    assert_int_equal(first->open, 3);
    struct address_limit *second = join_v4(&table, "192.0.2.2");
    assert_ptr_not_equal(second, first);
    struct address_limit *network = join_v6(&table, "2001:db8::1");
    assert_ptr_equal(join_v6(&table, "2001:db8::ffff:1"), network);
    struct address_limit *other = join_v6(&table, "2001:db8:0:1::1");
    assert_ptr_not_equal(other, network);
    assert_null(connection_address_join(&table, &(struct sockaddr){.sa_family = AF_UNIX}));
    assert_null(connection_address_join(&table, NULL));
    connection_address_leave(&table, NULL);
    for (int i = 0; i < 3; i++)
        connection_address_leave(&table, first);
    for (int i = 0; i < 2; i++)
        connection_address_leave(&table, network);
    connection_address_leave(&table, second);
    connection_address_leave(&table, other);
    assert_null(table);
}

static void many_addresses_come_and_go(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    void *table = NULL;
    static struct address_limit *address_limits[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000000 + i)};
        assert_non_null(address_limits[i] = connection_address_join(&table, (struct sockaddr *)&address));
        assert_int_equal(address_limits[i]->open, 1);
    }
    for (uint32_t i = 0; i < MANY; i++)
        connection_address_leave(&table, address_limits[i * 7 % MANY]);
    assert_null(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guarded_door_answers_to_its_names_alone),
        cmocka_unit_test(names_that_are_given_guard_a_door_that_was_open),
        cmocka_unit_test(an_origin_is_allowed_as_a_whole),
        cmocka_unit_test(an_origin_is_of_the_host_that_is_asked),
        cmocka_unit_test(a_crowd_is_one_address_or_one_network),
        cmocka_unit_test(many_addresses_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
