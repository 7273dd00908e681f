/* Transactions on the writing connection: begin, statements, commit, and the undoing of a commit that failed.
   On the writer's thread alone.

   A COMMIT appends its frames to the write-ahead log, syncs them, and enters them into the log's index (the
   -shm file); only the last step makes them part of the database for other connections. When a step fails
   SQLite reports an error, but the frames stay in the file, and a recovery (the first connection after a
   crash) replays every whole transaction that it finds there. So a failed transaction is undone only when its
   frames are cut off the file, on disk. See https://www.sqlite.org/walformat.html; the index's header has had
   its layout since SQLite 3.7. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "server/store/data_directory.h"
#include "server/store/database.h"

/* Where the committed part of the log ends. */
struct log_end {
    uint32_t frames;
    uint32_t page_bytes;
    uint32_t salts[2]; /* of the log; a log that began anew has others */
};

struct transaction {
    struct database database;
    struct data_directory directory;
    struct log_end before; /* the end of the log when the transaction began */
    /* The first failure since transaction_begin(): no further statement runs. Who applies a write may set it
       too, and undoes what was refused. */
    struct error error;
    bool broken;    /* that failure is of the database or its disk, so nothing of the transaction stands; else
                       the present write is refused, and the others stand */
    bool uncertain; /* a commit failed, and a recovery may still find its transaction */
    struct sqlite3_stmt *row; /* of the statement that has begun; NULL: none has */
};

/* Takes over transaction->database, which is open. `path`: the database's. 0 or -1; in either case to be
   closed. */
int transaction_open(struct transaction *transaction, const char *path, struct error *error);
void transaction_close(struct transaction *transaction);

/* ---- one transaction; 0, or -1 with transaction->error ---- */

int transaction_begin(struct transaction *transaction);

/* -1: the transaction is uncertain from here on, unless it had failed before. */
int transaction_commit(struct transaction *transaction);

/* -1: the transaction is uncertain. What was committed lies in a log that a start would not find, because a
   file was moved. */
int transaction_verify(struct transaction *transaction);
void transaction_rollback(struct transaction *transaction);

/* Moves committed frames from the log to the database, as far as no reader needs them. */
void transaction_checkpoint(struct transaction *transaction);

/* After a transaction became uncertain: cuts it off the log. *discarded: it is gone, whatever happens from
   here. 0; or -1: a recovery may still find it, and nothing may be written before this has succeeded. May be
   called again. Waits some 50 ms at most for other connections. */
int transaction_discard(struct transaction *transaction, bool *discarded);

/* ---- statements: none runs after a failure; `sql` must be static (database.h) ---- */

/* The first row of a statement that is run, to read its columns; NULL: there is none. It ends with the next
   statement. TRANSACTION_ROW(transaction, sql, value ...) is shorter. */
struct sqlite3_stmt *transaction_row(struct transaction *transaction, const char *sql,
                                     const struct sql_value *values, int count);

/* The next row of that statement; NULL: there is none. */
struct sqlite3_stmt *transaction_next(struct transaction *transaction);

/* Runs a statement that answers no rows, and returns how many it inserted, updated or deleted; 0 after a
   failure. */
int transaction_run(struct transaction *transaction, const char *sql, const struct sql_value *values,
                    int count);

/* The transaction fails as a whole, because there is no memory for `what`. */
void transaction_no_memory(struct transaction *transaction, const char *what);

#define TRANSACTION_ROW(transaction, sql, ...) transaction_row(transaction, sql, SQL_VALUES(__VA_ARGS__))
#define TRANSACTION_RUN(transaction, sql, ...) transaction_run(transaction, sql, SQL_VALUES(__VA_ARGS__))
