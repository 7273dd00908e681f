/* A few read-only connections, each lent for one short statement, so that no reader's snapshot keeps the
   write-ahead log from being checkpointed. */
#ifndef COALESCED_SERVER_STORE_READER_H
#define COALESCED_SERVER_STORE_READER_H

#include <pthread.h>

#include "server/store/job.h"

struct sqlite3;
struct sqlite3_stmt;

enum { READERS = 8 };
enum { READER_LIMIT_MS = 2000 }; /* for one loan's statements; then they are interrupted */

struct reader {
    struct sqlite3 *db;
    struct sqlite3_stmt *get; /* an experiment by its id */
    int64_t deadline_ns;      /* of this loan */
    struct reader *next;
};

struct readers {
    pthread_mutex_t lock; /* guards `free` */
    pthread_cond_t returned;
    struct reader all[READERS];
    struct reader *free;
};

/* -1: to be closed all the same. */
int readers_open(struct readers *readers, const char *path, const char *vfs, struct error *error);
void readers_close(struct readers *readers);

/* Waits until one is free. Its statements may take so long; 0: READER_LIMIT_MS; negative: no limit. */
struct reader *reader_borrow(struct readers *readers, int within_ms);

/* Says why the connection's last statement failed: ERROR_UNAVAILABLE when its time was over, else ERROR_STORE. -1. */
int reader_failed(const struct reader *reader, const char *what, struct error *error);
void reader_return(struct readers *readers, struct reader *reader);

/* What reader_job() expects, from column 0 on. Unqualified: no other table has columns of these names. */
#define JOB_COLUMNS                                                                                          \
    "id, state, device, priority, attempt, timeout_s, submitted_ms, started_ms, finished_ms, kernel,"        \
    " failure, failure_text, failure_where, request, result, sweep, owner,"                                  \
    " repeat_index, lost"
enum { JOB_COLUMN_COUNT = 19 };

/* The experiment that the statement stands on; to be freed. NULL: no memory. */
struct job *reader_job(struct sqlite3_stmt *row, struct error *error);

/* NULL for an SQL NULL; *short_of_memory when there is text and no room for it. To be freed. */
char *reader_text(struct sqlite3_stmt *row, int column, bool *short_of_memory);

#endif
