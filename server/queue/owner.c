#include "server/queue/owner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/store/id.h"

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

struct owner_queue *owner_bound(struct owner *owner, int device, struct device_group *own)
{
    struct owner_device *at = owner_at(owner, device);
    if (at)
        return &at->owner_queue;
    if (!(at = calloc(1, sizeof *at)))
        return NULL;
    at->next = owner->devices;
    at->device = device;
    at->owner_queue.owner = owner;
    at->owner_queue.device_group = own;
    owner->devices = at;
    return &at->owner_queue;
}

struct owner_queue *owner_unbound(struct owner *owner, struct device_groups *device_groups,
                                  const struct device_set *devices)
{
    return owner_queue_unbound(device_groups, owner, &owner->owner_queues, devices);
}

struct device_set owner_devices(const struct owner *owner)
{
    struct device_set all = {{0}};
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner)
        for (int i = 0; owner_queue->count && i < DEVICE_SET_WORDS; i++)
            all.words[i] |= owner_queue->device_group->devices.words[i];
    return all;
}

double owner_used(const struct owner *owner, int64_t now_ns, double half_life_s)
{
    return device_share_decayed(owner->used_s, (double)(now_ns - owner->used_ns) / 1e9, half_life_s);
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
