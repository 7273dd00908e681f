#include "client/parameters/parameters.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "client/terminal/language.h"

/* COUNT_MAX: the most points of a sweep, so a longer range is a mistake. */
enum { ITEM_BYTES = 1024, NAME_BYTES = 128, COUNT_MAX = 10000 };

enum found { FOUND, NONE, TOO_LARGE };

static const struct {
    const char *suffix;
    long long factor;
} suffixes[] = {{"Ki", 1LL << 10}, {"Mi", 1LL << 20}, {"Gi", 1LL << 30}, {"Ti", 1LL << 40},
                {"k", 1000},       {"M", 1000000},    {"G", 1000000000}, {"T", 1000000000000}};
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

/* Reads "<< 20", as C writes a power of two, with or without blanks. Returns 20, and *end points behind it; or -1
   if the text does not begin so. */
static long long read_shift(const char *text, char **end)
{
    text += strspn(text, " ");
    if (strncmp(text, "<<", 2) != 0)
        return -1;
    text += 2 + strspn(text + 2, " ");
    return isdigit((unsigned char)*text) ? strtoll(text, end, 10) : -1;
}

/* The integer at the beginning of the text; *end is behind it. */
static enum found read_integer(const char *text, const char **end, long long *value)
{
    if (!isdigit((unsigned char)text[*text == '-']))
        return NONE;
    char *at;
    bool large = false;
    long long shift, factor;
    errno = 0;
    *value = strtoll(text, &at, 10);
    if (*at == '^' && isdigit((unsigned char)at[1])) {
        long long exponent = strtoll(at + 1, &at, 10);
        large = raise_to(*value, exponent, value) != 0;
    } else if ((shift = read_shift(at, &at)) >= 0) {
        large = raise_to(2, shift, &factor) != 0 || __builtin_mul_overflow(*value, factor, value);
    } else {
        int i = 0;
        size_t length = 0;
        for (; i < SUFFIXES; i++) {
            length = strlen(suffixes[i].suffix);
            /* In a shape an x may follow: 8Kix8Ki. */
            if (strncmp(at, suffixes[i].suffix, length) == 0 &&
                (!isalnum((unsigned char)at[length]) || at[length] == 'x'))
                break;
        }
        if (i < SUFFIXES) {
            large = __builtin_mul_overflow(*value, suffixes[i].factor, value);
            at += length;
        }
    }
    *end = at;
    return large || errno == ERANGE ? TOO_LARGE : FOUND;
}

/* "32x8" as [32, 8]; NULL with *found NONE when it is no shape. */
static json_t *read_shape(const char *text, enum found *found)
{
    json_t *shape = json_array();
    for (const char *at = text;; at++) {
        long long value;
        *found = read_integer(at, &at, &value);
        if (*found != FOUND || (*at && *at != 'x'))
            break;
        json_array_append_new(shape, json_integer(value));
        if (!*at && json_array_size(shape) >= 2)
            return shape;
        if (!*at)
            break;
    }
    *found = *found == TOO_LARGE ? TOO_LARGE : NONE;
    json_decref(shape);
    return NULL;
}

json_t *parameters_item(const char *text, struct error *error)
{
    const char *end;
    char *number_end;
    long long value;
    json_t *shape = NULL;
    enum found found = read_integer(text, &end, &value);
    if (found == FOUND && !*end)
        return json_integer(value);
    if (found == FOUND && strncmp(text, "0x", 2) != 0) /* a hexadecimal number is none */
        shape = read_shape(text, &found);
    if (found == TOO_LARGE)
        error_set(error, ERROR_INVALID, language_text("%s is beyond a signed integer of 64 bits"), text);
    if (found == TOO_LARGE || shape)
        return shape;
    if (strcmp(text, "null") == 0)
        return json_null();
    if (isdigit((unsigned char)*text) || *text == '-' || *text == '.') {
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
                         language_text("\"%s\" is no range: 0..16, \"0..1024 step 32\" or \"1..4096 by x2\""),
                         text);
    at = skip_blanks(at);
    if (strncmp(at, "step", 4) == 0) {
        if (read_integer(skip_blanks(at + 4), &at, &step) != FOUND || step < 1)
            return error_set(error, ERROR_INVALID, language_text("the step of \"%s\" is a number from 1 on"),
                             text);
    } else if (strncmp(at, "by", 2) == 0) {
        at = skip_blanks(at + 2);
        if (*at != 'x' || read_integer(at + 1, &at, &factor) != FOUND || factor < 2 || from < 1)
            return error_set(error, ERROR_INVALID,
                             language_text("\"%s\" begins at 1 or more and goes by x2 or more"), text);
    }
    if (*skip_blanks(at))
        return error_set(error, ERROR_INVALID, language_text("\"%s\" is no range: what is \"%s\"?"), text,
                         at);
    if (from > to)
        return error_set(error, ERROR_INVALID, language_text("\"%s\" ends before it begins"), text);
    for (long long value = from; value <= to;) {
        if (json_array_size(list) >= COUNT_MAX)
            return error_set(
                error, ERROR_INVALID,
                language_text("\"%s\" has more than %d values; a step is quoted with it: \"1..4096 by x2\""),
                text, COUNT_MAX);
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

/* Returns the number of bytes ahead of the next comma, or of all. A comma in angle brackets does not count, as in
   "scale<float, 4>". */
static size_t item_length(const char *text)
{
    size_t length = 0;
    for (int open = 0; text[length] && (text[length] != ',' || open > 0); length++) {
        bool shift = text[length] == text[length + 1] || (length > 0 && text[length] == text[length - 1]);
        if (text[length] == '<' && !shift && strchr(text + length, '>'))
            open++;
        else if (text[length] == '>' && open > 0)
            open--;
    }
    return length;
}

bool parameters_is_list(const char *text)
{
    return text[item_length(text)] || is_range(text);
}

bool parameters_have_list(const char *const *words, int count)
{
    static const char *const own[] = {"label.", "show.", "counters=", "arch="};
    for (int i = 0; i < count; i++) {
        const char *equals = strchr(words[i], '=');
        bool several = equals && parameters_is_list(equals + 1);
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            several = several && strncmp(words[i], own[k], strlen(own[k])) != 0;
        if (several)
            return true;
    }
    return false;
}

/* Copies the item at *at, which ends at a comma; *at is then the next one, NULL behind the last. False: it
   is empty or too long. */
static bool next_item(const char **at, char item[ITEM_BYTES])
{
    size_t length = item_length(*at);
    if (length == 0 || length >= ITEM_BYTES)
        return false;
    memcpy(item, *at, length);
    item[length] = '\0';
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return true;
}

json_t *parameters_list(const char *text, struct error *error)
{
    json_t *list = json_array();
    char item[ITEM_BYTES];
    for (const char *at = text; at;) {
        int failed = !next_item(&at, item)
                         ? error_set(error, ERROR_INVALID, language_text("\"%s\" has an empty value"), text)
                     : is_range(item) ? expand(item, list, error)
                                      : json_array_append_new(list, parameters_item(item, error));
        if (failed) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* ---- requests ---- */

static bool is_on(const char *text)
{
    return strcmp(text, "on") == 0 || strcmp(text, "true") == 0;
}
static bool is_off(const char *text)
{
    return strcmp(text, "off") == 0 || strcmp(text, "false") == 0;
}

/* "sm_20,3.7,Tesla K80": all of them are names, also those that look like numbers. */
static json_t *read_names(const char *text, struct error *error)
{
    json_t *names = json_array();
    char item[ITEM_BYTES];
    for (const char *at = text; at;)
        if (!next_item(&at, item) || json_array_append_new(names, json_string(item)) != 0) {
            error_set(error, ERROR_INVALID, language_text("\"%s\" is no list of names"), text);
            json_decref(names);
            return NULL;
        }
    return names;
}

/* "arch=sm_90,memory_bytes=100G": conditions on a device. */
static json_t *read_conditions(const char *text, struct error *error)
{
    json_t *conditions = json_object();
    char item[ITEM_BYTES];
    for (const char *at = text; at && *at;) {
        char *equals = next_item(&at, item) ? strchr(item, '=') : NULL;
        if (!equals || equals == item || !equals[1]) {
            error_set(error, ERROR_INVALID,
                      language_text("\"%s\" is no device: its name or number, any, or what it must be, as in "
                                    "arch=sm_90,memory_bytes=100G"),
                      text);
            json_decref(conditions);
            return NULL;
        }
        *equals++ = '\0';
        json_object_set_new(conditions, item,
                            is_on(equals) || is_off(equals)     ? json_boolean(is_on(equals))
                            : strcmp(item, "memory_bytes") == 0 ? parameters_item(equals, error)
                                                                : json_string(equals));
    }
    return conditions;
}

static json_t *read_value(const char *name, const char *text, bool axes, struct error *error)
{
    if (strncmp(name, "labels.", 7) == 0) {
        json_t *label = json_string(text);
        if (!label)
            error_set(error, ERROR_INVALID, language_text("the label is no UTF-8"));
        return label;
    }
    if (strncmp(name, "show.", 5) == 0 && is_range(text)) /* of elements, and no axis */
        return json_string(text);
    if (strcmp(name, "device") == 0 && strchr(text, '='))
        return read_conditions(text, error);
    bool may_be_on = words_contain("counters debug l1 what_if", name) || strncmp(name, "measure.", 8) == 0;
    if (may_be_on && (is_on(text) || is_off(text)))
        return json_boolean(is_on(text));
    if (strcmp(name, "arch") == 0)
        return read_names(text, error);
    /* counters is always a list, and no axis. */
    if (strcmp(name, "counters") == 0 || parameters_is_list(text))
        return parameters_list(text, error);
    json_t *value = parameters_item(text, error);
    return axes && json_is_array(value) && words_contain("block grid size", name) ? json_pack("[o]", value)
                                                                                  : value;
}

/* Returns whether the name, as in.w, is that of a field of a struct that a user's kernel takes by value. */
static bool is_field_of_struct(const json_t *request, const char *name)
{
    char first[NAME_BYTES];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(name, "."), name);
    return json_object_get(request, "source") && strchr(name, '.') &&
           !words_contain("measure labels show constants reference explain", first);
}

/* Sets the member of that dotted name. Takes the reference to the value. */
static int put(json_t *request, const char *name, json_t *value, struct error *error)
{
    const char *dot = strchr(name, '.');
    if (is_field_of_struct(request, name))
        dot = NULL;
    if (strcmp(name, "reference") == 0 && json_is_string(value)) /* beside which reference.grid=1 may stand */
        return put(request, "reference.kernel", value, error);
    if (!dot) {
        int failed = json_object_get(request, name)
                         ? error_set(error, ERROR_INVALID, language_text("%s is given twice"), name)
                     : json_object_set(request, name, value) != 0
                         ? error_set(error, ERROR_INVALID, language_text("%s is no name"), name)
                         : 0;
        json_decref(value);
        return failed;
    }
    char first[NAME_BYTES];
    size_t length = (size_t)(dot - name);
    memcpy(first, name, length);
    first[length] = '\0';
    json_t *inside = json_object_get(request, first);
    if (!inside) {
        inside = json_object();
        json_object_set_new(request, first, inside);
    }
    /* A label's name may have dots in it. */
    bool flat = strcmp(first, "labels") == 0;
    if (!json_is_object(inside) || (flat && json_object_get(inside, dot + 1))) {
        json_decref(value);
        return error_set(error, ERROR_INVALID, language_text("%s is given twice"),
                         json_is_object(inside) ? name : first);
    }
    if (!flat)
        return put(inside, dot + 1, value, error);
    if (json_object_set_new(inside, dot + 1, value) != 0)
        return error_set(error, ERROR_INVALID, language_text("%s is no name of a label"), dot + 1);
    return 0;
}

int parameters_add(json_t *request, const char *const *words, int count, bool axes, struct error *error)
{
    for (int i = 0; i < count; i++) {
        const char *equals = strchr(words[i], '='), *word = words[i];
        size_t length = equals ? (size_t)(equals - word) : 0;
        if (i > 0 && strcmp(word, "step") == 0 && strstr(words[i - 1], ".."))
            return error_set(error, ERROR_INVALID,
                             language_text("a range with a step is one word: \"%s step %s\""), words[i - 1],
                             i + 1 < count ? words[i + 1] : "2");
        if (!equals || length == 0)
            return error_set(error, ERROR_INVALID,
                             language_text("\"%s\" is not name=value, as a parameter is written"), word);
        char name[NAME_BYTES];
        bool label = strncmp(word, "label.", 6) == 0;
        if (length + 2 >= sizeof name)
            return error_set(error, ERROR_INVALID, language_text("\"%.40s...\" is no name"), word);
        memcpy(name + label, word, length);
        if (label)
            memcpy(name, "labels", 6);
        name[length + label] = '\0';
        if (!equals[1] && strncmp(name, "labels.", 7) != 0)
            return error_set(error, ERROR_INVALID, language_text("%s has no value"), name);
        struct error why = {0};
        json_t *value = read_value(name, equals + 1, axes, &why);
        if (!value && !why.kind)
            return error_set(error, ERROR_INVALID, language_text("%s cannot be read"), name);
        if (!value)
            return error_set(error, why.kind, "%s: %s", name, why.text);
        if (put(request, name, value, error) != 0)
            return -1;
    }
    return 0;
}
