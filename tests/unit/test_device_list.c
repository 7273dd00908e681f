#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "api/device_list.h"
#include "api/json_parts.h"

static struct device_list list;

static int clear(void **state)
{
    (void)state;
    device_list_free(&list);
    return 0;
}

static int parse(const char *text, struct error *error)
{
    *error = (struct error){0};
    return device_list_parse(&list, text, "devices.json", error);
}

static void all_that_may_be_said_of_a_device_is_read(void **state)
{
    (void)state;
    struct error error;
    assert_int_equal(
        parse("{\"devices\": [{\"auto\": true}, {\"name\": \"h200\", \"command\": \"srun -Q 'a b'\","
              " \"device\": \"cuda:1\", \"idle\": \"context\", \"idle_s\": 1.5, \"hold_s\": 2,"
              " \"start_s\": 3, \"heartbeat_s\": 4, \"lost_s\": 9, \"note\": \"rack 7\", \"why\": \"echo "
              "Priority\", \"counting\": true}]}",
              &error),
        0);
    assert_int_equal(list.count, 2);
    assert_true(list.entries[0].automatic);
    const struct device_entry *entry = &list.entries[1];
    assert_false(entry->automatic);
    assert_string_equal(entry->name, "h200");
    assert_string_equal(entry->command, "srun -Q 'a b'");
    assert_string_equal(entry->spec, "cuda:1");
    assert_string_equal(entry->note, "rack 7");
    assert_string_equal(entry->why, "echo Priority");
    assert_int_equal(entry->idle, DEVICE_IDLE_CONTEXT);
    assert_true(entry->counting);
    assert_true(entry->idle_s == 1.5 && entry->hold_s == 2 && entry->start_s == 3);
    assert_true(entry->heartbeat_s == 4 && entry->lost_s == 9);
}

static void what_is_not_said_is_known_to_be_so(void **state)
{
    (void)state;
    struct error error;
    assert_int_equal(parse("{\"devices\": [{\"name\": \"a\"}]}", &error), 0);
    const struct device_entry *entry = &list.entries[0];
    assert_null(entry->command);
    assert_string_equal(entry->spec, "auto:0");
    assert_int_equal(entry->idle, DEVICE_IDLE_DEFAULT);
    assert_true(entry->idle_s < 0 && entry->hold_s < 0 && entry->start_s < 0 && entry->heartbeat_s < 0 &&
                entry->lost_s < 0);
}

static void a_count_makes_as_many_devices_with_numbers_in_their_names(void **state)
{
    (void)state;
    struct error error;
    assert_int_equal(parse("{\"devices\": [{\"name\": \"h200\", \"command\": \"x\", \"count\": 3},"
                           " {\"name\": \"one\", \"count\": 1}]}",
                           &error),
                     0);
    static const char *const names[] = {"h200-1", "h200-2", "h200-3", "one-1"};
    assert_int_equal(list.count, 4);
    for (int i = 0; i < list.count; i++)
        assert_string_equal(list.entries[i].name, names[i]);
    assert_ptr_not_equal(list.entries[0].command, list.entries[1].command);
}

static void what_is_wrong_is_told_with_its_place_and_what_would_be_right(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said[3];
    } cases[] = {
        {"", {"is not JSON", "line 1"}},
        {"{\"devices\": [],}", {"is not JSON", "line 1, column"}},
        {"[]", {"\"devices\""}},
        {"{}", {"\"devices\""}},
        {"{\"devices\": {}}", {"\"devices\""}},
        {"{\"devices\": [], \"more\": 1}", {"one member \"devices\""}},
        {"{\"devices\": [], \"devices\": []}", {"duplicate"}},
        {"{\"devices\": [7]}", {"devices[0]", "must be an object", "not 7"}},
        {"{\"devices\": [{\"name\": \"a\"}, {}]}", {"devices[1]", "\"name\" is missing"}},
        {"{\"devices\": [{\"name\": 7}]}", {"devices[0]", "\"name\" must be a text", "not 7"}},
        {"{\"devices\": [{\"name\": \"\"}]}", {"devices[0]", "\"name\" must be a text"}},
        {"{\"devices\": [{\"name\": \"17\"}]}", {"devices[0]", "not all digits", "\"17\""}},
        {"{\"devices\": [{\"name\": \"any\"}]}", {"devices[0]", "not \"any\"", "a name has"}},
        {"{\"devices\": [{\"name\": \"a b\"}]}", {"devices[0]", "letters, digits and ._:-"}},
        {"{\"devices\": [{\"name\": \"-a\"}]}", {"devices[0]", "begins with a letter or a digit"}},
        {"{\"devices\": [{\"name\": \"a\", \"comand\": \"x\"}]}",
         {"devices[0] (a)", "did you mean \"command\""}},
        {"{\"devices\": [{\"name\": \"a\", \"command\": 1}]}",
         {"devices[0] (a)", "\"command\" must be a text"}},
        {"{\"devices\": [{\"name\": \"a\", \"command\": \"\"}]}",
         {"devices[0] (a)", "\"command\" must be a text"}},
        {"{\"devices\": [{\"name\": \"a\", \"device\": 0}]}",
         {"devices[0] (a)", "\"device\" must be a text"}},
        {"{\"devices\": [{\"name\": \"a\", \"count\": 0}]}",
         {"\"count\" must be an integer from 1 to 128", "not 0"}},
        {"{\"devices\": [{\"name\": \"a\", \"count\": 2.5}]}", {"\"count\" must be an integer", "not 2.5"}},
        {"{\"devices\": [{\"name\": \"a\", \"count\": 129}]}", {"\"count\" must be an integer", "not 129"}},
        {"{\"devices\": [{\"name\": \"a\", \"count\": 128}, {\"name\": \"b\"}]}",
         {"devices[1] (b)", "at most 128"}},
        {"{\"devices\": [{\"name\": \"a\", \"idle\": \"never\"}]}",
         {"\"context\" or \"release\"", "not \"never\""}},
        {"{\"devices\": [{\"name\": \"a\", \"idle_s\": \"1\"}]}", {"\"idle_s\" must be a number of seconds"}},
        {"{\"devices\": [{\"name\": \"a\", \"idle_s\": -1}]}", {"from 0 to 1000000, not -1"}},
        {"{\"devices\": [{\"name\": \"a\", \"start_s\": 0}]}", {"\"start_s\"", "from 0.1"}},
        {"{\"devices\": [{\"name\": \"a\", \"heartbeat_s\": 5, \"lost_s\": 10}]}",
         {"more than twice \"heartbeat_s\""}},
        {"{\"devices\": [{\"name\": \"a\", \"note\": 1}]}", {"\"note\" must be a text"}},
        {"{\"devices\": [{\"name\": \"a\", \"why\": [\"echo\"]}]}", {"\"why\" must be a text"}},
        {"{\"devices\": [{\"name\": \"a\", \"counting\": 1}]}", {"\"counting\" must be true or false"}},
        {"{\"devices\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", {"devices[1] (a)", "a stands twice"}},
        {"{\"devices\": [{\"name\": \"a-2\"}, {\"name\": \"a\", \"count\": 2}]}",
         {"devices[1] (a)", "a-2 stands twice"}},
        {"{\"devices\": [{\"auto\": true}, {\"auto\": true}]}", {"devices[1]", "auto stands twice"}},
        {"{\"devices\": [{\"auto\": false}]}", {"\"auto\" must be true, not false"}},
        {"{\"devices\": [{\"auto\": true, \"note\": \"x\"}]}", {"\"auto\"", "no other member"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        assert_int_equal(parse(cases[i].text, &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
        assert_non_null(strstr(error.text, "devices.json"));
        for (int k = 0; k < 3 && cases[i].said[k]; k++)
            if (!strstr(error.text, cases[i].said[k]))
                fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, error.text, cases[i].said[k]);
        device_list_free(&list);
    }
}

static void a_name_may_be_63_bytes_long_with_its_number(void **state)
{
    (void)state;
    char text[256], name[64];
    struct error error;
    memset(name, 'n', 63);
    name[63] = '\0';
    snprintf(text, sizeof text, "{\"devices\": [{\"name\": \"%s\"}]}", name);
    assert_int_equal(parse(text, &error), 0);
    device_list_free(&list);
    snprintf(text, sizeof text, "{\"devices\": [{\"name\": \"%s\", \"count\": 2}]}", name);
    assert_int_equal(parse(text, &error), -1);
    assert_non_null(strstr(error.text, "too long"));
    device_list_free(&list);
    snprintf(text, sizeof text, "{\"devices\": [{\"name\": \"n%s\"}]}", name);
    assert_int_equal(parse(text, &error), -1);
    assert_non_null(strstr(error.text, "63"));
}

static void an_option_names_a_device_and_its_command(void **state)
{
    (void)state;
    static const char *const wrong[] = {"a", "a=", "a= ", "=x", "7=x", "a b=x", "far=again"};
    struct error error = {0};
    assert_int_equal(device_list_option(&list, "far=ssh host A=1 coalesced --executor", &error), 0);
    assert_string_equal(list.entries[0].name, "far");
    assert_string_equal(list.entries[0].command, "ssh host A=1 coalesced --executor");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        error = (struct error){0};
        assert_int_equal(device_list_option(&list, wrong[i], &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
        assert_non_null(strstr(error.text, wrong[i]));
    }
    assert_int_equal(list.count, 1);
}

static void the_example_can_be_read(void **state)
{
    (void)state;
    struct error error = {0};
    char text[16384];
    FILE *file = fopen(TESTS_DIR "/../packages/examples/devices.json", "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(parse(text, &error), 0);
    assert_true(list.count > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_that_may_be_said_of_a_device_is_read, clear),
        cmocka_unit_test_teardown(what_is_not_said_is_known_to_be_so, clear),
        cmocka_unit_test_teardown(a_count_makes_as_many_devices_with_numbers_in_their_names, clear),
        cmocka_unit_test_teardown(what_is_wrong_is_told_with_its_place_and_what_would_be_right, clear),
        cmocka_unit_test_teardown(a_name_may_be_63_bytes_long_with_its_number, clear),
        cmocka_unit_test_teardown(an_option_names_a_device_and_its_command, clear),
        cmocka_unit_test_teardown(the_example_can_be_read, clear),
    };
    json_parts_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
