#include "api/text.h"

#include <jansson.h>

#include <ctype.h>
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

int text_string(struct buffer *out, const char *text)
{
    if (!text)
        return buffer_text(out, "null");
    buffer_text(out, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at;)
        at += append_character(out, at);
    return buffer_text(out, "\"");
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

void api_start(void)
{
    json_object_seed(0);
}
