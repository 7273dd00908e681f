/* What waits, in the order in which it will run: the higher priority first, then the older id.
   A treap whose nodes count what hangs below them: insertion, removal, the first and the place of any one are
   all logarithmic, so that a place among 10,000 can be told in each answer. Private to the queue; no locks.
 */
#ifndef COALESCED_SERVER_QUEUE_ORDER_H
#define COALESCED_SERVER_QUEUE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct order_node {
    struct order_node *left, *right;
    const char *id;  /* borrowed; unique */
    uint32_t weight; /* random: no node's is above its parent's */
    int priority;
    int size; /* nodes from here downward */
};

void order_insert(struct order_node **root, struct order_node *node, const char *id, int priority);

/* Will a run before b? */
bool order_before(const struct order_node *a, const struct order_node *b);

/* It must be there. */
void order_remove(struct order_node **root, struct order_node *node);

/* NULL when there is none. */
struct order_node *order_first(struct order_node *root);

/* The one that so many are before; NULL when there are not so many. */
struct order_node *order_at(struct order_node *root, int place);

/* How many are before it, whether it is there or not. */
int order_place(const struct order_node *root, const struct order_node *node);

int order_size(const struct order_node *root);

#endif
