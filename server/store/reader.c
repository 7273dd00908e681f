#include "server/store/reader.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/store/schema.h"

enum { BUSY_MS = 5000, STEPS_BETWEEN_LOOKS = 1000 };

/* The time is looked at every so many steps of SQLite's machine, some ten microseconds of work. */
static int time_is_over(void *arg)
{
    const struct reader *reader = arg;
    return clock_monotonic_ns() > reader->deadline_ns;
}

int readers_open(struct readers *readers, const char *path, const char *vfs, struct error *error)
{
    pthread_mutex_init(&readers->lock, NULL);
    pthread_cond_init(&readers->returned, NULL);
    for (int i = 0; i < READERS; i++) {
        struct reader *reader = &readers->all[i];
        int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
        if (sqlite3_open_v2(path, &reader->db, flags, vfs) != SQLITE_OK ||
            sqlite3_busy_timeout(reader->db, BUSY_MS) != SQLITE_OK ||
            sqlite3_exec(reader->db, "PRAGMA cache_size = -512", NULL, NULL, NULL) != SQLITE_OK ||
            sqlite3_prepare_v3(reader->db, "SELECT " JOB_COLUMNS " FROM experiments WHERE id = ?", -1,
                               SQLITE_PREPARE_PERSISTENT, &reader->get, NULL) != SQLITE_OK)
            return schema_failed(reader->db, "cannot open the database for reading", error);
        sqlite3_progress_handler(reader->db, STEPS_BETWEEN_LOOKS, time_is_over, reader);
        reader->next = readers->free;
        readers->free = reader;
    }
    return 0;
}

void readers_close(struct readers *readers)
{
    for (int i = 0; i < READERS; i++) {
        sqlite3_finalize(readers->all[i].get);
        sqlite3_close(readers->all[i].db);
    }
    pthread_cond_destroy(&readers->returned);
    pthread_mutex_destroy(&readers->lock);
}

struct reader *reader_borrow(struct readers *readers, int within_ms)
{
    pthread_mutex_lock(&readers->lock);
    while (!readers->free)
        pthread_cond_wait(&readers->returned, &readers->lock);
    struct reader *reader = readers->free;
    readers->free = reader->next;
    pthread_mutex_unlock(&readers->lock);
    reader->deadline_ns = clock_monotonic_ns() + (within_ms ? within_ms : READER_LIMIT_MS) * 1000000LL;
    if (within_ms < 0)
        reader->deadline_ns = INT64_MAX;
    return reader;
}

void reader_return(struct readers *readers, struct reader *reader)
{
    pthread_mutex_lock(&readers->lock);
    reader->next = readers->free;
    readers->free = reader;
    pthread_cond_signal(&readers->returned);
    pthread_mutex_unlock(&readers->lock);
}

int reader_failed(const struct reader *reader, const char *what, struct error *error)
{
    if (sqlite3_errcode(reader->db) == SQLITE_INTERRUPT)
        return error_set(
            error, ERROR_UNAVAILABLE,
            "reading %s took too long and was stopped; narrow it by a kernel, a state, a period, a label with"
            " its value or a sweep, or ask for a smaller page",
            what);
    return error_set(error, ERROR_STORE, "cannot read %s: %s", what, sqlite3_errmsg(reader->db));
}

static void column_copy(sqlite3_stmt *row, int column, char *text, size_t room)
{
    const unsigned char *value = sqlite3_column_text(row, column);
    snprintf(text, room, "%s", value ? (const char *)value : "");
}

char *reader_text(sqlite3_stmt *row, int column, bool *short_of_memory)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return NULL;
    const unsigned char *value = sqlite3_column_text(row, column);
    char *copy = value ? strdup((const char *)value) : NULL;
    if (!copy)
        *short_of_memory = true;
    return copy;
}

struct job *reader_job(sqlite3_stmt *row, struct error *error)
{
    struct job *job = calloc(1, sizeof *job);
    bool short_of_memory = !job;
    if (job) {
        char failure[32];
        column_copy(row, 0, job->id, sizeof job->id);
        job->state = (enum job_state)job_state_of((const char *)sqlite3_column_text(row, 1));
        job->device = sqlite3_column_int(row, 2);
        job->priority = sqlite3_column_int(row, 3);
        job->attempt = sqlite3_column_int(row, 4);
        job->timeout_s = sqlite3_column_double(row, 5);
        job->submitted_ms = sqlite3_column_int64(row, 6);
        job->started_ms = sqlite3_column_int64(row, 7);
        job->finished_ms = sqlite3_column_int64(row, 8);
        job->kernel = reader_text(row, 9, &short_of_memory);
        column_copy(row, 10, failure, sizeof failure);
        job->failure.kind = error_kind_of(failure);
        column_copy(row, 11, job->failure.text, sizeof job->failure.text);
        column_copy(row, 12, job->failure.where, sizeof job->failure.where);
        job->request = reader_text(row, 13, &short_of_memory);
        job->result = reader_text(row, 14, &short_of_memory);
        column_copy(row, 15, job->sweep, sizeof job->sweep);
        column_copy(row, 16, job->owner, sizeof job->owner);
        job->repeat_index = sqlite3_column_type(row, 17) == SQLITE_NULL ? -1 : sqlite3_column_int(row, 17);
        job->lost = reader_text(row, 18, &short_of_memory);
    }
    if (short_of_memory) {
        job_free(job);
        error_set(error, ERROR_MEMORY, "no memory for an experiment");
        return NULL;
    }
    return job;
}
