/* The one thread that writes. It takes all that waits, applies it in one transaction, syncs once, and only
   then tells each write's owner: the cost of a sync is shared by whoever came while the last one ran. When a
   transaction fails as a whole (a full disk, most likely), whoever waits for an answer gets the failure; what
   nobody waits for (how a run ended) is kept and goes first in the next try. */
#include "server/store/writer/writer.h"

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

enum { RETRY_MS = 1000, RETRY_FLUSHING_MS = 50, FLUSH_TRIES = 3, OVER_TRIES = 40 };

static void writes_clear(struct writes *writes)
{
    writes->first = NULL;
    writes->end = &writes->first;
}

static void writes_add(struct writes *writes, struct store_write *write)
{
    write->next = NULL;
    *writes->end = write;
    writes->end = &write->next;
}

static void writes_move(struct writes *to, struct writes *from)
{
    if (from->first) {
        *to->end = from->first;
        to->end = from->end;
    }
    writes_clear(from);
}

static struct store_write *writes_pop(struct writes *writes)
{
    struct store_write *write = writes->first;
    if (write && !(writes->first = write->next))
        writes->end = &writes->first;
    return write;
}

/* All or nothing, but for writes that are refused: those are answered at once and leave the list. */
static int writes_commit(struct applier *applier, struct writes *writes, struct error *error)
{
    struct writes good;
    writes_clear(&good);
    int status = apply_begin(applier, error);
    while (status == 0 && writes->first) {
        struct store_write *write = writes_pop(writes);
        struct error why = {0};
        enum applied applied = apply_write(applier, write, &why);
        if (applied == REFUSED) {
            if (why.kind == ERROR_STORE)
                log_error("store: a write was refused: %s", why.text);
            write->done(write, &why);
            continue;
        }
        writes_add(&good, write);
        if (applied == BROKEN)
            status = error_set(error, why.kind, "%s", why.text);
    }
    if (status == 0)
        status = apply_commit(applier, error);
    if (status < 0)
        apply_rollback(applier);
    writes_move(&good, writes);
    writes_move(writes, &good);
    return status;
}

/* Keeps how the last commit went; true when what failed is to be given up: somebody wants an end of it. */
static bool writer_tell_health(struct writer *writer, const struct error *sickness)
{
    pthread_mutex_lock(&writer->lock);
    bool was_healthy = writer->healthy;
    writer->healthy = !sickness;
    writer->sickness = sickness ? *sickness : (struct error){0};
    writer->tries = sickness ? writer->tries + 1 : 0;
    bool give_up = writer->tries >= FLUSH_TRIES && (writer->flushes || writer->closing);
    pthread_mutex_unlock(&writer->lock);
    if (was_healthy && sickness)
        log_error("store: cannot write: %s", sickness->text);
    else if (!was_healthy && !sickness)
        log_info("store: writes again");
    return give_up;
}

/* Writes the version that is there: a page goes to the log and is synced. Whatever a failed commit left there is written
   over as soon as that page is in the log, synced or not. */
static int writer_probe(struct writer *writer, struct error *error)
{
    struct sqlite3 *db = writer->applier.db;
    sqlite3_stmt *statement = NULL;
    char text[64];
    int version = -1;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    snprintf(text, sizeof text, "PRAGMA user_version = %d", version);
    int status = version < 0 ? SQLITE_ERROR : sqlite3_exec(db, text, NULL, NULL, NULL);
    if (status == SQLITE_OK || (version >= 0 && sqlite3_extended_errcode(db) == SQLITE_IOERR_FSYNC))
        writer->applier.unsynced = false;
    return status == SQLITE_OK ? 0 : error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(db));
}

/* A transaction whose sync failed is in the log all the same, and a restart would take it up: another is written over it
   before anybody is told that it failed. A disk that by now takes no writes either gets a while for it. */
static void writer_write_over(struct writer *writer)
{
    const struct timespec pause = {.tv_nsec = RETRY_FLUSHING_MS * 1000000L};
    for (int tries = 0; writer->applier.unsynced && tries < OVER_TRIES; tries++) {
        if (tries)
            nanosleep(&pause, NULL);
        writer_probe(writer, &(struct error){0});
    }
}

/* One transaction; leaves the list empty. */
static void writer_transact(struct writer *writer, struct writes *writes)
{
    struct error error = {0};
    int status =
        writes->first ? writes_commit(&writer->applier, writes, &error) : writer_probe(writer, &error);
    writer_write_over(writer);
    bool give_up = writer_tell_health(writer, status < 0 ? &error : NULL);
    for (struct store_write *write; (write = writes_pop(writes));) {
        if (status < 0 && write->patient && !give_up)
            writes_add(&writer->kept, write);
        else
            write->done(write, status < 0 ? &error : NULL);
    }
}

/* With the lock held: sleeps until there is something to write or, when the disk failed, to try again; false:
   it is to end. */
static bool writer_wait(struct writer *writer)
{
    int number = 0;
    while (!writer->waiting.first && number == 0) {
        if (!writer->kept.first) {
            if (writer->closing)
                return false;
            writer->busy = false;
            pthread_cond_broadcast(&writer->idle);
        }
        if (!writer->kept.first && writer->healthy) {
            pthread_cond_wait(&writer->work, &writer->lock);
            continue;
        }
        bool hurry = writer->flushes || writer->closing;
        int64_t wake_ns = clock_monotonic_ns() + (hurry ? RETRY_FLUSHING_MS : RETRY_MS) * 1000000LL;
        struct timespec wake = {wake_ns / 1000000000, wake_ns % 1000000000};
        number = pthread_cond_timedwait(&writer->work, &writer->lock, &wake);
    }
    writer->busy = true;
    return true;
}

static void *writer_thread(void *arg)
{
    struct writer *writer = arg;
    pthread_mutex_lock(&writer->lock);
    while (writer_wait(writer)) {
        struct writes writes;
        writes_clear(&writes);
        writes_move(&writes, &writer->kept);
        writes_move(&writes, &writer->waiting);
        pthread_mutex_unlock(&writer->lock);
        writer_transact(writer, &writes);
        pthread_mutex_lock(&writer->lock);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

int writer_start(struct writer *writer, sqlite3 *db, struct error *error)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->work, &attributes);
    pthread_cond_init(&writer->idle, &attributes);
    pthread_condattr_destroy(&attributes);
    writes_clear(&writer->waiting);
    writes_clear(&writer->kept);
    writer->healthy = true;
    if (applier_open(&writer->applier, db, error) < 0)
        return -1;
    int number = pthread_create(&writer->thread, NULL, writer_thread, writer);
    if (number)
        return error_set_errno(error, number, "cannot start the store's writer");
    writer->started = true;
    return 0;
}

void writer_stop(struct writer *writer)
{
    if (!writer->applier.db)
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
    writes_add(&writer->waiting, write);
    pthread_cond_signal(&writer->work);
    pthread_mutex_unlock(&writer->lock);
}

void writer_flush(struct writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    writer->flushes++;
    writer->tries = 0;
    pthread_cond_signal(&writer->work);
    while (writer->waiting.first || writer->busy)
        pthread_cond_wait(&writer->idle, &writer->lock);
    writer->flushes--;
    pthread_mutex_unlock(&writer->lock);
}

bool writer_healthy(struct writer *writer, struct error *error)
{
    pthread_mutex_lock(&writer->lock);
    bool healthy = writer->healthy;
    if (!healthy)
        error_set(error, ERROR_STORE, "cannot write: %s", writer->sickness.text);
    pthread_mutex_unlock(&writer->lock);
    return healthy;
}
