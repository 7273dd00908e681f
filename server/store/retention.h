/* Removes experiments that ended too long ago or take too much of the disk: a periodic job (server/periodic.h) has the writer remove
   the oldest, step by step, and give the file's free pages back. A sweep is as old as its last end, and is removed whole.
   What has not ended is not touched. */
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

/* Also without a limit it completes removals that a crash has interrupted, and shortens the file after removals. 0, or -1;
   retention_stop() is due in either case. */
int retention_start(struct retention **retention, struct store *store, const struct retention_config *config,
                    struct error *error);

/* NULL is allowed. */
void retention_stop(struct retention *retention);

#endif
