/* Reads a body with jansson, and writes trees that were read. */
#include "api/json_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_parts_start(void)
{
    json_object_seed(0);
}

/* jansson's messages that speak of its own interface, in words of ours. */
static const char *parse_error(const char *text)
{
    if (strstr(text, "JSON_ALLOW_NUL"))
        return "\\u0000 is not allowed";
    return text;
}

/* Turns the whole numbers within 64 bits, which were read as real numbers, into integers again. Takes over the reference to
   `value` and returns the result. */
static json_t *with_integers(json_t *value)
{
    const char *key;
    void *next;
    json_t *part;
    size_t i;
    json_object_foreach_safe (value, next, key, part)
        json_object_set_new(value, key, with_integers(json_incref(part)));
    json_array_foreach (value, i, part)
        json_array_set_new(value, i, with_integers(json_incref(part)));
    double number = json_number_value(value);
    if (!json_is_real(value) || fabs(number) >= 0x1p63 || floor(number) != number)
        return value;
    json_decref(value);
    return json_integer((json_int_t)number);
}

/* Also reads a body with an integer beyond 64 bits, so that the check of its field can refuse it by name. */
static json_t *body_read(const char *body, size_t length, json_error_t *error)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
    json_t *value = json_loadb(body, length, flags, error);
    if (value || json_error_code(error) != json_error_numeric_overflow)
        return value;
    value = json_loadb(body, length, flags | JSON_DECODE_INT_AS_REAL, error);
    return value ? with_integers(value) : NULL;
}

json_t *json_parts_body(const char *body, size_t length, const char *least,
                        char detail[JSON_PARTS_DETAIL_BYTES])
{
    json_error_t error;
    if (!length) {
        snprintf(detail, JSON_PARTS_DETAIL_BYTES, "the body is empty; at the least %s", least);
        return NULL;
    }
    json_t *object = body_read(body, length, &error);
    if (!object) {
        snprintf(detail, JSON_PARTS_DETAIL_BYTES, "line %d, column %d: %s", error.line, error.column,
                 parse_error(error.text));
    } else if (!json_is_object(object)) {
        const char *list = "; many experiments are one object with lists in its fields, for POST /v1/sweeps";
        snprintf(detail, JSON_PARTS_DETAIL_BYTES, "the body must be one JSON object, at the least %s%s",
                 least, json_is_array(object) ? list : "");
        json_decref(object);
        object = NULL;
    }
    return object;
}

const char *json_parts_type(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",
        [JSON_ARRAY] = "an array",
        [JSON_STRING] = "a string",
        [JSON_INTEGER] = "an integer",
        [JSON_REAL] = "a number with a fraction or an exponent",
        [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",
        [JSON_NULL] = "null",
    };
    /* body_read() reads an integer beyond 64 bits as a real number. */
    if (json_is_real(value) && fabs(json_real_value(value)) >= 0x1p63)
        return json_real_value(value) > 0 ? "above 9223372036854775807" : "below -9223372036854775808";
    return names[json_typeof(value)];
}

/* The whole number that the text is times `factor`; 0: none. */
static long long whole(const char *text, const char **end, long long factor)
{
    char *at;
    double number = strtod(text, &at) * (double)factor;
    *end = at;
    return isdigit((unsigned char)*text) && number >= 1 && number <= 0x1p53 && floor(number) == number
               ? (long long)number
               : 0;
}

const char *json_parts_said(const json_t *value, char said[JSON_PARTS_SAID_BYTES])
{
    enum { TEXT_MAX = 40 };
    static const char suffixes[] = "kmg";
    const char *text = json_string_value(value), *end;
    if (!text || strlen(text) > TEXT_MAX)
        return json_parts_type(value);
    long long decimal = whole(text, &end, 1), binary = 0;
    const char *suffix = *end ? strchr(suffixes, tolower((unsigned char)*end)) : NULL;
    if (suffix) {
        long long factor = 1, factor_of_1024 = 1;
        for (int i = 0; i <= suffix - suffixes; i++) {
            factor *= 1000;
            factor_of_1024 *= 1024;
        }
        binary = whole(text, &end, factor_of_1024);
        decimal = end[1] == 'i' ? 0 : whole(text, &end, factor);
        end += end[1] == 'i' ? 2 : 1;
        end += *end == 'B';
    }
    if (*end || !(decimal || binary))
        snprintf(said, JSON_PARTS_SAID_BYTES, "\"%s\"", text);
    else if (decimal && binary)
        snprintf(said, JSON_PARTS_SAID_BYTES, "\"%s\" (write %lld, or %lld in powers of 1024)", text, decimal,
                 binary);
    else
        snprintf(said, JSON_PARTS_SAID_BYTES, "\"%s\" (write %lld)", text, decimal ? decimal : binary);
    return said;
}

bool json_parts_is(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

bool json_parts_same(const json_t *wanted, const json_t *found)
{
    size_t given = json_is_array(wanted) ? json_array_size(wanted) : 1;
    if (!json_is_array(found))
        return json_equal(json_is_array(wanted) && given == 1 ? json_array_get(wanted, 0) : wanted, found);
    for (size_t i = 0; i < json_array_size(found) || i < given; i++) {
        const json_t *one = json_is_array(wanted) ? json_array_get(wanted, i) : i ? NULL : wanted;
        const json_t *other = json_array_get(found, i);
        if (one ? !json_equal(one, other) : json_integer_value(other) != 1)
            return false;
    }
    return true;
}

static void write_members(struct json_writer *json, const json_t *value)
{
    const char *name;
    json_t *member;
    size_t i;
    if (json_is_object(value))
        json_object_foreach ((json_t *)value, name, member)
            json_parts_tree(json, name, member);
    else
        json_array_foreach (value, i, member)
            json_parts_tree(json, NULL, member);
    json_writer_end(json);
}

/* With 15 digits where they give back the same number, so that 0.3 stays 0.3. */
static void write_real(struct json_writer *json, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) == value)
        json_writer_double(json, key, value);
    else
        json_writer_exact(json, key, value);
}

/* As deep as what was read, which jansson bounds; the writer fails beyond its own bound. */
void json_parts_tree(struct json_writer *json, const char *key, const json_t *value)
{
    if (json_is_object(value))
        json_writer_begin_object(json, key);
    else if (json_is_array(value))
        json_writer_begin_array(json, key);
    else if (json_is_string(value))
        json_writer_string(json, key, json_string_value(value));
    else if (json_is_integer(value))
        json_writer_int(json, key, json_integer_value(value));
    else if (json_is_real(value))
        write_real(json, key, json_real_value(value));
    else if (json_is_boolean(value))
        json_writer_bool(json, key, json_is_true(value));
    else
        json_writer_null(json, key);
    if (json_is_object(value) || json_is_array(value))
        write_members(json, value);
}

char *json_parts_text(const json_t *value)
{
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    if (!value)
        return NULL;
    json_parts_tree(&json, NULL, value);
    if (json_writer_finish(&json) == 0)
        return buffer_take(&text);
    buffer_free(&text);
    return NULL;
}

void json_parts_missing(struct json_writer *json, const char *key, const char *status, const char *reason)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "status", status);
    json_writer_string(json, "reason", reason);
    json_writer_end(json);
}
