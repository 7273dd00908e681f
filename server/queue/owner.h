/* The owners of experiments: what of each waits, and what it used of the devices. An owner is known from its first submission,
   or from its usage on disk, until it is forgotten (forget.h). With the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_OWNER_H
#define COALESCED_SERVER_QUEUE_OWNER_H

#include "server/auth/user.h"
#include "server/queue/device_group.h"
#include "server/queue/device_share.h"

struct entry; /* entry.h */
LIST_HEAD(entries, entry);

/* One owner at one device on which it has, or had, work. */
struct owner_device {
    struct owner_device *next;
    int device;
    struct owner_queue owner_queue; /* of what may run there alone */
    struct pace pace;
};

struct owner {
    LIST_ENTRY(owner) next;     /* of struct owners */
    struct owner *chain;        /* the next one of the same hash */
    char name[USER_NAME_BYTES]; /* empty: nobody by name */
    double used_s;              /* as of used_ns; on disk, as all that follows from it */
    int64_t used_ns;
    int64_t served;                   /* turn.h */
    int waiting;                      /* for all devices, and submissions on their way */
    int64_t asked_ms;                 /* the sum of their time limits */
    struct owner_queues owner_queues; /* that have an entry: none when the owner has no work */
    struct entries running;           /* what runs now */
    struct pace pace;                 /* on all devices */
    struct owner_device *devices;
};

enum { OWNER_CHAINS = 1024 }; /* a power of two */

/* All of them; zeroed: none. */
struct owners {
    LIST_HEAD(, owner) all;
    int count;
    struct owner *chains[OWNER_CHAINS];
};

struct owner *owner_find(const struct owners *owners, const char *name); /* NULL: none */
struct owner *owner_add(struct owners *owners, const char *name);        /* a new one; NULL: no memory */
void owner_remove(struct owners *owners, struct owner *owner);           /* the caller frees it */
void owner_free(struct owner *owner);
void owners_free(struct owners *owners);

/* What is known of it at that device; NULL: nothing. */
struct owner_device *owner_at(const struct owner *owner, int device);

/* Its owner queue for a device, whose own set is given, or for several (owner_queue_unbound()); new if need be. NULL: no memory. */
struct owner_queue *owner_bound(struct owner *owner, int device, struct device_group *own);
struct owner_queue *owner_unbound(struct owner *owner, struct device_groups *device_groups,
                                  const struct device_set *devices);

/* On which devices something of it may run that waits, overrides not counted. */
struct device_set owner_devices(const struct owner *owner);

double owner_used(const struct owner *owner, int64_t now_ns, double half_life_s);
void owner_charge(struct owner *owner, double took_s, int64_t now_ns, double half_life_s);

/* One more, or one less with -1, that waits or is on its way. */
void owner_count(struct owner *owner, int count, double timeout_s);

#endif
