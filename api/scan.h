/* Where in a JSON text the values of some paths lie, found in one walk without a tree of the text. */
#pragma once

#include <stddef.h>

enum { SCAN_NODES = 400 };

/* A name of a path, and those that may follow it. */
struct scan_node {
    const char *name; /* borrowed */
    size_t length;
    int slot; /* -1: no path ends here */
    struct scan_node *child, *next;
};

/* A tree of paths; all zero is an empty one. */
struct scan_paths {
    struct scan_node nodes[SCAN_NODES]; /* the first one is the root */
    int count;
};

/* A value in a text: an object with its braces, a string with its quotes. NULL: there is none. */
struct scan_value {
    const char *at;
    size_t length;
};

/* Adds "name/name/0", which is borrowed, and gives it that slot, unless that is -1. An index leads into a list,
   and 0 to an integer that stands where there might be a list. The node at its end ("": the root), which may
   have been there before; NULL: there are SCAN_NODES already. */
struct scan_node *scan_add(struct scan_paths *paths, const char *path, int slot);

/* The same for another name below a node. */
struct scan_node *scan_add_below(struct scan_paths *paths, struct scan_node *node, const char *name,
                                 size_t length, int slot);

/* Fills slots[] with what the text holds behind that node; the others are left alone. Of members with the
   same name the last one counts. Reads no further than the text's end, whatever the text is. */
void scan_text(const struct scan_node *node, const char *text, struct scan_value *slots);
