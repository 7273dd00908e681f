/* From a request to what came of it: submitted once, waited for with a line of progress, printed. */
#ifndef COALESCED_CLIENT_WORK_H
#define COALESCED_CLIENT_WORK_H

#include <jansson.h>

#include "client/context.h"

enum { WORK_ID_BYTES = 64 };

struct work {
    bool sweep;
    char id[WORK_ID_BYTES];
};

/* Posts the request and, unless --detach, waits and prints; the exit status. Takes the request. */
int work_submit(struct context *context, const char *path, json_t *request);

/* Finds out what the id names. An exit status, told. */
int work_find(struct context *context, const char *id, struct work *work);

/* Until it has ended, with progress; Ctrl-C leaves it or cancels it, and EXIT_INTERRUPTED. */
int work_wait(struct context *context, const struct work *work);

/* Fetches and prints it, as the options say; the exit status follows from what came of it. */
int work_print(struct context *context, const struct work *work, FILE *out);

#endif
