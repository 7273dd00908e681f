#include "client/parameters/parameters.h"

#include <string.h>

#include "client/parameters/value.h"

enum { NAME_BYTES = 128 };

static bool is_on(const char *text)
{
    return strcmp(text, "on") == 0 || strcmp(text, "true") == 0;
}
static bool is_off(const char *text)
{
    return strcmp(text, "off") == 0 || strcmp(text, "false") == 0;
}

/* Members that may be a boolean. */
static bool may_be_on(const char *name)
{
    return strcmp(name, "counters") == 0 || strcmp(name, "debug") == 0 || strcmp(name, "l1") == 0 ||
           strcmp(name, "what_if") == 0 || strncmp(name, "measure.", 8) == 0;
}

/* Its value is always a list, and no axis. */
static bool is_set(const char *name)
{
    return strcmp(name, "counters") == 0;
}

/* "sm_20,3.7,Tesla K80": all of them are names, also those that look like numbers. */
static json_t *read_names(const char *text, struct error *error)
{
    json_t *names = json_array();
    for (const char *at = text; names; at += strcspn(at, ",") + 1) {
        size_t length = strcspn(at, ",");
        json_t *name = length ? json_stringn(at, length) : NULL;
        if (!name || json_array_append_new(names, name) != 0) {
            error_set(error, ERROR_INVALID, "\"%s\" is no list of names", text);
            json_decref(names);
            return NULL;
        }
        if (!at[length])
            break;
    }
    return names;
}

static bool is_shape(const char *name)
{
    return strcmp(name, "block") == 0 || strcmp(name, "grid") == 0 || strcmp(name, "size") == 0;
}

/* "arch=sm_90,memory_bytes=100G": conditions on a device. */
static json_t *read_conditions(const char *text, struct error *error)
{
    json_t *conditions = json_object();
    for (const char *at = text; conditions && *at;) {
        char item[NAME_BYTES * 2];
        size_t length = strcspn(at, ",");
        char *equals = NULL;
        if (length < sizeof item) {
            memcpy(item, at, length);
            item[length] = '\0';
            equals = strchr(item, '=');
        }
        if (!equals || equals == item || !equals[1]) {
            error_set(error, ERROR_INVALID,
                      "\"%s\" is no device: its name or number, any, or what it must be, as in "
                      "arch=sm_90,memory_bytes=100G",
                      text);
            json_decref(conditions);
            return NULL;
        }
        *equals++ = '\0';
        json_t *value = is_on(equals) || is_off(equals)     ? json_boolean(is_on(equals))
                        : strcmp(item, "memory_bytes") == 0 ? value_item(equals, error)
                                                            : json_string(equals);
        json_object_set_new(conditions, item, value);
        at += length + (at[length] == ',');
    }
    return conditions;
}

static json_t *read_value(const char *name, const char *text, bool axes, struct error *error)
{
    if (strncmp(name, "labels.", 7) == 0) {
        json_t *label = json_string(text);
        if (!label)
            error_set(error, ERROR_INVALID, "the label is no UTF-8");
        return label;
    }
    if (strcmp(name, "device") == 0 && strchr(text, '='))
        return read_conditions(text, error);
    if (may_be_on(name) && (is_on(text) || is_off(text)))
        return json_boolean(is_on(text));
    if (strcmp(name, "arch") == 0)
        return read_names(text, error);
    if (is_set(name) || value_is_list(text))
        return value_list(text, error);
    json_t *value = value_item(text, error);
    if (axes && json_is_array(value) && is_shape(name)) {
        json_t *list = json_array();
        json_array_append_new(list, value);
        return list;
    }
    return value;
}

/* Sets the member of that dotted name. Takes the reference to the value. */
static int put(json_t *request, const char *name, json_t *value, struct error *error)
{
    const char *dot = strchr(name, '.');
    if (!dot) {
        bool twice = json_object_get(request, name) != NULL;
        if (twice || json_object_set_new(request, name, json_incref(value)) != 0) {
            json_decref(value);
            return error_set(error, ERROR_INVALID, twice ? "%s is given twice" : "%s is no name", name);
        }
        json_decref(value);
        return 0;
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
        return error_set(error, ERROR_INVALID, "%s is given twice", json_is_object(inside) ? name : first);
    }
    if (!flat)
        return put(inside, dot + 1, value, error);
    if (json_object_set_new(inside, dot + 1, value) != 0)
        return error_set(error, ERROR_INVALID, "%s is no name of a label", dot + 1);
    return 0;
}

int parameters_add(json_t *request, const char *const *words, int count, bool axes, struct error *error)
{
    for (int i = 0; i < count; i++) {
        const char *equals = strchr(words[i], '='), *word = words[i];
        size_t length = equals ? (size_t)(equals - word) : 0;
        if (!equals || length == 0)
            return error_set(error, ERROR_INVALID, "\"%s\" is no parameter: these are written name=value",
                             word);
        char name[NAME_BYTES];
        bool label = strncmp(word, "label.", 6) == 0;
        if (length + 2 >= sizeof name)
            return error_set(error, ERROR_INVALID, "\"%.40s...\" is no name", word);
        memcpy(name + label, word, length);
        if (label)
            memcpy(name, "labels", 6);
        name[length + label] = '\0';
        if (!equals[1] && strncmp(name, "labels.", 7) != 0)
            return error_set(error, ERROR_INVALID, "%s has no value", name);
        json_t *value = read_value(name, equals + 1, axes, error);
        if (!value)
            return error_set(error, ERROR_INVALID, "%s cannot be read", name);
        if (put(request, name, value, error) != 0)
            return -1;
    }
    return 0;
}
