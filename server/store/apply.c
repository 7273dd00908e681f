/* The writer's SQL. A write is a savepoint within the writer's transaction, so that one which is refused
   leaves the others alone. */
#include "server/store/private.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

enum { PURGE_EVERY_MS = 10 * 60 * 1000 };

static const char *const sql[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [SAVEPOINT] = "SAVEPOINT one",
    [RELEASE] = "RELEASE one",
    [BACK] = "ROLLBACK TO one",
    [SWEEP_INSERT] = "INSERT INTO sweeps (id, request, recipe, submitted_ms, total, refused)"
                     " VALUES (?, ?, ?, ?, ?, ?)",
    [SWEEP_RUN] =
        "INSERT INTO experiments (id, state, device, priority, timeout_s, submitted_ms, kernel, request,"
        " sweep, points) VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)",
    [SWEEP_POINT] =
        "INSERT INTO points (sweep_id, place, axes, experiment, refused, reason) VALUES (?, ?, ?, ?, ?, ?)",
    [SWEEP_MARK] = "UPDATE sweeps SET cancelled = 1 WHERE id = ?",
    [SWEEP_CANCEL] =
        "UPDATE experiments SET state = 'cancelled', finished_ms = ?, failure = ?, failure_text = ?"
        " WHERE sweep = ? AND state = 'queued'",
    [KEY_FIND] = "SELECT experiment, fingerprint FROM keys WHERE key = ? AND kept_ms > ?",
    [KEY_KEEP] = "INSERT OR REPLACE INTO keys (key, fingerprint, experiment, kept_ms) VALUES (?, ?, ?, ?)",
    [KEY_PURGE] = "DELETE FROM keys WHERE kept_ms <= ?",
    [INSERT] =
        "INSERT INTO experiments (id, state, device, priority, timeout_s, submitted_ms, kernel, request)"
        " VALUES (?, 'queued', ?, ?, ?, ?, ?, ?)",
    [CHANGE] = "UPDATE experiments SET state = ?, attempt = ?, started_ms = ?, finished_ms = ?, failure = ?,"
               " failure_text = ?, failure_where = ?, result = ? WHERE id = ?",
};

int applier_open(struct applier *applier, sqlite3 *db, struct error *error)
{
    applier->db = db;
    for (int i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &applier->statements[i], NULL))
            return error_set(error, ERROR_STORE, "cannot prepare \"%s\": %s", sql[i], sqlite3_errmsg(db));
    return 0;
}

void applier_close(struct applier *applier)
{
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(applier->statements[i]);
    sqlite3_close(applier->db);
    *applier = (struct applier){0};
}

void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

enum applied applier_run(struct applier *applier, enum statement which, struct error *error)
{
    sqlite3_stmt *statement = applier->statements[which];
    int status = sqlite3_step(statement);
    enum applied applied = APPLIED;
    if (status != SQLITE_DONE) {
        /* These tell of the statement; all others of the database, the disk or memory. */
        bool refused = (status & 0xff) == SQLITE_CONSTRAINT || (status & 0xff) == SQLITE_TOOBIG;
        applied = refused ? REFUSED : BROKEN;
        error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(applier->db));
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return applied;
}

enum applied key_find(struct applier *applier, struct store_write *write, const char *key,
                      const char *fingerprint, int64_t now_ms, struct error *error)
{
    write->outcome = WRITE_NEW;
    if (!key)
        return APPLIED;
    sqlite3_stmt *statement = applier->statements[KEY_FIND];
    bind_text(statement, 1, key);
    sqlite3_bind_int64(statement, 2, now_ms - STORE_KEY_MS);
    int status = sqlite3_step(statement);
    if (status == SQLITE_ROW) {
        bool same = strcmp((const char *)sqlite3_column_text(statement, 1), fingerprint) == 0;
        write->outcome = same ? WRITE_AGAIN : WRITE_MISMATCH;
        snprintf(write->known_id, sizeof write->known_id, "%s", sqlite3_column_text(statement, 0));
    } else if (status != SQLITE_DONE) {
        error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(applier->db));
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status == SQLITE_ROW || status == SQLITE_DONE ? APPLIED : BROKEN;
}

enum applied key_keep(struct applier *applier, const char *key, const char *fingerprint, const char *id,
                      int64_t now_ms, struct error *error)
{
    if (!key)
        return APPLIED;
    sqlite3_stmt *statement = applier->statements[KEY_KEEP];
    bind_text(statement, 1, key);
    bind_text(statement, 2, fingerprint);
    bind_text(statement, 3, id);
    sqlite3_bind_int64(statement, 4, now_ms);
    return applier_run(applier, KEY_KEEP, error);
}

static enum applied apply_insert(struct applier *applier, struct store_write *write, struct error *error)
{
    const struct store_insert *insert = write->insert;
    enum applied applied =
        key_find(applier, write, insert->key, insert->fingerprint, insert->submitted_ms, error);
    if (applied != APPLIED || write->outcome != WRITE_NEW)
        return applied;
    if (insert->known_only) {
        error_set(error, ERROR_FULL, "the queue is full");
        return REFUSED;
    }
    sqlite3_stmt *statement = applier->statements[INSERT];
    bind_text(statement, 1, insert->id);
    sqlite3_bind_int(statement, 2, insert->device);
    sqlite3_bind_int(statement, 3, insert->priority);
    sqlite3_bind_double(statement, 4, insert->timeout_s);
    sqlite3_bind_int64(statement, 5, insert->submitted_ms);
    bind_text(statement, 6, insert->kernel);
    bind_text(statement, 7, insert->request);
    applied = applier_run(applier, INSERT, error);
    if (applied != APPLIED)
        return applied;
    return key_keep(applier, insert->key, insert->fingerprint, insert->id, insert->submitted_ms, error);
}

static enum applied apply_change(struct applier *applier, const struct store_change *change,
                                 struct error *error)
{
    sqlite3_stmt *statement = applier->statements[CHANGE];
    bind_text(statement, 1, job_state_name(change->state));
    sqlite3_bind_int(statement, 2, change->attempt);
    sqlite3_bind_int64(statement, 3, change->started_ms);
    sqlite3_bind_int64(statement, 4, change->finished_ms);
    if (change->failure) {
        bind_text(statement, 5, error_kind_name(change->failure->kind));
        bind_text(statement, 6, change->failure->text);
        bind_text(statement, 7, change->failure->where);
    }
    bind_text(statement, 8, change->result);
    bind_text(statement, 9, change->id);
    enum applied applied = applier_run(applier, CHANGE, error);
    if (applied == APPLIED && sqlite3_changes(applier->db) != 1) {
        error_set(error, ERROR_STORE, "there is no experiment %s", change->id);
        return REFUSED;
    }
    return applied;
}

enum applied applier_apply(struct applier *applier, struct store_write *write, struct error *error)
{
    enum applied applied = applier_run(applier, SAVEPOINT, error);
    if (applied == APPLIED && write->insert)
        applied = apply_insert(applier, write, error);
    if (applied == APPLIED && write->sweep)
        applied = apply_sweep(applier, write, error);
    if (applied == APPLIED && write->cancel)
        applied = apply_cancel(applier, write->cancel, error);
    for (int i = 0; applied == APPLIED && i < write->change_count; i++)
        applied = apply_change(applier, &write->changes[i], error);
    if (applied == REFUSED && applier_run(applier, BACK, error) != APPLIED)
        applied = BROKEN;
    if (applied != BROKEN && applier_run(applier, RELEASE, error) != APPLIED)
        applied = BROKEN;
    return applied;
}

int applier_begin(struct applier *applier, struct error *error)
{
    return applier_run(applier, BEGIN, error) == APPLIED ? 0 : -1;
}

int applier_commit(struct applier *applier, struct error *error)
{
    int64_t now_ms = clock_wall_ms();
    if (now_ms - applier->purged_ms > PURGE_EVERY_MS) {
        sqlite3_bind_int64(applier->statements[KEY_PURGE], 1, now_ms - STORE_KEY_MS);
        if (applier_run(applier, KEY_PURGE, error) != APPLIED)
            return -1;
        applier->purged_ms = now_ms;
    }
    return applier_run(applier, COMMIT, error) == APPLIED ? 0 : -1;
}

void applier_rollback(struct applier *applier)
{
    /* Some failures end the transaction by themselves. */
    if (!sqlite3_get_autocommit(applier->db))
        applier_run(applier, ROLLBACK, NULL);
}

int applier_probe(struct applier *applier, struct error *error)
{
    /* Writes the version that is there: a page goes to the log and is synced. */
    sqlite3_stmt *statement = NULL;
    char text[64];
    int version = -1;
    if (sqlite3_prepare_v2(applier->db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    snprintf(text, sizeof text, "PRAGMA user_version = %d", version);
    if (version < 0 || sqlite3_exec(applier->db, text, NULL, NULL, NULL) != SQLITE_OK)
        return error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(applier->db));
    return 0;
}
