/* Opens the store, and writes what is handed over.

   The writer's thread takes all writes that wait, applies them in one transaction, syncs once, and only then
   answers each: a sync is shared by all writes that came during the last one. When a transaction fails as a
   whole (most likely a full disk), writes with somebody waiting get the failure; patient writes (how a run
   ended) go first in the next try.

   A COMMIT that failed may have left its transaction in the log, so no write is answered as failed before the
   transaction is cut off the log, on disk. Where that takes longer than DISCARD_MS, the answer is that the
   outcome is uncertain. */
#include "server/store/store.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "server/store/applier.h"
#include "server/store/schema.h"

enum { LOOK_MS = 1000, RETRY_FLUSHING_MS = 50, FLUSH_TRIES = 3, DISCARD_MS = 2000 };

STAILQ_HEAD(write_list, store_write); /* in the order in which they came */

struct writer {
    struct applier applier;    /* the thread's alone, as the next two */
    struct write_list retries; /* patient writes whose transaction failed */
    int64_t looked_ns;         /* monotonic time when it last looked whether all files are at their paths */
    pthread_t thread;
    bool started;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work, idle;
    struct write_list waiting;
    bool busy;    /* the thread has writes that are not done */
    int flushes;  /* how many wait for it to be idle */
    bool closing; /* end when idle */
    int tries;    /* transactions that failed one after the other, since a flush or the closing began */
    struct error reason; /* why the last transaction failed; ERROR_NONE: it was good */
};

/* ---- the writer's thread ---- */

/* All or nothing, but for writes that are refused: each of those has its reason, and the others stand without
   it. */
static int writes_commit(struct applier *applier, const struct write_list *writes)
{
    struct store_write *write;
    transaction_begin(&applier->transaction);
    STAILQ_FOREACH (write, writes, entries)
        applier_write(applier, write);
    if (applier_commit(applier) == 0)
        return 0;
    applier_rollback(applier);
    return -1;
}

/* Tries the disk: writes the version that is there, so that a page goes to the log and is synced. */
static int disk_probe(struct sqlite3 *db, struct error *error)
{
    char text[64];
    snprintf(text, sizeof text, "PRAGMA user_version = %d", schema_newest());
    if (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(db));
}

/* Before a transaction. The log is checkpointed, as far as it can be, when it is not where a start would look
   for it, and after a transaction that failed: the log is then written from its beginning again, which needs
   no more space on a disk that is full. */
static int writer_prepare(struct writer *writer, bool healthy)
{
    struct transaction *transaction = &writer->applier.transaction;
    int64_t now_ns = clock_monotonic_ns();
    bool all = !healthy || now_ns - writer->looked_ns >= LOOK_MS * 1000000LL;
    if (all)
        writer->looked_ns = now_ns;
    transaction->error = (struct error){0};
    int status = data_directory_check(&transaction->directory,
                                      all ? DATA_DIRECTORY_FILES : DATA_DIRECTORY_LOG, &transaction->error);
    if (status < 0 || !healthy)
        transaction_checkpoint(transaction);
    if (status == 0 && transaction->uncertain)
        status = transaction_discard(transaction, &(bool){false});
    return status;
}

/* Notes how the last transaction went. True: patient writes are to be given up, because a flush or the closing
   waits for them. */
static bool health_note(struct writer *writer, const struct error *error)
{
    pthread_mutex_lock(&writer->lock);
    bool was_healthy = !writer->reason.kind, healthy = !error->kind;
    writer->reason = *error;
    writer->tries = healthy ? 0 : writer->tries + 1;
    bool give_up = writer->tries >= FLUSH_TRIES && (writer->flushes || writer->closing);
    pthread_mutex_unlock(&writer->lock);
    if (was_healthy && !healthy)
        log_error("store: cannot write: %s", error->text);
    else if (!was_healthy && healthy) {
        log_info("store: writes again");
        writer->applier.reserve.refusing = false; /* if the disk is nearly full again, that is logged again */
    }
    return give_up;
}

/* True: what was to be committed is not, and never will be. A disk that fails gets DISCARD_MS for it. */
static bool commit_discarded(struct transaction *transaction)
{
    const struct timespec pause = {.tv_nsec = RETRY_FLUSHING_MS * 1000000L};
    int64_t end_ns = clock_monotonic_ns() + DISCARD_MS * 1000000LL;
    bool discarded = !transaction->uncertain;
    while (transaction->uncertain && transaction_discard(transaction, &discarded) < 0 &&
           clock_monotonic_ns() < end_ns)
        nanosleep(&pause, NULL);
    return discarded;
}

/* Answers a write: after the commit, or with the reason why its transaction failed. One that was refused has
   done nothing, whatever became of the others. */
static void write_answer(struct store_write *write, const struct error *failed)
{
    if (write->refusal.kind == ERROR_STORE)
        log_error("store: a write was refused: %s", write->refusal.text);
    write->done(write, write->refusal.kind ? &write->refusal : failed);
}

/* One transaction; leaves the list empty. While an earlier transaction is uncertain every write is: it may
   repeat one that a start will find. */
static void writer_transact(struct writer *writer, struct write_list *writes)
{
    struct transaction *transaction = &writer->applier.transaction;
    struct error failure = {0};
    struct store_write *write;
    bool healthy = !writer->reason.kind, uncertain = false; /* only this thread changes the reason */
    STAILQ_FOREACH (write, writes, entries)
        error_clear(&write->refusal);
    int status = writer_prepare(writer, healthy);
    bool prepared = status == 0;
    if (prepared && !STAILQ_EMPTY(writes))
        status = writes_commit(&writer->applier, writes);
    else if (prepared && !healthy)
        status = disk_probe(transaction->database.db, &transaction->error);
    if (status < 0)
        failure = transaction->error;
    bool give_up = health_note(writer, &failure);
    if (status < 0)
        uncertain = prepared ? !commit_discarded(transaction) : transaction->uncertain;
    struct error answer = {0};
    if (uncertain)
        error_set(&answer, ERROR_UNCERTAIN,
                  "the disk failed, and whether this was done is not known until the service writes again or"
                  " is started again; what was sent with an Idempotency-Key may be sent again with it then,"
                  " other things have to be looked for: %.150s",
                  failure.text);
    else
        answer = failure;
    while ((write = STAILQ_FIRST(writes))) {
        STAILQ_REMOVE_HEAD(writes, entries);
        if (status < 0 && write->patient && !give_up)
            STAILQ_INSERT_TAIL(&writer->retries, write, entries);
        else
            write_answer(write, status < 0 ? &answer : NULL);
    }
}

/* With the lock held: sleeps until there is something to write, or it is time to look at the disk again.
   False: the thread is to end. */
static bool writer_wait(struct writer *writer)
{
    int number = 0;
    while (STAILQ_EMPTY(&writer->waiting) && number == 0) {
        bool retry = !STAILQ_EMPTY(&writer->retries);
        if (!retry) {
            if (writer->closing)
                return false;
            writer->busy = false;
            pthread_cond_broadcast(&writer->idle);
        }
        bool hurry = (retry || writer->reason.kind) && (writer->flushes || writer->closing);
        int64_t wake_ns = clock_monotonic_ns() + (hurry ? RETRY_FLUSHING_MS : LOOK_MS) * 1000000LL;
        number = thread_wait_until(&writer->work, &writer->lock, wake_ns);
    }
    writer->busy = true;
    return true;
}

static void *writer_thread(void *arg)
{
    struct writer *writer = arg;
    pthread_mutex_lock(&writer->lock);
    while (writer_wait(writer)) {
        struct write_list writes = STAILQ_HEAD_INITIALIZER(writes);
        STAILQ_CONCAT(&writes, &writer->retries);
        STAILQ_CONCAT(&writes, &writer->waiting);
        pthread_mutex_unlock(&writer->lock);
        writer_transact(writer, &writes);
        pthread_mutex_lock(&writer->lock);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

void store_hand_over(struct store *store, struct store_write *write)
{
    struct writer *writer = store->writer;
    pthread_mutex_lock(&writer->lock);
    STAILQ_INSERT_TAIL(&writer->waiting, write, entries);
    pthread_cond_signal(&writer->work);
    pthread_mutex_unlock(&writer->lock);
}

void store_flush(struct store *store)
{
    struct writer *writer = store->writer;
    pthread_mutex_lock(&writer->lock);
    writer->flushes++;
    writer->tries = 0;
    pthread_cond_signal(&writer->work);
    while (!STAILQ_EMPTY(&writer->waiting) || writer->busy)
        pthread_cond_wait(&writer->idle, &writer->lock);
    writer->flushes--;
    pthread_mutex_unlock(&writer->lock);
}

bool store_in_place(const struct store *store, struct error *error)
{
    return data_directory_check(&store->writer->applier.transaction.directory, DATA_DIRECTORY_FILES, error) ==
           0;
}

bool store_healthy(struct store *store, struct error *error)
{
    struct writer *writer = store->writer;
    pthread_mutex_lock(&writer->lock);
    bool healthy = !writer->reason.kind;
    if (!healthy)
        error_set(error, ERROR_STORE, "cannot write: %s", writer->reason.text);
    pthread_mutex_unlock(&writer->lock);
    return healthy;
}

bool store_accepts(struct store *store, struct error *error)
{
    const struct disk_reserve *reserve = &store->writer->applier.reserve;
    if (!store_healthy(store, error))
        return false;
    if (!disk_reserve_reached(reserve->file, reserve->reserve_bytes))
        return true;
    error_set(error, ERROR_STORAGE, "refuses submissions: the disk of its data directory is nearly full");
    return false;
}

bool store_damaged(void)
{
    return database_damage_found();
}

void store_damage_forget(void)
{
    database_damage_forget();
}

/* ---- opening and closing ---- */

/* Of the write-ahead log: bytes to which it is cut, and the part of a small disk that it may take; frames before
   a checkpoint, at least, and at most. */
enum { LOG_BYTES = 8 << 20, LOG_PART = 16, LOG_FRAMES_MIN = 16, LOG_FRAMES_MAX = 1000, PAGE_BYTES = 4096 };

/* On a small disk the limits of the log are a part of the disk: a log that filled it would leave a checkpoint
   no space. */
static int log_limit(struct sqlite3 *db, int directory, struct error *error)
{
    struct statvfs disk;
    int64_t bytes = LOG_BYTES;
    char text[96];
    if (fstatvfs(directory, &disk) == 0 && disk.f_blocks &&
        (int64_t)disk.f_blocks * (int64_t)disk.f_frsize / LOG_PART < bytes)
        bytes = (int64_t)disk.f_blocks * (int64_t)disk.f_frsize / LOG_PART;
    int64_t frames = bytes / PAGE_BYTES < LOG_FRAMES_MAX ? bytes / PAGE_BYTES : LOG_FRAMES_MAX;
    snprintf(text, sizeof text, "PRAGMA journal_size_limit = %lld; PRAGMA wal_autocheckpoint = %lld",
             (long long)bytes, (long long)(frames > LOG_FRAMES_MIN ? frames : LOG_FRAMES_MIN));
    if (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return database_failed(db, "cannot limit the write-ahead log", error);
}

/* Makes an empty file that the service's user alone may read: SQLite gives its other files the same mode. Errors are
   ignored: opening the database reports them. */
static void database_file_make(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

static int writer_open(struct store *store, const char *path, const char *vfs, struct error *error)
{
    struct writer *writer = store->writer = calloc(1, sizeof *writer);
    if (!writer)
        return error_set(error, ERROR_MEMORY, "no memory for the store's writer");
    pthread_mutex_init(&writer->lock, NULL);
    thread_condition_init(&writer->work);
    pthread_cond_init(&writer->idle, NULL);
    STAILQ_INIT(&writer->waiting);
    STAILQ_INIT(&writer->retries);
    struct database *database = &writer->applier.transaction.database;
    database_file_make(path);
    if (database_open(database, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs, error) < 0 ||
        schema_migrate(database->db, error) < 0 || log_limit(database->db, store->lock, error) < 0 ||
        applier_open(&writer->applier, path, error) < 0)
        return -1;
    writer->started = thread_start(&writer->thread, "store-writer", writer_thread, writer, error) == 0;
    return writer->started ? 0 : -1;
}

/* Commits what waits, and ends the thread. */
static void writer_close(struct writer *writer)
{
    if (!writer)
        return;
    if (writer->started) {
        pthread_mutex_lock(&writer->lock);
        writer->closing = true;
        writer->tries = 0;
        pthread_cond_signal(&writer->work);
        pthread_mutex_unlock(&writer->lock);
        pthread_join(writer->thread, NULL);
    }
    applier_close(&writer->applier);
    pthread_cond_destroy(&writer->idle);
    pthread_cond_destroy(&writer->work);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}

int store_open(struct store **out, const char *directory, const char *vfs, struct error *error)
{
    *out = NULL;
    char path[PATH_MAX];
    struct store *store = calloc(1, sizeof *store);
    if (!store)
        return error_set(error, ERROR_MEMORY, "no memory for the store");
    snprintf(path, sizeof path, "%s/lock", directory);
    const bool was_used = access(path, F_OK) == 0;
    store->lock = data_directory_lock(directory, error);
    if (store->lock < 0)
        goto failed;
    if (snprintf(path, sizeof path, "%s/coalesced.db", directory) >= (int)sizeof path) {
        error_set(error, ERROR_INVALID, "the data directory's name is too long");
        goto failed;
    }
    if (was_used && access(path, F_OK) < 0)
        log_warning(
            "%s has the lock file of an earlier start and no coalesced.db: a new one is made; if there "
            "was one, stop the service and let `coalesced restore` bring a backup back",
            directory);
    if (writer_open(store, path, vfs, error) == 0 &&
        database_readers_open(&store->readers, path, vfs, error) == 0) {
        *out = store;
        return 0;
    }
failed:
    store_close(store);
    return -1;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    /* Readers first: the last connection to close checkpoints the log, and must be able to write. The lock
       goes last. */
    database_readers_close(store->readers);
    writer_close(store->writer);
    if (store->lock >= 0)
        close(store->lock);
    free(store);
}

void store_reserve(struct store *store, int64_t reserve_bytes)
{
    store->writer->applier.reserve =
        (struct disk_reserve){.file = store->lock, .reserve_bytes = reserve_bytes};
}

void store_listen(struct store *store, void (*on_events)(void *arg, const struct store_events *events),
                  void *arg)
{
    store->writer->applier.events.on_events = on_events;
    store->writer->applier.events.arg = arg;
}
