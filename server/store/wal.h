/* The write-ahead log below SQLite's interface: what a COMMIT that failed has left in it.

   A COMMIT appends its frames to the log, syncs them, and enters them into the log's index (the -shm file); only the last
   step makes them part of the database for whoever is connected. When a step fails SQLite reports an error, but the frames
   stay in the file, and a recovery (the first connection after a crash) replays every whole transaction that it finds there.
   So a failed transaction is undone only when its frames are off the file, on disk. See
   https://www.sqlite.org/walformat.html; the index's header has had its layout since SQLite 3.7. */
#ifndef COALESCED_SERVER_STORE_WAL_H
#define COALESCED_SERVER_STORE_WAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct sqlite3;

/* Where the committed part of the log ends. */
struct wal_end {
    uint32_t frames;
    uint32_t page_bytes;
    uint32_t salts[2]; /* of the log; others after it has begun anew */
};

/* Within a write transaction on `db`, which keeps the end where it is. 0, or -1: ERROR_STORE. */
int wal_end_read(struct sqlite3 *db, struct wal_end *end, struct error *error);

/* Within a write transaction: cuts from the log's file whatever lies behind the committed end, and syncs it. 0, or -1:
   ERROR_STORE, and what lay there may still be found by a recovery. May be called again: it does not take a sync's success for
   granted after one that failed. */
int wal_cut(struct sqlite3 *db, const struct wal_end *end, struct error *error);

/* `before`: the end when a transaction began; `now`: after its COMMIT failed. True: the log's index holds nothing that was
   committed between the two. Assumes that meanwhile no other connection made a checkpoint that restarts or truncates the log
   (RESTART, TRUNCATE): an index without frames is read as the failed transaction's own restart of the log. */
bool wal_commit_absent(const struct wal_end *before, const struct wal_end *now);

#endif
