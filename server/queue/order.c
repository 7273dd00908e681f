#include "server/queue/order.h"

#include <stddef.h>
#include <string.h>

#include "server/store/id.h"

static int node_compare(const struct order_node *a, const struct order_node *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return strcmp(a->id, b->id);
}

bool order_before(const struct order_node *a, const struct order_node *b)
{
    return node_compare(a, b) < 0;
}

int order_size(const struct order_node *root)
{
    return root ? root->size : 0;
}

static void node_count(struct order_node *node)
{
    node->size = order_size(node->left) + 1 + order_size(node->right);
}

/* Takes a tree apart into what is before `key` and what is behind it. */
static void order_split(struct order_node *root, const struct order_node *key, struct order_node **before,
                        struct order_node **behind)
{
    if (!root) {
        *before = *behind = NULL;
    } else if (node_compare(root, key) < 0) {
        order_split(root->right, key, &root->right, behind);
        node_count(root);
        *before = root;
    } else {
        order_split(root->left, key, before, &root->left);
        node_count(root);
        *behind = root;
    }
}

/* All of `before` is before all of `behind`. */
static struct order_node *order_join(struct order_node *before, struct order_node *behind)
{
    if (!before || !behind)
        return before ? before : behind;
    if (before->weight > behind->weight) {
        before->right = order_join(before->right, behind);
        node_count(before);
        return before;
    }
    behind->left = order_join(before, behind->left);
    node_count(behind);
    return behind;
}

void order_insert(struct order_node **root, struct order_node *node, const char *id, int priority)
{
    node->id = id;
    node->priority = priority;
    node->weight = (uint32_t)id_hash(id);
    while (*root && (*root)->weight >= node->weight) {
        (*root)->size++;
        root = node_compare(node, *root) < 0 ? &(*root)->left : &(*root)->right;
    }
    order_split(*root, node, &node->left, &node->right);
    node_count(node);
    *root = node;
}

void order_remove(struct order_node **root, struct order_node *node)
{
    while (*root != node) {
        (*root)->size--;
        root = node_compare(node, *root) < 0 ? &(*root)->left : &(*root)->right;
    }
    *root = order_join(node->left, node->right);
}

struct order_node *order_first(struct order_node *root)
{
    while (root && root->left)
        root = root->left;
    return root;
}

struct order_node *order_at(struct order_node *root, int place)
{
    while (root && place != order_size(root->left)) {
        bool left = place < order_size(root->left);
        if (!left)
            place -= order_size(root->left) + 1;
        root = left ? root->left : root->right;
    }
    return root;
}

int order_place(const struct order_node *root, const struct order_node *node)
{
    int place = 0;
    while (root) {
        bool before = node_compare(root, node) < 0;
        if (before)
            place += order_size(root->left) + 1;
        root = before ? root->right : root->left;
    }
    return place;
}
