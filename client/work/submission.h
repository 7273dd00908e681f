/* From a request to what came of it: submitted once, waited for with a line of progress, printed. */
#ifndef COALESCED_CLIENT_WORK_SUBMISSION_H
#define COALESCED_CLIENT_WORK_SUBMISSION_H

#include <jansson.h>

#include "client/context.h"

enum { WORK_ID_BYTES = 64 };

struct submission {
    bool sweep;
    char id[WORK_ID_BYTES];
};

/* Posts the request and, unless --detach, waits and prints; the exit status. Takes the request. */
int submission_submit(struct context *context, const char *path, json_t *request);

/* Finds out what the id names. An exit status, told. */
int submission_find(struct context *context, const char *id, struct submission *work);

/* Until it has ended, with progress; Ctrl-C leaves it or cancels it, and EXIT_INTERRUPTED. */
int submission_wait(struct context *context, const struct submission *work);

/* Fetches and prints it, as the options say; the exit status follows from what came of it. */
int submission_print(struct context *context, const struct submission *work, FILE *out);

#endif
