/* The request that the words NAME=VALUE of a command line stand for. Which names and values are valid is
   the service's decision. Values of JSON are released by the caller. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* Adds each word to the request. A dot in a name leads into an object: measure.noise=0.01; label.who=ada
   goes to labels, whose values are texts. In a request with "source" other names with a dot, as in.w, are those of a
   struct's fields and stay as they are. axes: of a sweep, where a shape is one value of an axis. -1 with
   ERROR_INVALID: no "=", no name, a name twice, a value that cannot be read. */
int parameters_add(json_t *request, const char *const *words, int count, bool axes, struct error *error);

/* One item that is no range: an integer ("11", "-3", "2^26", "64Mi", "1M"), a shape of integers ("32x8"),
   a real number ("0.5", "1e-3"), "null", or a word. NULL: no memory, or a number beyond 64 bits
   (ERROR_INVALID). */
json_t *parameters_item(const char *text, struct error *error);

/* The items of a list, with ranges ("0..16", "0..1024 step 32", "1..4096 by x2") expanded, as an array.
   NULL with ERROR_INVALID: an empty item, a range without an end, too many values. */
json_t *parameters_list(const char *text, struct error *error);

/* True when the text has a comma or is a range. */
bool parameters_is_list(const char *text);

/* True when one of the words, NAME=VALUE, gives a parameter several values. label.*, show.*, counters= and arch= are not
   looked at: a comma in their value makes no axis. */
bool parameters_have_list(const char *const *words, int count);
