/* The writer's prepared statements, with what goes along with its transactions. On the writing connection and the writer's
   thread alone. */
#ifndef COALESCED_SERVER_STORE_APPLIER_H
#define COALESCED_SERVER_STORE_APPLIER_H

#include "server/store/location.h"
#include "server/store/wal.h"
#include "server/store/write.h"
#include "server/store/applied.h"
#include "server/store/disk_reserve.h"
#include "server/store/event_log.h"

struct sqlite3;
struct sqlite3_stmt;

enum apply_statement {
    BEGIN,
    COMMIT,
    ROLLBACK,
    SAVEPOINT,
    RELEASE,
    BACK,
    EXPERIMENT_INSERT,
    LABELS_INSERT,
    SWEEP_INSERT,
    POINT_INSERT,
    SWEEP_MARK,
    SWEEP_CANCEL,
    KEY_FIND,
    KEY_KEEP,
    KEY_PURGE,
    CHANGE,
    CHANGE_MOVED,
    LOST,
    BIND,
    SAMPLES_KEEP,
    SHARE,
    SHARE_FORGET,
    HOLD,
    RESUME,
    APPLY_STATEMENTS
};

/* How long a statement waits for another connection's lock. */
enum { APPLIER_BUSY_MS = 5000, APPLIER_DISCARD_BUSY_MS = 50 };

struct applier {
    struct sqlite3 *db;
    struct sqlite3_stmt *statements[APPLY_STATEMENTS];
    int64_t purged_ms;  /* when old keys were last removed */
    bool checkpoint;    /* after the next commit */
    bool uncertain;     /* a commit failed, and a recovery may still find its transaction */
    struct wal_end end; /* of the log, when the present transaction began */
    struct location location;
    struct disk_reserve room;
    struct event_log tell;
};

/* Takes the connection over, even when it fails; `path`: the database's. */
int applier_open(struct applier *applier, struct sqlite3 *db, const char *path, struct error *error);
void applier_close(struct applier *applier);

/* After a COMMIT that failed: takes its transaction off the log. *discarded: it is gone, whatever happens from here (as
   wal_commit_absent() says). 0; or -1: it may still be found by a recovery, and nothing more may be written before this has
   succeeded. Waits for other connections APPLIER_DISCARD_BUSY_MS at most. */
int applier_discard_failed_commit(struct applier *applier, bool *discarded, struct error *error);

/* Runs a statement that answers no rows, and lets go of what is bound. */
enum applied applier_run(struct applier *applier, enum apply_statement which, struct error *error);
void applier_bind_text(struct sqlite3_stmt *statement, int place, const char *text);

#endif
