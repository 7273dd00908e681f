#include "server/store/database.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

static atomic_bool damage_found;

static bool is_damaged(int code)
{
    return (code & 0xff) == SQLITE_NOTADB || (code & 0xff) == SQLITE_CORRUPT;
}

int database_failed(sqlite3 *db, const char *what, struct error *error)
{
    int code = sqlite3_errcode(db) & 0xff, number = sqlite3_system_errno(db);
    bool disk = number == ENOSPC || number == EDQUOT || number == EIO;
    bool passes = code == SQLITE_FULL || code == SQLITE_IOERR || (code == SQLITE_CANTOPEN && disk);
    if (is_damaged(code)) {
        error_set(error, ERROR_STORE,
                  "%s: %s; the file %s may be damaged: `coalesced restore` puts a backup in its place", what,
                  sqlite3_errmsg(db), sqlite3_db_filename(db, "main"));
        if (!atomic_exchange(&damage_found, true))
            log_error("store: %s", error->text);
        return -1;
    }
    return error_set(error, passes ? ERROR_UNAVAILABLE : ERROR_STORE, "%s: %s%s%s", what, sqlite3_errmsg(db),
                     passes && number ? ": " : "", passes && number ? strerror(number) : "");
}

bool database_damage_found(void)
{
    return atomic_load(&damage_found);
}

void database_damage_forget(void)
{
    atomic_store(&damage_found, false);
}

int database_open(struct database *database, const char *path, int flags, const char *vfs,
                  struct error *error)
{
    char what[PATH_MAX + 16];
    snprintf(what, sizeof what, "cannot open %s", path);
    if (sqlite3_open_v2(path, &database->db, flags | SQLITE_OPEN_NOMUTEX, vfs) != SQLITE_OK ||
        sqlite3_busy_timeout(database->db, DATABASE_BUSY_MS) != SQLITE_OK)
        return database_failed(database->db, what, error);
    return 0;
}

void database_close(struct database *database)
{
    for (int i = 0; i < database->count; i++)
        sqlite3_finalize(database->statements[i].prepared);
    database->count = 0;
    sqlite3_close(database->db);
    database->db = NULL;
}

/* ---- statements ---- */

struct sql_value sql_value_text(const char *text)
{
    return text ? SQL_PART(text, strlen(text)) : (struct sql_value){.type = VALUE_NULL};
}

static int values_bind(sqlite3_stmt *statement, const struct sql_value *values, int count)
{
    int status = SQLITE_OK;
    for (int i = 0; status == SQLITE_OK && i < count; i++) {
        const struct sql_value *value = &values[i];
        if (value->type == VALUE_INTEGER)
            status = sqlite3_bind_int64(statement, i + 1, value->integer);
        else if (value->type == VALUE_REAL)
            status = sqlite3_bind_double(statement, i + 1, value->real);
        else if (value->type == VALUE_TEXT)
            status =
                sqlite3_bind_text64(statement, i + 1, value->bytes, value->size, SQLITE_STATIC, SQLITE_UTF8);
        else if (value->type == VALUE_BLOB)
            status = sqlite3_bind_blob64(statement, i + 1, value->bytes, value->size, SQLITE_STATIC);
    }
    return status;
}

int database_statement(struct database *database, sqlite3_stmt **out, const char *sql,
                       const struct sql_value *values, int count)
{
    int i = 0;
    while (i < database->count && database->statements[i].sql != sql)
        i++;
    if (i == database->count) {
        if (i == DATABASE_STATEMENTS)
            return SQLITE_NOMEM;
        int status = sqlite3_prepare_v3(database->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                        &database->statements[i].prepared, NULL);
        if (status != SQLITE_OK)
            return status;
        database->statements[database->count++].sql = sql;
    }
    *out = database->statements[i].prepared;
    return values_bind(*out, values, count);
}

/* ---- readers ---- */

enum { STEPS_BETWEEN_LOOKS = 1000 /* of SQLite's machine, some ten microseconds of work */ };

struct db_reader {
    struct database database;
    int64_t deadline_ns; /* of this loan; monotonic time */
};

struct readers {
    struct db_reader all[READERS];
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t returned;
    struct db_reader *free[READERS]; /* the last returned is lent first */
    int free_count;
};

static int time_is_over(void *arg)
{
    const struct db_reader *reader = arg;
    return clock_monotonic_ns() > reader->deadline_ns;
}

int database_readers_open(struct readers **out, const char *path, const char *vfs, struct error *error)
{
    struct readers *readers = *out = calloc(1, sizeof *readers);
    if (!readers)
        return error_set(error, ERROR_MEMORY, "no memory for readers of the database");
    pthread_mutex_init(&readers->lock, NULL);
    pthread_cond_init(&readers->returned, NULL);
    for (int i = 0; i < READERS; i++) {
        struct db_reader *reader = &readers->all[i];
        if (database_open(&reader->database, path, SQLITE_OPEN_READONLY, vfs, error) < 0)
            return -1;
        sqlite3 *db = reader->database.db;
        if (sqlite3_exec(db, "PRAGMA cache_size = -512", NULL, NULL, NULL) != SQLITE_OK)
            return database_failed(db, "cannot open the database for reading", error);
        sqlite3_progress_handler(db, STEPS_BETWEEN_LOOKS, time_is_over, reader);
        readers->free[readers->free_count++] = reader;
    }
    return 0;
}

void database_readers_close(struct readers *readers)
{
    if (!readers)
        return;
    for (int i = 0; i < READERS; i++)
        database_close(&readers->all[i].database);
    pthread_cond_destroy(&readers->returned);
    pthread_mutex_destroy(&readers->lock);
    free(readers);
}

static struct rows reader_borrow(struct readers *readers, int within_ms)
{
    pthread_mutex_lock(&readers->lock);
    while (!readers->free_count)
        pthread_cond_wait(&readers->returned, &readers->lock);
    struct db_reader *reader = readers->free[--readers->free_count];
    pthread_mutex_unlock(&readers->lock);
    int64_t limit_ns = (within_ms ? within_ms : READER_LIMIT_MS) * 1000000LL;
    reader->deadline_ns = within_ms < 0 ? INT64_MAX : clock_monotonic_ns() + limit_ns;
    return (struct rows){.readers = readers, .reader = reader};
}

void query_add(struct query *query, const char *part, const char *value)
{
    if (!value)
        return;
    buffer_text(&query->text, part);
    query->values[query->count++] = SQL_TEXT(value);
}

struct rows rows_begin(struct readers *readers, int within_ms, const char *sql,
                       const struct sql_value *values, int count)
{
    struct rows rows = reader_borrow(readers, within_ms);
    rows.status = database_statement(&rows.reader->database, &rows.row, sql, values, count);
    return rows;
}

struct rows rows_begin_query(struct readers *readers, int within_ms, struct query *query)
{
    struct rows rows = reader_borrow(readers, within_ms);
    rows.once = true;
    rows.status = SQLITE_NOMEM;
    if (!query->text.failed)
        rows.status = sqlite3_prepare_v2(rows.reader->database.db, query->text.data, -1, &rows.row, NULL);
    if (rows.status == SQLITE_OK)
        rows.status = values_bind(rows.row, query->values, query->count);
    buffer_free(&query->text);
    return rows;
}

bool rows_next(struct rows *rows)
{
    if (rows->status == SQLITE_OK || rows->status == SQLITE_ROW)
        rows->status = sqlite3_step(rows->row);
    return rows->status == SQLITE_ROW;
}

int rows_end(struct rows *rows, const char *what, struct error *error)
{
    int result = 0;
    char failed[128];
    snprintf(failed, sizeof failed, "cannot read %s", what);
    if (is_damaged(rows->status))
        result = database_failed(rows->reader->database.db, failed, error);
    else if (rows->status == SQLITE_INTERRUPT)
        result = error_set(
            error, ERROR_UNAVAILABLE,
            "reading %s took too long and was stopped; narrow it by a kernel, a state, a period, a label with"
            " its value or a sweep, or ask for a smaller page",
            what);
    else if (rows->status == SQLITE_NOMEM)
        result = error_set(error, ERROR_MEMORY, "no memory to read %s", what);
    else if (rows->status != SQLITE_DONE && rows->status != SQLITE_ROW)
        result = error_set(error, ERROR_STORE, "cannot read %s: %s", what,
                           sqlite3_errmsg(rows->reader->database.db));
    if (rows->once)
        sqlite3_finalize(rows->row);
    else if (rows->row) {
        sqlite3_reset(rows->row);
        sqlite3_clear_bindings(rows->row);
    }
    pthread_mutex_lock(&rows->readers->lock);
    rows->readers->free[rows->readers->free_count++] = rows->reader;
    pthread_cond_signal(&rows->readers->returned);
    pthread_mutex_unlock(&rows->readers->lock);
    return result;
}

void rows_copy(const struct rows *rows, int column, char *text, size_t size)
{
    const unsigned char *value = sqlite3_column_text(rows->row, column);
    snprintf(text, size, "%s", value ? (const char *)value : "");
}

char *rows_text(const struct rows *rows, int column, bool *no_memory)
{
    if (sqlite3_column_type(rows->row, column) == SQLITE_NULL)
        return NULL;
    const unsigned char *value = sqlite3_column_text(rows->row, column);
    char *copy = value ? strdup((const char *)value) : NULL;
    *no_memory |= !copy;
    return copy;
}
