#include "api/body.h"

#include <stdio.h>

json_t *body_parse(const char *body, size_t length, char detail[BODY_DETAIL_BYTES])
{
    json_error_t error;
    if (!length) {
        snprintf(detail, BODY_DETAIL_BYTES, "the body is empty; at the least {\"kernel\": \"...\"}");
        return NULL;
    }
    json_t *object = json_loadb(body, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!object) {
        snprintf(detail, BODY_DETAIL_BYTES, "line %d, column %d: %s", error.line, error.column, error.text);
    } else if (!json_is_object(object)) {
        snprintf(detail, BODY_DETAIL_BYTES, "the body must be a JSON object, {\"kernel\": \"...\"}");
        json_decref(object);
        object = NULL;
    }
    return object;
}
