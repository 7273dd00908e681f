/* Sorted sets of experiments: the higher priority first, then the older id. Owners are compared in owner.h.

   A treap whose nodes count their subtrees, so that insertion, removal, the first node, and the position of any node
   are logarithmic. No locks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct order_node {
    struct order_node *left, *right;
    const char *id;  /* borrowed; unique in the tree */
    uint32_t weight; /* random; at most the parent's */
    int priority;
    int size;      /* number of nodes in the subtree */
    int64_t bytes; /* set by the caller before the insertion: of the experiment's arrays */
    int64_t sum;   /* of the bytes in the subtree */
};

void order_insert(struct order_node **root, struct order_node *node, const char *id, int priority);

/* Does a run before b? */
bool order_before(const struct order_node *a, const struct order_node *b);

/* The node must be in the tree. */
void order_remove(struct order_node **root, struct order_node *node);

/* NULL when the tree is empty. */
struct order_node *order_first(struct order_node *root);

/* The node with `position` nodes before it; NULL when there are too few. */
struct order_node *order_at(struct order_node *root, int position);

static inline int order_size(const struct order_node *root)
{
    return root ? root->size : 0;
}

/* How many nodes of the tree are before this one, whether it is in the tree or not; *bytes (NULL: not wanted): theirs
   are added to it. */
int order_position(const struct order_node *root, const struct order_node *node, int64_t *bytes);
