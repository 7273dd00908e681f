#include "server/queue/position.h"

#include "server/queue/schedule.h"

struct position_servers position_servers(const struct queue *queue, const struct device_set *devices)
{
    struct position_servers servers = {.devices = device_set_both(devices, &queue->listed), .only = -1};
    if (!(servers.count = device_set_count(&servers.devices))) {
        servers.devices = *devices;
        servers.count = device_set_count(devices);
    }
    if (servers.count == 1)
        servers.only = device_set_next(&servers.devices, 0);
    return servers;
}

/* The overrides run first, so they count as usage and as the owner's last start. */
struct position_load position_load(const struct queue *queue, const struct owner *owner,
                                   const struct position_servers *servers, int64_t now_ns)
{
    double mean_s = schedule_mean_s(queue, owner, servers->only), part = 0;
    struct position_load load = {.share = {.name = owner->name, .mean_s = mean_s, .served = owner->served}};
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        struct position_servers all = position_servers(queue, &owner_queue->device_group->devices);
        int here = device_set_count_both(&all.devices, &servers->devices);
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

double position_if_known(const struct queue *queue, int device, double expected_s)
{
    const struct run_mean *all = device >= 0 ? &queue->devices[device].run_mean : &queue->run_mean;
    return all->count ? expected_s : -1;
}

/* What is left of an experiment that runs. */
static double position_left_s(const struct queue *queue, const struct entry *running, int64_t now_ns)
{
    return schedule_run_s(queue, running, now_ns) - (double)(now_ns - running->started_ns) / 1e9;
}

double position_own_s(const struct queue *queue, const struct entry *entry)
{
    double own_s = entry->phase == RUNNING ? position_left_s(queue, entry, queue_state_now_ns(queue))
                                           : schedule_entry_s(queue, entry);
    return position_if_known(queue, entry->task.device, own_s);
}

/* Puts `count` more experiments, of so many seconds each, before it. */
static void position_behind(struct queue_position *position, int count, double mean_s)
{
    position->position += count;
    position->ahead_s += count * mean_s;
}

/* Behind what runs, unless one of the devices is free. */
static struct queue_position position_first(struct queue *queue, const struct owner *owner,
                                            const struct position_servers *servers, int64_t now_ns)
{
    struct queue_position position = {
        .own_s = position_if_known(queue, servers->only, schedule_mean_s(queue, owner, servers->only)),
        .paused = servers->count > 0};
    double soonest_s = -1;
    bool free = !servers->count;
    for (int i = -1; (i = device_set_next(&servers->devices, i + 1)) >= 0;) {
        const struct entry *running = queue->devices[i].running;
        position.paused &= schedule_held(queue, i);
        free |= !running;
        double left_s = running ? position_left_s(queue, running, now_ns) : 0;
        if (soonest_s < 0 || left_s < soonest_s)
            soonest_s = left_s;
    }
    if (!free)
        position_behind(&position, 1, soonest_s);
    return position;
}

/* Makes ahead_s negative, which means not known, while no device serves the experiment, all its devices are paused, or no
   duration of a run is known. */
static struct queue_position position_finish(const struct queue *queue,
                                             const struct position_servers *servers,
                                             struct queue_position position)
{
    if (!servers->count || position.paused ||
        (position.position && position_if_known(queue, servers->only, 0) < 0))
        position.ahead_s = -1;
    return position;
}

struct queue_position position_by_share(struct queue *queue, const struct owner *owner,
                                        const struct position_servers *servers, int before, double mean_bytes)
{
    int64_t now_ns = queue_state_now_ns(queue);
    struct queue_position position = position_first(queue, owner, servers, now_ns);
    struct device_share own = {.name = "", .mean_s = schedule_mean_s(queue, NULL, servers->only)};
    if (owner)
        own = position_load(queue, owner, servers, now_ns).share;
    const struct owner *other;
    LIST_FOREACH (other, &queue->owners.all, next) {
        if (LIST_EMPTY(&other->owner_queues))
            continue;
        struct position_load load = position_load(queue, other, servers, now_ns);
        int count = other == owner ? before : device_share_count(&own, before, &load.share);
        double mean_s = other == owner && mean_bytes >= 0
                            ? schedule_bytes_s(queue, owner, servers->only, mean_bytes)
                            : load.share.mean_s;
        if (load.share.waiting || load.overrides)
            position_behind(&position, count + load.overrides, mean_s * load.part / servers->count);
    }
    return position_finish(queue, servers, position);
}

/* By how many seconds one override delays those behind it, on average over the overrides that wait for these devices.
   An override is expected to take as long as its owner's runs take on average. Devices run in parallel, so the time is
   divided by their number. */
static double override_mean_s(const struct queue *queue, const struct position_servers *servers,
                              int64_t now_ns)
{
    double sum_s = 0;
    int count = 0;
    const struct owner *owner;
    LIST_FOREACH (owner, &queue->owners.all, next) {
        struct position_load load = position_load(queue, owner, servers, now_ns);
        count += load.overrides;
        sum_s += load.overrides * load.share.mean_s * load.part;
    }
    return count && servers->count ? sum_s / count / servers->count : 0;
}

static struct queue_position position_of_override(struct queue *queue, const struct entry *entry,
                                                  const struct position_servers *servers)
{
    int64_t now_ns = queue_state_now_ns(queue);
    struct queue_position position = position_first(queue, entry->owner, servers, now_ns);
    int before = 0;
    const struct device_group *group;
    for (int i = -1; (i = device_set_next(&servers->devices, i + 1)) >= 0;)
        before += order_position(queue->devices[i].group.overrides, &entry->order, NULL);
    LIST_FOREACH (group, &queue->device_groups, next)
        if (device_set_count_both(&group->devices, &servers->devices))
            before += order_position(group->overrides, &entry->order, NULL);
    position_behind(&position, before, override_mean_s(queue, servers, now_ns));
    return position_finish(queue, servers, position);
}

struct queue_position position_of_entry(struct queue *queue, const struct entry *entry)
{
    if (entry->phase == ENDING)
        return (struct queue_position){.position = -1, .own_s = -1};
    if (entry->phase == RUNNING)
        return (struct queue_position){.own_s = position_own_s(queue, entry)};
    struct position_servers servers = position_servers(queue, &entry->owner_queue->device_group->devices);
    if (entry->order.priority >= PRIORITY_OVERRIDE)
        return position_of_override(queue, entry, &servers);
    int before = 0;    /* of its owner */
    int64_t bytes = 0; /* of their arrays */
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &entry->owner->owner_queues, of_owner) {
        struct position_servers others = position_servers(queue, &owner_queue->device_group->devices);
        if (owner_queue == entry->owner_queue || device_set_count_both(&others.devices, &servers.devices))
            before += order_position(owner_queue->waiting, &entry->order, &bytes);
    }
    return position_by_share(queue, entry->owner, &servers, before, before ? (double)bytes / before : -1);
}

struct queue_position position_own(struct queue *queue, const struct entry *entry)
{
    struct queue_position position = position_of_entry(queue, entry);
    if (entry->phase != ENDING)
        position.own_s = position_own_s(queue, entry);
    position.running = entry->phase == RUNNING;
    position.cancelled = position.running && entry->cancelled;
    position.ended = entry->ended;
    position.device = entry->task.device;
    return position;
}
