#include "client/answers/json_path.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/terminal/clean.h"
#include "client/terminal/language.h"

json_t *json_path_at(const json_t *document, const char *path)
{
    while (document && *path) {
        char name[64];
        size_t length = strcspn(path, "./");
        if (length >= sizeof name)
            return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        document = json_is_array(document) ? json_array_get(document, (size_t)atoi(name))
                                           : json_object_get(document, name);
        path += length + (path[length] != '\0');
    }
    return (json_t *)document;
}

json_t *json_path_find(const json_t *rows, const char *name, const json_t *value)
{
    size_t i;
    json_t *row;
    json_array_foreach (rows, i, row)
        if (value && json_equal(json_object_get(row, name), value))
            return row;
    return NULL;
}

double json_path_number(const json_t *document, const char *path)
{
    json_t *value = json_path_at(document, path);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *json_path_text(const json_t *document, const char *path, const char *fallback)
{
    const char *text = json_string_value(json_path_at(document, path));
    return text ? text : fallback;
}

bool json_path_true(const json_t *document, const char *path)
{
    return json_is_true(json_path_at(document, path));
}

void json_path_append(char *text, size_t bytes, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, bytes - used, format, arguments);
    va_end(arguments);
}

void json_path_value(char text[JSON_PATH_TEXT_BYTES], const json_t *value)
{
    text[0] = '\0';
    if (json_is_string(value)) {
        snprintf(text, JSON_PATH_TEXT_BYTES, "%s", json_string_value(value));
    } else if (json_is_integer(value)) {
        snprintf(text, JSON_PATH_TEXT_BYTES, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(text, JSON_PATH_TEXT_BYTES, "%.6g", json_real_value(value));
    } else if (json_is_boolean(value)) {
        strcpy(text, json_is_true(value) ? "on" : "off");
    } else if (json_is_array(value)) {
        size_t count = json_array_size(value);
        while (count == 3 && json_integer_value(json_array_get(value, count - 1)) == 1)
            count--;
        if (count == 2 && json_array_size(value) == 3 && json_integer_value(json_array_get(value, 1)) == 1)
            count--;
        for (size_t i = 0; i < count; i++) {
            char part[JSON_PATH_TEXT_BYTES];
            json_path_value(part, json_array_get(value, i));
            json_path_append(text, JSON_PATH_TEXT_BYTES, "%s%s",
                             !i                                         ? ""
                             : json_is_string(json_array_get(value, i)) ? " "
                                                                        : "x",
                             part);
        }
    }
}

json_t *json_path_load(struct screen *screen, const char *text)
{
    json_error_t error;
    json_t *document = json_loads(text ? text : "", 0, &error);
    if (!document)
        screen_say(screen, language_text("the service's answer is no JSON: %s"), error.text);
    return document;
}

json_t *json_path_parse(struct screen *screen, const char *text)
{
    json_t *document = json_path_load(screen, text);
    clean_strings(document);
    return document;
}
