#include "api/body.h"

#include <stdio.h>
#include <string.h>

/* What jansson says in words of its own interface. */
static const char *in_our_words(const char *text)
{
    if (strstr(text, "JSON_ALLOW_NUL"))
        return "\\u0000 is not allowed";
    if (strstr(text, "too big integer"))
        return "too big integer: 9223372036854775807 is the largest that can be read";
    if (strstr(text, "too big negative integer"))
        return "too big negative integer: -9223372036854775808 is the smallest that can be read";
    return text;
}

json_t *body_parse(const char *body, size_t length, const char *least, char detail[BODY_DETAIL_BYTES])
{
    json_error_t error;
    if (!length) {
        snprintf(detail, BODY_DETAIL_BYTES, "the body is empty; at the least %s", least);
        return NULL;
    }
    json_t *object = json_loadb(body, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!object) {
        snprintf(detail, BODY_DETAIL_BYTES, "line %d, column %d: %s", error.line, error.column,
                 in_our_words(error.text));
    } else if (!json_is_object(object)) {
        const char *list = "; many experiments are one object with lists in its fields, for POST /v1/sweeps";
        snprintf(detail, BODY_DETAIL_BYTES, "the body must be one JSON object, at the least %s%s", least,
                 json_is_array(object) ? list : "");
        json_decref(object);
        object = NULL;
    }
    return object;
}
