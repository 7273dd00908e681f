#include "client/terminal/clean.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* With `lines` the ends of lines and tabs stay. C1 control characters are two bytes in UTF-8, 0xC2 and 0x80 to 0x9F. */
static void clean_text(json_t *text, bool lines)
{
    char *clean = strdup(json_string_value(text));
    bool changed = false;
    for (unsigned char *at = (unsigned char *)clean; at && *at; at++) {
        bool c1 = at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0;
        if (c1)
            at[1] = ' ';
        if (c1 || ((*at < ' ' || *at == 0x7F) && !(lines && (*at == '\n' || *at == '\t')))) {
            *at = ' ';
            changed = true;
        }
    }
    if (changed)
        json_string_set(text, clean);
    free(clean);
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
    json_object_foreach (document, name, value)
        clean(value, lines && strcmp(name, "labels") != 0);
}

void clean_strings(json_t *document)
{
    clean(document, true);
}
