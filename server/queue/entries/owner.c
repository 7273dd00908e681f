#include "server/queue/entries/owner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct owner *owner_new(const char *name, int devices)
{
    struct owner *owner = calloc(1, sizeof *owner + (size_t)devices * sizeof owner->devices[0]);
    if (owner)
        snprintf(owner->name, sizeof owner->name, "%s", name);
    return owner;
}

struct owner *owner_find(struct owner *first, const char *name)
{
    while (first && strcmp(first->name, name) != 0)
        first = first->next;
    return first;
}

void owner_free(struct owner *first)
{
    for (struct owner *next; first; first = next) {
        next = first->next;
        free(first);
    }
}

struct line *owner_wide(struct owner *owner, struct sets *sets, const struct device_set *devices)
{
    return line_wide(sets, owner, &owner->lines, devices);
}

struct device_set owner_devices(const struct owner *owner)
{
    struct device_set all = {{0}};
    const struct line *line;
    LIST_FOREACH(line, &owner->lines, of_owner)
    for (int i = 0; line->count && i < DEVICE_SET_WORDS; i++)
        all.words[i] |= line->set->devices.words[i];
    return all;
}

double owner_used(const struct owner *owner, int64_t now_ns, double half_life_s)
{
    return turn_decayed(owner->used_s, (double)(now_ns - owner->used_ns) / 1e9, half_life_s);
}

void owner_charge(struct owner *owner, double took_s, int64_t now_ns, double half_life_s)
{
    owner->used_s = owner_used(owner, now_ns, half_life_s) + took_s;
    owner->used_ns = now_ns;
}

void owner_count(struct owner *owner, int count, double timeout_s)
{
    owner->waiting += count;
    owner->asked_ms += count * llround(timeout_s * 1e3);
}
