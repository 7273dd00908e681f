#include "server/queue/place.h"

#include <string.h>

/* What stands for a duration that is not known, and the least that one is. */
static const double unknown_s = 1, least_s = 1e-6;

double place_pace_s(const struct pace *pace, double fallback_s)
{
    if (!pace->count)
        return fallback_s;
    return pace->mean_s > least_s ? pace->mean_s : least_s;
}

double place_mean_s(const struct queue *queue, const struct owner *owner, int device)
{
    bool one = device >= 0;
    double all_s = place_pace_s(one ? &queue->devices[device].pace : &queue->pace, unknown_s);
    const struct owner_device *at = owner && one ? owner_at(owner, device) : NULL;
    const struct pace *own = at ? &at->pace : owner && !one ? &owner->pace : NULL;
    return own ? place_pace_s(own, all_s) : all_s;
}

/* The same, or negative when it is not known. */
static double known_s(const struct queue *queue, const struct owner *owner, int device)
{
    const struct pace *all = device >= 0 ? &queue->devices[device].pace : &queue->pace;
    return all->count ? place_mean_s(queue, owner, device) : -1;
}

/* How long what the device runs will have been there. */
static double running_s(const struct queue *queue, const struct entry *running, int64_t now_ns)
{
    double so_far_s = (double)(now_ns - running->started_ns) / 1e9;
    double mean_s = place_mean_s(queue, running->owner, running->task.device);
    return so_far_s > mean_s ? so_far_s : mean_s;
}

/* With what runs charged already, so that two devices do not both take the same owner's for want of an end. */
static double used_of(const struct queue *queue, const struct owner *owner, int64_t now_ns)
{
    double used_s = owner_used(owner, now_ns, queue->config.half_life_s);
    const struct entry *running;
    LIST_FOREACH (running, &owner->running, running)
        used_s += running_s(queue, running, now_ns);
    return used_s;
}

bool place_held(const struct queue *queue, int device)
{
    return queue->hold.held || queue->devices[device].hold.held;
}

/* ---- who is next ---- */

/* The best so far. */
struct offer {
    const struct owner_queue *owner_queue;
    struct device_share turn;
};

/* Of one owner: which of its owner queues has what runs first? */
static bool line_before(const struct owner_queue *a, const struct owner_queue *b)
{
    return order_before(order_first(a->waiting), order_first(b->waiting));
}

static void set_offer(const struct queue *queue, const struct device_group *device_group, int64_t now_ns,
                      struct offer *offer)
{
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &device_group->owner_queues, of_set) {
        if (!owner_queue->waiting)
            continue;
        if (offer->owner_queue && offer->owner_queue->owner == owner_queue->owner) {
            if (line_before(owner_queue, offer->owner_queue))
                offer->owner_queue = owner_queue;
            continue;
        }
        struct device_share turn = {.name = owner_queue->owner->name,
                                    .used_s = used_of(queue, owner_queue->owner, now_ns),
                                    .served = owner_queue->owner->served};
        if (!offer->owner_queue || device_share_before(&turn, &offer->turn))
            *offer = (struct offer){owner_queue, turn};
    }
}

static void set_override(const struct device_group *device_group, struct order_node **best)
{
    struct order_node *first = order_first(device_group->overrides);
    if (first && (!*best || order_before(first, *best)))
        *best = first;
}

struct entry *place_next(struct queue *queue, int device)
{
    const struct device_group *own = &queue->devices[device].own, *device_group;
    struct order_node *override = NULL;
    set_override(own, &override);
    LIST_FOREACH (device_group, &queue->device_groups, next)
        if (device_set_has(&device_group->devices, device))
            set_override(device_group, &override);
    if (override)
        return (struct entry *) override;
    struct offer offer = {0};
    int64_t now_ns = queue_now_ns(queue);
    set_offer(queue, own, now_ns, &offer);
    LIST_FOREACH (device_group, &queue->device_groups, next)
        if (device_group->waiting && device_set_has(&device_group->devices, device))
            set_offer(queue, device_group, now_ns, &offer);
    return offer.owner_queue ? (struct entry *)order_first(offer.owner_queue->waiting) : NULL;
}

/* How many others of the set will take of it before that one need. */
static int set_readier(const struct queue *queue, const struct device_group *device_group, int device)
{
    enum queue_readiness own = queue->devices[device].readiness;
    int count = 0;
    for (int readiness = own == QUEUE_COLD ? QUEUE_WARM : QUEUE_COLD; readiness < QUEUE_READINESS;
         readiness++) {
        struct device_set idle = device_set_both(&queue->idle[readiness], &device_group->devices);
        device_set_remove(&idle, device);
        count += own == QUEUE_WARM ? 0 : device_set_count(&idle);
    }
    if (own != QUEUE_AWAY && own != QUEUE_STARTING)
        return count;
    struct device_set starting = device_set_both(&queue->idle[QUEUE_STARTING], &device_group->devices);
    device_set_remove(&starting, device);
    for (int i = -1; (i = device_set_next(&starting, i + 1)) >= 0;)
        count += own == QUEUE_AWAY || queue->devices[i].started < queue->devices[device].started;
    return count;
}

enum wanted place_wanted(const struct queue *queue, int device)
{
    enum wanted wanted = WANTED_NOT;
    const struct device_group *device_group;
    if (queue->devices[device].own.waiting)
        return WANTED_HERE;
    LIST_FOREACH (device_group, &queue->device_groups, next) {
        if (!device_group->waiting || !device_set_has(&device_group->devices, device))
            continue;
        if (device_group->work_items > set_readier(queue, device_group, device))
            return WANTED_HERE;
        wanted = WANTED_ELSEWHERE;
    }
    return wanted;
}

/* ---- places ---- */

/* Where something waits: the devices that serve it, and how many they are. */
struct stand {
    struct device_set devices;
    int count;
    int sole; /* its number when it is one; else -1 */
};

/* Those of the set that are present; all when none is. */
static struct device_set set_serving(const struct queue *queue, const struct device_set *devices)
{
    struct device_set serving = device_set_both(devices, &queue->present);
    return device_set_count(&serving) ? serving : *devices;
}

static struct stand stand_of(const struct queue *queue, const struct device_set *devices)
{
    struct stand stand = {.devices = set_serving(queue, devices), .sole = -1};
    stand.count = device_set_count(&stand.devices);
    if (stand.count == 1)
        stand.sole = device_set_next(&stand.devices, 0);
    return stand;
}

/* What of an owner waits for the same devices. */
struct rivals {
    int count, overrides;
    double part; /* of each that falls to these devices */
};

static struct rivals rivals_of(const struct queue *queue, const struct owner *owner,
                               const struct stand *stand)
{
    struct rivals rivals = {0};
    double part = 0;
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &owner->owner_queues, of_owner) {
        struct device_set all = set_serving(queue, &owner_queue->device_group->devices);
        struct device_set common = device_set_both(&all, &stand->devices);
        int here = device_set_count(&common), waiting = owner_queue->count + owner_queue->overrides;
        if (!here || !waiting)
            continue;
        rivals.count += owner_queue->count;
        rivals.overrides += owner_queue->overrides;
        part += waiting * (double)here / device_set_count(&all);
    }
    if (rivals.count + rivals.overrides)
        rivals.part = part / (rivals.count + rivals.overrides);
    return rivals;
}

static struct device_share turn_of(const struct queue *queue, const struct owner *owner,
                                   const struct stand *stand, const struct rivals *rivals, int64_t now_ns)
{
    double mean_s = place_mean_s(queue, owner, stand->sole);
    return (struct device_share){
        .name = owner->name,
        .used_s = used_of(queue, owner, now_ns) + rivals->overrides * mean_s,
        .mean_s = mean_s,
        .served = rivals->overrides ? INT64_MAX : owner->served,
        .waiting = rivals->count,
    };
}

/* Puts `count` more experiments, of so many seconds each, before it. */
static void place_behind(struct queue_place *place, int count, double mean_s)
{
    place->position += count;
    place->ahead_s += count * mean_s;
}

/* Behind what runs, unless one of the devices is free. */
static struct queue_place place_begin(struct queue *queue, const struct owner *owner,
                                      const struct stand *stand, int64_t now_ns)
{
    struct queue_place place = {.own_s = known_s(queue, owner, stand->sole), .paused = stand->count > 0};
    double soonest_s = -1;
    bool free = !stand->count;
    for (int i = -1; (i = device_set_next(&stand->devices, i + 1)) >= 0;) {
        const struct entry *running = queue->devices[i].running;
        place.paused &= place_held(queue, i);
        free |= !running;
        double left_s =
            running ? running_s(queue, running, now_ns) - (double)(now_ns - running->started_ns) / 1e9 : 0;
        if (soonest_s < 0 || left_s < soonest_s)
            soonest_s = left_s;
    }
    if (!free)
        place_behind(&place, 1, soonest_s);
    return place;
}

static void place_finish(const struct queue *queue, const struct stand *stand, struct queue_place *place)
{
    if (!stand->count || place->paused || (place->position && known_s(queue, NULL, stand->sole) < 0))
        place->ahead_s = -1;
}

/* One that waits behind `before` others of its owner. */
static struct queue_place place_in_line(struct queue *queue, const struct owner *owner,
                                        const struct stand *stand, int before)
{
    int64_t now_ns = queue_now_ns(queue);
    struct queue_place place = place_begin(queue, owner, stand, now_ns);
    struct device_share own = {.name = "", .mean_s = place_mean_s(queue, NULL, stand->sole)};
    if (owner) {
        struct rivals rivals = rivals_of(queue, owner, stand);
        own = turn_of(queue, owner, stand, &rivals, now_ns);
    }
    const struct owner *other;
    LIST_FOREACH (other, &queue->owners.all, next) {
        struct rivals rivals = rivals_of(queue, other, stand);
        if (!rivals.count && !rivals.overrides)
            continue;
        struct device_share turn = turn_of(queue, other, stand, &rivals, now_ns);
        int count = other == owner ? before : device_share_count(&own, before, &turn);
        place_behind(&place, count + rivals.overrides, turn.mean_s * rivals.part / stand->count);
    }
    place_finish(queue, stand, &place);
    return place;
}

static int overrides_before(const struct queue *queue, const struct stand *stand,
                            const struct order_node *node)
{
    int before = 0;
    const struct device_group *device_group;
    for (int i = -1; (i = device_set_next(&stand->devices, i + 1)) >= 0;)
        before += order_place(queue->devices[i].own.overrides, node);
    LIST_FOREACH (device_group, &queue->device_groups, next) {
        struct device_set common = device_set_both(&device_group->devices, &stand->devices);
        if (device_set_count(&common))
            before += order_place(device_group->overrides, node);
    }
    return before;
}

static struct queue_place place_of_override(struct queue *queue, const struct entry *entry,
                                            const struct stand *stand)
{
    struct queue_place place = place_begin(queue, entry->owner, stand, queue_now_ns(queue));
    int servers = stand->count ? stand->count : 1;
    place_behind(&place, overrides_before(queue, stand, &entry->order),
                 place_mean_s(queue, NULL, stand->sole) / servers);
    place_finish(queue, stand, &place);
    return place;
}

/* How many of its owner's run before it. */
static int own_before(const struct queue *queue, const struct entry *entry, const struct stand *stand)
{
    int before = 0;
    const struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, &entry->owner->owner_queues, of_owner) {
        struct device_set all = set_serving(queue, &owner_queue->device_group->devices);
        struct device_set common = device_set_both(&all, &stand->devices);
        if (owner_queue == entry->owner_queue || device_set_count(&common))
            before += order_place(owner_queue->waiting, &entry->order);
    }
    return before;
}

static struct queue_place place_of(struct queue *queue, const struct entry *entry)
{
    if (entry->phase == ENDING)
        return (struct queue_place){.position = -1, .own_s = -1};
    if (entry->phase == RUNNING)
        return (struct queue_place){.own_s = known_s(queue, entry->owner, entry->task.device)};
    struct stand stand = stand_of(queue, &entry->owner_queue->device_group->devices);
    if (entry->order.priority >= PRIORITY_OVERRIDE)
        return place_of_override(queue, entry, &stand);
    return place_in_line(queue, entry->owner, &stand, own_before(queue, entry, &stand));
}

int queue_position(struct queue *queue, const char *id, struct queue_place *place)
{
    *place = (struct queue_place){.position = -1, .own_s = -1};
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = entry_find(queue, id);
    if (entry)
        *place = place_of(queue, entry);
    pthread_mutex_unlock(&queue->lock);
    return place->position;
}

struct queue_place place_at_device(struct queue *queue, const struct owner *owner, int device, int before)
{
    struct device_set devices = device_set_of(device);
    struct stand stand = stand_of(queue, &devices);
    return place_in_line(queue, owner, &stand, before);
}

void place_waiting(const struct queue *queue, const struct owner *owner, int device, int *count,
                   int *overrides)
{
    struct device_set devices = device_set_of(device);
    struct stand stand = stand_of(queue, &devices);
    struct rivals rivals = rivals_of(queue, owner, &stand);
    *count = rivals.count;
    *overrides = rivals.overrides;
}

/* Does the first of these run after the second? Those of a sweep have one owner. */
static bool runs_after(const struct entry *entry, const struct entry *other)
{
    return other->phase == RUNNING || (entry->phase == WAITING && order_before(&other->order, &entry->order));
}

/* How long until that has ended; a sweep that goes to one device goes there whole, from its first one on. */
static double entry_eta(struct queue *queue, const struct group *group, const struct entry *entry,
                        bool *paused)
{
    struct queue_place place = place_of(queue, entry);
    bool whole = entry->phase == WAITING && entry_unbound(entry) && !group->spread;
    *paused |= place.paused;
    if (place.own_s < 0 || place.ahead_s < 0)
        return -1;
    return place.ahead_s + (whole ? group->waiting : 1) * place.own_s;
}

double queue_sweep_eta(struct queue *queue, const char *id, bool *paused)
{
    /* What runs last on each device, and of what is bound to none: the last of it, or the first when it goes together. */
    const struct entry *last[DEVICE_SET_MOST + 1] = {0};
    double eta_s = -1;
    bool known = true;
    *paused = false;
    pthread_mutex_lock(&queue->lock);
    const struct group *group = group_find(queue, id);
    for (const struct entry *entry = group ? group->entries : NULL; entry; entry = entry->group_next) {
        const struct entry **at = &last[entry->task.device < 0 ? DEVICE_SET_MOST : entry->task.device];
        bool first = entry->task.device < 0 && !group->spread;
        if (entry->phase != ENDING && (!*at || runs_after(entry, *at) != first))
            *at = entry;
    }
    for (int i = 0; group && i <= DEVICE_SET_MOST; i++) {
        if (!last[i])
            continue;
        double one_s = entry_eta(queue, group, last[i], paused);
        known &= one_s >= 0;
        eta_s = one_s > eta_s ? one_s : eta_s;
    }
    pthread_mutex_unlock(&queue->lock);
    return known ? eta_s : -1;
}
