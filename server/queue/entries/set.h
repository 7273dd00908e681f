/* For which devices something waits, and what of each owner waits for them: a set of devices and its lines. Each device
   has a set of its own, for what may run there alone; sets of several ("wide") are made as they come and are gone with
   their last experiment. With the queue's lock held. */
#ifndef COALESCED_SERVER_QUEUE_ENTRIES_SET_H
#define COALESCED_SERVER_QUEUE_ENTRIES_SET_H

#include <sys/queue.h>

#include "api/device_set.h"
#include "server/queue/entries/order.h"

struct owner; /* owner.h */

/* What of one owner waits for one set, in its order. */
struct line {
    struct owner *owner;
    struct set *set;
    struct order_node *waiting;
    int count;     /* in it */
    int overrides; /* of it waiting among the set's overrides, and not in here */
    int entries;   /* that are its own, whether they wait or not; 0: it is in no list */
    LIST_ENTRY(line) of_owner, of_set;
};
LIST_HEAD(lines, line);

struct set {
    struct device_set devices;
    bool wide;   /* its experiments are bound to no device; may have one device, or none, all the same */
    int waiting; /* in all lines and among the overrides */
    int pieces;  /* of that, with all of a sweep that goes to one device as one */
    struct order_node *overrides; /* whoever's */
    struct order_node *ages;      /* all that wait, the oldest first */
    struct lines lines;
    LIST_ENTRY(set) next; /* of the wide ones */
};
LIST_HEAD(sets, set);

/* The wide line for these devices of an owner who has those lines; new if need be, then to be joined. NULL: no memory. */
struct line *line_wide(struct sets *sets, struct owner *owner, const struct lines *lines,
                       const struct device_set *devices);

/* One more entry (and it is one of the owner's lines), or one less, that is its own. */
void line_join(struct line *line, struct lines *lines);
void line_leave(struct line *line);

#endif
