#include "server/queue/queue_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/queue/entry.h"
#include "server/queue/schedule.h"

/* ---- positions ---- */

/* The devices that serve what waits: the listed ones of a set, or all of it when none is listed. */
struct servers {
    struct device_set devices;
    int count;
    int only; /* the number of the device when it is one; else -1 */
};

static struct servers servers_of(const struct queue *queue, const struct device_set *devices)
{
    struct servers servers = {.devices = device_set_both(devices, &queue->listed), .only = -1};
    if (!(servers.count = device_set_count(&servers.devices))) {
        servers.devices = *devices;
        servers.count = device_set_count(devices);
    }
    if (servers.count == 1)
        servers.only = device_set_next(&servers.devices, 0);
    return servers;
}

/* How many devices are in both sets. */
static int count_common(const struct device_set *a, const struct device_set *b)
{
    struct device_set common = device_set_both(a, b);
    return device_set_count(&common);
}

/* What of an owner waits for the same devices. */
struct owner_load {
    struct device_share share;
    int overrides; /* besides share.waiting */
    double part;   /* of each, the part that falls to these devices */
};

/* The overrides run first, so they count as usage and as the owner's last start. */
static struct owner_load load_of(const struct queue *queue, const struct owner *owner,
                                 const struct servers *servers, int64_t now_ns)
{
    double mean_s = schedule_mean_s(queue, owner, servers->only), part = 0;
    struct owner_load load = {.share = {.name = owner->name, .mean_s = mean_s, .served = owner->served}};
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        struct servers all = servers_of(queue, &owner_queue->device_group->devices);
        int here = count_common(&all.devices, &servers->devices);
        if (!here)
            continue;
        load.share.waiting += order_size(owner_queue->waiting);
        load.overrides += owner_queue->overrides;
        part += (order_size(owner_queue->waiting) + owner_queue->overrides) * (double)here / all.count;
    }
    load.share.used_s = schedule_used_s(queue, owner, now_ns) + load.overrides * mean_s;
    if (load.overrides)
        load.share.served = INT64_MAX;
    if (part > 0)
        load.part = part / (load.share.waiting + load.overrides);
    return load;
}

/* As schedule_mean_s(), or negative when it is not known. */
static double known_mean_s(const struct queue *queue, const struct owner *owner, int device)
{
    const struct run_mean *all = device >= 0 ? &queue->devices[device].run_mean : &queue->run_mean;
    return all->count ? schedule_mean_s(queue, owner, device) : -1;
}

/* Puts `count` more experiments, of so many seconds each, before it. */
static void position_behind(struct queue_position *position, int count, double mean_s)
{
    position->position += count;
    position->ahead_s += count * mean_s;
}

/* Behind what runs, unless one of the devices is free. */
static struct queue_position position_first(struct queue *queue, const struct owner *owner,
                                            const struct servers *servers, int64_t now_ns)
{
    struct queue_position position = {.own_s = known_mean_s(queue, owner, servers->only),
                                      .paused = servers->count > 0};
    double soonest_s = -1;
    bool free = !servers->count;
    for (int i = -1; (i = device_set_next(&servers->devices, i + 1)) >= 0;) {
        const struct entry *running = queue->devices[i].running;
        position.paused &= schedule_held(queue, i);
        free |= !running;
        double left_s =
            running ? schedule_run_s(queue, running, now_ns) - (double)(now_ns - running->started_ns) / 1e9
                    : 0;
        if (soonest_s < 0 || left_s < soonest_s)
            soonest_s = left_s;
    }
    if (!free)
        position_behind(&position, 1, soonest_s);
    return position;
}

/* ahead_s is not known while no device serves it, all of them are held, or no run time is known. */
static struct queue_position position_finish(const struct queue *queue, const struct servers *servers,
                                             struct queue_position position)
{
    if (!servers->count || position.paused ||
        (position.position && known_mean_s(queue, NULL, servers->only) < 0))
        position.ahead_s = -1;
    return position;
}

/* Of one that is no override, and has `before` others of its owner (NULL: a new one) before it. */
static struct queue_position position_by_share(struct queue *queue, const struct owner *owner,
                                               const struct servers *servers, int before)
{
    int64_t now_ns = queue_state_now_ns(queue);
    struct queue_position position = position_first(queue, owner, servers, now_ns);
    struct device_share own = {.name = "", .mean_s = schedule_mean_s(queue, NULL, servers->only)};
    if (owner)
        own = load_of(queue, owner, servers, now_ns).share;
    const struct owner *other;
    LIST_FOREACH (other, &queue->owners.all, next) {
        if (LIST_EMPTY(&other->owner_queues))
            continue;
        struct owner_load load = load_of(queue, other, servers, now_ns);
        int count = other == owner ? before : device_share_count(&own, before, &load.share);
        if (load.share.waiting || load.overrides)
            position_behind(&position, count + load.overrides,
                            load.share.mean_s * load.part / servers->count);
    }
    return position_finish(queue, servers, position);
}

static struct queue_position position_of_override(struct queue *queue, const struct entry *entry,
                                                  const struct servers *servers)
{
    struct queue_position position = position_first(queue, entry->owner, servers, queue_state_now_ns(queue));
    int before = 0;
    const struct device_group *group;
    for (int i = -1; (i = device_set_next(&servers->devices, i + 1)) >= 0;)
        before += order_position(queue->devices[i].group.overrides, &entry->order);
    LIST_FOREACH (group, &queue->device_groups, next)
        if (count_common(&group->devices, &servers->devices))
            before += order_position(group->overrides, &entry->order);
    position_behind(&position, before,
                    schedule_mean_s(queue, NULL, servers->only) / (servers->count ? servers->count : 1));
    return position_finish(queue, servers, position);
}

static struct queue_position position_of(struct queue *queue, const struct entry *entry)
{
    if (entry->phase == ENDING)
        return (struct queue_position){.position = -1, .own_s = -1};
    if (entry->phase == RUNNING)
        return (struct queue_position){.own_s = known_mean_s(queue, entry->owner, entry->task.device)};
    struct servers servers = servers_of(queue, &entry->owner_queue->device_group->devices);
    if (entry->order.priority >= PRIORITY_OVERRIDE)
        return position_of_override(queue, entry, &servers);
    int before = 0; /* of its owner */
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &entry->owner->owner_queues, of_owner) {
        struct servers others = servers_of(queue, &owner_queue->device_group->devices);
        if (owner_queue == entry->owner_queue || count_common(&others.devices, &servers.devices))
            before += order_position(owner_queue->waiting, &entry->order);
    }
    return position_by_share(queue, entry->owner, &servers, before);
}

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
    struct device_set devices = device_set_of(device);
    if (device < 0 || device >= queue->config.devices)
        return -1;
    pthread_mutex_lock(&queue->lock);
    const struct owner *owner = owner_find(&queue->owners, name);
    struct servers servers = servers_of(queue, &devices);
    int before = owner ? load_of(queue, owner, &servers, queue_state_now_ns(queue)).share.waiting : 0;
    double wait_s = position_by_share(queue, owner, &servers, before).ahead_s;
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
    stats->mean_s = known_mean_s(queue, NULL, index);
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

static int owners_compare(const void *a, const void *b)
{
    const struct queue_owner *one = a, *other = b;
    if (one->share != other->share)
        return one->share < other->share ? -1 : 1;
    return strcmp(one->name, other->name);
}

/* Sets what the owner runs next on the device, when that begins and when all of the owner's have ended. */
static void owner_set_next(struct queue *queue, const struct servers *servers, struct queue_owner *row)
{
    const struct owner *owner = owner_find(&queue->owners, row->name);
    const struct order_node *first = NULL;
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        const struct order_node *node = order_first(owner_queue->waiting);
        if (node && count_common(&owner_queue->device_group->devices, &servers->devices) &&
            (!first || order_before(node, first)))
            first = node;
    }
    if (!first)
        return;
    memcpy(row->next, first->id, ID_BYTES);
    int waiting = load_of(queue, owner, servers, queue_state_now_ns(queue)).share.waiting;
    struct queue_position last = position_by_share(queue, owner, servers, waiting - 1);
    row->begins_s = position_by_share(queue, owner, servers, 0).ahead_s;
    row->ends_s = last.ahead_s < 0 || last.own_s < 0 ? -1 : last.ahead_s + last.own_s;
}

int queue_view_owners(struct queue *queue, int device, struct queue_owner **out)
{
    const struct owner *owner;
    const struct device_set devices = device_set_of(device);
    int count = 0;
    double all_s = 0; /* the usage of all owners */
    pthread_mutex_lock(&queue->lock);
    const struct entry *running = queue->devices[device].running;
    const struct servers servers = servers_of(queue, &devices);
    int64_t now_ns = queue_state_now_ns(queue);
    struct queue_owner *owners = *out = calloc((size_t)queue->owners.count + 1, sizeof *owners);
    LIST_FOREACH (owner, &queue->owners.all, next) {
        struct owner_load load = load_of(queue, owner, &servers, now_ns);
        int queued = load.share.waiting + load.overrides;
        double used_s = owner_used_s(owner, now_ns, queue->config.half_life_s);
        bool runs = running && running->owner == owner;
        all_s += used_s;
        if (!owners || !(queued || runs))
            continue;
        struct queue_owner *row = &owners[count++];
        *row = (struct queue_owner){
            .queued = queued, .running = runs, .share = used_s, .begins_s = -1, .ends_s = -1};
        memcpy(row->name, owner->name, sizeof row->name);
    }
    for (int i = 0; i < count; i++)
        owners[i].share = all_s > 0 ? owners[i].share / all_s : 0;
    if (owners)
        qsort(owners, (size_t)count, sizeof *owners, owners_compare);
    for (int i = 0; i < count && i < QUEUE_OWNERS_PLACED; i++)
        owner_set_next(queue, &servers, &owners[i]);
    pthread_mutex_unlock(&queue->lock);
    return owners ? count : -1;
}
