#include "server/queue/entries/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* What stands for a duration that is not known, and the least that one is. */
static const double unknown_s = 1, least_s = 1e-6;

static double pace_s(const struct pace *pace, double fallback_s)
{
    if (!pace->count)
        return fallback_s;
    return pace->mean_s > least_s ? pace->mean_s : least_s;
}

/* Of one of an owner's (NULL: a new one's) experiments. */
static double mean_of(const struct queue *queue, const struct owner *owner, int index, double fallback_s)
{
    double device_s = pace_s(&queue->devices[index].pace, fallback_s);
    return owner ? pace_s(&owner->lines[index].pace, device_s) : device_s;
}

/* How long what the device runs will have been there. */
static double running_s(struct queue *queue, int index, int64_t now_ns)
{
    const struct entry *running = queue->devices[index].running;
    double so_far_s = (double)(now_ns - running->started_ns) / 1e9;
    double mean_s = mean_of(queue, running->owner, index, unknown_s);
    return so_far_s > mean_s ? so_far_s : mean_s;
}

/* With what runs charged already, so that two devices do not both take the same owner's for want of an end. */
static double used_of(struct queue *queue, const struct owner *owner, int64_t now_ns)
{
    double used_s = owner_used(owner, now_ns, queue->config.half_life_s);
    for (int i = 0; i < queue->config.devices; i++)
        if (queue->devices[i].running && queue->devices[i].running->owner == owner)
            used_s += running_s(queue, i, now_ns);
    return used_s;
}

static struct turn turn_of(struct queue *queue, const struct owner *owner, int index, int64_t now_ns)
{
    const struct line *line = &owner->lines[index];
    double mean_s = mean_of(queue, owner, index, unknown_s);
    return (struct turn){
        .name = owner->name,
        .used_s = used_of(queue, owner, now_ns) + line->overrides * mean_s,
        .mean_s = mean_s,
        .served = line->overrides ? INT64_MAX : owner->served,
        .waiting = line->count,
    };
}

struct entry *place_next(struct queue *queue, int index)
{
    const struct owner *best = NULL;
    struct turn first;
    int64_t now_ns = queue_now_ns(queue);
    if (queue->devices[index].overrides)
        return (struct entry *)order_first(queue->devices[index].overrides);
    for (const struct owner *owner = queue->owners; owner; owner = owner->next) {
        if (!owner->lines[index].waiting)
            continue;
        struct turn turn = turn_of(queue, owner, index, now_ns);
        if (best && !turn_before(&turn, &first))
            continue;
        best = owner;
        first = turn;
    }
    return best ? (struct entry *)order_first(best->lines[index].waiting) : NULL;
}

bool place_held(const struct queue *queue, int index)
{
    return queue->hold.held || queue->devices[index].hold.held;
}

/* ---- places ---- */

/* Puts `count` more experiments, of so many seconds each, before it. */
static void place_behind(struct queue_place *place, int count, double mean_s)
{
    place->position += count;
    place->ahead_s += count * mean_s;
}

static struct queue_place place_begin(struct queue *queue, const struct owner *owner, int index,
                                      int64_t now_ns)
{
    struct device_queue *device = &queue->devices[index];
    struct queue_place place = {.own_s = mean_of(queue, owner, index, -1),
                                .paused = place_held(queue, index)};
    if (device->running) {
        double so_far_s = (double)(now_ns - device->running->started_ns) / 1e9;
        place_behind(&place, 1, running_s(queue, index, now_ns) - so_far_s);
    }
    return place;
}

static void place_finish(struct queue *queue, int index, struct queue_place *place)
{
    if (place->paused || (place->position && !queue->devices[index].pace.count))
        place->ahead_s = -1;
}

/* One that waits behind `before` others in its owner's line. */
static struct queue_place place_in_line(struct queue *queue, const struct owner *owner, int index, int before)
{
    int64_t now_ns = queue_now_ns(queue);
    struct queue_place place = place_begin(queue, owner, index, now_ns);
    struct turn own = {.name = "", .mean_s = mean_of(queue, NULL, index, unknown_s)};
    if (owner)
        own = turn_of(queue, owner, index, now_ns);
    for (const struct owner *other = queue->owners; other; other = other->next) {
        const struct line *line = &other->lines[index];
        if (!line->waiting && !line->overrides)
            continue;
        struct turn turn = turn_of(queue, other, index, now_ns);
        int count = other == owner ? before : turn_count(&own, before, &turn);
        place_behind(&place, count + line->overrides, turn.mean_s);
    }
    place_finish(queue, index, &place);
    return place;
}

static struct queue_place place_of_override(struct queue *queue, const struct entry *entry)
{
    int index = entry->task.device;
    struct device_queue *device = &queue->devices[index];
    struct queue_place place = place_begin(queue, entry->owner, index, queue_now_ns(queue));
    place_behind(&place, order_place(device->overrides, &entry->order),
                 mean_of(queue, NULL, index, unknown_s));
    place_finish(queue, index, &place);
    return place;
}

static struct queue_place place_of(struct queue *queue, const struct entry *entry)
{
    if (entry->phase == ENDING)
        return (struct queue_place){.position = -1, .own_s = -1};
    if (entry->phase == RUNNING)
        return (struct queue_place){.own_s = mean_of(queue, entry->owner, entry->task.device, -1)};
    if (entry->order.priority >= PRIORITY_OVERRIDE)
        return place_of_override(queue, entry);
    const struct line *line = &entry->owner->lines[entry->task.device];
    return place_in_line(queue, entry->owner, entry->task.device, order_place(line->waiting, &entry->order));
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

double queue_next_s(struct queue *queue, int index, const char *name)
{
    pthread_mutex_lock(&queue->lock);
    const struct owner *owner = owner_find(queue->owners, name);
    int before = owner ? owner->lines[index].count : 0;
    double ahead_s = place_in_line(queue, owner, index, before).ahead_s;
    pthread_mutex_unlock(&queue->lock);
    return ahead_s;
}

/* The one of a sweep that runs last on the device; NULL: none is there. Those of a sweep have one owner. */
static const struct entry *group_last(const struct group *group, int index)
{
    const struct entry *last = NULL;
    for (const struct entry *entry = group->entries; entry; entry = entry->group_next)
        if (entry->task.device == index && entry->phase != ENDING &&
            (!last || last->phase == RUNNING ||
             (entry->phase == WAITING && order_before(&last->order, &entry->order))))
            last = entry;
    return last;
}

double queue_sweep_eta(struct queue *queue, const char *id, bool *paused)
{
    double eta_s = -1;
    bool known = true;
    *paused = false;
    pthread_mutex_lock(&queue->lock);
    struct group *group = group_find(queue, id);
    for (int i = 0; group && i < queue->config.devices; i++) {
        const struct entry *last = group_last(group, i);
        if (!last)
            continue;
        struct queue_place place = place_of(queue, last);
        known &= place.own_s >= 0 && place.ahead_s >= 0;
        *paused |= place.paused;
        if (place.ahead_s + place.own_s > eta_s)
            eta_s = place.ahead_s + place.own_s;
    }
    pthread_mutex_unlock(&queue->lock);
    return known ? eta_s : -1;
}

/* ---- rates ---- */

int place_sharing(const struct queue *queue, int index)
{
    int sharing = 0;
    for (const struct owner *owner = queue->owners; owner; owner = owner->next)
        sharing += owner->lines[index].waiting != NULL;
    return sharing;
}

double place_rate_all(struct queue *queue)
{
    double per_s = 0;
    for (int i = 0; i < queue->config.devices; i++)
        if (queue->devices[i].waiting && queue->devices[i].pace.count && !place_held(queue, i))
            per_s += 1 / mean_of(queue, NULL, i, unknown_s);
    return per_s;
}

double place_rate(struct queue *queue, const struct owner *owner)
{
    double per_s = 0;
    for (int i = 0; i < queue->config.devices; i++) {
        if (owner->lines[i].waiting && queue->devices[i].pace.count && !place_held(queue, i))
            per_s += 1 / (mean_of(queue, owner, i, unknown_s) * place_sharing(queue, i));
    }
    return per_s;
}

/* ---- what is told ---- */

/* Since the submission of the oldest that waits; 0: none does. Those that do not wait and are older are few: the one that
   runs, and ends that are not on disk yet. */
static double oldest_s(const struct device_queue *device)
{
    const struct entry *entry = device->oldest;
    while (entry && entry->phase != WAITING)
        entry = entry->newer;
    double age_s = entry ? (double)(clock_wall_ms() - id_ms(entry->task.id)) / 1e3 : 0;
    return age_s > 0 ? age_s : 0;
}

void queue_depth(struct queue *queue, int index, struct queue_depth *depth)
{
    *depth = (struct queue_depth){.mean_s = -1};
    if (index < 0 || index >= queue->config.devices)
        return;
    struct device_queue *device = &queue->devices[index];
    pthread_mutex_lock(&queue->lock);
    depth->queued = device->waiting;
    depth->mean_s = pace_s(&device->pace, -1);
    depth->hold = device->hold;
    depth->oldest_s = oldest_s(device);
    int64_t busy_ns = device->busy_ns;
    if (device->running)
        busy_ns += queue_now_ns(queue) - device->running->started_ns;
    depth->busy_s = (double)busy_ns / 1e9;
    if (device->running)
        memcpy(depth->running, device->running->task.id, ID_BYTES);
    pthread_mutex_unlock(&queue->lock);
}

static int owners_compare(const void *a, const void *b)
{
    const struct queue_owner *one = a, *other = b;
    if (one->share != other->share)
        return one->share < other->share ? -1 : 1;
    return strcmp(one->name, other->name);
}

int queue_owners(struct queue *queue, int index, struct queue_owner **out)
{
    int count = 0, known = 0;
    double all_s = 0;
    pthread_mutex_lock(&queue->lock);
    int64_t now_ns = queue_now_ns(queue);
    const struct entry *running = queue->devices[index].running;
    for (const struct owner *owner = queue->owners; owner; owner = owner->next, known++)
        all_s += owner_used(owner, now_ns, queue->config.half_life_s);
    struct queue_owner *owners = *out = calloc((size_t)known + 1, sizeof *owners);
    for (const struct owner *owner = queue->owners; owners && owner; owner = owner->next) {
        const struct line *line = &owner->lines[index];
        struct queue_owner *one = &owners[count];
        one->queued = line->count + line->overrides;
        one->running = running && running->owner == owner;
        one->share = all_s > 0 ? owner_used(owner, now_ns, queue->config.half_life_s) / all_s : 0;
        memcpy(one->name, owner->name, sizeof one->name);
        count += one->queued || one->running;
    }
    pthread_mutex_unlock(&queue->lock);
    if (!owners)
        return -1;
    qsort(owners, (size_t)count, sizeof *owners, owners_compare);
    return count;
}
