#include "server/store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "server/store/experiment_reads.h"
#include "server/store/schema.h"
#include "server/store/store_parts.h"
#include "server/store/sweep_reads.h"

/* Of the write-ahead log: frames before a checkpoint, at least, and at most; the part of a small disk that it
   may take; bytes to which it is cut. */
enum {
    LOG_FRAMES_MIN = 16,
    LOG_FRAMES_MAX = 1000,
    LOG_PART = 16,
    LOG_BYTES = 8 << 20,
    PAGE_BYTES = 4096,
    BUSY_MS = 5000
};

static int newest_experiment(void *arg, const struct job *job)
{
    (void)arg;
    id_start_after(job->id);
    return 0;
}

static int newest_sweep(void *arg, const struct sweep_row *row)
{
    (void)arg;
    id_start_after(row->id);
    return 0;
}

/* On a small disk the limits of the log are a part of the disk: a log that filled it would leave a checkpoint
   no space. */
static int log_limit(struct sqlite3 *db, int directory, struct error *error)
{
    struct statvfs disk;
    int64_t bytes = LOG_BYTES, frames = LOG_FRAMES_MAX;
    if (fstatvfs(directory, &disk) == 0 && disk.f_blocks) {
        int64_t part = (int64_t)disk.f_blocks * (int64_t)disk.f_frsize / LOG_PART;
        bytes = part < bytes ? part : bytes;
        frames = part / PAGE_BYTES < frames ? part / PAGE_BYTES : frames;
    }
    char text[64];
    snprintf(text, sizeof text, "PRAGMA journal_size_limit = %lld", (long long)bytes);
    frames = frames < LOG_FRAMES_MIN ? LOG_FRAMES_MIN : frames;
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_wal_autocheckpoint(db, (int)frames) != SQLITE_OK)
        return schema_failed(db, "cannot limit the write-ahead log", error);
    return 0;
}

static int writer_open(struct store *store, const char *path, const char *vfs, struct error *error)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &db, flags, vfs) != SQLITE_OK) {
        char what[PATH_MAX + 16];
        snprintf(what, sizeof what, "cannot open %s", path);
        schema_failed(db, what, error);
        goto fail;
    }
    /* Somebody may read with the sqlite3 shell: wait rather than fail. */
    sqlite3_busy_timeout(db, BUSY_MS);
    if (schema_migrate(db, error) < 0 || log_limit(db, store->lock, error) < 0)
        goto fail;
    return writer_start(&store->writer, db, path, error);
fail:
    sqlite3_close(db);
    return -1;
}

int store_open(struct store **store_out, const char *directory, const char *vfs, struct error *error)
{
    *store_out = NULL;
    struct store *store = calloc(1, sizeof *store);
    if (!store)
        return error_set(error, ERROR_MEMORY, "no memory for the store");
    struct store_filter newest = {.state = -1, .device = -1, .limit = 1, .within_ms = -1};
    char path[PATH_MAX];
    store->lock = data_directory_lock(directory, error);
    if (store->lock < 0)
        goto fail;
    if (snprintf(path, sizeof path, "%s/coalesced.db", directory) >= (int)sizeof path) {
        error_set(error, ERROR_INVALID, "the data directory's name is too long");
        goto fail;
    }
    if (writer_open(store, path, vfs, error) < 0 || readers_open(&store->readers, path, vfs, error) < 0 ||
        store_list(store, &newest, newest_experiment, NULL, error) < 0 ||
        store_sweeps(store, &newest, newest_sweep, NULL, error) < 0)
        goto fail;
    *store_out = store;
    return 0;
fail:
    store_close(store);
    return -1;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    /* Readers first: the last connection to close checkpoints the log, and must be able to write. The lock
       goes last. */
    readers_close(&store->readers);
    writer_stop(&store->writer);
    if (store->lock >= 0)
        close(store->lock);
    free(store);
}

void store_reserve(struct store *store, int64_t reserve_bytes)
{
    store->writer.applier.reserve =
        (struct disk_reserve){.file = store->lock, .reserve_bytes = reserve_bytes};
}

void store_listen(struct store *store, void (*on_events)(void *arg, const struct store_events *events),
                  void *arg)
{
    store->writer.applier.events.on_events = on_events;
    store->writer.applier.events.arg = arg;
}

void store_hand_over(struct store *store, struct store_write *write)
{
    writer_hand_over(&store->writer, write);
}

void store_flush(struct store *store)
{
    writer_flush(&store->writer);
}

bool store_in_place(const struct store *store, struct error *error)
{
    return writer_in_place(&store->writer, error);
}

bool store_healthy(struct store *store, struct error *error)
{
    return writer_healthy(&store->writer, error);
}
