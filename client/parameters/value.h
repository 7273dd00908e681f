/* What stands behind the "=" of a parameter, as JSON: numbers, powers, shapes, words, ranges and lists of them. */
#ifndef COALESCED_CLIENT_PARAMETERS_VALUE_H
#define COALESCED_CLIENT_PARAMETERS_VALUE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* As many values as a sweep may have points: a longer range is a mistake. */
enum { VALUE_MOST = 10000 };

/* One item, which is none of a range: an integer ("11", "-3", "2^26", "64Mi", "1M"), a shape of these ("32x8"), a real
   number ("0.5", "1e-3"), "null", or a word. NULL: no memory, or a number beyond 64 bits (ERROR_INVALID). New. */
json_t *value_item(const char *text, struct error *error);

/* The items of a list, with ranges ("0..16", "0..1024 step 32", "1..4096 by x2") expanded. A new array, or NULL with
   ERROR_INVALID: an empty item, a range that does not end, too many values. */
json_t *value_list(const char *text, struct error *error);

/* Whether a text has a comma or a range in it. */
bool value_is_list(const char *text);

#endif
