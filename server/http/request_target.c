/* Decodes percent escapes and splits absolute URLs. */
#include "server/http/request_target.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/json_writer.h"

static int hex_value(char digit)
{
    return isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

/* Returns the byte of an escape; -1: it is malformed, or a NUL, which would end the text. */
static int escape_value(const char *at)
{
    if (!isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2]))
        return -1;
    int value = hex_value(at[1]) << 4 | hex_value(at[2]);
    return value ? value : -1;
}

size_t request_target_decode(char *text, bool *valid)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        int value = *from == '%' ? escape_value(from) : (unsigned char)*from;
        if (value < 0) {
            *valid = false;
            value = '%';
        } else if (*from == '%') {
            from += 2;
        }
        *to++ = (char)value;
    }
    *to = '\0';
    *valid = *valid && json_writer_is_utf8(text);
    return (size_t)(to - text);
}

/* Returns what follows the scheme of an absolute URL; NULL: the target is a path. */
static const char *authority_of(const char *target)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncasecmp(target, schemes[i], strlen(schemes[i])) == 0)
            return target + strlen(schemes[i]);
    return NULL;
}

const char *request_target_path(const char *target)
{
    const char *authority = authority_of(target);
    const char *path = authority ? strchr(authority, '/') : target;
    return path ? path : "/";
}

bool request_target_is_of(const char *target, const char *host)
{
    const char *authority = authority_of(target);
    size_t length = authority ? strcspn(authority, "/") : 0;
    return !authority || (host && strlen(host) == length && strncasecmp(authority, host, length) == 0);
}
