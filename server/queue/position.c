#include "server/queue/position.h"

#include "server/queue/schedule.h"

/* The devices that serve what waits. */
struct servers {
    struct device_set devices;
    int count;
    int only; /* the number of the device when it is one; else -1 */
};

/* The listed devices of the set; all of it when none is listed. */
static struct device_set set_serving(const struct queue *queue, const struct device_set *devices)
{
    struct device_set serving = device_set_both(devices, &queue->listed);
    return device_set_count(&serving) ? serving : *devices;
}

static struct servers servers_of(const struct queue *queue, const struct device_set *devices)
{
    struct servers servers = {.devices = set_serving(queue, devices), .only = -1};
    servers.count = device_set_count(&servers.devices);
    if (servers.count == 1)
        servers.only = device_set_next(&servers.devices, 0);
    return servers;
}

/* As schedule_mean_s(), or negative when it is not known. */
static double known_mean_s(const struct queue *queue, const struct owner *owner, int device)
{
    const struct run_mean *all = device >= 0 ? &queue->devices[device].run_mean : &queue->run_mean;
    return all->count ? schedule_mean_s(queue, owner, device) : -1;
}

/* ---- what waits of each owner ---- */

/* What of an owner waits for the same devices. */
struct owner_load {
    int count, overrides;
    double part; /* of each, the part that falls to these devices */
};

static struct owner_load load_of(const struct queue *queue, const struct owner *owner,
                                 const struct servers *servers)
{
    struct owner_load load = {0};
    double part = 0;
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        struct device_set all = set_serving(queue, &owner_queue->device_group->devices);
        struct device_set common = device_set_both(&all, &servers->devices);
        int here = device_set_count(&common), waiting = owner_queue->count + owner_queue->overrides;
        if (!here || !waiting)
            continue;
        load.count += owner_queue->count;
        load.overrides += owner_queue->overrides;
        part += waiting * (double)here / device_set_count(&all);
    }
    if (load.count + load.overrides)
        load.part = part / (load.count + load.overrides);
    return load;
}

/* The overrides run first, so they count as usage and as the owner's last start. */
static struct device_share share_of(const struct queue *queue, const struct owner *owner,
                                    const struct servers *servers, const struct owner_load *load,
                                    int64_t now_ns)
{
    double mean_s = schedule_mean_s(queue, owner, servers->only);
    return (struct device_share){
        .name = owner->name,
        .used_s = schedule_used_s(queue, owner, now_ns) + load->overrides * mean_s,
        .mean_s = mean_s,
        .served = load->overrides ? INT64_MAX : owner->served,
        .waiting = load->count,
    };
}

void position_waiting(const struct queue *queue, const struct owner *owner, int device, int *count,
                      int *overrides)
{
    struct device_set devices = device_set_of(device);
    struct servers servers = servers_of(queue, &devices);
    struct owner_load load = load_of(queue, owner, &servers);
    *count = load.count;
    *overrides = load.overrides;
}

/* ---- positions ---- */

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
static void position_finish(const struct queue *queue, const struct servers *servers,
                            struct queue_position *position)
{
    if (!servers->count || position->paused ||
        (position->position && known_mean_s(queue, NULL, servers->only) < 0))
        position->ahead_s = -1;
}

/* Of one that has `before` others of its owner before it, and is no override. */
static struct queue_position position_by_share(struct queue *queue, const struct owner *owner,
                                               const struct servers *servers, int before)
{
    int64_t now_ns = queue_state_now_ns(queue);
    struct queue_position position = position_first(queue, owner, servers, now_ns);
    struct device_share own = {.name = "", .mean_s = schedule_mean_s(queue, NULL, servers->only)};
    if (owner) {
        struct owner_load load = load_of(queue, owner, servers);
        own = share_of(queue, owner, servers, &load, now_ns);
    }
    const struct owner *other;
    LIST_FOREACH (other, &queue->owners.all, next) {
        struct owner_load load = load_of(queue, other, servers);
        if (!load.count && !load.overrides)
            continue;
        struct device_share share = share_of(queue, other, servers, &load, now_ns);
        int count = other == owner ? before : device_share_count(&own, before, &share);
        position_behind(&position, count + load.overrides, share.mean_s * load.part / servers->count);
    }
    position_finish(queue, servers, &position);
    return position;
}

struct queue_position position_at_device(struct queue *queue, const struct owner *owner, int device,
                                         int before)
{
    struct device_set devices = device_set_of(device);
    struct servers servers = servers_of(queue, &devices);
    return position_by_share(queue, owner, &servers, before);
}

static bool sets_meet(const struct device_set *a, const struct device_set *b)
{
    struct device_set common = device_set_both(a, b);
    return device_set_count(&common);
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
        if (sets_meet(&group->devices, &servers->devices))
            before += order_position(group->overrides, &entry->order);
    position_behind(&position, before,
                    schedule_mean_s(queue, NULL, servers->only) / (servers->count ? servers->count : 1));
    position_finish(queue, servers, &position);
    return position;
}

/* How many of its owner's run before it. */
static int own_before(const struct queue *queue, const struct entry *entry, const struct servers *servers)
{
    int before = 0;
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &entry->owner->owner_queues, of_owner) {
        struct device_set serving = set_serving(queue, &owner_queue->device_group->devices);
        if (owner_queue == entry->owner_queue || sets_meet(&serving, &servers->devices))
            before += order_position(owner_queue->waiting, &entry->order);
    }
    return before;
}

struct queue_position position_of(struct queue *queue, const struct entry *entry)
{
    if (entry->phase == ENDING)
        return (struct queue_position){.position = -1, .own_s = -1};
    if (entry->phase == RUNNING)
        return (struct queue_position){.own_s = known_mean_s(queue, entry->owner, entry->task.device)};
    struct servers servers = servers_of(queue, &entry->owner_queue->device_group->devices);
    if (entry->order.priority >= PRIORITY_OVERRIDE)
        return position_of_override(queue, entry, &servers);
    return position_by_share(queue, entry->owner, &servers, own_before(queue, entry, &servers));
}
