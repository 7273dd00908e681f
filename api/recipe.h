/* The published tables as named sweeps: api/recipes/<name>.json, embedded. Each holds a title, a text, the
   sweep that its rows ran, and the figures as they were published, with the columns that are known to be
   off. */
#pragma once

#include <jansson.h>

#include "api/csv.h"
#include "api/suggest.h"
#include "base/buffer.h"
#include "base/json_writer.h"
#include "kernels/experiment.h"

struct recipe;

/* In the order of their names. Any thread, after json_parts_start(). */
int recipe_count(void);
const struct recipe *recipe_at(int index);

/* NULL when there is none of that name. */
const struct recipe *recipe_find(const char *name);
const char *recipe_name(const struct recipe *recipe);

/* How a sentence goes on that says that there is no recipe of that name, as suggest_text(). */
const char *recipe_suggest(struct suggestion *meant, const char *name);

/* Writes the whole document, or its name, title and text alone. */
void recipe_write(struct json_writer *json, const char *key, const struct recipe *recipe);
void recipe_write_summary(struct json_writer *json, const char *key, const struct recipe *recipe);

/* All of it as a tree, whose members are those of its file. Borrowed. */
const json_t *recipe_document(const struct recipe *recipe);

/* Its sweep, with the members of `request` laid over but for "recipe": a smaller size, another device. New
   reference. */
json_t *recipe_sweep(const struct recipe *recipe, const json_t *request);

/* The architecture that the figures were published for, and whether its loads went through L1 (-1: not
   said). NULL: none in particular. */
const char *recipe_arch(const struct recipe *recipe, int *l1);

/* What was published for a point, given its request with every default filled in: {"elapsed_ms": 1.9, ...,
   "off": {"elapsed_ms": "why"}, "differs": {"size": {"asked": 1000, "published": 1048576}}}; null when no
   row is of that point. What differs is what was laid over the recipe's sweep and makes another experiment
   of it; the figures that then say nothing about it are off. New reference. */
json_t *recipe_published(const struct recipe *recipe, const json_t *request);

/* The reference figures of a point of the recipe's sweep: {"published": ..., "predicted":
   {"published_arch": ..., "device_arch": ...}}, as text to be freed by the caller; NULL: no memory.
   `request` is the point's, as text; device_arch the architecture of the device that it is for;
   unpredicted, unless NULL, why there is no prediction, which may take a second. */
char *recipe_reference(const struct recipe *recipe, const char *request, const char *device_arch,
                       const char *unpredicted);

/* The sweep that a request asks for: a new reference to `request` itself, or to the named recipe's sweep
   with the request laid over and *recipe set (NULL: none was named). NULL: what is wrong is in *problems. */
json_t *recipe_resolve(json_t *request, const struct recipe **recipe, struct problems *problems);

/* Says of what is wrong with a field that the request does not hold that the recipe brought it. */
void recipe_explain(const struct recipe *recipe, const json_t *request, struct problems *problems);

/* ---- recipe_marks.c: the marks and notes of a published table ---- */

/* Why a column that is of a size of its own is off at another size, in English. */
enum { RECIPE_REASON_BYTES = 64 };
void recipe_size_reason(char reason[RECIPE_REASON_BYTES], const json_t *size);

/* Adds to what recipe_published() returned, where figures are off, "marks": {column: letter}. */
void recipe_mark(const struct recipe *recipe, json_t *published);

/* The text of recipe_reference() with those marks, to be freed by the caller; NULL: no memory. */
char *recipe_reference_marked(const struct recipe *recipe, const char *reference);

/* Writes what all points of the published table share: {"device", "l1", "columns", "request", "sizes", "marks":
   [{"mark", "en", "zh"}], "notes": [{"en", "zh"}]}, null where nothing was published; or the notes alone. */
void recipe_write_published(struct json_writer *json, const char *key, const struct recipe *recipe);
void recipe_write_notes(struct json_writer *json, const char *key, const struct recipe *recipe);

/* ---- recipe_predictions.c: what the model predicts for each point, beside what was published ---- */

/* Appends {"recipe", "arch", "axes", "published", "points": [{index, values, request, prediction, published,
   predicted}, ...]} and a newline: for that architecture; loads go through L1 as in the published table where that is the
   table's own architecture. A point that no GPU can launch has a failure in the place of the request and
   the prediction. A prediction may take a second: those that are not begun within budget_ms say so. 0, or
   -1: no memory. */
int recipe_predictions_write(struct buffer *out, const struct recipe *recipe, const char *arch,
                             int budget_ms);

/* The same as a table: with columns NULL or empty the axes, what is predicted and what was published, else
   the columns that are named, of those that all tables have. 0; or -1 with what is wrong in `detail`,
   which is empty where there was no memory. */
int recipe_predictions_csv(struct buffer *out, const struct recipe *recipe, const char *arch, int budget_ms,
                           const char *columns, char detail[COLUMNS_DETAIL_BYTES]);
