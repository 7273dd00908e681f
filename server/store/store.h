/* The store's face: other rooms include this, job.h and id.h, and the queue write.h. One SQLite database in one data directory: WAL, synchronous FULL, one writing
   connection on one thread that commits all that waits in one transaction (group commit), read-only
   connections for whoever reads. See docs/architecture.md. */
#ifndef COALESCED_SERVER_STORE_STORE_H
#define COALESCED_SERVER_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "server/store/job.h"

struct store;
struct store_write; /* write.h, as the next */
struct store_device;
struct store_calibration;
struct samples; /* api/samples.h */

/* Creates the directory when it is missing, takes its lock (ERROR_CONFLICT when another service holds it),
   opens and migrates the database, starts the writer. `vfs` names the SQLite VFS, NULL the default one. The
   lock is a flock on DIRECTORY/lock, which holds the holder's process id as a line of text. From here on ids
   are greater than every one in the store. A disk that is full or fails is ERROR_UNAVAILABLE: it may be tried again. */
int store_open(struct store **store, const char *directory, const char *vfs, struct error *error);

/* Commits what waits, then closes. Nobody may be inside any more. NULL is allowed. */
void store_close(struct store *store);

/* ---- readers: any thread, short ---- */

/* *job is to be freed with job_free(); -1: ERROR_NOT_FOUND, ERROR_STORE. */
int store_get(struct store *store, const char *id, struct job **job, struct error *error);

/* The raw samples that were kept with its result; to be freed with samples_free(), both empty when there are none.
   -1: ERROR_STORE, ERROR_MEMORY. */
int store_samples(struct store *store, const char *id, struct samples *samples, struct error *error);

struct store_filter {
    const char *kernel; /* NULL: any */
    int state;          /* -1: any */
    int device;         /* -1: any */
    const char *sweep;  /* NULL: any */
    const char *owner;  /* NULL: any */
    const char *label,
        *label_value;        /* NULL: any; a label that the request has, with that value unless NULL */
    const char *device_uuid; /* NULL: any; that its result names */
    int64_t since_ms;        /* submitted then or later; 0: whenever */
    int64_t until_ms;        /* submitted before then; 0: whenever */
    const char *before;      /* an id: older ones only; NULL: from the newest */
    int limit;               /* rows at most */
    int within_ms;           /* for a page, else ERROR_UNAVAILABLE; 0: READER_LIMIT_MS; negative: no limit */
};

/* Newest first; each(arg, job) for each row, the job valid during the call; a result other than 0 ends it.
   Rows are read a page at a time and no connection is held while each() runs, so it may be slow; what is
   submitted meanwhile does not appear, what changes meanwhile is seen as of its page. */
int store_list(struct store *store, const struct store_filter *filter,
               int (*each)(void *arg, const struct job *), void *arg, struct error *error);

/* *row is to be cleared with sweep_row_clear(); -1: ERROR_NOT_FOUND, ERROR_STORE, ERROR_MEMORY. Takes a
   millisecond for 10,000 points. */
int store_sweep(struct store *store, const char *id, struct sweep_row *row, struct error *error);

/* Newest first; as store_list(). Of the filter count owner, label, device_uuid (one of its experiments), since_ms, until_ms,
   before and limit. */
int store_sweeps(struct store *store, const struct store_filter *filter,
                 int (*each)(void *arg, const struct sweep_row *), void *arg, struct error *error);

/* The runs of a sweep's points from that place on, `limit` at most: point by point, and of each round by round; as
   store_list(). */
int store_points(struct store *store, const char *sweep, int from, int limit,
                 int (*each)(void *arg, const struct point_row *), void *arg, struct error *error);

/* ---- what removes ---- */

enum store_kind { STORE_EXPERIMENT, STORE_SWEEP };

/* Removes one that has ended; a sweep with its points and all of its experiments, in small transactions: it is not shown
   any more from the first one on. Calls removed(arg, id) for each experiment, after the commit without which it would
   still be there; then done(arg, NULL) once all is gone, or with the reason: ERROR_NOT_FOUND, ERROR_CONFLICT (it has not
   ended), others when the disk fails; ERROR_UNCERTAIN when a sweep is half gone then, and the retention (keep/retention.h) goes on
   with it. Both come from the writer's thread and must not block. -1: ERROR_MEMORY, and neither comes. */
int store_remove(struct store *store, enum store_kind kind, const char *id,
                 void (*removed)(void *arg, const char *id),
                 void (*done)(void *arg, const struct error *failed), void *arg, struct error *error);

/* Before anything is submitted: submissions that would leave less than that free on the disk fail as ERROR_STORAGE, but
   for known keys; see writer/room.h. 0, as at first: none do. */
void store_reserve(struct store *store, int64_t reserve_bytes);

/* How many bytes logs may write to the file system of that open file: what is free beyond the reserve and a quarter of it, so
   that logs never end submissions. INT64_MAX: nothing is reserved, or nobody
   knows. Any thread; needs no store. */
int64_t store_log_budget_bytes(int file, int64_t reserve_bytes);

/* ---- what has happened, for whoever follows ---- */

enum { STORE_EVENTS_KEPT = 16384 };

/* The events of one transaction, numbered last - count + 1 to last: a line "KIND JSON\n" each, KIND is state, sweep or
   queue (api/openapi.yaml). */
struct store_events {
    int64_t last;
    int count;
    const char *lines;
    size_t size;
};

/* Those that are kept, the oldest first, borrowed for the call. The first may have none: it tells the number from which on
   all is there. About STORE_EVENTS_KEPT, in a few milliseconds. */
int store_events(struct store *store, void (*each)(void *arg, const struct store_events *events), void *arg,
                 struct error *error);

/* The number of the newest that is committed; told() may be called a moment later. Negative: the store cannot be read. */
int64_t store_events_last(struct store *store);

/* Before anything is handed over: told() is called after each commit with what has happened in it, from the writer's
   thread, before any done(). It must not block. */
void store_listen(struct store *store, void (*told)(void *arg, const struct store_events *events), void *arg);

/* ---- what the queue and the pool of devices read when they open ---- */

/* What each owner used of the devices (write.h), the least recent first; each() gets texts borrowed for the call. */
int store_shares(struct store *store,
                 void (*each)(void *arg, const char *owner, double used_s, int64_t at_ms), void *arg,
                 struct error *error);

/* What is held: a device, or -1 for all of them; as store_shares(). */
int store_holds(struct store *store, void (*each)(void *arg, int device, const char *owner, int64_t since_ms),
                void *arg, struct error *error);

/* All devices that have a number, by their numbers: each() gets texts borrowed for the call, hello NULL where none was ever
   said; as store_shares(). */
int store_devices(struct store *store, void (*each)(void *arg, const struct store_device *device), void *arg,
                  struct error *error);

/* The numbers of devices to which nothing stored refers: no experiment ran, runs or waits there, or lost a run there, and no
   hold is on it. The one that was used least recently comes first; as store_shares(). */
int store_devices_reclaimable(struct store *store, void (*each)(void *arg, int number), void *arg,
                              struct error *error);

/* The newest calibration of each device that has one: each() gets texts borrowed for the call; as store_shares(). */
int store_calibrations(struct store *store,
                       void (*each)(void *arg, const struct store_calibration *calibration), void *arg,
                       struct error *error);

/* ---- the queue's side of the writer ---- */

/* Any thread; never blocks for long. Writes are applied in the order in which they come. */
void store_hand_over(struct store *store, struct store_write *write);

/* Returns when done() has returned for all that was handed over before. What still cannot be committed after
   a few tries is given up, patient or not. */
void store_flush(struct store *store);

/* Is the writer alive and the last commit good? For /readyz. A writer that failed tries again by itself every
   second, so that this comes back without anybody writing. */
bool store_healthy(struct store *store, struct error *error);

/* Are the database's files those at their paths, now? Asks the file system; the writer does so each second, and of the
   database and its log before each transaction and before it acknowledges one. */
bool store_in_place(const struct store *store, struct error *error);

#endif
