/* The value of a parameter as JSON: numbers, powers, shapes, words, ranges and lists of these. */
#ifndef COALESCED_CLIENT_PARAMETERS_VALUE_H
#define COALESCED_CLIENT_PARAMETERS_VALUE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* The most points of a sweep: a longer range is a mistake. */
enum { VALUE_COUNT_MAX = 10000 };

/* One item that is no range: an integer ("11", "-3", "2^26", "64Mi", "1M"), a shape of integers ("32x8"),
   a real number ("0.5", "1e-3"), "null", or a word. The caller releases it. NULL: no memory, or a number
   beyond 64 bits (ERROR_INVALID). */
json_t *value_item(const char *text, struct error *error);

/* The items of a list, with ranges ("0..16", "0..1024 step 32", "1..4096 by x2") expanded: an array that
   the caller releases. NULL with ERROR_INVALID: an empty item, a range without an end, too many values. */
json_t *value_list(const char *text, struct error *error);

/* True when the text has a comma or is a range. */
bool value_is_list(const char *text);

#endif
