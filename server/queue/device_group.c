#include "server/queue/device_group.h"

#include <stdlib.h>

static struct device_group *set_find(struct device_groups *device_groups, const struct device_set *devices)
{
    struct device_group *device_group;
    LIST_FOREACH (device_group, device_groups, next)
        if (device_set_equal(&device_group->devices, devices))
            return device_group;
    device_group = calloc(1, sizeof *device_group);
    if (!device_group)
        return NULL;
    device_group->devices = *devices;
    device_group->unbound = true;
    LIST_INSERT_HEAD(device_groups, device_group, next);
    return device_group;
}

static void set_tidy(struct device_group *device_group)
{
    if (!device_group->unbound || !LIST_EMPTY(&device_group->owner_queues))
        return;
    LIST_REMOVE(device_group, next);
    free(device_group);
}

struct owner_queue *owner_queue_unbound(struct device_groups *device_groups, struct owner *owner,
                                        const struct owner_queues *owner_queues,
                                        const struct device_set *devices)
{
    struct owner_queue *owner_queue;
    LIST_FOREACH (owner_queue, owner_queues, of_owner)
        if (owner_queue->device_group->unbound &&
            device_set_equal(&owner_queue->device_group->devices, devices))
            return owner_queue;
    struct device_group *device_group = set_find(device_groups, devices);
    if (!device_group)
        return NULL;
    if (!(owner_queue = calloc(1, sizeof *owner_queue))) {
        set_tidy(device_group);
        return NULL;
    }
    owner_queue->owner = owner;
    owner_queue->device_group = device_group;
    return owner_queue;
}

void owner_queue_join(struct owner_queue *owner_queue, struct owner_queues *owner_queues)
{
    if (owner_queue->entries++)
        return;
    LIST_INSERT_HEAD(owner_queues, owner_queue, of_owner);
    LIST_INSERT_HEAD(&owner_queue->device_group->owner_queues, owner_queue, of_set);
}

void owner_queue_leave(struct owner_queue *owner_queue)
{
    if (--owner_queue->entries)
        return;
    LIST_REMOVE(owner_queue, of_owner);
    LIST_REMOVE(owner_queue, of_set);
    struct device_group *device_group = owner_queue->device_group;
    if (!device_group->unbound)
        return;
    free(owner_queue);
    set_tidy(device_group);
}
