/* Removes what has ended: one on request, which hides it, and by policy what ended longest ago. A periodic job
   (server/periodic.h) has the writer delete the rows step by step and give the file's free pages back. A sweep
   is as old as its last end, and is removed whole. What has not ended is not touched. */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct store;

struct store_mark; /* server/store/write.h */

/* Removes one that has ended, a sweep with all that is its, or restores it. It is one small write: what is
   removed is not seen from its commit on, and can be restored until its time is over and the retention deletes
   it. done(arg, NULL) after the commit; or with the reason: ERROR_NOT_FOUND, ERROR_CONFLICT (it has not ended,
   or its sweep is to be restored first),
   others when the disk fails. It is called on the writer's thread and must not block. -1: ERROR_MEMORY, and it
   is not called. */
int store_mark(struct store *store, const struct store_mark *mark,
               void (*done)(void *arg, const struct error *failed), void *arg, struct error *error);

struct retention;

struct retention_config {
    double days;   /* what ended longer ago is removed; 0: nothing is */
    int64_t bytes; /* removes while the database's pages in use are more, without the log; 0: no limit */
    /* For each experiment whose rows are deleted, after the commit; on the writer's thread, and must not block. */
    void (*removed)(void *arg, const char *id);
    void *arg;
};

/* Also without a limit it deletes what was removed and whose time is over, and shortens the file after
   removals. 0, or -1; retention_stop() is due in either case. */
int retention_start(struct retention **retention, struct store *store, const struct retention_config *config,
                    struct error *error);

/* NULL is allowed. */
void retention_stop(struct retention *retention);
