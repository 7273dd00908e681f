/* The escapes, the separators and the form of numbers of every JSON text that is written. */
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* ---- strings ---- */

/* Bytes of the UTF-8 sequence of two or more that begins here; 0 when it is none. Overlong forms,
   surrogates and code points beyond U+10FFFF are none. */
static size_t sequence_bytes(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, low, high;
        size_t bytes;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (at[0] < forms[i].first || at[0] > forms[i].last)
            continue;
        if (at[1] < forms[i].low || at[1] > forms[i].high)
            return 0;
        for (size_t k = 2; k < forms[i].bytes; k++)
            if ((at[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].bytes;
    }
    return 0;
}

bool json_writer_is_utf8(const char *text)
{
    size_t bytes = 1;
    for (const unsigned char *at = (const unsigned char *)text; *at && bytes; at += bytes)
        bytes = *at < 0x80 ? 1 : sequence_bytes(at);
    return bytes != 0;
}

/* One character that may need an escape; returns the bytes read. */
static size_t append_character(struct buffer *out, const unsigned char *at)
{
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (const char *name = names; *name; name += 2)
        if (at[0] == (unsigned char)name[0]) {
            const char escape[2] = {'\\', name[1]};
            buffer_append(out, escape, sizeof escape);
            return 1;
        }
    size_t bytes = at[0] < 0x80 ? 1 : sequence_bytes(at);
    if (at[0] < 0x20 || at[0] == 0x7f)
        buffer_format(out, "\\u%04x", at[0]);
    else if (!bytes)
        buffer_text(out, "\\ufffd");
    else
        buffer_append(out, at, bytes);
    return bytes ? bytes : 1;
}

static void append_string(struct buffer *out, const char *text)
{
    buffer_append(out, "\"", 1);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t plain = 0;
        while (at[plain] >= 0x20 && at[plain] < 0x7f && at[plain] != '"' && at[plain] != '\\')
            plain++;
        buffer_append(out, at, plain);
        at += plain ? plain : append_character(out, at);
    }
    buffer_append(out, "\"", 1);
}

/* ---- numbers ---- */

static void append_uint(struct buffer *out, bool negative, uint64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    if (negative)
        *--at = '-';
    buffer_append(out, at, (size_t)(digits + sizeof digits - at));
}

/* Makes the exponent as short as it can be: 1e-07 becomes 1e-7, 1e+20 becomes 1e20. */
static void exponent_shorten(char *text)
{
    char *to = strchr(text, 'e');
    if (!to)
        return;
    const char *from = ++to;
    if (*from == '-')
        *to++ = *from++;
    while (*from == '+' || *from == '0')
        from++;
    memmove(to, from, strlen(from) + 1);
}

static void append_digits(struct buffer *out, const char *text)
{
    buffer_text(out, text);
    if (!strpbrk(text, ".e"))
        buffer_append(out, ".0", 2);
}

static void append_real(struct buffer *out, double value, int digits)
{
    char text[40];
    if (fabs(value) < 1e9 && value == (double)(int64_t)value && !(value == 0 && signbit(value))) {
        append_uint(out, value < 0, (uint64_t)fabs(value));
        buffer_append(out, ".0", 2);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, value);
    exponent_shorten(text);
    append_digits(out, text);
}

/* ---- structure ---- */

static bool is_array(const struct json_writer *writer)
{
    return writer->depth && writer->arrays >> (writer->depth - 1) & 1;
}

/* What stands before a value: a comma where one is due, and the key. */
static void value_begin(struct json_writer *writer, const char *key)
{
    if (writer->separate)
        buffer_append(writer->out, ",", 1);
    writer->separate = true;
    if (writer->depth && is_array(writer) == (key != NULL))
        writer->failed = true;
    if (!key)
        return;
    append_string(writer->out, key);
    buffer_append(writer->out, ":", 1);
}

static void nest(struct json_writer *writer, const char *key, bool array)
{
    value_begin(writer, key);
    if (writer->depth == JSON_WRITER_DEPTH) {
        writer->failed = true;
        return;
    }
    uint64_t bit = (uint64_t)1 << writer->depth++;
    writer->arrays = array ? writer->arrays | bit : writer->arrays & ~bit;
    writer->separate = false;
    buffer_append(writer->out, array ? "[" : "{", 1);
}

void json_writer_begin_object(struct json_writer *writer, const char *key)
{
    nest(writer, key, false);
}

void json_writer_begin_array(struct json_writer *writer, const char *key)
{
    nest(writer, key, true);
}

void json_writer_end(struct json_writer *writer)
{
    if (!writer->depth) {
        writer->failed = true;
        return;
    }
    buffer_append(writer->out, is_array(writer) ? "]" : "}", 1);
    writer->depth--;
    writer->separate = true;
}

/* ---- values ---- */

void json_writer_string(struct json_writer *writer, const char *key, const char *text)
{
    if (!text) {
        json_writer_null(writer, key);
        return;
    }
    value_begin(writer, key);
    append_string(writer->out, text);
}

void json_writer_int(struct json_writer *writer, const char *key, int64_t value)
{
    value_begin(writer, key);
    append_uint(writer->out, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_writer_uint(struct json_writer *writer, const char *key, uint64_t value)
{
    value_begin(writer, key);
    append_uint(writer->out, false, value);
}

void json_writer_ints(struct json_writer *writer, const char *key, const int64_t *values, size_t count)
{
    json_writer_begin_array(writer, key);
    for (size_t i = 0; i < count; i++)
        json_writer_int(writer, NULL, values[i]);
    json_writer_end(writer);
}

void json_writer_bool(struct json_writer *writer, const char *key, bool value)
{
    value_begin(writer, key);
    buffer_text(writer->out, value ? "true" : "false");
}

void json_writer_null(struct json_writer *writer, const char *key)
{
    json_writer_raw(writer, key, "null", 4);
}

static void real(struct json_writer *writer, const char *key, double value, int digits)
{
    if (!isfinite(value)) {
        json_writer_null(writer, key);
        return;
    }
    value_begin(writer, key);
    append_real(writer->out, value, digits);
}

void json_writer_rounded(struct json_writer *writer, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", value);
    /* Fifteen digits of the rounded number are these seven, unless an exponent shifts them. */
    if (!isfinite(value) || strchr(text, 'e')) {
        json_writer_double(writer, key, strtod(text, NULL));
        return;
    }
    value_begin(writer, key);
    append_digits(writer->out, text);
}

void json_writer_double(struct json_writer *writer, const char *key, double value)
{
    real(writer, key, value, 15);
}

void json_writer_exact(struct json_writer *writer, const char *key, double value)
{
    real(writer, key, value, 17);
}

void json_writer_amount(struct json_writer *writer, const char *key, double value)
{
    if (fabs(value) < 9e15 && value == floor(value))
        json_writer_int(writer, key, (int64_t)value);
    else
        json_writer_rounded(writer, key, value);
}

void json_writer_fixed(struct json_writer *writer, const char *key, double value, int decimals)
{
    if (!(value >= 0) || !isfinite(value)) {
        json_writer_null(writer, key);
        return;
    }
    value_begin(writer, key);
    buffer_format(writer->out, "%.*f", decimals, value);
}

void json_writer_name(struct json_writer *writer, const char *key, const char *text)
{
    json_writer_string(writer, key, text && text[0] ? text : NULL);
}

void json_writer_known_int(struct json_writer *writer, const char *key, bool known, int64_t value)
{
    if (known)
        json_writer_int(writer, key, value);
    else
        json_writer_null(writer, key);
}

void json_writer_known_bool(struct json_writer *writer, const char *key, bool known, bool value)
{
    if (known)
        json_writer_bool(writer, key, value);
    else
        json_writer_null(writer, key);
}

void json_writer_interval(struct json_writer *writer, const char *key, const double interval[2])
{
    json_writer_begin_array(writer, key);
    json_writer_rounded(writer, NULL, interval[0]);
    json_writer_rounded(writer, NULL, interval[1]);
    json_writer_end(writer);
}

void json_writer_seconds(struct json_writer *writer, const char *key, double seconds)
{
    enum { DECIMALS = 3 };
    json_writer_fixed(writer, key, seconds, DECIMALS);
}

void json_writer_time(struct json_writer *writer, const char *key, int64_t wall_ms)
{
    char text[CLOCK_TEXT_BYTES];
    if (wall_ms)
        clock_text(wall_ms, text);
    json_writer_string(writer, key, wall_ms ? text : NULL);
}

void json_writer_raw(struct json_writer *writer, const char *key, const char *json, size_t bytes)
{
    value_begin(writer, key);
    buffer_append(writer->out, json, bytes);
}

void json_writer_json(struct json_writer *writer, const char *key, const char *json)
{
    json_writer_raw(writer, key, json ? json : "null", json ? strlen(json) : 4);
}

void json_writer_members(struct json_writer *writer, const char *object)
{
    static const char blanks[] = " \t\r\n";
    const char *begin = object ? strchr(object, '{') : NULL, *end = object ? strrchr(object, '}') : NULL;
    if (!begin || !end)
        return;
    begin++;
    begin += strspn(begin, blanks);
    while (end > begin && strchr(blanks, end[-1]))
        end--;
    if (begin >= end)
        return;
    if (writer->separate)
        buffer_append(writer->out, ",", 1);
    writer->separate = true;
    buffer_append(writer->out, begin, (size_t)(end - begin));
}

int json_writer_finish(const struct json_writer *writer)
{
    return writer->out->failed || writer->failed || writer->depth || !writer->separate ? -1 : 0;
}
