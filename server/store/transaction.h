/* Transactions on the writing connection: begin, statements, commit, and the undoing of a commit that failed.
   On the writer's thread alone.

   A COMMIT appends its frames to the write-ahead log, syncs them, and enters them into the log's index (the
   -shm file); only the last step makes them part of the database for other connections. When a step fails
   SQLite reports an error, but the frames stay in the file, and a recovery (the first connection after a
   crash) replays every whole transaction that it finds there. So a failed transaction is undone only when its
   frames are cut off the file, on disk. See https://www.sqlite.org/walformat.html; the index's header has had
   its layout since SQLite 3.7. */
#ifndef COALESCED_SERVER_STORE_TRANSACTION_H
#define COALESCED_SERVER_STORE_TRANSACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/error.h"
#include "server/store/data_directory.h"

struct sqlite3;
struct sqlite3_stmt;
struct statement;

/* How a write went within its transaction. */
enum applied {
    APPLIED,
    REFUSED, /* this write is wrong and undone; the others of the transaction stand */
    BROKEN   /* the database or its disk failed; nothing of the transaction stands */
};

/* Where the committed part of the log ends. */
struct log_end {
    uint32_t frames;
    uint32_t page_bytes;
    uint32_t salts[2]; /* of the log; a log that began anew has others */
};

struct transaction {
    struct sqlite3 *db;
    SLIST_HEAD(, statement) statements; /* prepared at their first use */
    struct data_directory directory;
    struct log_end before; /* the end of the log when the transaction began */
    bool uncertain;        /* a commit failed, and a recovery may still find its transaction */
};

/* Takes the connection over, even when it fails. `path`: the database's. 0 or -1; in either case to be
   closed. */
int transaction_open(struct transaction *transaction, struct sqlite3 *db, const char *path,
                     struct error *error);
void transaction_close(struct transaction *transaction);

/* ---- one transaction; 0 or -1 ---- */

int transaction_begin(struct transaction *transaction, struct error *error);

/* -1: the transaction is uncertain from here on. */
int transaction_commit(struct transaction *transaction, struct error *error);

/* -1, like transaction_commit(): what was committed lies in a log that a start would not find, because a file
   was moved. */
int transaction_verify(struct transaction *transaction, struct error *error);
void transaction_rollback(struct transaction *transaction);

/* Moves committed frames from the log to the database, as far as no reader needs them. */
void transaction_checkpoint(struct transaction *transaction);

/* After a transaction became uncertain: cuts it off the log. *discarded: it is gone, whatever happens from
   here. 0; or -1: a recovery may still find it, and nothing may be written before this has succeeded. May be
   called again. Waits some 50 ms at most for other connections. */
int transaction_discard(struct transaction *transaction, bool *discarded, struct error *error);

/* ---- statements ---- */

/* A value that is bound to a parameter. Borrowed until the statement has ended. */
struct sql_value {
    enum { SQL_NULL, SQL_INTEGER, SQL_REAL, SQL_TEXT, SQL_BLOB } type;
    int64_t integer;
    double real;
    const void *bytes;
    size_t size;
};

#define SQL_INT(value) ((struct sql_value){.type = SQL_INTEGER, .integer = (value)})
#define SQL_DOUBLE(value) ((struct sql_value){.type = SQL_REAL, .real = (value)})
#define SQL_BYTES(data, count) ((struct sql_value){.type = SQL_BLOB, .bytes = (data), .size = (count)})
#define SQL_PART(text, length) ((struct sql_value){.type = SQL_TEXT, .bytes = (text), .size = (length)})
struct sql_value sql_value_text(const char *text); /* NULL: an SQL NULL */

#define SQL_VALUES(...)                                                                                      \
    (const struct sql_value[]){__VA_ARGS__},                                                                 \
        (int)(sizeof((const struct sql_value[]){__VA_ARGS__}) / sizeof(struct sql_value))
#define SQL_NO_VALUES NULL, 0

/* Sets *statement to one with its values, ready to be stepped, then to be given to transaction_end(). `sql`
   must be static: the statement is found again by its address. What is not APPLIED leaves nothing to be
   ended. */
enum applied transaction_statement(struct transaction *transaction, struct sqlite3_stmt **statement,
                                   const char *sql, const struct sql_value *values, int count,
                                   struct error *error);

/* Resets the statement. `status`: of its last step. */
enum applied transaction_end(struct transaction *transaction, struct sqlite3_stmt *statement, int status,
                             struct error *error);

/* Runs a statement that answers no rows. TRANSACTION_RUN(transaction, error, sql, value ...) is shorter. */
enum applied transaction_run(struct transaction *transaction, const char *sql, const struct sql_value *values,
                             int count, struct error *error);

#define TRANSACTION_RUN(transaction, error, sql, ...)                                                        \
    transaction_run(transaction, sql, SQL_VALUES(__VA_ARGS__), error)

#endif
