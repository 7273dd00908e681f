/* The writer's thread takes all writes that wait, applies them in one transaction, syncs once, and only then
   answers each: a sync is shared by all writes that came during the last one. When a transaction fails as a
   whole (most likely a full disk), writes with somebody waiting get the failure; patient writes (how a run
   ended) go first in the next try.

   A COMMIT that failed may have left its transaction in the log, so no write is answered as failed before the
   transaction is cut off the log, on disk. Where that takes longer than DISCARD_MS, the answer is that the
   outcome is uncertain. */
#include "server/store/writer.h"

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

enum { LOOK_MS = 1000, RETRY_FLUSHING_MS = 50, FLUSH_TRIES = 3, DISCARD_MS = 2000 };

/* All or nothing, but for writes that are refused: each of those has its reason, and the others stand without
   it. */
static int writes_commit(struct applier *applier, const struct write_list *writes, struct error *error)
{
    struct store_write *write;
    int status = transaction_begin(&applier->transaction, error);
    STAILQ_FOREACH (write, writes, entries)
        if (status == 0 && applier_write(applier, write, &write->refusal) == BROKEN) {
            status = error_set(error, write->refusal.kind, "%s", write->refusal.text);
            error_clear(&write->refusal);
        }
    if (status == 0)
        status = applier_commit(applier, error);
    if (status < 0)
        applier_rollback(applier);
    return status;
}

/* After the commit, or refused. */
static void write_answer(struct store_write *write)
{
    bool refused = write->refusal.kind != ERROR_NONE;
    if (write->refusal.kind == ERROR_STORE)
        log_error("store: a write was refused: %s", write->refusal.text);
    write->done(write, refused ? &write->refusal : NULL);
}

/* Notes how the last transaction went; NULL: well. True: patient writes are to be given up, because a flush
   or the closing waits for them. */
static bool health_note(struct writer *writer, const struct error *failed)
{
    pthread_mutex_lock(&writer->lock);
    bool was_healthy = writer->healthy;
    writer->healthy = !failed;
    writer->reason = failed ? *failed : (struct error){0};
    writer->tries = failed ? writer->tries + 1 : 0;
    bool give_up = writer->tries >= FLUSH_TRIES && (writer->flushes || writer->closing);
    pthread_mutex_unlock(&writer->lock);
    if (was_healthy && failed)
        log_error("store: cannot write: %s", failed->text);
    else if (!was_healthy && !failed)
        log_info("store: writes again");
    return give_up;
}

/* Tries the disk: writes the version that is there, so that a page goes to the log and is synced. */
static int disk_probe(struct sqlite3 *db, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    char text[64];
    int version = -1;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    snprintf(text, sizeof text, "PRAGMA user_version = %d", version);
    int status = version < 0 ? SQLITE_ERROR : sqlite3_exec(db, text, NULL, NULL, NULL);
    return status == SQLITE_OK ? 0 : error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(db));
}

/* Before a transaction. The log is checkpointed, as far as it can be, when it is not where a start would look
   for it, and after a transaction that failed: the log is then written from its beginning again, which needs
   no more space on a disk that is full. */
static int writer_prepare(struct writer *writer, struct error *error)
{
    struct transaction *transaction = &writer->applier.transaction;
    int64_t now_ns = clock_monotonic_ns();
    bool all = !writer->healthy || now_ns - writer->looked_ns >= LOOK_MS * 1000000LL;
    if (all)
        writer->looked_ns = now_ns;
    int status =
        data_directory_check(&transaction->directory, all ? DATA_DIRECTORY_FILES : DATA_DIRECTORY_LOG, error);
    if (status < 0 || !writer->healthy)
        transaction_checkpoint(transaction);
    if (status == 0 && transaction->uncertain)
        status = transaction_discard(transaction, &(bool){false}, error);
    return status;
}

/* True: what was to be committed is not, and never will be. A disk that fails gets DISCARD_MS for it. */
static bool commit_discarded(struct transaction *transaction)
{
    const struct timespec pause = {.tv_nsec = RETRY_FLUSHING_MS * 1000000L};
    int64_t end_ns = clock_monotonic_ns() + DISCARD_MS * 1000000LL;
    bool discarded = !transaction->uncertain;
    while (transaction->uncertain && transaction_discard(transaction, &discarded, NULL) < 0 &&
           clock_monotonic_ns() < end_ns)
        nanosleep(&pause, NULL);
    return discarded;
}

static void error_uncertain(struct error *error, const struct error *cause)
{
    error_set(error, ERROR_UNCERTAIN,
              "the disk failed, and whether this was done is not known until the service writes again or is"
              " started again; what was sent with an Idempotency-Key may be sent again with it then, other"
              " things have to be looked for: %.150s",
              cause->text);
}

/* Answers a write whose transaction failed. One that was refused has done nothing, whatever became of the
   others. */
static void write_fail(struct store_write *write, const struct error *error)
{
    if (write->refusal.kind != ERROR_NONE)
        write_answer(write);
    else
        write->done(write, error);
}

/* One transaction; leaves the list empty. While an earlier transaction is uncertain every write is: it may
   repeat one that a start will find. */
static void writer_transact(struct writer *writer, struct write_list *writes)
{
    struct transaction *transaction = &writer->applier.transaction;
    struct error error = {0}, uncertain = {0};
    struct store_write *write;
    STAILQ_FOREACH (write, writes, entries)
        error_clear(&write->refusal);
    int status = writer_prepare(writer, &error);
    bool prepared = status == 0;
    if (prepared && !STAILQ_EMPTY(writes))
        status = writes_commit(&writer->applier, writes, &error);
    else if (prepared && !writer->healthy)
        status = disk_probe(transaction->db, &error);
    bool give_up = health_note(writer, status < 0 ? &error : NULL);
    if (status < 0 && (prepared ? !commit_discarded(transaction) : transaction->uncertain))
        error_uncertain(&uncertain, &error);
    while ((write = STAILQ_FIRST(writes))) {
        STAILQ_REMOVE_HEAD(writes, entries);
        if (status == 0)
            write_answer(write);
        else if (write->patient && !give_up)
            STAILQ_INSERT_TAIL(&writer->retries, write, entries);
        else
            write_fail(write, uncertain.kind ? &uncertain : &error);
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
        bool hurry = (retry || !writer->healthy) && (writer->flushes || writer->closing);
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

int writer_start(struct writer *writer, sqlite3 *db, const char *path, struct error *error)
{
    pthread_mutex_init(&writer->lock, NULL);
    thread_condition_init(&writer->work);
    pthread_cond_init(&writer->idle, NULL);
    STAILQ_INIT(&writer->waiting);
    STAILQ_INIT(&writer->retries);
    writer->healthy = true;
    if (applier_open(&writer->applier, db, path, error) < 0)
        return -1;
    int number = thread_start(&writer->thread, "store-writer", writer_thread, writer);
    if (number)
        return error_set_errno(error, number, "cannot start the store's writer");
    writer->started = true;
    return 0;
}

void writer_stop(struct writer *writer)
{
    if (!writer->applier.transaction.db)
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
}

void writer_hand_over(struct writer *writer, struct store_write *write)
{
    pthread_mutex_lock(&writer->lock);
    STAILQ_INSERT_TAIL(&writer->waiting, write, entries);
    pthread_cond_signal(&writer->work);
    pthread_mutex_unlock(&writer->lock);
}

void writer_flush(struct writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    writer->flushes++;
    writer->tries = 0;
    pthread_cond_signal(&writer->work);
    while (!STAILQ_EMPTY(&writer->waiting) || writer->busy)
        pthread_cond_wait(&writer->idle, &writer->lock);
    writer->flushes--;
    pthread_mutex_unlock(&writer->lock);
}

bool writer_in_place(const struct writer *writer, struct error *error)
{
    return data_directory_check(&writer->applier.transaction.directory, DATA_DIRECTORY_FILES, error) == 0;
}

bool writer_healthy(struct writer *writer, struct error *error)
{
    pthread_mutex_lock(&writer->lock);
    bool healthy = writer->healthy;
    if (!healthy)
        error_set(error, ERROR_STORE, "cannot write: %s", writer->reason.text);
    pthread_mutex_unlock(&writer->lock);
    return healthy;
}
