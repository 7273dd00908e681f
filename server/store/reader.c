#include "server/store/reader.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/store/schema.h"

enum {
    BUSY_MS = 5000,
    STEPS_BETWEEN_LOOKS = 1000, /* of SQLite's machine, some ten microseconds of work */
    CLOCK_SLACK_MS = 60 * 1000,
};

static int time_is_over(void *arg)
{
    const struct db_reader *reader = arg;
    return clock_monotonic_ns() > reader->deadline_ns;
}

int readers_open(struct readers *readers, const char *path, const char *vfs, struct error *error)
{
    pthread_mutex_init(&readers->lock, NULL);
    pthread_cond_init(&readers->returned, NULL);
    for (int i = 0; i < READERS; i++) {
        struct db_reader *reader = &readers->all[i];
        int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
        if (sqlite3_open_v2(path, &reader->db, flags, vfs) != SQLITE_OK ||
            sqlite3_busy_timeout(reader->db, BUSY_MS) != SQLITE_OK ||
            sqlite3_exec(reader->db, "PRAGMA cache_size = -512", NULL, NULL, NULL) != SQLITE_OK ||
            sqlite3_prepare_v3(reader->db, "SELECT " READER_JOB_COLUMNS " FROM experiments WHERE id = ?", -1,
                               SQLITE_PREPARE_PERSISTENT, &reader->get, NULL) != SQLITE_OK)
            return schema_failed(reader->db, "cannot open the database for reading", error);
        sqlite3_progress_handler(reader->db, STEPS_BETWEEN_LOOKS, time_is_over, reader);
        SLIST_INSERT_HEAD(&readers->free, reader, free_entries);
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

struct db_reader *reader_borrow(struct readers *readers, int within_ms)
{
    pthread_mutex_lock(&readers->lock);
    while (SLIST_EMPTY(&readers->free))
        pthread_cond_wait(&readers->returned, &readers->lock);
    struct db_reader *reader = SLIST_FIRST(&readers->free);
    SLIST_REMOVE_HEAD(&readers->free, free_entries);
    pthread_mutex_unlock(&readers->lock);
    reader->deadline_ns = clock_monotonic_ns() + (within_ms ? within_ms : READER_LIMIT_MS) * 1000000LL;
    if (within_ms < 0)
        reader->deadline_ns = INT64_MAX;
    return reader;
}

void reader_return(struct readers *readers, struct db_reader *reader)
{
    pthread_mutex_lock(&readers->lock);
    SLIST_INSERT_HEAD(&readers->free, reader, free_entries);
    pthread_cond_signal(&readers->returned);
    pthread_mutex_unlock(&readers->lock);
}

/* ---- statements ---- */

int reader_failed(struct db_reader *reader, const char *what, struct error *error)
{
    if (sqlite3_errcode(reader->db) == SQLITE_INTERRUPT)
        return error_set(
            error, ERROR_UNAVAILABLE,
            "reading %s took too long and was stopped; narrow it by a kernel, a state, a period, a label with"
            " its value or a sweep, or ask for a smaller page",
            what);
    return error_set(error, ERROR_STORE, "cannot read %s: %s", what, sqlite3_errmsg(reader->db));
}

struct reader_rows reader_rows_begin(struct readers *readers, int within_ms, const char *sql)
{
    struct reader_rows rows = {.readers = readers, .reader = reader_borrow(readers, within_ms)};
    rows.status = sql ? sqlite3_prepare_v2(rows.reader->db, sql, -1, &rows.row, NULL) : SQLITE_NOMEM;
    return rows;
}

bool reader_rows_next(struct reader_rows *rows)
{
    if (rows->row)
        rows->status = sqlite3_step(rows->row);
    return rows->status == SQLITE_ROW;
}

int reader_rows_end(struct reader_rows *rows, const char *what, struct error *error)
{
    int result = 0;
    if (rows->status == SQLITE_NOMEM)
        result = error_set(error, ERROR_MEMORY, "no memory to read %s", what);
    else if (rows->status != SQLITE_DONE && rows->status != SQLITE_ROW)
        result = reader_failed(rows->reader, what, error);
    sqlite3_finalize(rows->row);
    reader_return(rows->readers, rows->reader);
    return result;
}

static void column_copy(sqlite3_stmt *row, int column, char *text, size_t size)
{
    const unsigned char *value = sqlite3_column_text(row, column);
    snprintf(text, size, "%s", value ? (const char *)value : "");
}

char *reader_text(sqlite3_stmt *row, int column, bool *no_memory)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return NULL;
    const unsigned char *value = sqlite3_column_text(row, column);
    char *copy = value ? strdup((const char *)value) : NULL;
    if (!copy)
        *no_memory = true;
    return copy;
}

struct job *reader_job(sqlite3_stmt *row, struct error *error)
{
    struct job *job = calloc(1, sizeof *job);
    bool no_memory = !job;
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
        job->kernel = reader_text(row, 9, &no_memory);
        column_copy(row, 10, failure, sizeof failure);
        job->failure.kind = error_kind_of(failure);
        column_copy(row, 11, job->failure.text, sizeof job->failure.text);
        column_copy(row, 12, job->failure.where, sizeof job->failure.where);
        job->request = reader_text(row, 13, &no_memory);
        job->result = reader_text(row, 14, &no_memory);
        column_copy(row, 15, job->sweep, sizeof job->sweep);
        column_copy(row, 16, job->owner, sizeof job->owner);
        job->repeat_index = sqlite3_column_type(row, 17) == SQLITE_NULL ? -1 : sqlite3_column_int(row, 17);
        job->lost = reader_text(row, 18, &no_memory);
    }
    if (no_memory) {
        job_free(job);
        error_set(error, ERROR_MEMORY, "no memory for an experiment");
        return NULL;
    }
    return job;
}

/* ---- filters ---- */

void reader_bind_text(sqlite3_stmt *statement, const char *name, const char *text)
{
    if (statement)
        sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, name), text, -1, SQLITE_STATIC);
}

void reader_bind_int(sqlite3_stmt *statement, const char *name, int value)
{
    if (statement)
        sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, name), value);
}

void reader_filter_times(struct buffer *text, const struct store_filter *filter, const char *id)
{
    if (filter->since_ms)
        buffer_format(text, " AND %s >= :least AND submitted_ms >= :since", id);
    if (filter->until_ms)
        buffer_format(text, " AND %s < :beyond AND submitted_ms < :until", id);
}

/* An id holds the time at which it was given, so a period is a range of the index; with slack on either side,
   in case the clock was set back a little. */
static void time_bind(sqlite3_stmt *statement, const char *name, const char *id_name, int64_t ms,
                      int64_t slack_ms)
{
    char id[ID_BYTES];
    id_least(ms + slack_ms, id);
    sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, id_name), id, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, name), ms);
}

void reader_filter_bind(sqlite3_stmt *statement, const struct store_filter *filter)
{
    if (!statement)
        return;
    reader_bind_text(statement, ":owner", filter->owner);
    reader_bind_text(statement, ":label", filter->label);
    reader_bind_text(statement, ":value", filter->label_value);
    reader_bind_text(statement, ":uuid", filter->device_uuid);
    time_bind(statement, ":since", ":least", filter->since_ms, -CLOCK_SLACK_MS);
    time_bind(statement, ":until", ":beyond", filter->until_ms, CLOCK_SLACK_MS);
}
