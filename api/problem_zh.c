/* Translates finished English sentences: a table of printf formats and their Chinese, in
   api/problem_zh_texts.h. */
#include "api/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problem_zh_texts.h"

enum {
    ARGUMENTS = 18,
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
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it has more than `room` bytes */
        for (length = room; length && ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;
    memcpy(out + *used, text, length);
    *used += length;
    out[*used] = '\0';
    return fits;
}

static bool translate(const char *english, char *chinese, size_t size, int nested);

/* What stands between names, and its Chinese. */
static const struct {
    const char *english, *chinese;
} separators[] = {{", ", "、"}, {" and ", " 和 "}, {" or ", " 或 "}};

/* -1: none begins there. */
static int separator_at(const char *text)
{
    for (int i = 0; i < (int)(sizeof separators / sizeof *separators); i++)
        if (strncmp(text, separators[i].english, strlen(separators[i].english)) == 0)
            return i;
    return -1;
}

/* True: nothing but names, as in "a, b and c"; what is quoted or JSON is a client's own. */
static bool are_names(const char *text)
{
    for (int separator; *text; text += separator < 0 ? 1 : strlen(separators[separator].english)) {
        separator = separator_at(text);
        if (separator < 0 && strchr(" \"[{", *text))
            return false;
    }
    return true;
}

static bool append_names(char *out, size_t size, size_t *used, const char *text)
{
    bool fits = true;
    for (size_t length; *text && fits; text += length) {
        int separator = separator_at(text);
        length = separator < 0 ? 1 : strlen(separators[separator].english);
        while (separator < 0 && text[length] && separator_at(text + length) < 0)
            length++;
        fits = separator < 0 ? append(out, size, used, text, length)
                             : append(out, size, used, separators[separator].chinese,
                                      strlen(separators[separator].chinese));
    }
    return fits;
}

static bool append_argument(char *out, size_t size, size_t *used, const struct match *match, int index,
                            int nested)
{
    char english[ARGUMENT_BYTES], chinese[ARGUMENT_BYTES];
    if (index >= match->count)
        return true;
    snprintf(english, sizeof english, "%.*s", (int)match->arguments[index].length,
             match->arguments[index].from);
    if (!translate(english, chinese, sizeof chinese, nested + 1) && are_names(english))
        return append_names(out, size, used, english);
    /* A blank stands between Chinese and Latin letters, not between two Chinese ones. */
    if (((unsigned char)chinese[0] & 0x80) && *used > 1 && out[*used - 1] == ' ' &&
        ((unsigned char)out[*used - 2] & 0x80))
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
            char *end;
            int argument = at[0] == '{' ? (int)strtol(at + 1, &end, 10) : 0;
            size_t literal = 1 + strcspn(at + 1, "{");
            if (!(argument > 0 ? append_argument(chinese, size, &used, &match, argument - 1, nested)
                               : append(chinese, size, &used, at, literal)))
                return true;
            at = argument > 0 ? end + 1 : at + literal;
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
