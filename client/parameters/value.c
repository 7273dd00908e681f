#include "client/parameters/value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITEM_BYTES = 1024 };

enum found { FOUND, NONE, TOO_LARGE };

static const struct {
    const char *suffix;
    long long factor;
} suffixes[] = {{"Ki", 1LL << 10}, {"Mi", 1LL << 20}, {"Gi", 1LL << 30},
                {"k", 1000},       {"M", 1000000},    {"G", 1000000000}};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

/* base^exponent; -1 when that is beyond 64 bits. */
static int raise_to(long long base, long long exponent, long long *value)
{
    *value = 1;
    if (exponent < 0 || exponent > 63)
        return -1;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(*value, base, value))
            return -1;
    return 0;
}

/* The integer at the beginning of the text; *end is behind it. */
static enum found read_integer(const char *text, const char **end, long long *value)
{
    if (!isdigit((unsigned char)text[*text == '-']))
        return NONE;
    char *at;
    errno = 0;
    *value = strtoll(text, &at, 10);
    if (errno == ERANGE)
        return TOO_LARGE;
    if (*at == '^' && isdigit((unsigned char)at[1])) {
        errno = 0;
        long long exponent = strtoll(at + 1, &at, 10);
        *end = at;
        return errno == ERANGE || raise_to(*value, exponent, value) != 0 ? TOO_LARGE : FOUND;
    }
    *end = at;
    for (int i = 0; i < SUFFIXES; i++) {
        size_t length = strlen(suffixes[i].suffix);
        if (strncmp(at, suffixes[i].suffix, length) == 0 && !isalnum((unsigned char)at[length])) {
            *end = at + length;
            return __builtin_mul_overflow(*value, suffixes[i].factor, value) ? TOO_LARGE : FOUND;
        }
        if (strncmp(at, suffixes[i].suffix, length) == 0 && at[length] == 'x') {
            *end = at + length; /* in a shape: 8Kix8Ki */
            return __builtin_mul_overflow(*value, suffixes[i].factor, value) ? TOO_LARGE : FOUND;
        }
    }
    return FOUND;
}

static json_t *too_large(const char *text, struct error *error)
{
    error_set(error, ERROR_INVALID, "%s is more than 64 bits hold", text);
    return NULL;
}

/* "32x8" as [32, 8]; *found NONE when it is no shape. */
static json_t *read_shape(const char *text, enum found *found)
{
    json_t *shape = json_array();
    for (const char *at = text;; at++) {
        long long value;
        *found = read_integer(at, &at, &value);
        if (*found == FOUND && *at && *at != 'x')
            *found = NONE;
        if (*found != FOUND)
            break;
        json_array_append_new(shape, json_integer(value));
        if (!*at && json_array_size(shape) >= 2)
            return shape;
        if (!*at) {
            *found = NONE;
            break;
        }
    }
    json_decref(shape);
    return NULL;
}

json_t *value_item(const char *text, struct error *error)
{
    const char *end;
    long long value;
    enum found found = read_integer(text, &end, &value);
    if (found == TOO_LARGE)
        return too_large(text, error);
    if (found == FOUND && !*end)
        return json_integer(value);
    if (found == FOUND) {
        json_t *shape = read_shape(text, &found);
        if (found == TOO_LARGE)
            return too_large(text, error);
        if (shape)
            return shape;
    }
    if (strcmp(text, "null") == 0)
        return json_null();
    if (isdigit((unsigned char)*text) || *text == '-' || *text == '.') {
        char *number_end;
        double number = strtod(text, &number_end);
        if (number_end != text && !*number_end && isfinite(number) && !strpbrk(text, "xXpP"))
            return json_real(number);
    }
    return json_string(text);
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* Appends the values of "from..to", "from..to step n" or "from..to by xn". */
static int expand(const char *text, json_t *list, struct error *error)
{
    const char *at;
    long long from, to, step = 1, factor = 0;
    if (read_integer(skip_blanks(text), &at, &from) != FOUND || strncmp(at = skip_blanks(at), "..", 2) != 0 ||
        read_integer(skip_blanks(at + 2), &at, &to) != FOUND)
        return error_set(error, ERROR_INVALID,
                         "\"%s\" is no range: 0..16, \"0..1024 step 32\" or \"1..4096 by x2\"", text);
    at = skip_blanks(at);
    if (strncmp(at, "step", 4) == 0) {
        if (read_integer(skip_blanks(at + 4), &at, &step) != FOUND || step < 1)
            return error_set(error, ERROR_INVALID, "the step of \"%s\" is a number from 1 on", text);
    } else if (strncmp(at, "by", 2) == 0) {
        at = skip_blanks(at + 2);
        if (*at != 'x' || read_integer(at + 1, &at, &factor) != FOUND || factor < 2 || from < 1)
            return error_set(error, ERROR_INVALID, "\"%s\" begins at 1 or more and goes by x2 or more", text);
    }
    if (*skip_blanks(at))
        return error_set(error, ERROR_INVALID, "\"%s\" is no range: what is \"%s\"?", text, at);
    if (from > to)
        return error_set(error, ERROR_INVALID, "\"%s\" ends before it begins", text);
    for (long long value = from; value <= to;) {
        if (json_array_size(list) >= VALUE_COUNT_MAX)
            return error_set(error, ERROR_INVALID, "\"%s\" has more than %d values", text, VALUE_COUNT_MAX);
        json_array_append_new(list, json_integer(value));
        if (factor ? __builtin_mul_overflow(value, factor, &value)
                   : __builtin_add_overflow(value, step, &value))
            break;
    }
    return 0;
}

static bool is_range(const char *text)
{
    const char *dots = strstr(text, "..");
    return dots && dots != text && (isdigit((unsigned char)*skip_blanks(text)) || *skip_blanks(text) == '-');
}

bool value_is_list(const char *text)
{
    return strchr(text, ',') || is_range(text);
}

json_t *value_list(const char *text, struct error *error)
{
    json_t *list = json_array();
    for (const char *at = text; list;) {
        char item[ITEM_BYTES];
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof item) {
            error_set(error, ERROR_INVALID, "\"%s\" has an empty value", text);
            break;
        }
        memcpy(item, at, length);
        item[length] = '\0';
        if (is_range(item)) {
            if (expand(item, list, error) != 0)
                break;
        } else {
            json_t *value = value_item(item, error);
            if (json_array_append_new(list, value) != 0)
                break;
        }
        if (!at[length])
            return list;
        at += length + 1;
    }
    json_decref(list);
    return NULL;
}
