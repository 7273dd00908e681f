/* The words NAME=VALUE of a command line, as the request that they stand for. Which names there are, and which values they
   take, is the service's to say. */
#ifndef COALESCED_CLIENT_PARAMETERS_PARAMETERS_H
#define COALESCED_CLIENT_PARAMETERS_PARAMETERS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* Adds each word to the request. A dot leads into an object: measure.noise=0.01; label.who=ada goes to labels, whose values
   are texts. axes: a shape is one value of an axis, as a sweep wants it. -1 with ERROR_INVALID: no "=", no name, a name
   twice, a value that cannot be read. */
int parameters_add(json_t *request, const char *const *words, int count, bool axes, struct error *error);

#endif
