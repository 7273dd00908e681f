/* A file of CUDA source as the members "source", and what goes with it, of a request. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* True: the word names a file of CUDA source. It has a dot or a slash, which no name of a kernel or recipe has. */
bool source_file_is(const char *word);

/* Sets "source" to the text of the file; "-" would be no such word. -1: ERROR_SYSTEM, it cannot be read; ERROR_INVALID, it is
   no UTF-8 text of at most 64 KiB. */
int source_file_add(json_t *request, const char *path, struct error *error);

/* Adds the members of the JSON object in a file, as {"arguments": [...]}; those that are there already stay. Members of
   "reference" are added to a reference that is there, but for its kernel. -1 as above. */
int source_file_add_members(json_t *request, const char *path, struct error *error);
