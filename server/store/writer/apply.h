/* The writer's SQL: its prepared statements, and what a write does with them. On the writing connection and the
   writer's thread alone. */
#ifndef COALESCED_SERVER_STORE_WRITER_APPLY_H
#define COALESCED_SERVER_STORE_WRITER_APPLY_H

#include "server/store/write.h"
#include "server/store/writer/applied.h"
#include "server/store/writer/room.h"

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
    SHARE,
    HOLD,
    RESUME,
    APPLY_STATEMENTS
};

struct applier {
    struct sqlite3 *db;
    struct sqlite3_stmt *statements[APPLY_STATEMENTS];
    int64_t purged_ms; /* when old keys were last removed */
    bool checkpoint;   /* after the next commit */
    struct room room;
};

/* Takes the connection over, even when it fails. */
int applier_open(struct applier *applier, struct sqlite3 *db, struct error *error);
void applier_close(struct applier *applier);
int applier_begin(struct applier *applier, struct error *error);
enum applied applier_apply(struct applier *applier, struct store_write *write, struct error *error);
int applier_commit(struct applier *applier, struct error *error);
void applier_rollback(struct applier *applier);

/* Commits something that changes nothing: does the disk take writes again? */
int applier_probe(struct applier *applier, struct error *error);

#endif
