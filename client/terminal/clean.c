#include "client/terminal/clean.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Replaces each control character in the text by a space. If `lines` is true, newlines and tabs are kept. In UTF-8 a C1
   control character is two bytes, 0xC2 and then 0x80 to 0x9F. Returns true if the text was changed. */
static bool clean_bytes(char *text, bool lines)
{
    bool changed = false;
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        bool c1 = at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0;
        if (c1)
            at[1] = ' ';
        if (c1 || ((*at < ' ' || *at == 0x7F) && !(lines && (*at == '\n' || *at == '\t')))) {
            *at = ' ';
            changed = true;
        }
    }
    return changed;
}

static void clean_text(json_t *text, bool lines)
{
    char *copy = strdup(json_string_value(text));
    if (copy && clean_bytes(copy, lines))
        json_string_set(text, copy);
    free(copy);
}

/* Renames the members whose names contain control characters. */
static void clean_names(json_t *object)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe (object, next, name, value) {
        char *copy = strdup(name);
        if (copy && clean_bytes(copy, false)) {
            json_object_set(object, copy, value);
            json_object_del(object, name);
        }
        free(copy);
    }
}

static void clean(json_t *document, bool lines)
{
    const char *name;
    json_t *value;
    size_t i;
    if (json_is_string(document))
        clean_text(document, lines);
    json_array_foreach (document, i, value)
        clean(value, lines);
    clean_names(document);
    json_object_foreach (document, name, value)
        clean(value, lines && strcmp(name, "labels") != 0);
}

void clean_strings(json_t *document)
{
    clean(document, true);
}
