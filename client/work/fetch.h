/* Requests that several commands send. All return an exit status; what went wrong has been reported. */
#ifndef COALESCED_CLIENT_WORK_FETCH_H
#define COALESCED_CLIENT_WORK_FETCH_H

#include <jansson.h>
#include <stdio.h>

#include "client/context.h"

enum { FETCH_PATH_BYTES = 512 };

/* GET of a JSON document; NULL when the status is not EXIT_FINE. The caller releases it. */
int fetch_json(struct context *context, const char *path, json_t **document);

/* GET with that Accept (NULL: JSON); writes the response's bytes as they are to `out`. */
int fetch_copy(struct context *context, const char *path, const char *accept, FILE *out);

/* A sweep with all pages of its points in one document. When there is one page alone, *only is its bytes,
   freed by the caller. */
int fetch_sweep(struct context *context, const char *id, json_t **document, char **only);

/* POST of a request that changes nothing, with that Accept (NULL: JSON). *body is the response's bytes,
   freed by the caller. */
int fetch_post(struct context *context, const char *path, const json_t *request, const char *accept,
               char **body);

/* The path with --view and --columns added where they were given, freed by the caller. NULL: no memory. */
char *fetch_table_path(struct context *context, const char *path);

/* "prefix/word", the word escaped; without a word the prefix. */
void fetch_path(struct context *context, const char *prefix, const char *word, char path[FETCH_PATH_BYTES]);

/* Writes one experiment as a table. */
int fetch_table_of_one(struct context *context, const char *id, FILE *out);

#endif
