/* The column that stands beside a published one. Apart from the table, which a test replaces. */
#include "api/figures.h"

#include <stdio.h>
#include <string.h>

const struct figure *figure_beside(const struct figure *published, const char *prefix)
{
    char name[64];
    size_t own = strlen(FIGURE_PUBLISHED);
    if (strncmp(published->name, FIGURE_PUBLISHED, own) != 0 || !published->path ||
        strncmp(published->path, "published/", 10) != 0)
        return NULL;
    snprintf(name, sizeof name, "%s%s", prefix, published->name + own);
    if (published->measured && strcmp(prefix, "measured_") == 0)
        snprintf(name, sizeof name, "%s", published->measured);
    for (const struct figure *row = figure_table; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}
