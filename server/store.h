/* The only file that knows SQL. One SQLite database in one data directory: WAL, synchronous FULL, one writing
   connection on one thread that commits all that waits in one transaction (group commit), read-only
   connections for whoever reads. See docs/architecture.md. */
#ifndef COALESCED_SERVER_STORE_H
#define COALESCED_SERVER_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "server/job.h"

struct store;

/* Creates the directory when it is missing, takes its lock (ERROR_CONFLICT when another service holds it),
   opens and migrates the database, starts the writer. `vfs` names the SQLite VFS, NULL the default one. */
int store_open(struct store **store, const char *directory, const char *vfs, struct error *error);

/* Commits what waits, then closes. NULL is allowed. */
void store_close(struct store *store);

/* ---- readers: any thread, short ---- */

/* *job is to be freed with job_free(); -1: ERROR_NOT_FOUND, ERROR_STORE. */
int store_get(struct store *store, const char *id, struct job **job, struct error *error);

struct store_filter {
    const char *kernel; /* NULL: any */
    int state;          /* -1: any */
    int device;         /* -1: any */
    const char *label,
        *label_value;   /* NULL: any; a label that the request has, with that value unless NULL */
    const char *before; /* an id: older ones only; NULL: from the newest */
    int limit;          /* rows at most */
};

/* Newest first; each(arg, job) for each row, the job valid during the call; a result other than 0 ends it. */
int store_list(struct store *store, const struct store_filter *filter,
               int (*each)(void *arg, const struct job *), void *arg, struct error *error);

/* Is the writer alive and the last commit good? For /readyz. */
bool store_healthy(struct store *store, struct error *error);

#endif
