/* The published tables as named sweeps: api/recipes/<name>.json, embedded. Each holds a title, a text, the sweep that
   its rows ran, and the figures as they were published, with the columns that are known to be off. */
#ifndef COALESCED_API_RECIPE_H
#define COALESCED_API_RECIPE_H

#include <jansson.h>

struct recipe;

/* In the order of their names. Any thread, after api_start(). */
int recipe_count(void);
const struct recipe *recipe_at(int index);

/* NULL when there is none of that name. */
const struct recipe *recipe_find(const char *name);
const char *recipe_name(const struct recipe *recipe);

/* The whole document, and its name, title and text alone. New references; NULL: no memory. */
json_t *recipe_document(const struct recipe *recipe);
json_t *recipe_summary(const struct recipe *recipe);

/* Its sweep, with the members of `request` laid over but for "recipe": a smaller size, another device. New reference. */
json_t *recipe_sweep(const struct recipe *recipe, const json_t *request);

/* The architecture that the figures were published for, and whether its loads went through L1 (-1: not said). NULL:
   none in particular. */
const char *recipe_arch(const struct recipe *recipe, int *l1);

/* What was published for a point, given its request with every default filled in: {"elapsed_ms": 1.9, ...,
   "off": {"elapsed_ms": "why"}}; null when no row is of that point. New reference. */
json_t *recipe_published(const struct recipe *recipe, const json_t *request);

#endif
