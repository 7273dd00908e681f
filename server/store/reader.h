/* Read-only connections, each lent for one short statement, so that no reader's snapshot keeps the
   write-ahead log from being checkpointed; and what the statements of this folder's readers have in
   common. */
#ifndef COALESCED_SERVER_STORE_READER_H
#define COALESCED_SERVER_STORE_READER_H

#include <pthread.h>
#include <sys/queue.h>

#include "base/buffer.h"
#include "server/store/job.h"

struct sqlite3;
struct sqlite3_stmt;

enum { READERS = 8, READER_LIMIT_MS = 2000 /* for the statements of one loan; then they are interrupted */ };

struct db_reader {
    struct sqlite3 *db;
    struct sqlite3_stmt *get; /* an experiment by its id */
    int64_t deadline_ns;      /* of this loan; monotonic time */
    SLIST_ENTRY(db_reader) free_entries;
};

struct readers {
    pthread_mutex_t lock; /* guards `free` */
    pthread_cond_t returned;
    struct db_reader all[READERS];
    SLIST_HEAD(, db_reader) free;
};

/* 0 or -1; in either case to be closed. */
int readers_open(struct readers *readers, const char *path, const char *vfs, struct error *error);
void readers_close(struct readers *readers);

/* Waits until one is free. Its statements may take so long; 0: READER_LIMIT_MS; negative: no limit. */
struct db_reader *reader_borrow(struct readers *readers, int within_ms);
void reader_return(struct readers *readers, struct db_reader *reader);

/* Sets the error of a statement that failed: ERROR_UNAVAILABLE when its time was over, else ERROR_STORE;
   `what` was read. -1. */
int reader_failed(struct db_reader *reader, const char *what, struct error *error);

/* The rows of one statement, on a connection of its own:

       struct reader_rows rows = reader_rows_begin(&store->readers, within_ms, sql);
       (bind parameters of rows.row with the functions below, which do nothing where it is NULL)
       while (reader_rows_next(&rows))
           (read columns of rows.row)
       return reader_rows_end(&rows, "the holds", error); */
struct reader_rows {
    struct readers *readers;
    struct db_reader *reader;
    struct sqlite3_stmt *row; /* NULL: it could not be prepared */
    int status;               /* of the last step */
};

struct reader_rows reader_rows_begin(struct readers *readers, int within_ms, const char *sql);

/* False: there is no further row, or it failed. */
bool reader_rows_next(struct reader_rows *rows);

/* 0 after the last row, or when the caller stopped before it; or -1, as reader_failed(). */
int reader_rows_end(struct reader_rows *rows, const char *what, struct error *error);

/* What reader_job() expects, from column 0 on. Unqualified: no other table has columns of these names. */
#define READER_JOB_COLUMNS                                                                                   \
    "id, state, device, priority, attempt, timeout_s, submitted_ms, started_ms, finished_ms, kernel,"        \
    " failure, failure_text, failure_where, request, result, sweep, owner,"                                  \
    " repeat_index, lost"
enum { READER_JOB_COLUMN_COUNT = 19 };

/* The experiment of the statement's row; to be freed. NULL: no memory. */
struct job *reader_job(struct sqlite3_stmt *row, struct error *error);

/* A column's text, to be freed. NULL for an SQL NULL; and without memory, which sets *no_memory. */
char *reader_text(struct sqlite3_stmt *row, int column, bool *no_memory);

/* ---- filters that lists of experiments and of sweeps share; values are bound, never pasted ---- */

/* True of experiments that ran on the device. The text is parsed as JSON only where it holds the uuid. */
#define READER_UUID_FILTER "(instr(result, :uuid) AND json_extract(result, '$.device.uuid') = :uuid)"

/* Appends " AND ..." for the filter's times, of rows that have `id` and submitted_ms. */
void reader_filter_times(struct buffer *text, const struct store_filter *filter, const char *id);

/* Binds owner, label, device and times, as far as the statement has them. Borrows from the filter. */
void reader_filter_bind(struct sqlite3_stmt *statement, const struct store_filter *filter);

/* Bind to the parameter of that name, if the statement has it. Texts are borrowed. */
void reader_bind_text(struct sqlite3_stmt *statement, const char *name, const char *text);
void reader_bind_int(struct sqlite3_stmt *statement, const char *name, int value);

#endif
