/* For which devices something waits, and what of each owner waits for them: a device group and its owner queues. Each device
   has a set of its own, for what may run there alone; sets of several ("unbound") are made as they come and are gone with
   their last experiment. With the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_DEVICE_GROUP_H
#define COALESCED_SERVER_QUEUE_DEVICE_GROUP_H

#include <sys/queue.h>

#include "api/device_set.h"
#include "server/queue/order.h"

struct owner; /* owner.h */

/* What of one owner waits for one set, in its order. */
struct owner_queue {
    struct owner *owner;
    struct device_group *device_group;
    struct order_node *waiting;
    int count;     /* in it */
    int overrides; /* of it waiting among the set's overrides, and not in here */
    int entries;   /* that are its own, whether they wait or not; 0: it is in no list */
    LIST_ENTRY(owner_queue) of_owner, of_set;
};
LIST_HEAD(owner_queues, owner_queue);

struct device_group {
    struct device_set devices;
    bool unbound;   /* its experiments are bound to no device; may have one device, or none, all the same */
    int waiting;    /* in all owner queues and among the overrides */
    int work_items; /* of that, with all of a sweep that goes to one device as one */
    struct order_node *overrides; /* whoever's */
    struct order_node *ages;      /* all that wait, the oldest first */
    struct owner_queues owner_queues;
    LIST_ENTRY(device_group) next; /* of the unbound ones */
};
LIST_HEAD(device_groups, device_group);

/* The unbound owner queue for these devices of an owner who has those owner queues; new if need be, then to be joined. NULL: no memory. */
struct owner_queue *owner_queue_unbound(struct device_groups *device_groups, struct owner *owner,
                                        const struct owner_queues *owner_queues,
                                        const struct device_set *devices);

/* One more entry (and it is one of the owner's owner queues), or one less, that is its own. */
void owner_queue_join(struct owner_queue *owner_queue, struct owner_queues *owner_queues);
void owner_queue_leave(struct owner_queue *owner_queue);

#endif
