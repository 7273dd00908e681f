#include "server/queue/owner_forget.h"

#include <stdlib.h>

#include "base/log.h"
#include "server/store/store.h"
#include "server/store/write.h"

static const double negligible_s = 1e-3;

/* Owners that are out of the queue already, until their rows are gone from the disk. */
struct forgetting {
    struct store_write write; /* first: a write is cast to its forgetting */
    int count;
    struct owner **owners; /* freed with it */
    const char *names[];   /* theirs */
};

/* An owner without work. */
struct idle {
    struct owner *owner;
    double used_s; /* as of now */
};

static void forgetting_done(struct store_write *write, const struct error *failed)
{
    struct forgetting *forgetting = (struct forgetting *)write;
    if (failed)
        log_warning("the usage of %d owners without work stays on disk until the next start: %s",
                    forgetting->count, failed->text);
    for (int i = 0; i < forgetting->count; i++)
        owner_free(forgetting->owners[i]);
    free(forgetting->owners);
    free(forgetting);
}

/* For `count` owners. NULL: no memory. */
static struct forgetting *forgetting_new(int count)
{
    struct forgetting *forgetting =
        calloc(1, sizeof *forgetting + (size_t)count * sizeof forgetting->names[0]);
    if (!forgetting || !(forgetting->owners = calloc((size_t)count, sizeof(struct owner *)))) {
        free(forgetting);
        return NULL;
    }
    forgetting->write.forgotten_owners = forgetting->names;
    forgetting->write.done = forgetting_done;
    return forgetting;
}

/* The one that used most first. */
static int idle_compare(const void *a, const void *b)
{
    const struct idle *one = a, *other = b;
    const struct device_share turn = {one->owner->name, .used_s = one->used_s, .served = one->owner->served};
    const struct device_share next = {other->owner->name, .used_s = other->used_s,
                                      .served = other->owner->served};
    return device_share_before(&turn, &next) ? 1 : -1;
}

/* The owners without work, the one that used most first; to be freed. NULL: no memory. */
static struct idle *idle_list(const struct queue *queue, int *count)
{
    struct idle *list = calloc((size_t)queue->owners.count + 1, sizeof *list);
    struct owner *owner;
    int64_t now_ns = queue_now_ns(queue);
    *count = 0;
    if (!list)
        return NULL;
    LIST_FOREACH (owner, &queue->owners.all, next)
        if (LIST_EMPTY(&owner->owner_queues))
            list[(*count)++] = (struct idle){owner, owner_used(owner, now_ns, queue->config.half_life_s)};
    qsort(list, (size_t)*count, sizeof *list, idle_compare);
    return list;
}

void owners_forget(struct queue *queue)
{
    int count, kept = 0;
    struct idle *idle = idle_list(queue, &count);
    while (idle && kept < count && kept < OWNERS_KEPT && idle[kept].used_s >= negligible_s)
        kept++;
    struct forgetting *forgetting = idle && kept < count ? forgetting_new(count - kept) : NULL;
    for (int i = kept; forgetting && i < count; i++) {
        struct owner *owner = idle[i].owner;
        owner_remove(&queue->owners, owner);
        forgetting->names[forgetting->count] = owner->name;
        forgetting->owners[forgetting->count++] = owner;
    }
    free(idle);
    if (!forgetting)
        return;
    forgetting->write.forgotten_count = forgetting->count;
    store_hand_over(queue->store, &forgetting->write);
}
