#include "server/queue/owner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "server/store/store.h"
#include "server/store/write.h"

enum { MEAN_RUNS = 16 };

/* ---- shares of device time ---- */

bool device_share_before(const struct device_share *a, const struct device_share *b)
{
    if (a->used_s != b->used_s)
        return a->used_s < b->used_s;
    if (a->served != b->served)
        return a->served < b->served;
    return strcmp(a->name, b->name) < 0;
}

/* When `own` has run `own_runs` times and `other` `runs` times, both have used the same: is `other` next?
   The one that was served longest ago is; when both have run, that is the one whose last run was longer. */
static bool tie_before(const struct device_share *own, int own_runs, const struct device_share *other,
                       int runs)
{
    if (!runs && !own_runs)
        return device_share_before(&(struct device_share){.name = other->name, .served = other->served},
                                   &(struct device_share){.name = own->name, .served = own->served});
    if (!runs || !own_runs)
        return !runs;
    if (other->mean_s != own->mean_s)
        return other->mean_s > own->mean_s;
    int fewer = runs < own_runs ? runs : own_runs; /* the earlier runs were ties, too */
    return tie_before(own, own_runs - fewer, other, runs - fewer);
}

int device_share_count(const struct device_share *own, int position, const struct device_share *other)
{
    double runs = (own->used_s + position * own->mean_s - other->used_s) / other->mean_s;
    if (runs < 0 || !other->waiting)
        return 0;
    if (runs > other->waiting)
        return other->waiting;
    int whole = (int)runs;
    if (runs > whole || tie_before(own, position, other, whole))
        whole++;
    return whole < other->waiting ? whole : other->waiting;
}

double device_share_decayed(double used_s, double after_s, double half_life_s)
{
    return after_s > 0 && used_s > 0 ? used_s * exp2(-after_s / half_life_s) : used_s;
}

void run_mean_add(struct run_mean *mean, double took_s, double bytes)
{
    if (mean->count < MEAN_RUNS)
        mean->count++;
    double gain = 1.0 / mean->count, longer_s = took_s - mean->mean_s;
    double larger = bytes > 0 && mean->mean_bytes > 0 ? bytes - mean->mean_bytes : 0;
    mean->variance = (1 - gain) * (mean->variance + gain * larger * larger);
    mean->covariance = (1 - gain) * (mean->covariance + gain * larger * longer_s);
    mean->mean_s += gain * longer_s;
    mean->mean_bytes = mean->mean_bytes > 0 ? mean->mean_bytes + gain * larger : bytes;
}

double run_mean_expected_s(const struct run_mean *mean, double bytes)
{
    /* Runs of nearly the same bytes differ by noise alone: below a sixteenth of the mean the slope is small. */
    static const double spread_least = 1.0 / 16;
    if (!(bytes > 0 && mean->variance > 0 && mean->covariance > 0))
        return mean->mean_s;
    double least = spread_least * mean->mean_bytes;
    double slope = fmin(mean->covariance / (mean->variance + least * least), mean->mean_s / mean->mean_bytes);
    return mean->mean_s + slope * (bytes - mean->mean_bytes);
}

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

struct run_mean *owner_run_mean(struct owner *owner, int device)
{
    struct owner_device *at;
    SLIST_FOREACH (at, &owner->devices, next)
        if (at->device == device)
            return &at->run_mean;
    if (!(at = calloc(1, sizeof *at)))
        return NULL;
    at->device = device;
    SLIST_INSERT_HEAD(&owner->devices, at, next);
    return &at->run_mean;
}

struct device_set owner_devices(const struct owner *owner)
{
    struct device_set all = {{0}};
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner)
        for (int i = 0; owner_queue->waiting && i < DEVICE_SET_WORDS; i++)
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

/* ---- owner queues and device groups ---- */

static void group_free_unused(struct device_group *group)
{
    if (!group->unbound || !LIST_EMPTY(&group->owner_queues))
        return;
    LIST_REMOVE(group, next);
    free(group);
}

struct owner_queue *owner_queue_get(struct owner *owner, struct device_group *group)
{
    struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner)
        if (owner_queue->device_group == group)
            return owner_queue;
    if ((owner_queue = calloc(1, sizeof *owner_queue)))
        *owner_queue = (struct owner_queue){.owner = owner, .device_group = group};
    else
        group_free_unused(group);
    return owner_queue;
}

struct owner_queue *owner_queue_unbound(struct owner *owner, struct device_groups *groups,
                                        const struct device_set *devices)
{
    struct device_group *group;
    LIST_FOREACH (group, groups, next)
        if (device_set_equal(&group->devices, devices))
            return owner_queue_get(owner, group);
    if (!(group = calloc(1, sizeof *group)))
        return NULL;
    group->devices = *devices;
    group->unbound = true;
    LIST_INSERT_HEAD(groups, group, next);
    return owner_queue_get(owner, group);
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
    group_free_unused(owner_queue->device_group);
    free(owner_queue);
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

/* By usage as of the same moment, the least first. */
static int idle_compare(const void *a, const void *b)
{
    const struct owner *one = *(struct owner *const *)a, *other = *(struct owner *const *)b;
    return device_share_before(&(struct device_share){one->name, one->used_s, .served = one->served},
                               &(struct device_share){other->name, other->used_s, .served = other->served})
               ? -1
               : 1;
}

void owner_forget(struct owners *owners, struct store *store, int64_t now_ns, double half_life_s)
{
    struct forget_write *forget = NULL;
    struct owner *owner;
    int idle = 0;
    size_t each = sizeof forget->names[0] + sizeof(struct owner *);
    if (!(forget = calloc(1, sizeof *forget + (size_t)owners->count * each)))
        return;
    forget->owners = (struct owner **)&forget->names[owners->count];
    LIST_FOREACH (owner, &owners->all, next)
        if (LIST_EMPTY(&owner->owner_queues)) {
            owner_charge(owner, 0, now_ns, half_life_s);
            forget->owners[idle++] = owner;
        }
    qsort(forget->owners, (size_t)idle, sizeof(struct owner *), idle_compare);
    while (forget->count < idle &&
           (idle - forget->count > OWNERS_IDLE_MAX || forget->owners[forget->count]->used_s < negligible_s)) {
        owner = forget->owners[forget->count];
        owner_remove(owners, owner);
        forget->names[forget->count++] = owner->name;
    }
    forget->write = (struct store_write){
        .forgotten_owners = forget->names, .forgotten_count = forget->count, .done = forget_done};
    if (forget->count)
        store_hand_over(store, &forget->write);
    else
        free(forget);
}
