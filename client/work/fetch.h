/* Requests that several commands send. All return an exit status; what went wrong has been reported. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "client/context.h"

/* The JSON document of a request, and of a GET; NULL when the status is not EXIT_FINE. The caller releases
   it. */
int fetch_document(struct context *context, const struct http_client_request *request, json_t **document);
int fetch_json(struct context *context, const char *path, json_t **document);

/* An id as a narrow terminal shows it, 01M85N...XZP9SRJ or with one character for the dots, or its last six characters
   or more, as the page shows them, with the dots or without, becomes the whole one. With its first characters it is looked
   for among all sweeps and experiments, else among the newest 10,000 of each, of which the newest that fits is taken. Another
   word stays, and NULL; but one that could be such an id is refused where there are more than 10,000. *word is then the
   context's until the program ends. */
int fetch_whole_id(struct context *context, const char **word);

typedef void fetch_print(struct context *context, const json_t *document);

/* GET. Writes the response's bytes with --json, its table with --csv; without either print() writes the
   document. And the same of any request, to `out`. */
int fetch_show(struct context *context, const char *path, fetch_print *print);
int fetch_show_to(FILE *out, struct context *context, const struct http_client_request *request,
                  fetch_print *print);

/* A sweep with all pages of its points in one document. When there is one page alone, *only is its bytes,
   freed by the caller. */
int fetch_sweep(struct context *context, const char *id, json_t **document, char **only);

/* A POST of that JSON which changes nothing; a problem with it is shown at the command line's words. */
struct http_client_request fetch_question(struct context *context, const char *path, const char *body);

/* Shows a problem document at the command line's words. Returns EXIT_REFUSED. */
int fetch_refused(struct context *context, const struct http_client_response *response);

/* "prefix/word suffix" without the blank, the word escaped and left out with its slash where it is NULL.
   Freed by the caller; NULL: no memory. */
char *fetch_path(struct context *context, const char *prefix, const char *word, const char *suffix);

/* Writes the table at that path, of --view and --columns where they were given, with or without its first line, the names of
   its columns. */
int fetch_table(struct context *context, const char *path, bool head, FILE *out);

/* Writes one experiment as a table. */
int fetch_table_of_one(struct context *context, const char *id, FILE *out);
