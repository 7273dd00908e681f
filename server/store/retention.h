/* Removes what has ended: one on request, and by policy what ended longest ago, in a periodic job
   (server/periodic.h) that has the writer remove it step by step and give the file's free pages back. A sweep
   is as old as its last end, and is removed whole. What has not ended is not touched. */
#ifndef COALESCED_SERVER_STORE_RETENTION_H
#define COALESCED_SERVER_STORE_RETENTION_H

#include <stdint.h>

#include "base/error.h"

struct store;

enum store_kind { STORE_EXPERIMENT, STORE_SWEEP };

/* Removes one that has ended; a sweep with its points and all of its experiments, in small transactions: from
   the first one on it is not listed any more. Calls removed(arg, id) for each experiment, after the commit
   that removes it; then done(arg, NULL) once all is gone, or with the reason: ERROR_NOT_FOUND, ERROR_CONFLICT
   (it has not ended), others when the disk fails; ERROR_UNCERTAIN when a sweep is half gone then, and the
   retention goes on with it. Both are called on the writer's thread and must not block. -1: ERROR_MEMORY, and
   neither is called. */
int store_remove(struct store *store, enum store_kind kind, const char *id,
                 void (*removed)(void *arg, const char *id),
                 void (*done)(void *arg, const struct error *failed), void *arg, struct error *error);

struct retention;

struct retention_config {
    double days;   /* what ended longer ago is removed; 0: nothing is */
    int64_t bytes; /* removes while the database's pages in use are more, without the log; 0: no limit */
    /* For each experiment, after the commit; on the writer's thread, and must not block. */
    void (*removed)(void *arg, const char *id);
    void *arg;
};

/* Also without a limit it completes removals that a crash has interrupted, and shortens the file after
   removals. 0, or -1; retention_stop() is due in either case. */
int retention_start(struct retention **retention, struct store *store, const struct retention_config *config,
                    struct error *error);

/* NULL is allowed. */
void retention_stop(struct retention *retention);

#endif
