/* Who has experiments here: what of each owner waits, and what it used of the devices. There is one for each that ever
   submitted or has usage on disk; they stay until the queue is closed. With the queue's lock held, but for owner_new()
   and owner_free(). */
#ifndef COALESCED_SERVER_QUEUE_ENTRIES_OWNER_H
#define COALESCED_SERVER_QUEUE_ENTRIES_OWNER_H

#include "server/people/person.h"
#include "server/queue/entries/set.h"
#include "server/queue/entries/turn.h"

struct entry; /* entry.h */
LIST_HEAD(entries, entry);

/* One owner at one device. */
struct owner_device {
    struct line line; /* of what may run there alone */
    struct pace pace;
};

struct owner {
    struct owner *next;
    char name[PERSON_NAME_BYTES]; /* empty: nobody by name */
    double used_s;                /* as of used_ns; on disk, as all that follows from it */
    int64_t used_ns;
    int64_t served;         /* turn.h */
    int waiting;            /* for all devices, and submissions on their way */
    int64_t asked_ms;       /* the sum of their time limits */
    struct lines lines;     /* that have an entry */
    struct entries running; /* what runs now */
    struct pace pace;       /* on all devices */
    struct owner_device devices[];
};

/* NULL: no memory. */
struct owner *owner_new(const char *name, int devices);
struct owner *owner_find(struct owner *first, const char *name); /* NULL: none */
void owner_free(struct owner *first);                            /* with all behind it */

/* Its line for a device, or for several (line_wide()). */
static inline struct line *owner_bound(struct owner *owner, int device)
{
    return &owner->devices[device].line;
}
struct line *owner_wide(struct owner *owner, struct sets *sets, const struct device_set *devices);

/* On which devices something of it may run that waits, overrides not counted. */
struct device_set owner_devices(const struct owner *owner);

double owner_used(const struct owner *owner, int64_t now_ns, double half_life_s);
void owner_charge(struct owner *owner, double took_s, int64_t now_ns, double half_life_s);

/* One more, or one less with -1, that waits or is on its way. */
void owner_count(struct owner *owner, int count, double timeout_s);

#endif
