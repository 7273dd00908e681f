#include "api/labels_json.h"

#include <ctype.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/problem.h"

enum { LABELS_MAX = 16, LABEL_KEY_MAX = 63, LABEL_VALUE_MAX = 255 };

void labels_check(const json_t *value, struct problems *problems)
{
    const char *key;
    json_t *member;
    if (!json_is_object(value)) {
        problem_add(problems, "#/labels", "must be an object of strings, is %s", json_parts_type(value));
        return;
    }
    if (json_object_size(value) > LABELS_MAX) {
        problem_add(problems, "#/labels", "at most %d labels, there are %zu", LABELS_MAX,
                    json_object_size(value));
        return;
    }
    json_object_foreach ((json_t *)value, key, member) {
        char pointer[64];
        size_t length = strlen(key);
        problem_pointer(pointer, sizeof pointer, "#/labels", key);
        for (const char *at = key; *at; at++)
            if (!isalnum((unsigned char)*at) && !strchr("-._", *at))
                length = 0;
        if (length < 1 || length > LABEL_KEY_MAX)
            problem_add(problems, pointer, "a label's name is 1 to %d letters, digits, '-', '.' or '_'",
                        LABEL_KEY_MAX);
        if (!json_is_string(member) || json_string_length(member) > LABEL_VALUE_MAX)
            problem_add(problems, pointer, "must be a string of at most %d bytes", LABEL_VALUE_MAX);
    }
}
