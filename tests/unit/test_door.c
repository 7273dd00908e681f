#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <cmocka.h>

#include "server/http/admission/door.h"
#include "server/http/connections/crowd.h"

static struct door *door_of(const char *hosts, const char *origins, bool guarded)
{
    struct error error = {0};
    struct door *door = NULL;
    assert_int_equal(door_new(&door, hosts, origins, guarded, &error), 0);
    return door;
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
    struct door *door = door_of("lab.example,[2001:db8::1]", "", true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (door_answers(door, cases[i].host) != cases[i].answered)
            fail_msg("%s", cases[i].host);
    char longest[1000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(door_answers(door, longest));
    door_free(door);
}

static void names_that_are_given_guard_a_door_that_was_open(void **state)
{
    (void)state;
    struct door *open = door_of("", "", false), *given = door_of("lab.example", "", false);
    assert_true(door_answers(open, "evil.example"));
    assert_false(door_answers(given, "evil.example"));
    assert_true(door_answers(given, "lab.example") && door_answers(given, "localhost"));
    assert_string_equal(door_names(given), "localhost, 127.0.0.0/8, [::1], lab.example");
    door_free(open);
    door_free(given);
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
    struct door *door = door_of("", "https://Lab.example, http://[::1]:8000 vscode-webview://1a2b", false);
    assert_true(door_shares(door));
    assert_string_equal(door_allows(door, "https://lab.example"), "https://lab.example");
    assert_non_null(door_allows(door, "HTTPS://LAB.EXAMPLE"));
    assert_non_null(door_allows(door, "http://[::1]:8000"));
    assert_non_null(door_allows(door, "vscode-webview://1a2b"));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_null(door_allows(door, foreign[i]));
    door_free(door);
    door = door_of("", " , ", false);
    assert_false(door_shares(door));
    door_free(door);
}

static void an_origin_is_of_the_host_that_is_asked(void **state)
{
    (void)state;
    assert_true(door_same("http://localhost:8080", "localhost:8080"));
    assert_true(door_same("https://LAB.example", "lab.EXAMPLE"));
    assert_true(door_same("https://lab.example", "lab.example:443")); /* as a proxy may tell it */
    assert_true(door_same("http://[::1]", "[::1]:80"));
    assert_false(door_same("http://localhost:8080", "localhost:8081"));
    assert_false(door_same("http://lab.example", "lab.example:443"));
    assert_false(door_same("https://lab.example:4", "lab.example:443"));
    assert_false(door_same("http://", ""));
    assert_false(door_same("http://", ":80"));
    assert_false(door_same("http://localhost", "localhost.evil"));
    assert_false(door_same("ftp://localhost", "localhost"));
    assert_false(door_same("null", "null"));
    assert_false(door_same("http://", NULL));
    assert_false(door_same("http://localhost", NULL));
}

static struct crowd *join_v4(struct crowd_table *table, const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
    return crowd_join(table, (struct sockaddr *)&address);
}

static struct crowd *join_v6(struct crowd_table *table, const char *text)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    assert_int_equal(inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return crowd_join(table, (struct sockaddr *)&address);
}

static void a_crowd_is_one_address_or_one_network(void **state)
{
    (void)state;
    static struct crowd_table table;
    struct crowd *first = join_v4(&table, "192.0.2.1");
    assert_ptr_equal(join_v4(&table, "192.0.2.1"), first);
    assert_ptr_equal(join_v6(&table, "::ffff:192.0.2.1"), first);
    assert_int_equal(first->open, 3);
    struct crowd *second = join_v4(&table, "192.0.2.2");
    assert_ptr_not_equal(second, first);
    struct crowd *network = join_v6(&table, "2001:db8::1");
    assert_ptr_equal(join_v6(&table, "2001:db8::ffff:1"), network);
    struct crowd *other = join_v6(&table, "2001:db8:0:1::1");
    assert_ptr_not_equal(other, network);
    assert_null(crowd_join(&table, &(struct sockaddr){.sa_family = AF_UNIX}));
    assert_null(crowd_join(&table, NULL));
    crowd_leave(&table, NULL);
    for (int i = 0; i < 3; i++)
        crowd_leave(&table, first);
    for (int i = 0; i < 2; i++)
        crowd_leave(&table, network);
    crowd_leave(&table, second);
    crowd_leave(&table, other);
    for (int i = 0; i < CROWD_SLOTS; i++)
        assert_null(table.slots[i]);
}

static void many_addresses_come_and_go(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    static struct crowd_table table;
    static struct crowd *crowds[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000000 + i)};
        assert_non_null(crowds[i] = crowd_join(&table, (struct sockaddr *)&address));
        assert_int_equal(crowds[i]->open, 1);
    }
    for (uint32_t i = 0; i < MANY; i++)
        crowd_leave(&table, crowds[i * 7 % MANY]);
    for (int i = 0; i < CROWD_SLOTS; i++)
        assert_null(table.slots[i]);
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
