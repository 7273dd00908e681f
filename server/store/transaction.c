#include "server/store/transaction.h"

#include <sqlite3.h>
#include <string.h>

/* How long the cut of a failed commit waits for the lock of another connection: somebody waits for it. */
enum { DISCARD_BUSY_MS = 50 };

static const char begin_sql[] = "BEGIN IMMEDIATE", commit_sql[] = "COMMIT", rollback_sql[] = "ROLLBACK";

/* ---- statements ---- */

static void row_end(struct transaction *transaction)
{
    if (!transaction->row)
        return;
    sqlite3_reset(transaction->row);
    sqlite3_clear_bindings(transaction->row);
    transaction->row = NULL;
}

/* A constraint and a size are about the statement's values; all else about the database, the disk or
   memory. */
static void statement_failed(struct transaction *transaction, int status)
{
    int code = status & 0xff;
    transaction->broken = code != SQLITE_CONSTRAINT && code != SQLITE_TOOBIG;
    error_set(&transaction->error, ERROR_STORE, "%s",
              code == SQLITE_NOMEM ? "no memory" : sqlite3_errmsg(transaction->database.db));
    row_end(transaction);
}

struct sqlite3_stmt *transaction_next(struct transaction *transaction)
{
    int status = transaction->row ? sqlite3_step(transaction->row) : SQLITE_DONE;
    if (status == SQLITE_ROW)
        return transaction->row;
    if (status != SQLITE_DONE)
        statement_failed(transaction, status);
    row_end(transaction);
    return NULL;
}

struct sqlite3_stmt *transaction_row(struct transaction *transaction, const char *sql,
                                     const struct sql_value *values, int count)
{
    row_end(transaction);
    if (transaction->error.kind != ERROR_NONE)
        return NULL;
    int status = database_statement(&transaction->database, &transaction->row, sql, values, count);
    if (status != SQLITE_OK)
        statement_failed(transaction, status);
    return transaction_next(transaction);
}

int transaction_run(struct transaction *transaction, const char *sql, const struct sql_value *values,
                    int count)
{
    transaction_row(transaction, sql, values, count);
    row_end(transaction);
    return transaction->error.kind == ERROR_NONE ? sqlite3_changes(transaction->database.db) : 0;
}

void transaction_no_memory(struct transaction *transaction, const char *what)
{
    transaction->broken = true;
    error_set(&transaction->error, ERROR_MEMORY, "no memory for %s", what);
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

/* Within a write transaction, which keeps the end where it is. 0, or -1. */
static int log_end_read(struct transaction *transaction, struct log_end *end)
{
    struct error *error = &transaction->error;
    sqlite3_file *file = NULL;
    void volatile *index = NULL;
    struct index_header header;
    int status = sqlite3_file_control(transaction->database.db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
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

/* Within a write transaction: cuts what lies behind the committed end off the file, and syncs it. -1: a
   recovery may still find what lay there. May be called again: after a sync that failed it does not rely on
   the success of the next one. */
static int log_cut(struct transaction *transaction, const struct log_end *end)
{
    sqlite3_file *log = NULL;
    sqlite3_int64 size = 0;
    sqlite3_int64 wanted =
        HEADER_BYTES + (sqlite3_int64)end->frames * (FRAME_HEADER_BYTES + (sqlite3_int64)end->page_bytes);
    int status = sqlite3_file_control(transaction->database.db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
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
    return error_set(&transaction->error, ERROR_STORE, "the write-ahead log cannot be cut: %s",
                     sqlite3_errstr(status));
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

int transaction_open(struct transaction *transaction, const char *path, struct error *error)
{
    static const char *const always[] = {begin_sql, commit_sql, rollback_sql};
    struct database *database = &transaction->database;
    sqlite3_stmt *statement;
    data_directory_note(&transaction->directory, database->db, path);
    /* Now, because a transaction must be able to end when memory is short. */
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (database_statement(database, &statement, always[i], SQL_NO_VALUES) != SQLITE_OK)
            return database_failed(database->db, "cannot prepare transactions", error);
    return 0;
}

void transaction_close(struct transaction *transaction)
{
    row_end(transaction);
    /* sqlite3_close() removes the log by its path, where another log may lie by now. */
    if (data_directory_check(&transaction->directory, DATA_DIRECTORY_FILES, NULL) < 0) {
        transaction_checkpoint(transaction);
        sqlite3_db_config(transaction->database.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    }
    database_close(&transaction->database);
}

static int begin(struct transaction *transaction)
{
    transaction->error = (struct error){0};
    transaction->broken = false;
    transaction_run(transaction, begin_sql, SQL_NO_VALUES);
    return transaction->error.kind == ERROR_NONE ? 0 : -1;
}

int transaction_begin(struct transaction *transaction)
{
    return begin(transaction) < 0 ? -1 : log_end_read(transaction, &transaction->before);
}

int transaction_commit(struct transaction *transaction)
{
    if (transaction->error.kind != ERROR_NONE)
        return -1;
    transaction_run(transaction, commit_sql, SQL_NO_VALUES);
    transaction->uncertain = transaction->error.kind != ERROR_NONE;
    return transaction->uncertain ? -1 : 0;
}

int transaction_verify(struct transaction *transaction)
{
    struct error why = {0};
    int frames = 0, checkpointed = -1;
    if (data_directory_check(&transaction->directory, DATA_DIRECTORY_LOG, &why) == 0)
        return 0;
    int status = sqlite3_wal_checkpoint_v2(transaction->database.db, NULL, SQLITE_CHECKPOINT_PASSIVE, &frames,
                                           &checkpointed);
    if (status == SQLITE_OK && frames == checkpointed &&
        data_directory_check(&transaction->directory, DATA_DIRECTORY_DATABASE, NULL) == 0)
        return 0;
    transaction->uncertain = true;
    transaction->error = why;
    return -1;
}

void transaction_rollback(struct transaction *transaction)
{
    row_end(transaction);
    /* Some failures end the transaction by themselves. */
    if (sqlite3_get_autocommit(transaction->database.db))
        return;
    struct error failure = transaction->error;
    transaction->error = (struct error){0};
    transaction_run(transaction, rollback_sql, SQL_NO_VALUES);
    transaction->error = failure;
}

void transaction_checkpoint(struct transaction *transaction)
{
    sqlite3_wal_checkpoint_v2(transaction->database.db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

int transaction_discard(struct transaction *transaction, bool *discarded)
{
    struct log_end end;
    transaction->error = (struct error){0};
    /* A start reads the log that lies at the path. */
    if (data_directory_check(&transaction->directory, DATA_DIRECTORY_LOG, &transaction->error) < 0)
        return -1;
    sqlite3_busy_timeout(transaction->database.db, DISCARD_BUSY_MS);
    int begun = begin(transaction);
    sqlite3_busy_timeout(transaction->database.db, DATABASE_BUSY_MS);
    if (begun < 0)
        return -1;
    int status = log_end_read(transaction, &end);
    if (status == 0)
        status = log_cut(transaction, &end);
    transaction_rollback(transaction);
    if (status < 0)
        return -1;
    *discarded = log_unchanged(&transaction->before, &end);
    transaction->uncertain = false;
    return 0;
}
