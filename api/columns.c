#include "api/columns.h"

#include <stdio.h>
#include <string.h>

#include "api/suggest.h"

static int name_find(const char *name, size_t length, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strncmp(names[i], name, length) == 0 && !names[i][length])
            return i;
    return -1;
}

static int unknown_column(const char *name, size_t length, const char *const *names, int count,
                          char detail[COLUMNS_DETAIL_BYTES])
{
    char wanted[SUGGEST_NAME_MAX + 1];
    struct suggestion meant;
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    suggest_begin(&meant, wanted);
    for (int i = 0; i < count; i++)
        suggest_consider(&meant, names[i]);
    snprintf(detail, COLUMNS_DETAIL_BYTES, "columns: there is no column \"%s\"%s GET /v1/columns lists them",
             wanted, suggest_text(&meant));
    return -1;
}

int columns_read(struct columns *columns, const char *text, const char *const *names, int name_count,
                 char detail[COLUMNS_DETAIL_BYTES])
{
    columns->count = 0;
    if (!text || !text[0]) {
        for (; columns->count < name_count; columns->count++)
            columns->at[columns->count] = (short)columns->count;
        return 0;
    }
    for (const char *name = text;; name++) {
        size_t length = strcspn(name, ",");
        int found = name_find(name, length, names, name_count);
        if (found < 0)
            return unknown_column(name, length, names, name_count, detail);
        for (int i = 0; i < columns->count; i++)
            if (columns->at[i] == found) {
                snprintf(detail, COLUMNS_DETAIL_BYTES, "columns: \"%s\" stands there twice", names[found]);
                return -1;
            }
        columns->at[columns->count++] = (short)found;
        name += length;
        if (!*name)
            return 0;
    }
}

int columns_header(struct buffer *out, const struct columns *columns, const char *const *names)
{
    for (int i = 0; i < columns->count; i++)
        buffer_format(out, "%s%s", i ? "," : "", names[columns->at[i]]);
    return buffer_text(out, "\r\n");
}
