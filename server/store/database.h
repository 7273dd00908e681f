/* Connections to the database: prepared statements with their values, and the read-only connections that
   readers borrow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;
struct readers;

enum { DATABASE_STATEMENTS = 64 }; /* more than the sources have */

struct database {
    struct sqlite3 *db;
    struct {
        const char *sql;
        struct sqlite3_stmt *prepared;
    } statements[DATABASE_STATEMENTS]; /* prepared at their first use */
    int count;
};

/* An open store (store.h). */
struct store {
    int lock; /* descriptor that holds the lock on the directory */
    struct readers *readers;
    struct writer *writer; /* store.c */
};

/* Somebody may read with the sqlite3 shell: a connection waits for its lock rather than fail. */
enum { DATABASE_BUSY_MS = 5000 };

/* Opens a connection with SQLite's flags. 0; or -1 as database_failed(); in either case to be closed. */
int database_open(struct database *database, const char *path, int flags, const char *vfs,
                  struct error *error);
void database_close(struct database *database);

/* Sets the error of the connection's last call: ERROR_UNAVAILABLE when the disk is full or fails, which may
   pass, else ERROR_STORE. -1. */
int database_failed(struct sqlite3 *db, const char *what, struct error *error);

/* Whether database_failed() has met a damaged file since the process began or since it was last told to forget. The first
   time is logged. Any thread. */
bool database_damage_found(void);
void database_damage_forget(void);

/* ---- statements ---- */

/* A value that is bound to a parameter. Borrowed until the statement is reset. */
struct sql_value {
    enum { VALUE_NULL, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_BLOB } type;
    int64_t integer;
    double real;
    const void *bytes;
    size_t size;
};

#define SQL_INT(value) ((struct sql_value){.type = VALUE_INTEGER, .integer = (value)})
#define SQL_DOUBLE(value) ((struct sql_value){.type = VALUE_REAL, .real = (value)})
#define SQL_BYTES(data, count) ((struct sql_value){.type = VALUE_BLOB, .bytes = (data), .size = (count)})
#define SQL_PART(text, length) ((struct sql_value){.type = VALUE_TEXT, .bytes = (text), .size = (length)})
#define SQL_TEXT(text) sql_value_text(text)
struct sql_value sql_value_text(const char *text); /* NULL: an SQL NULL */

#define SQL_VALUES(...)                                                                                      \
    (const struct sql_value[]){__VA_ARGS__},                                                                 \
        (int)(sizeof((const struct sql_value[]){__VA_ARGS__}) / sizeof(struct sql_value))
#define SQL_NO_VALUES NULL, 0

/* Sets *statement to one with its values, ready to be stepped, then to be reset. `sql` must be static: the
   statement is found again by its address. Returns a status of SQLite. */
int database_statement(struct database *database, struct sqlite3_stmt **statement, const char *sql,
                       const struct sql_value *values, int count);

/* ---- readers; any thread ---- */

/* Opens READERS connections. Each is lent for one short statement, so that no reader's snapshot keeps the
   write-ahead log from being checkpointed. 0 or -1; in either case to be closed; NULL is allowed. */
enum { READERS = 8, READER_LIMIT_MS = 2000 };
int database_readers_open(struct readers **readers, const char *path, const char *vfs, struct error *error);
void database_readers_close(struct readers *readers);

/* A statement that is made of parts. */
struct query {
    struct buffer text;
    struct sql_value values[12]; /* of its parameters */
    int count;
};

/* Appends a part that has one parameter, unless the value is NULL. The value is borrowed. */
void query_add(struct query *query, const char *part, const char *value);

/* The rows of one statement, on a connection that is borrowed until rows_end():

       struct rows rows = rows_begin(store->readers, 0, sql, SQL_VALUES(value ...));
       while (rows_next(&rows))
           (read columns of rows.row)
       return rows_end(&rows, "the holds", error); */
struct rows {
    struct readers *readers;
    struct db_reader *reader;
    struct sqlite3_stmt *row;
    bool once;  /* the statement is not kept for the next time */
    int status; /* of the last step */
};

/* Waits until a connection is free. `sql` as above. The statement is interrupted after `within_ms`; 0:
   READER_LIMIT_MS; negative: no limit. */
struct rows rows_begin(struct readers *readers, int within_ms, const char *sql,
                       const struct sql_value *values, int count);

/* The same for a query, whose text is freed. */
struct rows rows_begin_query(struct readers *readers, int within_ms, struct query *query);

/* False: there is no further row, or it failed. */
bool rows_next(struct rows *rows);

/* 0 after the last row, or when the caller stopped before it; or -1: ERROR_UNAVAILABLE when its time was over,
   ERROR_MEMORY, else ERROR_STORE; `what` was read. */
int rows_end(struct rows *rows, const char *what, struct error *error);

/* A column's text; rows_text() copies it, to be freed; NULL for an SQL NULL, and without memory, which sets
   *no_memory. rows_copy() cuts it to the size; empty for an SQL NULL. */
char *rows_text(const struct rows *rows, int column, bool *no_memory);
void rows_copy(const struct rows *rows, int column, char *text, size_t size);
