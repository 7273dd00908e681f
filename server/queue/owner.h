/* The owners of experiments: what waits of each for which devices, and how much device time each has used.

   An owner queue holds what waits of one owner for one device group, in the order in which it will run. A device group
   is a set of devices on which experiments may run. Each device has a group of its own, for what is bound to it. Groups
   of unbound experiments are made with their first experiment and freed with their last.

   An owner is known from its first submission, or from its usage on disk, until owner_forget() removes it. All
   functions are called with the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_OWNER_H
#define COALESCED_SERVER_QUEUE_OWNER_H

#include <sys/queue.h>

#include "api/device_set.h"
#include "server/auth/tokens.h"
#include "server/queue/device_share.h"
#include "server/queue/order.h"

struct store;
struct entry; /* queue_state.h */
LIST_HEAD(entries, entry);

struct owner_queue {
    struct owner *owner;
    struct device_group *device_group;
    struct order_node *waiting;
    int count;     /* in `waiting` */
    int overrides; /* the owner's that wait in the device group's `overrides` instead */
    int entries;   /* that refer to it, waiting or not; 0: it is in no list */
    LIST_ENTRY(owner_queue) of_owner, of_group;
};
LIST_HEAD(owner_queues, owner_queue);

struct device_group {
    struct device_set devices;    /* of an unbound group also one device, or none */
    bool unbound;                 /* its experiments are bound to no device */
    int waiting;                  /* in all owner queues and in `overrides` */
    int work_items;               /* the same, with all of a sweep that goes to one device counted once */
    struct order_node *overrides; /* of all owners, they run before all others */
    struct order_node *ages;      /* all that wait, the oldest first */
    struct owner_queues owner_queues;
    LIST_ENTRY(device_group) next; /* of the unbound ones */
};
LIST_HEAD(device_groups, device_group);

/* One owner at one device on which it has, or had, work. */
struct owner_device {
    SLIST_ENTRY(owner_device) next;
    int device;
    struct owner_queue owner_queue; /* of what is bound to the device */
    struct run_mean run_mean;
};

struct owner {
    LIST_ENTRY(owner) next, of_chain;
    char name[USER_NAME_BYTES]; /* empty: without a name */
    double used_s;              /* as of used_ns; on disk */
    int64_t used_ns;
    int64_t served;                   /* device_share.h */
    int waiting;                      /* experiments for all devices, and those being submitted */
    int64_t timeouts_ms;              /* sum of their time limits */
    struct owner_queues owner_queues; /* those with entries; none: the owner has no work */
    struct entries running;
    struct run_mean run_mean; /* on all devices */
    SLIST_HEAD(, owner_device) devices;
};

enum { OWNER_CHAINS = 1024 }; /* a power of two */

/* All owners; zeroed: none. */
struct owners {
    LIST_HEAD(, owner) all;
    int count;
    LIST_HEAD(owner_chain, owner) chains[OWNER_CHAINS]; /* by the hash of the name */
};

struct owner *owner_find(const struct owners *owners, const char *name); /* NULL: none */
struct owner *owner_get(struct owners *owners, const char *name);        /* new if needed; NULL: no memory */
void owner_free_all(struct owners *owners);

/* How many owners without work are remembered. */
enum { OWNERS_IDLE_MAX = 1024 };

/* Forgets the owners without work that have used less than a millisecond (usage halves with each
   half-life), and of the others without work all but the OWNERS_IDLE_MAX that have used most, in memory
   and on disk, so that neither grows with each name ever used. An owner that comes back starts with no
   usage. Linear in the owners: called when there are more owners than queued experiments + 2 x
   OWNERS_IDLE_MAX. */
void owner_forget(struct owners *owners, struct store *store, int64_t now_ns, double half_life_s);

/* What is known of the owner at that device; NULL: nothing. */
struct owner_device *owner_at_device(const struct owner *owner, int device);

/* The owner's queue for a device, whose own group is given; new if needed. NULL: no memory. */
struct owner_queue *owner_queue_bound(struct owner *owner, int device, struct device_group *group);

/* The owner's queue of unbound experiments for these devices; new if needed, and then it must be joined.
   NULL: no memory. */
struct owner_queue *owner_queue_unbound(struct owner *owner, struct device_groups *groups,
                                        const struct device_set *devices);

/* One more entry refers to the queue, or one less. With its last entry an unbound queue and its group are
   freed. */
void owner_queue_join(struct owner_queue *owner_queue);
void owner_queue_leave(struct owner_queue *owner_queue);

/* The devices on which something of the owner waits, without overrides. */
struct device_set owner_devices(const struct owner *owner);

double owner_used_s(const struct owner *owner, int64_t now_ns, double half_life_s);
void owner_charge(struct owner *owner, double took_s, int64_t now_ns, double half_life_s);

/* One more experiment waits or is being submitted; with count -1, one less. */
void owner_count(struct owner *owner, int count, double timeout_s);

#endif
