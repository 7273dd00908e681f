#include "api/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 sequence that begins here; 0 when it is none. Overlong forms, surrogates and what lies
   beyond U+10FFFF are none. */
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

/* One character, escaped where JSON wants it; returns the bytes read. */
static size_t append_character(struct buffer *out, const unsigned char *at)
{
    if (at[0] == '"' || at[0] == '\\') {
        buffer_format(out, "\\%c", at[0]);
        return 1;
    }
    if (at[0] < 0x20 || at[0] == 0x7f) {
        buffer_format(out, "\\u%04x", at[0]);
        return 1;
    }
    size_t bytes = at[0] < 0x80 ? 1 : sequence_bytes(at);
    if (!bytes) {
        buffer_text(out, "\\ufffd");
        return 1;
    }
    buffer_append(out, at, bytes);
    return bytes;
}

/* How many characters from here on need no escape: most texts as a whole. */
static size_t plain_bytes(const unsigned char *at)
{
    size_t count = 0;
    while (at[count] >= 0x20 && at[count] < 0x7f && at[count] != '"' && at[count] != '\\')
        count++;
    return count;
}

int text_string(struct buffer *out, const char *text)
{
    if (!text)
        return buffer_text(out, "null");
    buffer_text(out, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t plain = plain_bytes(at);
        buffer_append(out, at, plain);
        at += plain ? plain : append_character(out, at);
    }
    return buffer_text(out, "\"");
}

int text_integer(struct buffer *out, int64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--at = '-';
    return buffer_append(out, at, (size_t)(digits + sizeof digits - at));
}

/* The exponent as short as it can be: 1e-07 is 1e-7, 1e+20 is 1e20. */
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

int text_real(struct buffer *out, double value)
{
    char text[32];
    if (fabs(value) < 1e9 && value == (double)(int64_t)value && !(value == 0 && signbit(value))) {
        text_integer(out, (int64_t)value);
        return buffer_text(out, ".0");
    }
    snprintf(text, sizeof text, "%.15g", value);
    exponent_shorten(text);
    buffer_text(out, text);
    return strpbrk(text, ".e") ? 0 : buffer_text(out, ".0");
}

bool text_valid(const char *text)
{
    size_t bytes = 1;
    for (const unsigned char *at = (const unsigned char *)text; *at && bytes; at += bytes)
        bytes = *at < 0x80 ? 1 : sequence_bytes(at);
    return bytes != 0;
}

int text_members(struct buffer *out, const char *object)
{
    if (!object)
        return 0;
    const char *begin = strchr(object, '{'), *end = strrchr(object, '}');
    if (!begin || !end)
        return 0;
    begin++;
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    if (begin == end)
        return 0;
    buffer_text(out, ",");
    return buffer_append(out, begin, (size_t)(end - begin));
}
