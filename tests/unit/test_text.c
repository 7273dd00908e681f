/* Numbers and texts written by hand, held against jansson's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "api/json.h"
#include "api/text.h"

static void assert_written_as(const struct buffer *text, json_t *value)
{
    char *expected = json_dumps(value, API_JSON_FLAGS | JSON_ENCODE_ANY);
    assert_non_null(text->data);
    assert_string_equal(text->data, expected);
    free(expected);
    json_decref(value);
}

static void assert_real(double value)
{
    struct buffer text = {0};
    text_real(&text, value);
    assert_written_as(&text, json_real(value));
    buffer_free(&text);
}

static void a_real_number_is_written_as_jansson_does(void **state)
{
    (void)state;
    static const double values[] = {0,      -0.0, 1,      -1,    0.1,    0.005,     1e-7,    1.5e-9,
                                    1e9,    1e15, 1e16,   1e20,  -2.5e7, 123456789, 1.0 / 3, 2e300,
                                    1e-300, 3600, 0.0001, 99999, 1e100,  5e-324};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_real(values[i]);
    srand(1);
    for (int i = 0; i < 20000; i++)
        assert_real((double)rand() / (double)(1 + rand() % 100000) * (rand() % 2 ? 1e-6 : 1e6));
}

static void an_integer_is_written_whole(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 1, -1, 10, 999, -1000, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct buffer text = {0};
        text_integer(&text, values[i]);
        assert_written_as(&text, json_integer(values[i]));
        buffer_free(&text);
    }
}

static void a_text_is_escaped_wherever_it_must_be(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"line\nend", "\"line\\u000aend\""},
        {"\x7f", "\"\\u007f\""},
        {"sm\xc3\xa4", "\"sm\xc3\xa4\""},
        {"cut\xc3", "\"cut\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer text = {0};
        text_string(&text, cases[i][0]);
        assert_string_equal(text.data, cases[i][1]);
        buffer_free(&text);
    }
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
        cmocka_unit_test(an_integer_is_written_whole),
        cmocka_unit_test(a_text_is_escaped_wherever_it_must_be),
        cmocka_unit_test(a_formatted_text_of_any_length_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
