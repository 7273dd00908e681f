/* Members of JSON documents by their path, and their text. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "client/terminal/screen.h"

enum { JSON_PATH_TEXT_BYTES = 256 };

/* The member at "timing.hot.median_us", "timing/hot/median_us" or "ci95_us.0"; NULL: there is none. "": the
   document. Borrowed. */
json_t *json_path_at(const json_t *document, const char *path);

/* The first object of the array whose member `name` is that value; NULL: there is none. Borrowed. */
json_t *json_path_find(const json_t *rows, const char *name, const json_t *value);

/* NaN: there is none, or it is no number. */
double json_path_number(const json_t *document, const char *path);

/* The member's text, or `fallback`. Borrowed. */
const char *json_path_text(const json_t *document, const char *path, const char *fallback);
bool json_path_true(const json_t *document, const char *path);

/* A value in the form of a parameter: 11, 32x8, ca, "copy copy_ldg"; null is "". Trailing ones of a shape
   are left out. */
void json_path_value(char text[JSON_PATH_TEXT_BYTES], const json_t *value);

/* Appends to the text of so many bytes; what does not fit is cut off. */
void json_path_append(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A response's body as JSON, released by the caller; NULL: it is no JSON, which has been reported.
   json_path_parse() also cleans its strings, so that they can be printed. */
json_t *json_path_load(struct screen *screen, const char *text);
json_t *json_path_parse(struct screen *screen, const char *text);
