/* Members of the service's answers by their path. What is not there, or says why it is not, is no number and no text. */
#ifndef COALESCED_CLIENT_ANSWERS_JSON_PATH_H
#define COALESCED_CLIENT_ANSWERS_JSON_PATH_H

#include <jansson.h>
#include <stdbool.h>

#include "client/terminal/screen.h"

enum { FIELDS_TEXT_BYTES = 256 };

/* "timing.hot.median_us", "ci95_us.0"; NULL when it is not there. Borrowed. */
json_t *json_path_at(const json_t *document, const char *path);

/* NaN when it is not there or no number. */
double json_path_number(const json_t *document, const char *path);

/* The text, or `otherwise`. Borrowed. */
const char *json_path_text(const json_t *document, const char *path, const char *otherwise);
bool json_path_true(const json_t *document, const char *path);

/* A value as parameters are written: 11, 32x8, ca; null is "". A shape's trailing ones are left out. */
void json_path_value(char text[FIELDS_TEXT_BYTES], const json_t *value);

/* Appends, as far as there is room. */
void json_path_add(char text[FIELDS_TEXT_BYTES], const char *more);

/* The whole answer as JSON; NULL and told when it is none. New. */
json_t *json_path_parse(struct screen *screen, const char *text);

#endif
