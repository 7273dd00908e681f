/* An experiment or a sweep from its request to its result: submitted once, waited for with a line of
   progress, printed. */
#pragma once

#include <jansson.h>

#include "client/context.h"

enum { RESOURCE_ID_BYTES = 64, CLIENT_SUBMISSION_PATH_BYTES = 128 };

/* What an id names. */
struct resource {
    bool sweep;                                               /* false: an experiment */
    char id[RESOURCE_ID_BYTES], path[RESOURCE_ID_BYTES + 32]; /* path: /v1/sweeps/{id} */
};

/* Posts the request and, unless --detach, waits and prints. Takes the reference to the request. Returns
   the exit status. */
int client_submission_submit(struct context *context, const char *path, json_t *request);

/* Returns 0 if the text has the form of an id or of the end of one; else -1 with ERROR_INVALID. */
int client_submission_check_id(const char *text, struct error *error);

/* Names an experiment or a sweep without asking for it. EXIT_FINE, or the exit status when it is no id, which
   has been reported. */
int client_submission_name(struct context *context, const char *id, bool sweep, struct resource *resource);

/* Finds what the id names. Returns an exit status; what went wrong has been reported. */
int client_submission_find(struct context *context, const char *id, struct resource *resource);

/* Waits for its end, with progress. After Ctrl-C it stays queued, or is cancelled with --cancel-on-interrupt:
   EXIT_INTERRUPTED. */
int client_submission_wait(struct context *context, const struct resource *resource);

/* Fetches and prints it as the options say. The exit status follows from its result. */
int client_submission_print(struct context *context, const struct resource *resource, FILE *out);
