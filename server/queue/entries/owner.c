#include "server/queue/entries/owner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/store/rows/id.h"

static struct owner **owner_chain(struct owners *owners, const char *name)
{
    return &owners->chains[id_hash(name) & (OWNER_CHAINS - 1)];
}

struct owner *owner_find(const struct owners *owners, const char *name)
{
    struct owner *owner = owners->chains[id_hash(name) & (OWNER_CHAINS - 1)];
    while (owner && strcmp(owner->name, name) != 0)
        owner = owner->chain;
    return owner;
}

struct owner *owner_add(struct owners *owners, const char *name)
{
    struct owner *owner = calloc(1, sizeof *owner);
    if (!owner)
        return NULL;
    snprintf(owner->name, sizeof owner->name, "%s", name);
    struct owner **chain = owner_chain(owners, owner->name);
    owner->chain = *chain;
    *chain = owner;
    LIST_INSERT_HEAD(&owners->all, owner, next);
    owners->count++;
    return owner;
}

void owner_remove(struct owners *owners, struct owner *owner)
{
    struct owner **link = owner_chain(owners, owner->name);
    while (*link != owner)
        link = &(*link)->chain;
    *link = owner->chain;
    LIST_REMOVE(owner, next);
    owners->count--;
}

void owner_free(struct owner *owner)
{
    for (struct owner_device *next; owner->devices; owner->devices = next) {
        next = owner->devices->next;
        free(owner->devices);
    }
    free(owner);
}

void owners_free(struct owners *owners)
{
    while (!LIST_EMPTY(&owners->all)) {
        struct owner *owner = LIST_FIRST(&owners->all);
        LIST_REMOVE(owner, next);
        owner_free(owner);
    }
}

struct owner_device *owner_at(const struct owner *owner, int device)
{
    struct owner_device *at = owner->devices;
    while (at && at->device != device)
        at = at->next;
    return at;
}

struct line *owner_bound(struct owner *owner, int device, struct set *own)
{
    struct owner_device *at = owner_at(owner, device);
    if (at)
        return &at->line;
    if (!(at = calloc(1, sizeof *at)))
        return NULL;
    at->next = owner->devices;
    at->device = device;
    at->line.owner = owner;
    at->line.set = own;
    owner->devices = at;
    return &at->line;
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
