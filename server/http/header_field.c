/* Splits header fields at commas and semicolons. */
#include "server/http/header_field.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char blanks[] = " \t";

/* Returns the next element of a list without the blanks around it, and moves *at behind it; NULL at the end.
   Quoted commas are not handled: no field that is read here has one that matters. */
static const char *part_next(const char **at, char separator, size_t *length)
{
    const char *begin = *at;
    if (!*begin)
        return NULL;
    const char *end = strchrnul(begin, separator);
    *at = *end ? end + 1 : end;
    begin += strspn(begin, blanks);
    while (end > begin && strchr(blanks, end[-1]))
        end--;
    *length = end > begin ? (size_t)(end - begin) : 0;
    return begin;
}

static bool part_is(const char *part, size_t length, const char *text)
{
    return strlen(text) == length && strncasecmp(part, text, length) == 0;
}

/* How exactly a media range names the type: 0 not at all, 1 as any type, 2 by its family, 3 itself. */
static int range_closeness(const char *range, size_t length, const char *type)
{
    size_t family = strcspn(type, "/") + 1;
    if (part_is(range, length, "*/*"))
        return 1;
    if (length == family + 1 && range[family] == '*' && strncasecmp(range, type, family) == 0)
        return 2;
    /* Parameters of a range are ignored: each type has one form here. */
    return strcspn(type, ";") == length && strncasecmp(range, type, length) == 0 ? 3 : 0;
}

/* The value of q among the parameters of a list's element; 1 when there is none. */
static double part_quality(const char *part, size_t part_length)
{
    const char *parameters = memchr(part, ';', part_length);
    for (size_t length = 1; parameters && length; parameters += length) {
        parameters += strspn(parameters, "; \t");
        if (strncasecmp(parameters, "q=", 2) == 0)
            return strtod(parameters + 2, NULL);
        length = strcspn(parameters, ";,");
    }
    return 1;
}

/* The length of the name before an element's parameters, which end it. */
static size_t name_length(const char *part, const char *ends, size_t length)
{
    size_t name = strcspn(part, ends);
    return name < length ? name : length;
}

double header_field_quality(const char *accept, const char *type)
{
    if (!accept || !accept[strspn(accept, blanks)])
        return 1;
    int closest = 0;
    double quality = 0;
    size_t length;
    for (const char *part; (part = part_next(&accept, ',', &length));) {
        int closeness = range_closeness(part, name_length(part, "; \t", length), type);
        if (closeness <= closest)
            continue;
        closest = closeness;
        quality = part_quality(part, length);
    }
    return quality;
}

/* The q of the element that has the name, which one of `ends` may end; "*" counts where none has it. */
static double name_quality(const char *list, const char *name, const char *ends)
{
    double any = 0;
    size_t length;
    for (const char *part; (part = part_next(&list, ',', &length));) {
        size_t own = name_length(part, ends, length);
        if (part_is(part, own, name))
            return part_quality(part, length);
        if (part_is(part, own, "*"))
            any = part_quality(part, length);
    }
    return any;
}

bool header_field_prefers_language(const char *accept_language, const char *wanted, const char *other)
{
    return accept_language &&
           name_quality(accept_language, wanted, "-; \t") > name_quality(accept_language, other, "-; \t");
}

bool header_field_names_coding(const char *accept_encoding, const char *coding)
{
    return name_quality(accept_encoding, coding, "; \t") > 0;
}

bool header_field_is_type(const char *content_type, const char *type)
{
    size_t length;
    const char *part = part_next(&content_type, ';', &length);
    return part && part_is(part, length, type);
}

int header_field_prefer_wait(const char *prefer)
{
    size_t length;
    for (const char *part; (part = part_next(&prefer, ',', &length));) {
        if (length < 6 || strncasecmp(part, "wait", 4) != 0)
            continue;
        const char *digits = part + 4 + strspn(part + 4, blanks);
        if (*digits != '=')
            continue;
        digits += 1 + strspn(digits + 1, blanks);
        if (*digits == '"')
            digits++;
        char *end;
        long seconds = strtol(digits, &end, 10);
        if (!isdigit((unsigned char)*digits) || !strchr("\" \t;,", *end))
            return -1;
        return seconds > 86400 ? 86400 : (int)seconds;
    }
    return -1;
}

bool header_field_names_tag(const char *list, const char *tag)
{
    size_t length;
    for (const char *part; (part = part_next(&list, ',', &length));) {
        if (length > 2 && strncmp(part, "W/", 2) == 0) {
            part += 2;
            length -= 2;
        }
        if (part_is(part, length, "*") || (strlen(tag) == length && strncmp(part, tag, length) == 0))
            return true;
    }
    return false;
}

const char *header_field_bearer(const char *authorization)
{
    if (strncasecmp(authorization, "Bearer ", 7) != 0)
        return NULL;
    return authorization + 7 + strspn(authorization + 7, blanks);
}

bool header_field_number(const char *text, int min, int max, int *number)
{
    size_t length = strlen(text);
    if (length < 1 || length > 9 || strspn(text, "0123456789") != length)
        return false;
    *number = atoi(text);
    return *number >= min && *number <= max;
}
