#include "server/store/open.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "server/store/lock.h"
#include "server/store/schema.h"

enum { LOG_FRAMES = 1000, LOG_FRAMES_LEAST = 16, LOG_PART = 16, LOG_BYTES = 8 << 20 };

static int newest_seen(void *arg, const struct job *job)
{
    (void)arg;
    id_start_after(job->id);
    return 0;
}

static int newest_sweep_seen(void *arg, const struct sweep_row *row)
{
    (void)arg;
    id_start_after(row->id);
    return 0;
}

/* The log is checkpointed when it has so many frames, and cut when it is longer than LOG_BYTES. On a small disk both are a
   part of it: a log that fills the disk leaves the database no room for a checkpoint. */
static int log_bound(struct sqlite3 *db, int directory, struct error *error)
{
    struct statvfs disk;
    int64_t part = LOG_BYTES;
    if (fstatvfs(directory, &disk) == 0 && disk.f_blocks)
        part = (int64_t)disk.f_blocks * (int64_t)disk.f_frsize / LOG_PART;
    int64_t frames = part / 4096;
    char text[64];
    snprintf(text, sizeof text, "PRAGMA journal_size_limit = %lld",
             (long long)(part < LOG_BYTES ? part : LOG_BYTES));
    frames = frames < LOG_FRAMES_LEAST ? LOG_FRAMES_LEAST : frames;
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_wal_autocheckpoint(db, frames < LOG_FRAMES ? (int)frames : LOG_FRAMES) != SQLITE_OK)
        return schema_failed(db, "cannot bound the write-ahead log", error);
    return 0;
}

static int store_open_writer(struct store *store, const char *path, const char *vfs, struct error *error)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &db, flags, vfs) != SQLITE_OK) {
        char what[PATH_MAX + 16];
        snprintf(what, sizeof what, "cannot open %s", path);
        schema_failed(db, what, error);
        goto fail;
    }
    /* Somebody may look in with the sqlite3 shell: wait rather than fail. */
    sqlite3_busy_timeout(db, APPLIER_BUSY_MS);
    if (schema_migrate(db, error) < 0 || log_bound(db, store->lock, error) < 0)
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
    store->lock = lock_directory(directory, error);
    if (store->lock < 0)
        goto fail;
    if (snprintf(path, sizeof path, "%s/coalesced.db", directory) >= (int)sizeof path) {
        error_set(error, ERROR_INVALID, "the data directory's name is too long");
        goto fail;
    }
    if (store_open_writer(store, path, vfs, error) < 0 ||
        readers_open(&store->readers, path, vfs, error) < 0 ||
        store_list(store, &newest, newest_seen, NULL, error) < 0 ||
        store_sweeps(store, &newest, newest_sweep_seen, NULL, error) < 0)
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
    /* Readers first: the last connection to close checkpoints the log, and must be able to write. The lock goes last of all. */
    readers_close(&store->readers);
    writer_stop(&store->writer);
    if (store->lock >= 0)
        close(store->lock);
    free(store);
}

void store_reserve(struct store *store, int64_t reserve_bytes)
{
    store->writer.applier.room = (struct disk_reserve){.file = store->lock, .reserve_bytes = reserve_bytes};
}

void store_listen(struct store *store, void (*told)(void *arg, const struct store_events *events), void *arg)
{
    store->writer.applier.tell.told = told;
    store->writer.applier.tell.arg = arg;
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
