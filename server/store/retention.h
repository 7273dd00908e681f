/* What is kept, and for how long: a thread that has the writer remove what ended longest ago, step by step, and give the
   file's free pages back. A sweep is as old as its last end, and goes whole. What has not ended is not touched. */
#ifndef COALESCED_SERVER_STORE_RETENTION_H
#define COALESCED_SERVER_STORE_RETENTION_H

#include <stdint.h>

#include "base/error.h"

struct retention;
struct store;

struct retention_config {
    double days; /* what ended longer ago goes; 0: nothing does */
    int64_t
        bytes; /* while the database's pages in use are more; 0: any number may be. The log is not counted */
    /* For each experiment, after the commit; from the writer's thread, and must not block. */
    void (*removed)(void *arg, const char *id);
    void *arg;
};

/* Also without a policy it ends what a crash has left half removed, and shortens the file after removals. */
int retention_start(struct retention **retention, struct store *store, const struct retention_config *config,
                    struct error *error);

/* NULL is allowed. */
void retention_stop(struct retention *retention);

#endif
