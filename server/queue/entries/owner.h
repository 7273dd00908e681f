/* Who has experiments here: what of each owner waits, and what it used of the devices. There is one for each that ever
   submitted or has usage on disk; they stay until the queue is closed. With the queue's lock held, but for owner_new()
   and owner_free(). */
#ifndef COALESCED_SERVER_QUEUE_ENTRIES_OWNER_H
#define COALESCED_SERVER_QUEUE_ENTRIES_OWNER_H

#include "server/people/person.h"
#include "server/queue/entries/order.h"
#include "server/queue/entries/turn.h"

/* What of one owner waits for one device, in its order. */
struct line {
    struct order_node *waiting;
    int count;     /* in it; beside the owner's other figures, which are read for each place that is told */
    int overrides; /* of it waiting among the device's overrides, and not in here */
    struct pace pace;
};

struct owner {
    struct owner *next;
    char name[PERSON_NAME_BYTES]; /* empty: nobody by name */
    double used_s;                /* as of used_ns; on disk, as all that follows from it */
    int64_t used_ns;
    int64_t served;   /* turn.h */
    int waiting;      /* for all devices, and submissions on their way */
    int64_t asked_ms; /* the sum of their time limits */
    struct line lines[];
};

/* NULL: no memory. */
struct owner *owner_new(const char *name, int devices);
struct owner *owner_find(struct owner *first, const char *name); /* NULL: none */
void owner_free(struct owner *first);                            /* with all behind it */

double owner_used(const struct owner *owner, int64_t now_ns, double half_life_s);
void owner_charge(struct owner *owner, double took_s, int64_t now_ns, double half_life_s);

/* One more, or one less with -1, that waits or is on its way. */
void owner_count(struct owner *owner, int count, double timeout_s);

#endif
