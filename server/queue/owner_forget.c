#include "server/queue/owner_forget.h"

#include <stdlib.h>

#include "base/log.h"
#include "server/store/store.h"
#include "server/store/write.h"

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
static struct idle_owner *idle_list(const struct queue *queue, int *count)
{
    struct idle_owner *list = calloc((size_t)queue->owners.count + 1, sizeof *list);
    struct owner *owner;
    int64_t now_ns = queue_state_now_ns(queue);
    *count = 0;
    if (!list)
        return NULL;
    LIST_FOREACH (owner, &queue->owners.all, next)
        if (LIST_EMPTY(&owner->owner_queues))
            list[(*count)++] =
                (struct idle_owner){owner, owner_used_s(owner, now_ns, queue->config.half_life_s)};
    qsort(list, (size_t)*count, sizeof *list, idle_compare);
    return list;
}

void owner_forget(struct queue *queue)
{
    int count, remembered = 0;
    struct idle_owner *idle = idle_list(queue, &count);
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
            owner_remove(&queue->owners, idle[i].owner);
            forget->names[forget->count] = idle[i].owner->name;
            forget->owners[forget->count++] = idle[i].owner;
        }
        forget->write.forgotten_owners = forget->names;
        forget->write.forgotten_count = forget->count;
        forget->write.done = forget_done;
        store_hand_over(queue->store, &forget->write);
    }
    free(idle);
}
