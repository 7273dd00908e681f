#include "server/store/applier.h"

#include <sqlite3.h>

#include "server/store/schema.h"

static const char *const sql[APPLY_STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [SAVEPOINT] = "SAVEPOINT one",
    [RELEASE] = "RELEASE one",
    [BACK] = "ROLLBACK TO one",
    [EXPERIMENT_INSERT] =
        "INSERT INTO experiments (id, state, device, priority, timeout_s, submitted_ms, kernel, request,"
        " sweep, points, owner, repeat_index) VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LABELS_INSERT] = "INSERT OR IGNORE INTO labels (name, experiment, value)"
                      " SELECT key, ?, value FROM json_each(?)",
    [SWEEP_INSERT] = "INSERT INTO sweeps (id, request, recipe, submitted_ms, total, refused, owner, ended_ms,"
                     " rounds, spread) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [POINT_INSERT] = "INSERT INTO points (sweep_id, place, axes, experiment, refused, reason, reference)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?)",
    [SWEEP_MARK] = "UPDATE sweeps SET cancelled = 1 WHERE id = ?",
    [SWEEP_CANCEL] =
        "UPDATE experiments SET state = 'cancelled', finished_ms = ?, failure = ?, failure_text = ?"
        " WHERE sweep = ? AND state = 'queued'",
    /* What was removed takes its key with it. */
    [KEY_FIND] = "SELECT experiment, fingerprint FROM keys WHERE key = ? AND owner = ? AND kept_ms > ?"
                 " AND (EXISTS (SELECT 1 FROM experiments WHERE id = keys.experiment)"
                 " OR EXISTS (SELECT 1 FROM sweeps WHERE id = keys.experiment AND NOT removing))",
    [KEY_KEEP] =
        "INSERT OR REPLACE INTO keys (key, owner, fingerprint, experiment, kept_ms) VALUES (?, ?, ?, ?, ?)",
    [KEY_PURGE] = "DELETE FROM keys WHERE kept_ms <= ?",
    [CHANGE] = "UPDATE experiments SET state = ?, attempt = ?, started_ms = ?, finished_ms = ?, failure = ?,"
               " failure_text = ?, failure_where = ?, result = ? WHERE id = ?",
    /* Apart: a column that is set is taken out of its indices and put back, changed or not. */
    [CHANGE_MOVED] =
        "UPDATE experiments SET state = ?, attempt = ?, started_ms = ?, finished_ms = ?, failure = ?,"
        " failure_text = ?, failure_where = ?, result = ?, device = ? WHERE id = ?",
    [LOST] = "UPDATE experiments SET lost = json_insert(ifnull(lost, '[]'), '$[#]',"
             " json_object('attempt', ?, 'device', ?, 'at', ?, 'why', json(?))) WHERE id = ?",
    /* By the sweep, whatever else waits and is bound to none. */
    [BIND] = "UPDATE experiments SET device = ? WHERE sweep = ? AND +device = -1 AND state = 'queued'",
    [SAMPLES_KEEP] = "INSERT OR REPLACE INTO samples (experiment, cold, hot) VALUES (?, ?, ?)",
    [SHARE] = "INSERT OR REPLACE INTO shares (owner, used_s, at_ms) VALUES (?, ?, ?)",
    [SHARE_FORGET] = "DELETE FROM shares WHERE owner = ?",
    [HOLD] = "INSERT OR IGNORE INTO holds (device, owner, since_ms) VALUES (?, ?, ?)",
    [RESUME] = "DELETE FROM holds WHERE device = ?",
};

int applier_open(struct applier *applier, sqlite3 *db, const char *path, struct error *error)
{
    applier->db = db;
    location_note(&applier->location, db, path);
    for (int i = 0; i < APPLY_STATEMENTS; i++)
        if (sqlite3_prepare_v3(db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &applier->statements[i], NULL))
            return schema_failed(db, "cannot prepare the writer's statements", error);
    return event_log_open(&applier->tell, db, error);
}

void applier_close(struct applier *applier)
{
    /* Closing would remove the log by its path, where another's may be by now; and a log that is gone from there is in the
       database or nowhere. */
    if (location_check(&applier->location, LOCATION_FILES, NULL) < 0) {
        sqlite3_wal_checkpoint_v2(applier->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        sqlite3_db_config(applier->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    }
    for (int i = 0; i < APPLY_STATEMENTS; i++)
        sqlite3_finalize(applier->statements[i]);
    event_log_close(&applier->tell);
    sqlite3_close(applier->db);
    *applier = (struct applier){0};
}

void applier_bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

/* Runs a statement that answers no rows, and lets go of what is bound. */
enum applied applier_run(struct applier *applier, enum apply_statement which, struct error *error)
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

int applier_discard_failed_commit(struct applier *applier, bool *discarded, struct error *error)
{
    struct wal_end end;
    /* What lies at the log's path is what a start finds. */
    if (location_check(&applier->location, LOCATION_LOG, error) < 0)
        return -1;
    sqlite3_busy_timeout(applier->db, APPLIER_DISCARD_BUSY_MS);
    enum applied begun = applier_run(applier, BEGIN, error);
    sqlite3_busy_timeout(applier->db, APPLIER_BUSY_MS);
    if (begun != APPLIED)
        return -1;
    int status = wal_end_read(applier->db, &end, error);
    if (status == 0)
        status = wal_cut(applier->db, &end, error);
    applier_run(applier, ROLLBACK, NULL);
    if (status < 0)
        return -1;
    *discarded = wal_commit_absent(&applier->end, &end);
    applier->uncertain = false;
    return 0;
}
