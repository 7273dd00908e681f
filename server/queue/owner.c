#include "server/queue/owner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "server/store/store.h"
#include "server/store/write.h"

/* ---- owners ---- */

struct owner *owner_find(const struct owners *owners, const char *name)
{
    struct owner *owner;
    LIST_FOREACH (owner, &owners->chains[hash_text(name) & (OWNER_CHAINS - 1)], of_chain)
        if (strcmp(owner->name, name) == 0)
            return owner;
    return NULL;
}

struct owner *owner_get(struct owners *owners, const char *name)
{
    struct owner *owner = owner_find(owners, name);
    if (owner || !(owner = calloc(1, sizeof *owner)))
        return owner;
    snprintf(owner->name, sizeof owner->name, "%s", name);
    LIST_INSERT_HEAD(&owners->chains[hash_text(owner->name) & (OWNER_CHAINS - 1)], owner, of_chain);
    LIST_INSERT_HEAD(&owners->all, owner, next);
    owners->count++;
    return owner;
}

static void owner_remove(struct owners *owners, struct owner *owner)
{
    LIST_REMOVE(owner, of_chain);
    LIST_REMOVE(owner, next);
    owners->count--;
}

static void owner_free(struct owner *owner)
{
    struct owner_device *at;
    while ((at = SLIST_FIRST(&owner->devices))) {
        SLIST_REMOVE_HEAD(&owner->devices, next);
        free(at);
    }
    free(owner);
}

void owner_free_all(struct owners *owners)
{
    struct owner *owner;
    while ((owner = LIST_FIRST(&owners->all))) {
        owner_remove(owners, owner);
        owner_free(owner);
    }
}

struct owner_device *owner_at_device(const struct owner *owner, int device)
{
    struct owner_device *at;
    SLIST_FOREACH (at, &owner->devices, next)
        if (at->device == device)
            return at;
    return NULL;
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

double owner_used_s(const struct owner *owner, int64_t now_ns, double half_life_s)
{
    return device_share_decayed(owner->used_s, (double)(now_ns - owner->used_ns) / 1e9, half_life_s);
}

void owner_charge(struct owner *owner, double took_s, int64_t now_ns, double half_life_s)
{
    owner->used_s = owner_used_s(owner, now_ns, half_life_s) + took_s;
    owner->used_ns = now_ns;
}

void owner_count(struct owner *owner, int count, double timeout_s)
{
    owner->waiting += count;
    owner->timeouts_ms += count * llround(timeout_s * 1e3);
}

/* ---- owner queues and device groups ---- */

struct owner_queue *owner_queue_bound(struct owner *owner, int device, struct device_group *group)
{
    struct owner_device *at = owner_at_device(owner, device);
    if (at)
        return &at->owner_queue;
    if (!(at = calloc(1, sizeof *at)))
        return NULL;
    at->device = device;
    at->owner_queue.owner = owner;
    at->owner_queue.device_group = group;
    SLIST_INSERT_HEAD(&owner->devices, at, next);
    return &at->owner_queue;
}

/* The unbound group of these devices; new if needed. NULL: no memory. */
static struct device_group *group_get(struct device_groups *groups, const struct device_set *devices)
{
    struct device_group *group;
    LIST_FOREACH (group, groups, next)
        if (device_set_equal(&group->devices, devices))
            return group;
    if (!(group = calloc(1, sizeof *group)))
        return NULL;
    group->devices = *devices;
    group->unbound = true;
    LIST_INSERT_HEAD(groups, group, next);
    return group;
}

static void group_free_unused(struct device_group *group)
{
    if (!group->unbound || !LIST_EMPTY(&group->owner_queues))
        return;
    LIST_REMOVE(group, next);
    free(group);
}

struct owner_queue *owner_queue_unbound(struct owner *owner, struct device_groups *groups,
                                        const struct device_set *devices)
{
    struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        const struct device_group *group = owner_queue->device_group;
        if (group->unbound && device_set_equal(&group->devices, devices))
            return owner_queue;
    }
    struct device_group *group = group_get(groups, devices);
    if (!group)
        return NULL;
    if (!(owner_queue = calloc(1, sizeof *owner_queue))) {
        group_free_unused(group);
        return NULL;
    }
    owner_queue->owner = owner;
    owner_queue->device_group = group;
    return owner_queue;
}

void owner_queue_join(struct owner_queue *owner_queue)
{
    if (owner_queue->entries++)
        return;
    LIST_INSERT_HEAD(&owner_queue->owner->owner_queues, owner_queue, of_owner);
    LIST_INSERT_HEAD(&owner_queue->device_group->owner_queues, owner_queue, of_group);
}

void owner_queue_leave(struct owner_queue *owner_queue)
{
    if (--owner_queue->entries)
        return;
    LIST_REMOVE(owner_queue, of_owner);
    LIST_REMOVE(owner_queue, of_group);
    struct device_group *group = owner_queue->device_group;
    if (!group->unbound)
        return;
    free(owner_queue);
    group_free_unused(group);
}

/* ---- forgetting owners ---- */

static const double negligible_s = 1e-3;

/* Owners that the queue no longer has, until their rows are removed from the disk. */
struct forget_write {
    struct store_write write; /* first: a write is cast to its forget_write */
    int count;
    struct owner **owners; /* freed with it; behind the names */
    const char *names[];   /* theirs */
};

/* An owner without work. */
struct idle_owner {
    struct owner *owner;
    double used_s; /* as of now */
};

static void forget_done(struct store_write *write, const struct error *failed)
{
    struct forget_write *forget = (struct forget_write *)write;
    if (failed)
        log_warning("the usage of %d owners without work stays on disk until the next start: %s",
                    forget->count, failed->text);
    for (int i = 0; i < forget->count; i++)
        owner_free(forget->owners[i]);
    free(forget);
}

static struct device_share idle_share(const struct idle_owner *idle)
{
    return (struct device_share){idle->owner->name, .used_s = idle->used_s, .served = idle->owner->served};
}

/* By decreasing usage. */
static int idle_compare(const void *a, const void *b)
{
    const struct device_share one = idle_share(a), other = idle_share(b);
    return device_share_before(&one, &other) ? 1 : -1;
}

/* The owners without work, by decreasing usage; to be freed. NULL: no memory. */
static struct idle_owner *idle_list(const struct owners *owners, int64_t now_ns, double half_life_s,
                                    int *count)
{
    struct idle_owner *list = calloc((size_t)owners->count + 1, sizeof *list);
    struct owner *owner;
    *count = 0;
    if (!list)
        return NULL;
    LIST_FOREACH (owner, &owners->all, next)
        if (LIST_EMPTY(&owner->owner_queues))
            list[(*count)++] = (struct idle_owner){owner, owner_used_s(owner, now_ns, half_life_s)};
    qsort(list, (size_t)*count, sizeof *list, idle_compare);
    return list;
}

void owner_forget(struct owners *owners, struct store *store, int64_t now_ns, double half_life_s)
{
    int count, remembered = 0;
    struct idle_owner *idle = idle_list(owners, now_ns, half_life_s, &count);
    while (idle && remembered < count && remembered < OWNERS_IDLE_MAX &&
           idle[remembered].used_s >= negligible_s)
        remembered++;
    struct forget_write *forget = NULL;
    size_t each = sizeof forget->names[0] + sizeof forget->owners[0];
    if (idle && remembered < count)
        forget = calloc(1, sizeof *forget + (size_t)(count - remembered) * each);
    if (forget) {
        forget->owners = (struct owner **)&forget->names[count - remembered];
        for (int i = remembered; i < count; i++) {
            owner_remove(owners, idle[i].owner);
            forget->names[forget->count] = idle[i].owner->name;
            forget->owners[forget->count++] = idle[i].owner;
        }
        forget->write.forgotten_owners = forget->names;
        forget->write.forgotten_count = forget->count;
        forget->write.done = forget_done;
        store_hand_over(store, &forget->write);
    }
    free(idle);
}
