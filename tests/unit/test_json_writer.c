/* The writer of JSON, held against jansson. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include <math.h>

#include "base/json_writer.h"

static void assert_written_as(struct buffer *text, json_t *value, size_t precision)
{
    char *expected = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(precision) | JSON_ENCODE_ANY);
    assert_non_null(text->data);
    assert_string_equal(text->data, expected);
    free(expected);
    json_decref(value);
    buffer_free(text);
}

static void assert_text(struct buffer *text, const char *expected)
{
    assert_string_equal(text->data, expected);
    buffer_free(text);
}

static void assert_double(double value)
{
    struct buffer text = {0};
    char seven[32];
    snprintf(seven, sizeof seven, "%.7g", value);
    json_writer_double(&(struct json_writer){.out = &text}, NULL, value);
    assert_written_as(&text, json_real(value), 15);
    json_writer_exact(&(struct json_writer){.out = &text}, NULL, value);
    assert_written_as(&text, json_real(value), 17);
    json_writer_rounded(&(struct json_writer){.out = &text}, NULL, value);
    assert_written_as(&text, json_real(strtod(seven, NULL)), 15);
}

static void a_real_number_is_written_as_jansson_does(void **state)
{
    (void)state;
    static const double values[] = {
        0,    -0.0,    1,     -1,        0.1,        0.005,     1e-7,  1.5e-9, 1e9,
        1e15, 1e16,    1e20,  -2.5e7,    1.0 / 3,    1e7,       2e300, 1e-300, 3600,
        1e-4, 9.99e-5, 99999, 123456789, 12345678.9, 9999999.6, 1e100, 5e-324,
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_double(values[i]);
    srand(1);
    for (int i = 0; i < 20000; i++)
        assert_double((double)rand() / (double)(1 + rand() % 100000) * (rand() % 2 ? 1e-6 : 1e6));
}

static void what_is_no_number_is_null(void **state)
{
    (void)state;
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct buffer text = {0};
        struct json_writer writer = {.out = &text};
        json_writer_begin_array(&writer, NULL);
        json_writer_rounded(&writer, NULL, values[i]);
        json_writer_double(&writer, NULL, values[i]);
        json_writer_end(&writer);
        assert_text(&text, "[null,null]");
    }
}

static void an_integer_is_written_whole(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 1, -1, 10, 999, -1000, INT64_MAX, INT64_MIN};
    struct buffer text = {0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        json_writer_int(&(struct json_writer){.out = &text}, NULL, values[i]);
        assert_written_as(&text, json_integer(values[i]), 15);
    }
    json_writer_uint(&(struct json_writer){.out = &text}, NULL, UINT64_MAX);
    assert_text(&text, "18446744073709551615");
}

static void an_amount_is_whole_where_it_can_be(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct json_writer writer = {.out = &text};
    json_writer_begin_array(&writer, NULL);
    json_writer_amount(&writer, NULL, 3);
    json_writer_amount(&writer, NULL, 8e15);
    json_writer_amount(&writer, NULL, 2.5);
    json_writer_amount(&writer, NULL, NAN);
    json_writer_fixed(&writer, NULL, 1, 3);
    json_writer_fixed(&writer, NULL, -1, 3);
    json_writer_ints(&writer, NULL, (const int64_t[]){1, -2}, 2);
    json_writer_end(&writer);
    assert_text(&text, "[3,8000000000000000,2.5,null,1.000,null,[1,-2]]");
}

static void a_text_is_escaped_wherever_it_must_be(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\""},
        {"sm\xc3\xa4", "\"sm\xc3\xa4\""},
        {"cut\xc3", "\"cut\\ufffd\""},
        {"\xc3(", "\"\\ufffd(\""},
        {"\xff\xe2\x80\xa6", "\"\\ufffd\xe2\x80\xa6\""},
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                       /* overlong */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* a surrogate */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* beyond U+10FFFF */
        {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer text = {0};
        json_writer_string(&(struct json_writer){.out = &text}, NULL, cases[i][0]);
        json_t *read = json_loads(text.data, JSON_DECODE_ANY, NULL);
        assert_non_null(read);
        if (json_writer_is_utf8(cases[i][0]))
            assert_string_equal(json_string_value(read), cases[i][0]);
        else
            assert_non_null(strstr(text.data, "\\ufffd"));
        json_decref(read);
        assert_text(&text, cases[i][1]);
    }
}

static void members_and_elements_are_separated(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct json_writer writer = {.out = &text};
    json_writer_begin_object(&writer, NULL);
    json_writer_begin_object(&writer, "empty");
    json_writer_end(&writer);
    json_writer_begin_array(&writer, "list\n");
    json_writer_begin_array(&writer, NULL);
    json_writer_end(&writer);
    json_writer_bool(&writer, NULL, true);
    json_writer_begin_object(&writer, NULL);
    json_writer_bool(&writer, "no", false);
    json_writer_null(&writer, "nothing");
    json_writer_end(&writer);
    json_writer_end(&writer);
    json_writer_string(&writer, "text", NULL);
    json_writer_json(&writer, "raw", "{\"a\":1}");
    json_writer_json(&writer, "none", NULL);
    json_writer_members(&writer, " { \"b\":2,\"c\":3 }\n");
    json_writer_members(&writer, "{ }");
    json_writer_members(&writer, NULL);
    assert_int_equal(json_writer_finish(&writer), -1);
    json_writer_end(&writer);
    assert_int_equal(json_writer_finish(&writer), 0);
    assert_text(&text, "{\"empty\":{},\"list\\n\":[[],true,{\"no\":false,\"nothing\":null}],\"text\":null,"
                       "\"raw\":{\"a\":1},\"none\":null,\"b\":2,\"c\":3}");
}

static void mistakes_are_remembered(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct json_writer nothing = {.out = &text}, ended = {.out = &text}, keyless = {.out = &text},
                       keyed = {.out = &text}, deep = {.out = &text}, full = {.out = &text};
    assert_int_equal(json_writer_finish(&nothing), -1);
    json_writer_begin_array(&ended, NULL);
    json_writer_end(&ended);
    json_writer_end(&ended);
    assert_int_equal(json_writer_finish(&ended), -1);
    json_writer_begin_object(&keyless, NULL);
    json_writer_int(&keyless, NULL, 1);
    json_writer_end(&keyless);
    assert_int_equal(json_writer_finish(&keyless), -1);
    json_writer_begin_array(&keyed, NULL);
    json_writer_int(&keyed, "key", 1);
    json_writer_end(&keyed);
    assert_int_equal(json_writer_finish(&keyed), -1);
    for (int i = 0; i <= JSON_WRITER_DEPTH; i++)
        json_writer_begin_array(&deep, NULL);
    for (int i = 0; i < JSON_WRITER_DEPTH; i++)
        json_writer_end(&deep);
    assert_int_equal(json_writer_finish(&deep), -1);
    json_writer_int(&full, NULL, 1);
    assert_int_equal(json_writer_finish(&full), 0);
    text.failed = true;
    assert_int_equal(json_writer_finish(&full), -1);
    buffer_free(&text);
}

static void a_formatted_text_of_any_length_is_whole(void **state)
{
    (void)state;
    char word[700];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    struct buffer text = {0};
    size_t size = 0;
    for (int length = 0; length < 700; length += 13) {
        buffer_format(&text, "%.*s|", length, word);
        size += (size_t)length + 1;
        assert_int_equal(text.size, size);
        assert_int_equal(text.data[size - 1], '|');
        assert_int_equal(text.data[size], '\0');
    }
    buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_number_is_written_as_jansson_does),
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(an_integer_is_written_whole),
        cmocka_unit_test(an_amount_is_whole_where_it_can_be),
        cmocka_unit_test(a_text_is_escaped_wherever_it_must_be),
        cmocka_unit_test(members_and_elements_are_separated),
        cmocka_unit_test(mistakes_are_remembered),
        cmocka_unit_test(a_formatted_text_of_any_length_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
