/* Questions that several commands ask. All return an exit status, told. */
#ifndef COALESCED_CLIENT_WORK_FETCH_H
#define COALESCED_CLIENT_WORK_FETCH_H

#include <jansson.h>
#include <stdio.h>

#include "client/context.h"

/* GET, and the answer as JSON (new; NULL when the status is not EXIT_FINE). */
int fetch_json(struct context *context, const char *path, json_t **document);

/* GET with that Accept, and the answer's bytes as they are to `out`. */
int fetch_copy(struct context *context, const char *path, const char *accept, FILE *out);

/* A sweep with all pages of its points in one document. The first page's bytes go to *only, to be freed, when it is the
   only one. */
int fetch_sweep(struct context *context, const char *id, json_t **document, char **only);

/* POST of a request that changes nothing, with that Accept (NULL: JSON) and the words of the command line to mark what is wrong; the bytes, to be freed. */
int fetch_post(struct context *context, const char *path, const json_t *request, const char *accept,
               char **body);

/* An address with --view and --columns, as far as they were given, behind it; to be freed. NULL: no memory. */
char *fetch_table_path(struct context *context, const char *path);

/* One experiment as a table. */
int fetch_table_of_one(struct context *context, const char *id, FILE *out);

#endif
