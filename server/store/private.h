/* What the store's own files share: store.c opens and closes, store_lock.c keeps others out, store_schema.c
   migrates, store_writer.c is the writing thread, store_apply*.c its SQL, store_read.c and
   store_read_sweep.c the readers'. */
#ifndef COALESCED_SERVER_STORE_PRIVATE_H
#define COALESCED_SERVER_STORE_PRIVATE_H

#include <pthread.h>

#include "server/store/store.h"
#include "server/store/write.h"

struct sqlite3;
struct sqlite3_stmt;

/* ---- store_lock.c ---- */

/* Makes the directory and takes its lock; the descriptor that holds it, or -1. */
int directory_lock(const char *directory, struct error *error);

/* ---- store_schema.c ---- */

int schema_migrate(struct sqlite3 *db, struct error *error);

/* ---- store_apply.c: on the writing connection ---- */

enum statement {
    BEGIN,
    COMMIT,
    ROLLBACK,
    SAVEPOINT,
    RELEASE,
    BACK,
    SWEEP_INSERT,
    SWEEP_RUN,
    SWEEP_POINT,
    SWEEP_MARK,
    SWEEP_CANCEL,
    KEY_FIND,
    KEY_KEEP,
    KEY_PURGE,
    INSERT,
    CHANGE,
    STATEMENTS
};

struct applier {
    struct sqlite3 *db;
    struct sqlite3_stmt *statements[STATEMENTS];
    int64_t purged_ms; /* when old keys were last removed */
};

enum applied {
    APPLIED,
    REFUSED, /* this write is wrong and undone; the others of the transaction stand */
    BROKEN   /* the database or its disk failed; nothing of the transaction stands */
};

/* Runs a statement that answers no rows, and lets go of what is bound. */
enum applied applier_run(struct applier *applier, enum statement which, struct error *error);
void bind_text(struct sqlite3_stmt *statement, int place, const char *text);

/* Sets the write's outcome when the key (NULL: none) is known; it stays WRITE_NEW when not. */
enum applied key_find(struct applier *applier, struct store_write *write, const char *key,
                      const char *fingerprint, int64_t now_ms, struct error *error);
enum applied key_keep(struct applier *applier, const char *key, const char *fingerprint, const char *id,
                      int64_t now_ms, struct error *error);

/* ---- store_apply_sweep.c ---- */

enum applied apply_sweep(struct applier *applier, struct store_write *write, struct error *error);
enum applied apply_cancel(struct applier *applier, const struct store_cancel *cancel, struct error *error);

/* ---- store_apply.c ---- */

int applier_open(struct applier *applier, struct sqlite3 *db, struct error *error);
void applier_close(struct applier *applier);
int applier_begin(struct applier *applier, struct error *error);
enum applied applier_apply(struct applier *applier, struct store_write *write, struct error *error);
int applier_commit(struct applier *applier, struct error *error);
void applier_rollback(struct applier *applier);

/* Commits something that changes nothing: does the disk take writes again? */
int applier_probe(struct applier *applier, struct error *error);

/* ---- store_writer.c ---- */

struct writes {
    struct store_write *first, **end;
};

struct writer {
    struct applier applier; /* the thread's alone, as `kept` */
    struct writes kept;     /* patient writes whose transaction failed, to be tried again */
    bool started;
    pthread_t thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work, idle;
    struct writes waiting;
    bool busy;             /* the thread has writes that are not done */
    int flushes;           /* how many wait for it to be idle */
    bool closing;          /* end when idle */
    int tries;             /* commits that failed one after the other, since somebody wants an end */
    bool healthy;          /* the last commit was good */
    struct error sickness; /* why it was not */
};

/* Takes the connection over, even when it fails. */
int writer_start(struct writer *writer, struct sqlite3 *db, struct error *error);
void writer_stop(struct writer *writer);

/* ---- store_read.c ---- */

enum { READERS = 3 };

struct reader {
    struct sqlite3 *db;
    struct sqlite3_stmt *get;
    struct reader *next;
};

struct readers {
    pthread_mutex_t lock; /* guards `free` */
    pthread_cond_t returned;
    struct reader all[READERS];
    struct reader *free;
};

/* What job_read() expects, from column 0 on. Unqualified: no other table has columns of these names. */
#define JOB_COLUMNS                                                                                          \
    "id, state, device, priority, attempt, timeout_s, submitted_ms, started_ms, finished_ms, kernel,"        \
    " failure, failure_text, failure_where, request, result, sweep"
enum { JOB_COLUMN_COUNT = 16 };

/* One connection, for a short statement. */
struct reader *reader_borrow(struct readers *readers);
void reader_return(struct readers *readers, struct reader *reader);

/* The experiment that the statement stands on; to be freed. NULL: no memory. */
struct job *job_read(struct sqlite3_stmt *row, struct error *error);

/* NULL for an SQL NULL; *short_of_memory when there is text and no room for it. To be freed. */
char *column_duplicate(struct sqlite3_stmt *row, int column, bool *short_of_memory);

int readers_open(struct readers *readers, const char *path, const char *vfs, struct error *error);
void readers_close(struct readers *readers);

struct store {
    int lock; /* descriptor that holds the lock on the directory */
    struct writer writer;
    struct readers readers;
};

#endif
