/* The store: one SQLite database in one data directory. This header opens it and hands writes to it;
   experiment_reads.h and startup_reads.h read it; retention.h removes.

   Write-ahead log, synchronous FULL. One thread has the only writing connection and commits all writes that
   wait in one transaction (group commit). Readers borrow read-only connections. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "server/store/job.h"

struct store;
struct store_write; /* write.h */

/* Creates the directory when it is missing, takes its lock, opens and migrates the database, starts the
   writer. `vfs` names the SQLite VFS, NULL the default one. The lock is a flock on DIRECTORY/lock, which
   holds the server's process id as a line of text. From here on ids are greater than every one in the store.
   0; or -1: ERROR_CONFLICT when another server holds the lock; ERROR_UNAVAILABLE when the disk is full or
   fails, and it may be tried again; others. */
int store_open(struct store **store, const char *directory, const char *vfs, struct error *error);

/* Commits what waits, then closes. No other thread may use the store any more. NULL is allowed. */
void store_close(struct store *store);

/* Before anything is submitted: submissions that would leave less than that free on the disk fail with
   ERROR_STORAGE, except for known keys; see data_directory.h. 0, as at first: none do. */
void store_reserve(struct store *store, int64_t reserve_bytes);

/* ---- events ---- */

/* Before anything is handed over: on_events() is called after each commit with its events, from the writer's
   thread, before any done(). It must not block. */
void store_listen(struct store *store, void (*on_events)(void *arg, const struct store_events *events),
                  void *arg);

/* ---- the writer; any thread ---- */

/* Never blocks for long. Writes are applied in the order in which they come. */
void store_hand_over(struct store *store, struct store_write *write);

/* Returns when done() has returned for all that was handed over before. What still cannot be committed after
   a few tries is given up, patient or not. */
void store_flush(struct store *store);

/* True when the writer runs and its last commit was good; else *error says why. For /readyz. A writer that
   failed tries again by itself every second, so that this becomes true again without a write. */
bool store_healthy(struct store *store, struct error *error);

/* True when a submission would be stored now; else *error says why not: the store cannot write, or what is free of its disk
   is reserved for what was submitted before (store_reserve()). Any thread. */
bool store_accepts(struct store *store, struct error *error);

/* Whether a read or a write has met a damaged database since the last store_open(); the first time is logged. What lies on
   other pages is still read and written. */
bool store_damaged(void);
void store_damage_forget(void);

/* True when the database's files are those at their paths, now. Asks the file system; the writer asks each
   second, and about the database and its log before each transaction and before it acknowledges one. */
bool store_in_place(const struct store *store, struct error *error);
