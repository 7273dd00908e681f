/* The one thread that writes. It takes all that waits, applies it in one transaction, syncs once, and only
   then tells each write's owner: the cost of a sync is shared by whoever came while the last one ran. When a
   transaction fails as a whole (a full disk, most likely), whoever waits for an answer gets the failure; what
   nobody waits for (how a run ended) is kept and goes first in the next try. A COMMIT that failed may have left its
   transaction in the log: nobody is told that it failed before it is off the log, on disk; where that takes too long, they
   are told that it is uncertain. */
#include "server/store/writer.h"

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

enum { LOOK_MS = 1000, RETRY_FLUSHING_MS = 50, FLUSH_TRIES = 3, DISCARD_MS = 2000 };

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

/* All or nothing, but for writes that are refused: each of those knows why, and the others stand without it. */
static int writes_commit(struct applier *applier, const struct writes *writes, struct error *error)
{
    int status = apply_begin(applier, error);
    for (struct store_write *write = writes->first; status == 0 && write; write = write->next)
        if (apply_write(applier, write, &write->refusal) == BROKEN) {
            status = error_set(error, write->refusal.kind, "%s", write->refusal.text);
            error_clear(&write->refusal);
        }
    if (status == 0)
        status = apply_commit(applier, error);
    if (status < 0)
        apply_rollback(applier);
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

/* Writes the version that is there: a page goes to the log and is synced. */
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
    return status == SQLITE_OK ? 0 : error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(db));
}

/* What comes before a transaction. The log is checkpointed, as far as it can be, when it is not where a start would look for
   it, and after a transaction that failed: it is written from its beginning again then, which needs no more room on a disk
   that is full. */
static int writer_prepare(struct writer *writer, struct error *error)
{
    struct applier *applier = &writer->applier;
    int64_t now_ns = clock_monotonic_ns();
    bool all = !writer->healthy || now_ns - writer->looked_ns >= LOOK_MS * 1000000LL;
    if (all)
        writer->looked_ns = now_ns;
    int status = location_check(&applier->location, all ? LOCATION_FILES : LOCATION_LOG, error);
    if (status < 0 || !writer->healthy)
        sqlite3_wal_checkpoint_v2(applier->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    if (status == 0 && applier->uncertain)
        status = applier_discard_failed_commit(applier, &(bool){false}, error);
    return status;
}

/* True: what was to be committed is not, and never will be. A disk that fails gets a while for it. */
static bool writer_discarded(struct writer *writer)
{
    const struct timespec pause = {.tv_nsec = RETRY_FLUSHING_MS * 1000000L};
    int64_t end_ns = clock_monotonic_ns() + DISCARD_MS * 1000000LL;
    bool discarded = !writer->applier.uncertain;
    while (writer->applier.uncertain &&
           applier_discard_failed_commit(&writer->applier, &discarded, NULL) < 0 &&
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

/* What a write is answered when its transaction failed. One that was refused has done nothing, whatever became of the
   others. */
static void write_fail(struct store_write *write, const struct error *error)
{
    if (write->refusal.kind != ERROR_NONE)
        write_answer(write);
    else
        write->done(write, error);
}

/* One transaction; leaves the list empty. While an earlier one is uncertain all writes are: each may be a repetition of one
   that a start will find. */
static void writer_transact(struct writer *writer, struct writes *writes)
{
    struct error error = {0}, uncertain = {0};
    for (struct store_write *write = writes->first; write; write = write->next)
        error_clear(&write->refusal);
    int status = writer_prepare(writer, &error);
    bool prepared = status == 0;
    if (prepared && writes->first)
        status = writes_commit(&writer->applier, writes, &error);
    else if (prepared && !writer->healthy)
        status = writer_probe(writer, &error);
    bool give_up = writer_tell_health(writer, status < 0 ? &error : NULL);
    if (status < 0 && (prepared ? !writer_discarded(writer) : writer->applier.uncertain))
        error_uncertain(&uncertain, &error);
    for (struct store_write *write; (write = writes_pop(writes));) {
        if (status == 0)
            write_answer(write);
        else if (write->patient && !give_up)
            writes_add(&writer->kept, write);
        else
            write_fail(write, uncertain.kind ? &uncertain : &error);
    }
}

/* With the lock held: sleeps until there is something to write, or it is time to look at the disk again; false: it is to
   end. */
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
        bool hurry = (writer->kept.first || !writer->healthy) && (writer->flushes || writer->closing);
        int64_t wake_ns = clock_monotonic_ns() + (hurry ? RETRY_FLUSHING_MS : LOOK_MS) * 1000000LL;
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

int writer_start(struct writer *writer, sqlite3 *db, const char *path, struct error *error)
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
    if (applier_open(&writer->applier, db, path, error) < 0)
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

bool writer_in_place(const struct writer *writer, struct error *error)
{
    return location_check(&writer->applier.location, LOCATION_FILES, error) == 0;
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
