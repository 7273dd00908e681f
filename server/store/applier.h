/* Does within the writer's transaction what each write says. On the writer's thread alone. */
#ifndef COALESCED_SERVER_STORE_APPLIER_H
#define COALESCED_SERVER_STORE_APPLIER_H

#include "server/store/disk_reserve.h"
#include "server/store/event_log.h"
#include "server/store/transaction.h"
#include "server/store/write.h"

struct applier {
    struct transaction transaction;
    struct event_log events;
    struct disk_reserve reserve;
    int64_t keys_purged_ms; /* when old idempotency keys were last removed */
    bool checkpoint;        /* after the next commit */
};

/* Takes the connection over, even when it fails. `path`: the database's. 0 or -1. */
int applier_open(struct applier *applier, struct sqlite3 *db, const char *path, struct error *error);

/* An applier that is all zero is allowed. */
void applier_close(struct applier *applier);

/* Applies one write between transaction_begin() and applier_commit(). A write is a savepoint of its own, so
   that one which is REFUSED leaves the others alone. */
enum applied applier_write(struct applier *applier, struct store_write *write, struct error *error);

/* 0; or -1, and applier_rollback() is to follow. Publishes the events of the transaction once it is
   committed. */
int applier_commit(struct applier *applier, struct error *error);
void applier_rollback(struct applier *applier);

#endif
