#include "api/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* To seven significant digits: more than any clock here resolves. */
json_t *number_to_json(double value)
{
    char text[32];
    if (!isfinite(value))
        return json_null();
    snprintf(text, sizeof text, "%.7g", value);
    return json_real(strtod(text, NULL));
}

json_t *missing_to_json(const char *status, const char *reason)
{
    return json_pack("{s:s,s:s}", "status", status, "reason", reason);
}

const char *json_type_name(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",
        [JSON_ARRAY] = "an array",
        [JSON_STRING] = "a string",
        [JSON_INTEGER] = "an integer",
        [JSON_REAL] = "a number with a fraction or an exponent",
        [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",
        [JSON_NULL] = "null",
    };
    return names[json_typeof(value)];
}

json_t *shape_to_json(const int64_t shape[3])
{
    return json_pack("[I,I,I]", (json_int_t)shape[0], (json_int_t)shape[1], (json_int_t)shape[2]);
}
