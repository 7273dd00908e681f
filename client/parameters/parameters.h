/* The request that the words NAME=VALUE of a command line stand for. Which names and values are valid is
   the service's decision. */
#ifndef COALESCED_CLIENT_PARAMETERS_PARAMETERS_H
#define COALESCED_CLIENT_PARAMETERS_PARAMETERS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* Adds each word to the request. A dot in a name leads into an object: measure.noise=0.01; label.who=ada
   goes to labels, whose values are texts. axes: of a sweep, where a shape is one value of an axis. -1 with
   ERROR_INVALID: no "=", no name, a name twice, a value that cannot be read. */
int parameters_add(json_t *request, const char *const *words, int count, bool axes, struct error *error);

#endif
