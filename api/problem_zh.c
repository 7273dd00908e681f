/* Translates finished English sentences: a table of printf formats and their Chinese, in
   api/problem_zh_texts.h. */
#include "api/problem.h"

#include <stdio.h>
#include <string.h>

#include "api/problem_zh_texts.h"

enum {
    ARGUMENTS = 12,
    NESTED = 4,            /* an argument may be a sentence itself, as in "#/size: must be ..." */
    ARGUMENT_BYTES = 1024, /* of one in Chinese */
    STEPS = 20000, /* tries of one format at most: a sentence of a client's words must not cost more */
};

struct match {
    struct {
        const char *from;
        size_t length;
    } arguments[ARGUMENTS];
    int count, steps;
};

/* The letter of the conversion that begins at the '%'; *after is behind it. */
static char conversion(const char *percent, const char **after)
{
    const char *letter = percent + 1 + strspn(percent + 1, "-+ #0123456789.*hlzjt");
    *after = letter + (*letter != '\0');
    return *letter;
}

/* The length of what suggest_text() writes; 0: the text does not begin with it. */
static size_t suggestion_length(const char *text)
{
    static const char question[] = ": did you mean \"";
    if (*text == ';')
        return 1;
    const char *end = strncmp(text, question, sizeof question - 1) == 0 ? strstr(text, "\"?") : NULL;
    return end ? (size_t)(end + 2 - text) : 0;
}

/* How much of the text such a conversion may have written at the most. */
static size_t most_of(char letter, const char *text)
{
    if (letter == '?')
        return suggestion_length(text);
    if (letter == 's')
        return strlen(text);
    if (letter == 'c')
        return *text != '\0';
    return strspn(text, "-+.0123456789eEinfax");
}

/* Does the format make that text? What its conversions wrote is then in match->arguments. */
static bool matches(struct match *match, const char *format, const char *text)
{
    for (; *format && (*format != '%' || format[1] == '%'); format++, text++) {
        if (*format != *text)
            return false;
        format += *format == '%';
    }
    if (!*format)
        return !*text;
    const char *rest;
    char letter = conversion(format, &rest);
    size_t most = most_of(letter, text), least = letter == 's' ? 0 : 1;
    if (match->count == ARGUMENTS)
        return false;
    int own = match->count++;
    for (size_t length = *rest && letter != '?' ? least : most; length >= least && length <= most; length++) {
        if (++match->steps > STEPS)
            return false;
        match->arguments[own].from = text;
        match->arguments[own].length = length;
        match->count = own + 1;
        if (matches(match, rest, text + length))
            return true;
    }
    match->count = own;
    return false;
}

/* Appends to a text of `size` bytes; false when it was cut, between two characters of UTF-8. */
static bool append(char *out, size_t size, size_t *used, const char *text, size_t length)
{
    size_t room = size - 1 - *used;
    bool fits = length <= room;
    if (!fits)
        for (length = room; length && ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;
    memcpy(out + *used, text, length);
    *used += length;
    out[*used] = '\0';
    return fits;
}

static bool translate(const char *english, char *chinese, size_t size, int nested);

static bool append_argument(char *out, size_t size, size_t *used, const struct match *match, int index,
                            int nested)
{
    char english[ARGUMENT_BYTES], chinese[ARGUMENT_BYTES];
    if (index >= match->count)
        return true;
    snprintf(english, sizeof english, "%.*s", (int)match->arguments[index].length,
             match->arguments[index].from);
    translate(english, chinese, sizeof chinese, nested + 1);
    /* A blank stands between Chinese and Latin letters, not between two Chinese ones. */
    if (((unsigned char)chinese[0] & 0x80) && *used && out[*used - 1] == ' ')
        --*used;
    return append(out, size, used, chinese, strlen(chinese));
}

static bool translate(const char *english, char *chinese, size_t size, int nested)
{
    size_t used = 0;
    for (size_t i = 0; *english && nested < NESTED && i < sizeof problem_zh_texts / sizeof *problem_zh_texts;
         i++) {
        struct match match = {.count = 0};
        if (!matches(&match, problem_zh_texts[i].english, english))
            continue;
        chinese[0] = '\0';
        for (const char *at = problem_zh_texts[i].chinese; *at;) {
            bool argument = at[0] == '{' && at[1] >= '1' && at[1] <= '9' && at[2] == '}';
            size_t literal = argument ? 0 : 1 + strcspn(at + 1, "{");
            if (!(argument ? append_argument(chinese, size, &used, &match, at[1] - '1', nested)
                           : append(chinese, size, &used, at, literal)))
                return true;
            at += argument ? 3 : literal;
        }
        return true;
    }
    chinese[0] = '\0';
    append(chinese, size, &used, english, strlen(english));
    return false;
}

bool problem_zh(const char *english, char *chinese, size_t size)
{
    return translate(english, chinese, size, 0);
}
