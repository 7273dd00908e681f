#include "server/queue/entries/set.h"

#include <stdlib.h>

static struct set *set_find(struct sets *sets, const struct device_set *devices)
{
    struct set *set;
    LIST_FOREACH(set, sets, next)
    if (device_set_equal(&set->devices, devices))
        return set;
    set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    set->devices = *devices;
    set->wide = true;
    LIST_INSERT_HEAD(sets, set, next);
    return set;
}

static void set_tidy(struct set *set)
{
    if (!set->wide || !LIST_EMPTY(&set->lines))
        return;
    LIST_REMOVE(set, next);
    free(set);
}

struct line *line_wide(struct sets *sets, struct owner *owner, const struct lines *lines,
                       const struct device_set *devices)
{
    struct line *line;
    LIST_FOREACH(line, lines, of_owner)
    if (line->set->wide && device_set_equal(&line->set->devices, devices))
        return line;
    struct set *set = set_find(sets, devices);
    if (!set)
        return NULL;
    if (!(line = calloc(1, sizeof *line))) {
        set_tidy(set);
        return NULL;
    }
    line->owner = owner;
    line->set = set;
    return line;
}

void line_join(struct line *line, struct lines *lines)
{
    if (line->entries++)
        return;
    LIST_INSERT_HEAD(lines, line, of_owner);
    LIST_INSERT_HEAD(&line->set->lines, line, of_set);
}

void line_leave(struct line *line)
{
    if (--line->entries)
        return;
    LIST_REMOVE(line, of_owner);
    LIST_REMOVE(line, of_set);
    struct set *set = line->set;
    if (!set->wide)
        return;
    free(line);
    set_tidy(set);
}
