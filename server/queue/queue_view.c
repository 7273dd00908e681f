#include "server/queue/queue_view.h"

#include <stdlib.h>
#include <string.h>

#include "server/queue/entry.h"
#include "server/queue/position.h"
#include "server/queue/schedule.h"

int queue_view_position(struct queue *queue, const char *id, struct queue_position *position)
{
    *position = (struct queue_position){.position = -1, .own_s = -1};
    pthread_mutex_lock(&queue->lock);
    const struct entry *entry = entry_find(queue, id);
    if (entry) {
        *position = position_of(queue, entry);
        position->running = entry->phase == RUNNING;
        position->cancelled = position->running && entry->cancelled;
        position->device = entry->task.device;
    }
    pthread_mutex_unlock(&queue->lock);
    return position->position;
}

double queue_view_wait_s(struct queue *queue, int device, const char *name)
{
    int before = 0, overrides = 0;
    if (device < 0 || device >= queue->config.devices)
        return -1;
    pthread_mutex_lock(&queue->lock);
    const struct owner *owner = owner_find(&queue->owners, name);
    if (owner)
        position_waiting(queue, owner, device, &before, &overrides);
    double wait_s = position_at_device(queue, owner, device, before).ahead_s;
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
    struct queue_position position = position_of(queue, entry);
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

char *queue_view_sweep_next(struct queue *queue, const char *id, int *device)
{
    const struct entry *next = NULL, *entry;
    bool runs = false;
    pthread_mutex_lock(&queue->lock);
    const struct entry_sweep *sweep = entry_sweep_find(queue, id);
    if (sweep)
        LIST_FOREACH (entry, &sweep->entries, of_sweep) {
            runs |= entry->phase == RUNNING;
            if (entry->phase == WAITING && (!next || order_before(&entry->order, &next->order)))
                next = entry;
        }
    char *request = next && !runs ? strdup(next->task.request) : NULL;
    *device = next ? next->task.device : -1;
    pthread_mutex_unlock(&queue->lock);
    return request;
}

/* ---- devices ---- */

void queue_view_device(struct queue *queue, int index, struct device_stats *stats)
{
    *stats = (struct device_stats){.mean_s = -1};
    if (index < 0 || index >= queue->config.devices)
        return;
    const struct device_queue *device = &queue->devices[index];
    struct device_group *group = NULL;
    const char *oldest = NULL;
    pthread_mutex_lock(&queue->lock);
    while ((group = schedule_group_after(queue, index, group))) {
        const struct order_node *first = order_first(group->ages);
        stats->queued += group->waiting;
        if (first && (!oldest || strcmp(first->id, oldest) < 0))
            oldest = first->id;
    }
    stats->bound = device->group.waiting;
    double age_s = oldest ? (double)(clock_wall_ms() - id_ms(oldest)) / 1e3 : 0;
    stats->oldest_s = age_s > 0 ? age_s : 0;
    stats->mean_s = device->run_mean.count ? schedule_mean_s(queue, NULL, index) : -1;
    stats->hold = device->hold;
    int64_t busy_ns = device->busy_ns;
    if (device->running) {
        busy_ns += queue_state_now_ns(queue) - device->running->started_ns;
        memcpy(stats->running, device->running->task.id, ID_BYTES);
    }
    stats->busy_s = (double)busy_ns / 1e9;
    pthread_mutex_unlock(&queue->lock);
}

int queue_view_waiting(struct queue *queue)
{
    int waiting = 0;
    const struct device_group *group;
    pthread_mutex_lock(&queue->lock);
    for (int i = 0; i < queue->config.devices; i++)
        waiting += queue->devices[i].group.waiting;
    LIST_FOREACH (group, &queue->device_groups, next)
        waiting += group->waiting;
    pthread_mutex_unlock(&queue->lock);
    return waiting;
}

void queue_view_hold(struct queue *queue, struct queue_hold *hold)
{
    pthread_mutex_lock(&queue->lock);
    *hold = queue->hold;
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
    pthread_mutex_lock(&queue->lock);
    bool stopping = queue->stopping;
    pthread_mutex_unlock(&queue->lock);
    return stopping;
}

/* ---- the owners of a device ---- */

static int owners_compare(const void *a, const void *b)
{
    const struct queue_owner *one = a, *other = b;
    if (one->share != other->share)
        return one->share < other->share ? -1 : 1;
    return strcmp(one->name, other->name);
}

/* Sets what the owner runs next on the device, when that begins and when all of the owner's have ended. */
static void owner_set_next(struct queue *queue, int device, struct queue_owner *row)
{
    const struct owner *owner = owner_find(&queue->owners, row->name);
    const struct order_node *first = NULL;
    const struct owner_queue *owner_queue;
    int count, overrides;
    position_waiting(queue, owner, device, &count, &overrides);
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        const struct order_node *node = order_first(owner_queue->waiting);
        if (node && device_set_has(&owner_queue->device_group->devices, device) &&
            (!first || order_before(node, first)))
            first = node;
    }
    if (!first)
        return;
    memcpy(row->next, first->id, ID_BYTES);
    struct queue_position last = position_at_device(queue, owner, device, count - 1);
    row->begins_s = position_at_device(queue, owner, device, 0).ahead_s;
    row->ends_s = last.ahead_s < 0 || last.own_s < 0 ? -1 : last.ahead_s + last.own_s;
}

/* What is shown of an owner, but for what it runs next. `all_s` is the usage of all owners. */
static struct queue_owner owner_row(struct queue *queue, int device, const struct owner *owner, double all_s,
                                    int64_t now_ns)
{
    const struct entry *running = queue->devices[device].running;
    struct queue_owner row = {.running = running && running->owner == owner, .begins_s = -1, .ends_s = -1};
    int count, overrides;
    position_waiting(queue, owner, device, &count, &overrides);
    row.queued = count + overrides;
    row.share = all_s > 0 ? owner_used_s(owner, now_ns, queue->config.half_life_s) / all_s : 0;
    memcpy(row.name, owner->name, sizeof row.name);
    return row;
}

int queue_view_owners(struct queue *queue, int device, struct queue_owner **out)
{
    const struct owner *owner;
    int count = 0;
    double all_s = 0;
    pthread_mutex_lock(&queue->lock);
    int64_t now_ns = queue_state_now_ns(queue);
    LIST_FOREACH (owner, &queue->owners.all, next)
        all_s += owner_used_s(owner, now_ns, queue->config.half_life_s);
    struct queue_owner *owners = *out = calloc((size_t)queue->owners.count + 1, sizeof *owners);
    if (owners)
        LIST_FOREACH (owner, &queue->owners.all, next) {
            owners[count] = owner_row(queue, device, owner, all_s, now_ns);
            count += owners[count].queued || owners[count].running;
        }
    if (owners)
        qsort(owners, (size_t)count, sizeof *owners, owners_compare);
    for (int i = 0; owners && i < count && i < QUEUE_OWNERS_PLACED; i++)
        owner_set_next(queue, device, &owners[i]);
    pthread_mutex_unlock(&queue->lock);
    return owners ? count : -1;
}
