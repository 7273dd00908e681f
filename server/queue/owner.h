/* The owners of experiments: what waits of each for which devices, how much device time each has used and
   who is next.

   An owner queue holds what waits of one owner for one device group, in the order in which it will run. A device group
   is a set of devices on which experiments may run. Each device has a group of its own, for what is bound to it. Groups
   of unbound experiments are made with their first experiment and freed with their last.

   Next is the owner that used the devices least. Usage is seconds of device time, halved with each half-life. All
   usages decay alike, so the order of owners changes when something runs, not with time.

   An owner is known from its first submission, or from its usage on disk, until owner_forget() removes it. All
   functions but those of shares and means are called with the queue's lock held. */
#pragma once

#include <sys/queue.h>

#include "api/device_set.h"
#include "server/auth/tokens.h"
#include "server/queue/order.h"

/* One owner as seen from one device. */
struct device_share {
    const char *name; /* borrowed; unique */
    double used_s;    /* of all devices, including what runs now */
    double mean_s;    /* expected duration of one of its experiments that wait; above 0 */
    int64_t served;   /* grows with each start: the smaller, the longer ago the owner's last start */
    int waiting;      /* for this device, without overrides */
};

/* Is a before b? The owner that used less; then the one that was served longest ago; then by name. */
bool device_share_before(const struct device_share *a, const struct device_share *b);

/* How many of `other`'s experiments run before the one of `own` that has `position` of its owner's before
   it. Exact when each runs for its owner's mean, and nothing is submitted or cancelled and no usage decays
   meanwhile. */
int device_share_count(const struct device_share *own, int position, const struct device_share *other);

/* What is left of usage after so many seconds. */
double device_share_decayed(double used_s, double after_s, double half_life_s);

/* Duration of recent experiments, and how it grows with the bytes of their arrays: means of the first 16, then
   exponential moving averages. */
struct run_mean {
    double mean_s, mean_bytes;
    double variance, covariance; /* of the bytes; of bytes and seconds */
    int count;                   /* 0: nothing known */
};

/* A run of an experiment whose arrays have so many bytes (0: not known) took so many seconds. */
void run_mean_add(struct run_mean *mean, double took_s, double bytes);

/* Duration to expect of an experiment whose arrays have so many bytes: a line through the recent ones, by least squares.
   It never falls with the bytes and never grows faster than they do. Where the recent ones had nearly the same bytes, or
   the bytes are not known (0), their mean. */
double run_mean_expected_s(const struct run_mean *mean, double bytes);

struct store;
struct entry; /* queue_state.h */
LIST_HEAD(entries, entry);

struct owner_queue {
    struct owner *owner;
    struct device_group *device_group;
    struct order_node *waiting;
    int overrides; /* the owner's that wait in the device group's `overrides` instead */
    int entries;   /* that refer to it, waiting or not; with the last one it is freed */
    LIST_ENTRY(owner_queue) of_owner, of_group;
};
LIST_HEAD(owner_queues, owner_queue);

struct device_group {
    struct device_set devices;    /* of an unbound group also one device, or none */
    bool unbound;                 /* its experiments are bound to no device */
    int work_items;               /* that wait, with all of a sweep that goes to one device counted once */
    struct order_node *overrides; /* of all owners, they run before all others */
    struct order_node *ages;      /* all that wait, the oldest first */
    struct owner_queues owner_queues;
    LIST_ENTRY(device_group) next; /* of the unbound ones */
};
LIST_HEAD(device_groups, device_group);

/* One owner at one device on which it has had runs; and on all of them. */
struct owner_device {
    SLIST_ENTRY(owner_device) next;
    int device; /* -1: all */
    struct run_mean run_mean;
};

struct owner {
    LIST_ENTRY(owner) next, of_chain;
    char name[USER_NAME_BYTES]; /* empty: without a name */
    double used_s;              /* as of used_ns; on disk */
    int64_t used_ns;
    int64_t served;                   /* struct device_share */
    int waiting;                      /* experiments for all devices, and those being submitted */
    int64_t timeouts_ms;              /* sum of their time limits */
    int64_t request_bytes;            /* of their requests */
    double array_bytes;               /* of their arrays */
    struct owner_queues owner_queues; /* those with entries; none: the owner has no work */
    struct entries running;
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

/* Of the owner's runs on that device (-1: all); new if needed. NULL: no memory. */
struct run_mean *owner_run_mean(struct owner *owner, int device);

/* The owner's queue for a group; or for unbound experiments on these devices, whose group is new if needed. A new queue
   must be joined. NULL: no memory. */
struct owner_queue *owner_queue_get(struct owner *owner, struct device_group *group);
struct owner_queue *owner_queue_unbound(struct owner *owner, struct device_groups *groups,
                                        const struct device_set *devices);

/* One more entry refers to the queue, or one less. With its last entry a queue is freed, and an unbound group with its
   last queue. */
void owner_queue_join(struct owner_queue *owner_queue);
void owner_queue_leave(struct owner_queue *owner_queue);

/* The devices on which something of the owner waits, without overrides. */
struct device_set owner_devices(const struct owner *owner);

double owner_used_s(const struct owner *owner, int64_t now_ns, double half_life_s);
void owner_charge(struct owner *owner, double took_s, int64_t now_ns, double half_life_s);
