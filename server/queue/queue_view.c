#include "server/queue/queue_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/queue/entry.h"
#include "server/queue/position.h"
#include "server/queue/schedule.h"

void queue_view_lock(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
}

void queue_view_unlock(struct queue *queue)
{
    pthread_mutex_unlock(&queue->lock);
}

int queue_view_position(struct queue *queue, const char *id, struct queue_position *position)
{
    *position = (struct queue_position){.position = -1, .own_s = -1};
    pthread_mutex_lock(&queue->lock);
    const struct entry *entry = entry_find(queue, id);
    if (entry)
        *position = position_own(queue, entry);
    pthread_mutex_unlock(&queue->lock);
    return position->position;
}

double queue_view_wait_s(struct queue *queue, int device, const char *name)
{
    struct device_set devices = device_set_of(device);
    if (device < 0 || device >= queue->config.devices)
        return -1;
    pthread_mutex_lock(&queue->lock);
    const struct owner *owner = owner_find(&queue->owners, name);
    struct position_servers servers = position_servers(queue, &devices);
    int before = owner ? position_load(queue, owner, &servers, queue_state_now_ns(queue)).share.waiting : 0;
    double wait_s = position_by_share(queue, owner, &servers, before, -1).ahead_s;
    pthread_mutex_unlock(&queue->lock);
    return wait_s;
}

/* ---- sweeps ---- */

/* Does the first of these run after the second? Those of a sweep have one owner. */
static bool runs_after(const struct entry *entry, const struct entry *other)
{
    return other->phase == RUNNING || (entry->phase == WAITING && order_before(&other->order, &entry->order));
}

/* Seconds until it has ended; of a sweep that goes to one device as a whole, until all that waits has. */
static double entry_eta_s(struct queue *queue, const struct entry_sweep *sweep, const struct entry *entry,
                          bool *paused)
{
    struct queue_position position = position_of_entry(queue, entry);
    bool whole = entry->phase == WAITING && entry_unbound(entry) && !sweep->spread;
    *paused |= position.paused;
    if (position.own_s < 0 || position.ahead_s < 0)
        return -1;
    return position.ahead_s + (whole ? sweep->waiting : 1) * position.own_s;
}

double queue_view_sweep_eta_s(struct queue *queue, const char *id, bool *paused)
{
    /* What runs last on each device; and of the unbound ones the last, or the first when the sweep goes to
       one device. */
    const struct entry *last[DEVICE_SET_MOST + 1] = {0}, *entry;
    double eta_s = -1;
    bool known = true;
    *paused = false;
    pthread_mutex_lock(&queue->lock);
    const struct entry_sweep *sweep = entry_sweep_find(queue, id);
    if (sweep)
        LIST_FOREACH (entry, &sweep->entries, of_sweep) {
            bool unbound = entry->task.device < 0;
            const struct entry **at = &last[unbound ? DEVICE_SET_MOST : entry->task.device];
            bool first = unbound && !sweep->spread;
            if (entry->phase != ENDING && (!*at || runs_after(entry, *at) != first))
                *at = entry;
        }
    for (int i = 0; sweep && i <= DEVICE_SET_MOST; i++) {
        if (!last[i])
            continue;
        double one_s = entry_eta_s(queue, sweep, last[i], paused);
        known &= one_s >= 0;
        eta_s = one_s > eta_s ? one_s : eta_s;
    }
    pthread_mutex_unlock(&queue->lock);
    return known ? eta_s : -1;
}

char *queue_view_sweep_next(struct queue *queue, const char *id, int *device, bool *runs)
{
    const struct entry *next = NULL, *entry;
    *runs = false;
    pthread_mutex_lock(&queue->lock);
    const struct entry_sweep *sweep = entry_sweep_find(queue, id);
    if (sweep)
        LIST_FOREACH (entry, &sweep->entries, of_sweep) {
            *runs |= entry->phase == RUNNING;
            if (entry->phase == WAITING && (!next || order_before(&entry->order, &next->order)))
                next = entry;
        }
    char *request = next && !*runs ? strdup(next->task.request) : NULL;
    *device = next ? next->task.device : -1;
    pthread_mutex_unlock(&queue->lock);
    return request;
}

int queue_view_sweep_ended(struct queue *queue, const char *id, char ended[][ID_BYTES], int most)
{
    int count = 0;
    const struct entry *entry;
    pthread_mutex_lock(&queue->lock);
    const struct entry_sweep *sweep = entry_sweep_find(queue, id);
    if (sweep)
        LIST_FOREACH (entry, &sweep->entries, of_sweep)
            if (entry->ended && count < most)
                memcpy(ended[count++], entry->task.id, ID_BYTES);
    pthread_mutex_unlock(&queue->lock);
    return count;
}

/* ---- devices ---- */

static void all_devices_read(struct queue *queue, struct device_stats *stats)
{
    const struct device_group *group;
    stats->hold = queue->hold;
    for (int i = 0; i < queue->config.devices; i++)
        stats->queued += order_size(queue->devices[i].group.ages);
    LIST_FOREACH (group, &queue->device_groups, next)
        stats->queued += order_size(group->ages);
}

static void device_read(struct queue *queue, int index, struct device_stats *stats)
{
    const struct device_queue *device = &queue->devices[index];
    struct device_group *group = NULL;
    const char *oldest = NULL;
    int64_t busy_ns = device->busy_ns;
    while ((group = schedule_group_after(queue, index, group))) {
        const struct order_node *first = order_first(group->ages);
        stats->queued += order_size(group->ages);
        if (first && (!oldest || strcmp(first->id, oldest) < 0))
            oldest = first->id;
    }
    if (device->running) {
        busy_ns += queue_state_now_ns(queue) - device->running->started_ns;
        memcpy(stats->running, device->running->task.id, ID_BYTES);
    }
    stats->bound = order_size(device->group.ages);
    stats->oldest_s = oldest ? fmax(0, (double)(clock_wall_ms() - id_ms(oldest)) / 1e3) : 0;
    stats->mean_s = position_if_known(queue, index, schedule_mean_s(queue, NULL, index));
    stats->hold = device->hold;
    stats->busy_s = (double)busy_ns / 1e9;
}

void queue_view_device(struct queue *queue, int index, struct device_stats *stats)
{
    *stats = (struct device_stats){.mean_s = -1};
    pthread_mutex_lock(&queue->lock);
    if (index == QUEUE_ALL_DEVICES)
        all_devices_read(queue, stats);
    else if (index >= 0 && index < queue->config.devices)
        device_read(queue, index, stats);
    pthread_mutex_unlock(&queue->lock);
}

bool queue_view_held(struct queue *queue, int device)
{
    pthread_mutex_lock(&queue->lock);
    bool held = schedule_held(queue, device);
    pthread_mutex_unlock(&queue->lock);
    return held;
}

bool queue_view_cancelled(struct queue *queue, int device)
{
    pthread_mutex_lock(&queue->lock);
    const struct entry *running = queue->devices[device].running;
    bool cancelled = running && running->cancelled;
    pthread_mutex_unlock(&queue->lock);
    return cancelled;
}

bool queue_view_stopping(struct queue *queue)
{
    return queue->stopping;
}

/* ---- the owners of a device ---- */

/* A row of the list while it is sorted. */
struct listed_owner {
    struct queue_owner row;
    const struct order_node *first_override; /* NULL: the owner has none */
};

static int owners_compare(const void *a, const void *b)
{
    const struct queue_owner *one = &((const struct listed_owner *)a)->row,
                             *other = &((const struct listed_owner *)b)->row;
    const struct order_node *override = ((const struct listed_owner *)a)->first_override,
                            *theirs = ((const struct listed_owner *)b)->first_override;
    if (override && theirs)
        return order_before(override, theirs) ? -1 : 1;
    if (override || theirs)
        return override ? -1 : 1;
    if (one->share != other->share)
        return one->share < other->share ? -1 : 1;
    return strcmp(one->name, other->name);
}

/* The first override of the owner for these devices, or the last one; NULL: there is none. */
static const struct entry *override_find(const struct owner *owner, const struct position_servers *servers,
                                         bool last)
{
    const struct order_node *found = NULL;
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        const struct device_group *group = owner_queue->device_group;
        int at = last ? order_size(group->overrides) - 1 : 0;
        if (!owner_queue->overrides || !device_set_count_both(&group->devices, &servers->devices))
            continue;
        const struct order_node *node = order_at(group->overrides, at);
        while (((const struct entry *)node)->owner != owner)
            node = order_at(group->overrides, at += last ? -1 : 1);
        if (!found || order_before(node, found) != last)
            found = node;
    }
    return (const struct entry *)found;
}

/* The first, or the last, of the owner's experiments that wait for these devices, without overrides. NULL: none. */
static const struct entry *waiting_find(const struct owner *owner, const struct position_servers *servers,
                                        bool last)
{
    const struct order_node *found = NULL;
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        struct order_node *waiting = owner_queue->waiting,
                          *node = order_at(waiting, last ? order_size(waiting) - 1 : 0);
        if (node && device_set_count_both(&owner_queue->device_group->devices, &servers->devices) &&
            (!found || order_before(node, found) != last))
            found = node;
    }
    return (const struct entry *)found;
}

/* Sets the id of the owner's next experiment on the device, when it begins, and when all that the owner has waiting there
   will have ended. */
static void owner_set_next(struct queue *queue, const struct position_servers *servers,
                           struct queue_owner *row)
{
    const struct owner *owner = owner_find(&queue->owners, row->name);
    const struct entry *first = override_find(owner, servers, false),
                       *last = waiting_find(owner, servers, true);
    if (!first)
        first = waiting_find(owner, servers, false);
    if (!last)
        last = override_find(owner, servers, true);
    if (!first)
        return;
    struct queue_position begins = position_own(queue, first), ends = position_own(queue, last);
    memcpy(row->next, first->task.id, ID_BYTES);
    row->begins_s = begins.ahead_s;
    row->ends_s = ends.ahead_s < 0 || ends.own_s < 0 ? -1 : ends.ahead_s + ends.own_s;
}

int queue_view_owners(struct queue *queue, int device, struct queue_owner **out)
{
    const struct owner *owner;
    const struct device_set devices = device_set_of(device);
    int count = 0;
    double all_s = 0; /* the usage of all owners */
    pthread_mutex_lock(&queue->lock);
    const struct entry *running = queue->devices[device].running;
    const struct position_servers servers = position_servers(queue, &devices);
    int64_t now_ns = queue_state_now_ns(queue);
    size_t most = (size_t)queue->owners.count + 1;
    struct listed_owner *listed = calloc(most, sizeof *listed);
    struct queue_owner *owners = *out = calloc(most, sizeof *owners);
    bool memory = listed && owners;
    LIST_FOREACH (owner, &queue->owners.all, next) {
        struct position_load load = position_load(queue, owner, &servers, now_ns);
        int queued = load.share.waiting + load.overrides;
        double used_s = schedule_used_s(queue, owner, now_ns);
        bool runs = running && running->owner == owner;
        all_s += used_s;
        if (!memory || !(queued || runs))
            continue;
        struct listed_owner *one = &listed[count++];
        one->row = (struct queue_owner){.queued = queued,
                                        .running = runs,
                                        .share = used_s,
                                        .overrides = load.overrides,
                                        .begins_s = -1,
                                        .ends_s = -1};
        if (load.overrides)
            one->first_override = &override_find(owner, &servers, false)->order;
        memcpy(one->row.name, owner->name, sizeof one->row.name);
    }
    if (memory)
        qsort(listed, (size_t)count, sizeof *listed, owners_compare);
    for (int i = 0; i < count; i++) {
        owners[i] = listed[i].row;
        owners[i].share = all_s > 0 ? owners[i].share / all_s : 0;
        if (i < QUEUE_OWNERS_PLACED)
            owner_set_next(queue, &servers, &owners[i]);
    }
    pthread_mutex_unlock(&queue->lock);
    free(listed);
    return memory ? count : -1;
}

/* ---- shares ---- */

static int shares_compare(const void *a, const void *b)
{
    const struct queue_share *one = a, *other = b;
    if (one->share != other->share)
        return one->share > other->share ? -1 : 1;
    return strcmp(one->name, other->name);
}

int queue_view_shares(struct queue *queue, struct queue_share **out)
{
    const struct owner *owner;
    int count = 0;
    double all_s = 0;
    pthread_mutex_lock(&queue->lock);
    int64_t now_ns = queue_state_now_ns(queue);
    struct queue_share *shares = *out = calloc((size_t)queue->owners.count + 1, sizeof *shares);
    if (shares)
        LIST_FOREACH (owner, &queue->owners.all, next) {
            double used_s = schedule_used_s(queue, owner, now_ns);
            if (used_s <= 0)
                continue;
            memcpy(shares[count].name, owner->name, sizeof owner->name);
            shares[count++].share = used_s;
            all_s += used_s;
        }
    pthread_mutex_unlock(&queue->lock);
    if (!shares)
        return -1;
    for (int i = 0; i < count; i++)
        shares[i].share /= all_s;
    qsort(shares, (size_t)count, sizeof *shares, shares_compare);
    return count < QUEUE_SHARES_MOST ? count : QUEUE_SHARES_MOST;
}
