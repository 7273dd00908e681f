#include "server/store/transaction.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* How long a statement waits for the lock of another connection; when a failed commit is cut off, somebody
   waits. */
enum { BUSY_MS = 5000, DISCARD_BUSY_MS = 50 };

struct statement {
    const char *sql;
    sqlite3_stmt *prepared;
    SLIST_ENTRY(statement) entries;
};

static const char begin_sql[] = "BEGIN IMMEDIATE", commit_sql[] = "COMMIT", rollback_sql[] = "ROLLBACK";

void transaction_close(struct transaction *transaction)
{
    /* sqlite3_close() removes the log by its path, where another log may lie by now. */
    if (data_directory_check(&transaction->directory, DATA_DIRECTORY_FILES, NULL) < 0) {
        transaction_checkpoint(transaction);
        sqlite3_db_config(transaction->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    }
    for (struct statement *statement; (statement = SLIST_FIRST(&transaction->statements));) {
        SLIST_REMOVE_HEAD(&transaction->statements, entries);
        sqlite3_finalize(statement->prepared);
        free(statement);
    }
    sqlite3_close(transaction->db);
    transaction->db = NULL;
}

/* ---- statements ---- */

struct sql_value sql_value_text(const char *text)
{
    if (!text)
        return (struct sql_value){.type = SQL_NULL};
    return (struct sql_value){.type = SQL_TEXT, .bytes = text, .size = strlen(text)};
}

static int value_bind(sqlite3_stmt *statement, int place, const struct sql_value *value)
{
    switch (value->type) {
    case SQL_INTEGER:
        return sqlite3_bind_int64(statement, place, value->integer);
    case SQL_REAL:
        return sqlite3_bind_double(statement, place, value->real);
    case SQL_TEXT:
        return sqlite3_bind_text64(statement, place, value->bytes, value->size, SQLITE_STATIC, SQLITE_UTF8);
    case SQL_BLOB:
        return sqlite3_bind_blob64(statement, place, value->bytes, value->size, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(statement, place);
    }
}

/* NULL: *error says why. */
static sqlite3_stmt *statement_prepare(struct transaction *transaction, const char *sql, struct error *error)
{
    struct statement *statement;
    SLIST_FOREACH (statement, &transaction->statements, entries)
        if (statement->sql == sql)
            return statement->prepared;
    if (!(statement = calloc(1, sizeof *statement))) {
        error_set(error, ERROR_STORE, "no memory for a statement");
        return NULL;
    }
    statement->sql = sql;
    if (sqlite3_prepare_v3(transaction->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement->prepared, NULL)) {
        error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(transaction->db));
        free(statement);
        return NULL;
    }
    SLIST_INSERT_HEAD(&transaction->statements, statement, entries);
    return statement->prepared;
}

enum applied transaction_statement(struct transaction *transaction, sqlite3_stmt **statement, const char *sql,
                                   const struct sql_value *values, int count, struct error *error)
{
    int status = SQLITE_OK;
    if (!(*statement = statement_prepare(transaction, sql, error)))
        return BROKEN;
    for (int i = 0; status == SQLITE_OK && i < count; i++)
        status = value_bind(*statement, i + 1, &values[i]);
    return status == SQLITE_OK ? APPLIED : transaction_end(transaction, *statement, status, error);
}

enum applied transaction_end(struct transaction *transaction, sqlite3_stmt *statement, int status,
                             struct error *error)
{
    enum applied applied = APPLIED;
    if (status != SQLITE_DONE && status != SQLITE_ROW) {
        /* These are about the statement's values; all others about the database, the disk or memory. */
        bool refused = (status & 0xff) == SQLITE_CONSTRAINT || (status & 0xff) == SQLITE_TOOBIG;
        applied = refused ? REFUSED : BROKEN;
        error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(transaction->db));
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return applied;
}

enum applied transaction_run(struct transaction *transaction, const char *sql, const struct sql_value *values,
                             int count, struct error *error)
{
    sqlite3_stmt *statement;
    enum applied applied = transaction_statement(transaction, &statement, sql, values, count, error);
    if (applied != APPLIED)
        return applied;
    return transaction_end(transaction, statement, sqlite3_step(statement), error);
}

/* ---- the write-ahead log below SQLite's interface ---- */

enum { HEADER_BYTES = 32, FRAME_HEADER_BYTES = 24, INDEX_REGION_BYTES = 32768, INDEX_VERSION = 3007000 };

/* The beginning of the log's index, in the machine's byte order. */
struct index_header {
    uint32_t version, unused, change;
    uint8_t is_set, big_endian_checksums;
    uint16_t page_bytes; /* 1: 65536 */
    uint32_t frames, pages, checksum[2], salts[2], header_checksum[2];
};

_Static_assert(sizeof(struct index_header) == 48, "as the format has it");

/* Within a write transaction, which keeps the end where it is. 0, or -1: ERROR_STORE. */
static int log_end_read(sqlite3 *db, struct log_end *end, struct error *error)
{
    sqlite3_file *file = NULL;
    void volatile *index = NULL;
    struct index_header header;
    int status = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status == SQLITE_OK && file->pMethods->iVersion >= 2)
        status = file->pMethods->xShmMap(file, 0, INDEX_REGION_BYTES, 0, &index);
    if (status != SQLITE_OK || !index)
        return error_set(error, ERROR_STORE, "the index of the write-ahead log cannot be read: %s",
                         sqlite3_errstr(status));
    memcpy(&header, (const void *)index, sizeof header);
    if (header.version != INDEX_VERSION || !header.is_set)
        return error_set(error, ERROR_STORE, "the index of the write-ahead log is of another version (%u)",
                         header.version);
    *end = (struct log_end){.frames = header.frames,
                            .page_bytes = header.page_bytes == 1 ? 65536 : header.page_bytes,
                            .salts = {header.salts[0], header.salts[1]}};
    return 0;
}

/* Within a write transaction: cuts what lies behind the committed end off the file, and syncs it. 0; or -1:
   ERROR_STORE, and a recovery may still find what lay there. May be called again: after a sync that failed it
   does not rely on the success of the next one. */
static int log_cut(sqlite3 *db, const struct log_end *end, struct error *error)
{
    sqlite3_file *log = NULL;
    sqlite3_int64 size = 0;
    sqlite3_int64 wanted =
        HEADER_BYTES + (sqlite3_int64)end->frames * (FRAME_HEADER_BYTES + (sqlite3_int64)end->page_bytes);
    int status = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (status == SQLITE_OK && !log->pMethods)
        status = SQLITE_CANTOPEN;
    if (status == SQLITE_OK)
        status = log->pMethods->xFileSize(log, &size);
    /* A file that is already short may be short in the page cache alone: a sync that failed may have dropped
       the change, and the next sync then succeeds without it. Changing the size again makes the kernel write
       it again; it takes no space. */
    sqlite3_int64 shortened = size < wanted ? size : wanted;
    if (status == SQLITE_OK && size == shortened)
        status = log->pMethods->xTruncate(log, shortened + 1);
    if (status == SQLITE_OK)
        status = log->pMethods->xTruncate(log, shortened);
    if (status == SQLITE_OK)
        status = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    if (status == SQLITE_OK)
        return 0;
    return error_set(error, ERROR_STORE, "the write-ahead log cannot be cut: %s", sqlite3_errstr(status));
}

/* `before`: the end when the transaction began; `now`: after its COMMIT failed. True: the log's index holds
   nothing that was committed between the two. A commit that restarts the log and fails then leaves it without
   frames; this assumes that no other connection restarted or truncated the log meanwhile (checkpoints of
   RESTART or TRUNCATE). */
static bool log_unchanged(const struct log_end *before, const struct log_end *now)
{
    return now->frames == 0 ||
           (now->frames == before->frames && memcmp(now->salts, before->salts, sizeof now->salts) == 0);
}

/* ---- one transaction ---- */

int transaction_open(struct transaction *transaction, sqlite3 *db, const char *path, struct error *error)
{
    *transaction = (struct transaction){.db = db};
    /* Somebody may read with the sqlite3 shell: wait rather than fail. */
    sqlite3_busy_timeout(db, BUSY_MS);
    data_directory_note(&transaction->directory, db, path);
    /* Now, because a transaction must be able to end when memory is short. */
    return statement_prepare(transaction, begin_sql, error) &&
                   statement_prepare(transaction, commit_sql, error) &&
                   statement_prepare(transaction, rollback_sql, error)
               ? 0
               : -1;
}

int transaction_begin(struct transaction *transaction, struct error *error)
{
    if (transaction_run(transaction, begin_sql, SQL_NO_VALUES, error) != APPLIED)
        return -1;
    return log_end_read(transaction->db, &transaction->before, error);
}

int transaction_commit(struct transaction *transaction, struct error *error)
{
    transaction->uncertain = transaction_run(transaction, commit_sql, SQL_NO_VALUES, error) != APPLIED;
    return transaction->uncertain ? -1 : 0;
}

int transaction_verify(struct transaction *transaction, struct error *error)
{
    struct error why = {0};
    int frames = 0, checkpointed = -1;
    if (data_directory_check(&transaction->directory, DATA_DIRECTORY_LOG, &why) == 0)
        return 0;
    int status =
        sqlite3_wal_checkpoint_v2(transaction->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &frames, &checkpointed);
    bool saved = status == SQLITE_OK && frames == checkpointed &&
                 data_directory_check(&transaction->directory, DATA_DIRECTORY_DATABASE, NULL) == 0;
    if (saved)
        return 0;
    transaction->uncertain = true;
    return error_set(error, why.kind, "%s", why.text);
}

void transaction_rollback(struct transaction *transaction)
{
    /* Some failures end the transaction by themselves. */
    if (!sqlite3_get_autocommit(transaction->db))
        transaction_run(transaction, rollback_sql, SQL_NO_VALUES, NULL);
}

void transaction_checkpoint(struct transaction *transaction)
{
    sqlite3_wal_checkpoint_v2(transaction->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

int transaction_discard(struct transaction *transaction, bool *discarded, struct error *error)
{
    struct log_end end;
    /* A start reads the log that lies at the path. */
    if (data_directory_check(&transaction->directory, DATA_DIRECTORY_LOG, error) < 0)
        return -1;
    sqlite3_busy_timeout(transaction->db, DISCARD_BUSY_MS);
    enum applied begun = transaction_run(transaction, begin_sql, SQL_NO_VALUES, error);
    sqlite3_busy_timeout(transaction->db, BUSY_MS);
    if (begun != APPLIED)
        return -1;
    int status = log_end_read(transaction->db, &end, error);
    if (status == 0)
        status = log_cut(transaction->db, &end, error);
    transaction_run(transaction, rollback_sql, SQL_NO_VALUES, NULL);
    if (status < 0)
        return -1;
    *discarded = log_unchanged(&transaction->before, &end);
    transaction->uncertain = false;
    return 0;
}
