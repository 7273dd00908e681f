#include "server/queue/order.h"

#include <stddef.h>
#include <string.h>

#include "base/hash.h"

bool order_before(const struct order_node *a, const struct order_node *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return strcmp(a->id, b->id) < 0;
}

static int64_t tree_bytes(const struct order_node *root)
{
    return root ? root->sum : 0;
}

static void node_update_size(struct order_node *node)
{
    node->size = order_size(node->left) + 1 + order_size(node->right);
    node->sum = tree_bytes(node->left) + node->bytes + tree_bytes(node->right);
}

/* Splits a tree into the nodes before `key` and the nodes after it. */
static void tree_split(struct order_node *root, const struct order_node *key, struct order_node **before,
                       struct order_node **after)
{
    if (!root) {
        *before = *after = NULL;
    } else if (order_before(root, key)) {
        tree_split(root->right, key, &root->right, after);
        node_update_size(root);
        *before = root;
    } else {
        tree_split(root->left, key, before, &root->left);
        node_update_size(root);
        *after = root;
    }
}

/* All nodes of `before` are before all nodes of `after`. */
static struct order_node *tree_join(struct order_node *before, struct order_node *after)
{
    if (!before || !after)
        return before ? before : after;
    bool first = before->weight > after->weight;
    struct order_node *root = first ? before : after;
    *(first ? &root->right : &root->left) =
        first ? tree_join(before->right, after) : tree_join(before, after->left);
    node_update_size(root);
    return root;
}

/* The side of `root` on which the node belongs. */
static struct order_node **node_side(struct order_node *root, const struct order_node *node)
{
    return order_before(node, root) ? &root->left : &root->right;
}

void order_insert(struct order_node **root, struct order_node *node, const char *id, int priority)
{
    node->id = id;
    node->priority = priority;
    node->weight = (uint32_t)hash_text(id);
    while (*root && (*root)->weight >= node->weight) {
        (*root)->size++;
        (*root)->sum += node->bytes;
        root = node_side(*root, node);
    }
    tree_split(*root, node, &node->left, &node->right);
    node_update_size(node);
    *root = node;
}

void order_remove(struct order_node **root, struct order_node *node)
{
    while (*root != node) {
        (*root)->size--;
        (*root)->sum -= node->bytes;
        root = node_side(*root, node);
    }
    *root = tree_join(node->left, node->right);
}

struct order_node *order_first(struct order_node *root)
{
    while (root && root->left)
        root = root->left;
    return root;
}

struct order_node *order_at(struct order_node *root, int position)
{
    while (root && position != order_size(root->left)) {
        bool left = position < order_size(root->left);
        if (!left)
            position -= order_size(root->left) + 1;
        root = left ? root->left : root->right;
    }
    return root;
}

int order_position(const struct order_node *root, const struct order_node *node, int64_t *bytes)
{
    int position = 0;
    while (root) {
        bool before = order_before(root, node);
        if (before)
            position += order_size(root->left) + 1;
        if (before && bytes)
            *bytes += tree_bytes(root->left) + root->bytes;
        root = before ? root->right : root->left;
    }
    return position;
}
