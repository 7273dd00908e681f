/* Walks a JSON text once and notes where the values of some paths begin and end. */
#include "api/scan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- paths ---- */

static struct scan_node *child_of(const struct scan_node *node, const char *name, size_t length)
{
    struct scan_node *child = node->child;
    while (child && !(child->length == length && memcmp(child->name, name, length) == 0))
        child = child->next;
    return child;
}

static struct scan_node *root_of(struct scan_paths *paths)
{
    if (!paths->count)
        paths->nodes[paths->count++] = (struct scan_node){.name = "", .slot = -1};
    return &paths->nodes[0];
}

struct scan_node *scan_add_below(struct scan_paths *paths, struct scan_node *node, const char *name,
                                 size_t length, int slot)
{
    struct scan_node *child = node ? child_of(node, name, length) : NULL;
    if (!child) {
        if (!node || paths->count == SCAN_NODES)
            return NULL;
        child = &paths->nodes[paths->count++];
        *child = (struct scan_node){.name = name, .length = length, .slot = -1, .next = node->child};
        node->child = child;
    }
    if (slot >= 0)
        child->slot = slot;
    return child;
}

struct scan_node *scan_add(struct scan_paths *paths, const char *path, int slot)
{
    struct scan_node *node = root_of(paths);
    while (node && *path) {
        size_t length = strcspn(path, "/");
        bool last = !path[length];
        node = scan_add_below(paths, node, path, length, last ? slot : -1);
        path += length + !last;
    }
    return node;
}

/* ---- a text ---- */

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
        p++;
    return p;
}

/* From a quote to behind the next one. */
static const char *skip_string(const char *p)
{
    while (*++p != '"') {
        if (*p == '\\')
            p++;
        if (!*p)
            return p;
    }
    return p + 1;
}

static const char *skip_value(const char *p)
{
    int depth = 0;
    do {
        if (*p == '"') {
            p = skip_string(p);
        } else if (*p == '{' || *p == '[') {
            depth++;
            p++;
        } else if (*p == '}' || *p == ']') {
            depth--;
            p++;
        } else {
            size_t length = strcspn(p, depth ? "\"{}[]" : ",}] \t\n\r");
            p += length;
            if (!depth)
                return p;
        }
    } while (depth > 0 && *p);
    return p;
}

static const char *scan_value(const struct scan_node *node, const char *p, struct scan_value *slots);

static const char *scan_object(const struct scan_node *node, const char *p, struct scan_value *slots)
{
    p = skip_blanks(p + 1);
    while (*p == '"') {
        const char *name = p + 1;
        p = skip_string(p);
        const struct scan_node *child = child_of(node, name, p > name ? (size_t)(p - name) - 1 : 0);
        p = skip_blanks(p);
        p = skip_blanks(*p == ':' ? p + 1 : p);
        p = child ? scan_value(child, p, slots) : skip_value(p);
        p = skip_blanks(p);
        if (*p == ',')
            p = skip_blanks(p + 1);
    }
    return *p == '}' ? p + 1 : p;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *scan_list(const struct scan_node *node, const char *p, struct scan_value *slots)
{
    p = skip_blanks(p + 1);
    for (unsigned long i = 0; *p && *p != ']'; i++) {
        const struct scan_node *child = node->child;
        while (child && !(is_digit(*child->name) && strtoul(child->name, NULL, 10) == i))
            child = child->next;
        const char *start = p;
        p = skip_blanks(child ? scan_value(child, p, slots) : skip_value(p));
        if (*p == ',')
            p = skip_blanks(p + 1);
        else if (p == start)
            return p;
    }
    return *p ? p + 1 : p;
}

static bool is_integer(const char *p, size_t length)
{
    size_t sign = *p == '-';
    return length > sign && strspn(p + sign, "0123456789") >= length - sign;
}

static const char *scan_value(const struct scan_node *node, const char *p, struct scan_value *slots)
{
    const char *start = p;
    const struct scan_node *first;
    if (*p == '{' && node->child) {
        p = scan_object(node, p, slots);
    } else if (*p == '[' && node->child) {
        p = scan_list(node, p, slots);
    } else {
        p = skip_value(p);
        if (node->child && is_integer(start, (size_t)(p - start)) && (first = child_of(node, "0", 1)))
            slots[first->slot] = (struct scan_value){start, (size_t)(p - start)};
    }
    if (node->slot >= 0)
        slots[node->slot] = (struct scan_value){start, (size_t)(p - start)};
    return p;
}

void scan_text(const struct scan_node *node, const char *text, struct scan_value *slots)
{
    scan_value(node, skip_blanks(text), slots);
}
