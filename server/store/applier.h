/* Does within the writer's transaction what each write says. On the writer's thread alone. */
#pragma once

#include "server/store/data_directory.h"
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

/* Takes over applier->transaction.database, which is open. `path`: the database's. Ids are greater than every
   stored one from here on. 0 or -1; in either case to be closed. */
int applier_open(struct applier *applier, const char *path, struct error *error);
void applier_close(struct applier *applier);

/* Applies one write between transaction_begin() and applier_commit(), unless the transaction has failed. A
   write that is refused leaves the others alone: it is undone, and write->refusal says why. */
void applier_write(struct applier *applier, struct store_write *write);

/* 0; or -1 with the transaction's error, and applier_rollback() is to follow. Publishes the events of the
   transaction once it is committed. */
int applier_commit(struct applier *applier);
void applier_rollback(struct applier *applier);
