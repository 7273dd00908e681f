/* Readers: a few read-only connections, each lent for one short statement, so that no reader's snapshot keeps
   the write-ahead log from being taken over into the database. */
#include "server/store/private.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum { BUSY_MS = 5000, PAGE_ROWS = 32 };

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
            return error_set(error, ERROR_STORE, "cannot read %s: %s", path, sqlite3_errmsg(reader->db));
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

struct reader *reader_borrow(struct readers *readers)
{
    pthread_mutex_lock(&readers->lock);
    while (!readers->free)
        pthread_cond_wait(&readers->returned, &readers->lock);
    struct reader *reader = readers->free;
    readers->free = reader->next;
    pthread_mutex_unlock(&readers->lock);
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

static void column_copy(sqlite3_stmt *row, int column, char *text, size_t room)
{
    const unsigned char *value = sqlite3_column_text(row, column);
    snprintf(text, room, "%s", value ? (const char *)value : "");
}

char *column_duplicate(sqlite3_stmt *row, int column, bool *short_of_memory)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return NULL;
    const unsigned char *value = sqlite3_column_text(row, column);
    char *copy = value ? strdup((const char *)value) : NULL;
    if (!copy)
        *short_of_memory = true;
    return copy;
}

struct job *job_read(sqlite3_stmt *row, struct error *error)
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
        job->kernel = column_duplicate(row, 9, &short_of_memory);
        column_copy(row, 10, failure, sizeof failure);
        job->failure.kind = error_kind_of(failure);
        column_copy(row, 11, job->failure.text, sizeof job->failure.text);
        column_copy(row, 12, job->failure.where, sizeof job->failure.where);
        job->request = column_duplicate(row, 13, &short_of_memory);
        job->result = column_duplicate(row, 14, &short_of_memory);
        column_copy(row, 15, job->sweep, sizeof job->sweep);
    }
    if (short_of_memory) {
        job_free(job);
        error_set(error, ERROR_MEMORY, "no memory for an experiment");
        return NULL;
    }
    return job;
}

int store_get(struct store *store, const char *id, struct job **job, struct error *error)
{
    struct reader *reader = reader_borrow(&store->readers);
    sqlite3_bind_text(reader->get, 1, id, -1, SQLITE_STATIC);
    int status = sqlite3_step(reader->get);
    *job = status == SQLITE_ROW ? job_read(reader->get, error) : NULL;
    if (status == SQLITE_DONE)
        error_set(error, ERROR_NOT_FOUND, "there is no experiment %.32s", id);
    else if (status != SQLITE_ROW)
        error_set(error, ERROR_STORE, "cannot read: %s", sqlite3_errmsg(reader->db));
    sqlite3_reset(reader->get);
    sqlite3_clear_bindings(reader->get);
    reader_return(&store->readers, reader);
    return *job ? 0 : -1;
}

/* Only what is asked for is in the text, so that SQLite can choose an index. Values are bound, never pasted:
   a label is compared as the key that json_each() gives, so that its quotes and dots mean nothing. */
static sqlite3_stmt *list_prepare(sqlite3 *db, const struct store_filter *filter, const char *before,
                                  int rows)
{
    struct buffer text = {0};
    buffer_text(&text, "SELECT " JOB_COLUMNS " FROM experiments WHERE 1");
    if (filter->kernel)
        buffer_text(&text, " AND kernel = :kernel");
    if (filter->state >= 0)
        buffer_text(&text, " AND state = :state");
    if (filter->device >= 0)
        buffer_text(&text, " AND device = :device");
    if (filter->sweep)
        buffer_text(&text, " AND sweep = :sweep");
    if (filter->label)
        buffer_format(&text,
                      " AND EXISTS (SELECT 1 FROM json_each(request, '$.labels') WHERE key = :label%s)",
                      filter->label_value ? " AND value = :value" : "");
    if (before)
        buffer_text(&text, " AND id < :before");
    buffer_text(&text, " ORDER BY id DESC LIMIT :rows");

    sqlite3_stmt *statement = NULL;
    if (!text.failed && sqlite3_prepare_v2(db, text.data, -1, &statement, NULL) == SQLITE_OK) {
        const char *state = filter->state >= 0 ? job_state_name((enum job_state)filter->state) : NULL;
        const struct {
            const char *name, *value;
        } texts[] = {{":kernel", filter->kernel},     {":state", state},
                     {":sweep", filter->sweep},       {":label", filter->label},
                     {":value", filter->label_value}, {":before", before}};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, texts[i].name),
                              texts[i].value, -1, SQLITE_STATIC);
        sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, ":device"), filter->device);
        sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, ":rows"), rows);
    }
    buffer_free(&text);
    return statement;
}

/* Reads up to `rows` into `page`; how many, or -1. */
static int page_read(struct store *store, const struct store_filter *filter, const char *before, int rows,
                     struct job **page, struct error *error)
{
    struct reader *reader = reader_borrow(&store->readers);
    sqlite3_stmt *statement = list_prepare(reader->db, filter, before, rows);
    int count = 0, status = SQLITE_ERROR;
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!(page[count] = job_read(statement, error)))
            break;
        count++;
    }
    if (status != SQLITE_DONE) {
        error_set(error, ERROR_STORE, "cannot read the list: %s", sqlite3_errmsg(reader->db));
        while (count > 0)
            job_free(page[--count]);
        count = -1;
    }
    sqlite3_finalize(statement);
    reader_return(&store->readers, reader);
    return count;
}

int store_list(struct store *store, const struct store_filter *filter,
               int (*each)(void *arg, const struct job *), void *arg, struct error *error)
{
    char before[ID_BYTES] = "";
    const char *from = filter->before;
    for (int left = filter->limit, ended = 0; left > 0 && !ended;) {
        struct job *page[PAGE_ROWS];
        int rows = left < PAGE_ROWS ? left : PAGE_ROWS;
        int count = page_read(store, filter, from, rows, page, error);
        if (count < 0)
            return -1;
        for (int i = 0; i < count; i++) {
            ended = ended || each(arg, page[i]) != 0;
            memcpy(before, page[i]->id, ID_BYTES);
            job_free(page[i]);
        }
        from = before;
        left -= count;
        ended = ended || count < rows;
    }
    return 0;
}
