/* A write is a savepoint within the writer's transaction, so that one which is refused leaves the others alone. */
#include "server/store/writer/apply.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "api/sweep.h"
#include "base/clock.h"
#include "server/store/schema.h"
#include "server/store/writer/remove.h"

enum { PURGE_EVERY_MS = 10 * 60 * 1000 };

static const char *const sql[APPLY_STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [SAVEPOINT] = "SAVEPOINT one",
    [RELEASE] = "RELEASE one",
    [BACK] = "ROLLBACK TO one",
    [EXPERIMENT_INSERT] =
        "INSERT INTO experiments (id, state, device, priority, timeout_s, submitted_ms, kernel, request,"
        " sweep, points, owner) VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LABELS_INSERT] = "INSERT OR IGNORE INTO labels (name, experiment, value)"
                      " SELECT key, ?, value FROM json_each(?)",
    [SWEEP_INSERT] = "INSERT INTO sweeps (id, request, recipe, submitted_ms, total, refused, owner, ended_ms)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
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
    [SHARE] = "INSERT OR REPLACE INTO shares (owner, used_s, at_ms) VALUES (?, ?, ?)",
    [HOLD] = "INSERT OR IGNORE INTO holds (device, owner, since_ms) VALUES (?, ?, ?)",
    [RESUME] = "DELETE FROM holds WHERE device = ?",
};

int applier_open(struct applier *applier, sqlite3 *db, struct error *error)
{
    applier->db = db;
    for (int i = 0; i < APPLY_STATEMENTS; i++)
        if (sqlite3_prepare_v3(db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &applier->statements[i], NULL))
            return schema_failed(db, "cannot prepare the writer's statements", error);
    return 0;
}

void applier_close(struct applier *applier)
{
    for (int i = 0; i < APPLY_STATEMENTS; i++)
        sqlite3_finalize(applier->statements[i]);
    sqlite3_close(applier->db);
    *applier = (struct applier){0};
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

static void bind_owner(sqlite3_stmt *statement, int place, const char *owner)
{
    bind_text(statement, place, owner && owner[0] ? owner : NULL);
}

/* Runs a statement that answers no rows, and lets go of what is bound. */
static enum applied applier_run(struct applier *applier, enum apply_statement which, struct error *error)
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

/* ---- submissions ---- */

/* Sets the write's outcome when the submission's key is known; it stays WRITE_NEW when not. */
static enum applied key_find(struct applier *applier, struct store_write *write, struct error *error)
{
    const struct store_submission *submission = write->submission;
    write->outcome = WRITE_NEW;
    if (!submission->key)
        return APPLIED;
    sqlite3_stmt *statement = applier->statements[KEY_FIND];
    bind_text(statement, 1, submission->key);
    bind_text(statement, 2, submission->owner ? submission->owner : "");
    sqlite3_bind_int64(statement, 3, submission->submitted_ms - STORE_KEY_MS);
    int status = sqlite3_step(statement);
    if (status == SQLITE_ROW) {
        bool same = strcmp((const char *)sqlite3_column_text(statement, 1), submission->fingerprint) == 0;
        write->outcome = same ? WRITE_AGAIN : WRITE_MISMATCH;
        snprintf(write->known_id, sizeof write->known_id, "%s", sqlite3_column_text(statement, 0));
    } else if (status != SQLITE_DONE) {
        error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(applier->db));
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status == SQLITE_ROW || status == SQLITE_DONE ? APPLIED : BROKEN;
}

static enum applied key_keep(struct applier *applier, const struct store_submission *submission,
                             struct error *error)
{
    sqlite3_stmt *statement = applier->statements[KEY_KEEP];
    bind_text(statement, 1, submission->key);
    bind_text(statement, 2, submission->owner ? submission->owner : "");
    bind_text(statement, 3, submission->fingerprint);
    bind_text(statement, 4, submission->sweep ? submission->sweep : submission->experiments[0].id);
    sqlite3_bind_int64(statement, 5, submission->submitted_ms);
    return applier_run(applier, KEY_KEEP, error);
}

/* The object of the request's labels, whose values are texts, and its length; NULL: most requests have none. So SQLite
   reads those alone. */
static const char *labels_find(const char *request, int *length)
{
    static const char member[] = "\"labels\":";
    const char *labels = strstr(request, member);
    if (!labels)
        return NULL;
    labels += sizeof member - 1;
    labels += strspn(labels, " ");
    if (labels[0] != '{' || labels[1] == '}')
        return NULL;
    bool quoted = false;
    const char *at = labels;
    for (; *at && (quoted || *at != '}'); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (quoted && *at == '\\' && at[1])
            at++;
    }
    *length = (int)(at - labels) + (*at == '}');
    return labels;
}

static enum applied apply_experiment(struct applier *applier, const struct store_submission *submission,
                                     const struct store_experiment *experiment, struct error *error)
{
    sqlite3_stmt *statement = applier->statements[EXPERIMENT_INSERT];
    bind_text(statement, 1, experiment->id);
    sqlite3_bind_int(statement, 2, experiment->device);
    sqlite3_bind_int(statement, 3, experiment->priority);
    sqlite3_bind_double(statement, 4, experiment->timeout_s);
    sqlite3_bind_int64(statement, 5, submission->submitted_ms);
    bind_text(statement, 6, experiment->kernel);
    bind_text(statement, 7, experiment->request);
    bind_text(statement, 8, submission->sweep);
    sqlite3_bind_int(statement, 9, experiment->points);
    bind_owner(statement, 10, submission->owner);
    enum applied applied = applier_run(applier, EXPERIMENT_INSERT, error);
    int length = 0;
    const char *labels = applied == APPLIED ? labels_find(experiment->request, &length) : NULL;
    if (!labels)
        return applied;
    statement = applier->statements[LABELS_INSERT];
    bind_text(statement, 1, experiment->id);
    sqlite3_bind_text(statement, 2, labels, length, SQLITE_STATIC);
    /* It ignores what is there twice, so nothing about the rows can be wrong. */
    return applier_run(applier, LABELS_INSERT, error) == APPLIED ? APPLIED : BROKEN;
}

static enum applied apply_point(struct applier *applier, const struct store_submission *submission, int place,
                                struct error *error)
{
    const struct sweep_point *point = &submission->points[place];
    bool launched = point->experiment >= 0;
    sqlite3_stmt *statement = applier->statements[POINT_INSERT];
    bind_text(statement, 1, submission->sweep);
    sqlite3_bind_int(statement, 2, place);
    bind_text(statement, 3, point->values);
    bind_text(statement, 4, launched ? submission->experiments[point->experiment].id : NULL);
    bind_text(statement, 5, launched ? NULL : point->request);
    bind_text(statement, 6, launched ? NULL : point->failure);
    bind_text(statement, 7, point->reference);
    return applier_run(applier, POINT_INSERT, error);
}

static enum applied apply_sweep(struct applier *applier, const struct store_submission *submission,
                                struct error *error)
{
    int refused = 0;
    for (int i = 0; i < submission->point_count; i++)
        refused += submission->points[i].experiment < 0;
    sqlite3_stmt *statement = applier->statements[SWEEP_INSERT];
    bind_text(statement, 1, submission->sweep);
    bind_text(statement, 2, submission->request);
    bind_text(statement, 3, submission->recipe);
    sqlite3_bind_int64(statement, 4, submission->submitted_ms);
    sqlite3_bind_int(statement, 5, submission->point_count);
    sqlite3_bind_int(statement, 6, refused);
    bind_owner(statement, 7, submission->owner);
    sqlite3_bind_int64(statement, 8, submission->count ? 0 : submission->submitted_ms);
    enum applied applied = applier_run(applier, SWEEP_INSERT, error);
    for (int i = 0; applied == APPLIED && i < submission->point_count; i++)
        applied = apply_point(applier, submission, i, error);
    return applied;
}

static enum applied apply_submission(struct applier *applier, struct store_write *write, struct error *error)
{
    const struct store_submission *submission = write->submission;
    enum applied applied = key_find(applier, write, error);
    if (applied != APPLIED || write->outcome != WRITE_NEW)
        return applied;
    if (submission->known_only) {
        error_set(error, ERROR_FULL, "the queue has no room for %d experiment%s", submission->count,
                  submission->count == 1 ? "" : "s");
        return REFUSED;
    }
    if (room_take(&applier->room, submission->count, error) < 0)
        return REFUSED;
    for (int i = 0; applied == APPLIED && i < submission->count; i++)
        applied = apply_experiment(applier, submission, &submission->experiments[i], error);
    if (applied == APPLIED && submission->sweep)
        applied = apply_sweep(applier, submission, error);
    if (applied == APPLIED && submission->key)
        applied = key_keep(applier, submission, error);
    return applied;
}

/* ---- changes ---- */

static enum applied apply_cancel(struct applier *applier, const struct store_cancel *cancel,
                                 struct error *error)
{
    sqlite3_stmt *statement = applier->statements[SWEEP_MARK];
    bind_text(statement, 1, cancel->sweep);
    enum applied applied = applier_run(applier, SWEEP_MARK, error);
    if (applied != APPLIED)
        return applied;
    statement = applier->statements[SWEEP_CANCEL];
    sqlite3_bind_int64(statement, 1, cancel->finished_ms);
    bind_text(statement, 2, error_kind_name(cancel->failure->kind));
    bind_text(statement, 3, cancel->failure->text);
    bind_text(statement, 4, cancel->sweep);
    return applier_run(applier, SWEEP_CANCEL, error);
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

static enum applied apply_share(struct applier *applier, const struct store_share *share, struct error *error)
{
    sqlite3_stmt *statement = applier->statements[SHARE];
    bind_text(statement, 1, share->owner);
    sqlite3_bind_double(statement, 2, share->used_s);
    sqlite3_bind_int64(statement, 3, share->at_ms);
    return applier_run(applier, SHARE, error);
}

static enum applied apply_hold(struct applier *applier, const struct store_hold *hold, struct error *error)
{
    enum apply_statement which = hold->held ? HOLD : RESUME;
    sqlite3_stmt *statement = applier->statements[which];
    sqlite3_bind_int(statement, 1, hold->device);
    if (hold->held) {
        bind_text(statement, 2, hold->owner);
        sqlite3_bind_int64(statement, 3, hold->since_ms);
    }
    return applier_run(applier, which, error);
}

/* When the last step is done the log is taken over into the database, as far as no reader needs it: only then is the file
   as short as the database. */
static enum applied apply_removal(struct applier *applier, struct store_removal *removal, struct error *error)
{
    bool begun = removal->more;
    enum applied applied = remove_step(applier->db, removal, error);
    applier->checkpoint |= begun && !removal->more;
    return applied;
}

/* A write of one statement that may be refused is all or nothing by itself; a savepoint copies each page that changes. */
static bool is_one_statement(const struct store_write *write)
{
    const struct store_submission *submission = write->submission;
    if (write->cancel || write->removal)
        return false;
    if (!submission)
        return write->change_count + !!write->share + !!write->hold == 1;
    return !write->change_count && !submission->sweep && !submission->key;
}

enum applied applier_apply(struct applier *applier, struct store_write *write, struct error *error)
{
    bool savepoint = !is_one_statement(write);
    enum applied applied = savepoint ? applier_run(applier, SAVEPOINT, error) : APPLIED;
    if (applied == APPLIED && write->submission)
        applied = apply_submission(applier, write, error);
    if (applied == APPLIED && write->cancel)
        applied = apply_cancel(applier, write->cancel, error);
    if (applied == APPLIED && write->removal)
        applied = apply_removal(applier, write->removal, error);
    for (int i = 0; applied == APPLIED && i < write->change_count; i++)
        applied = apply_change(applier, &write->changes[i], error);
    if (applied == APPLIED && write->share)
        applied = apply_share(applier, write->share, error);
    if (applied == APPLIED && write->hold)
        applied = apply_hold(applier, write->hold, error);
    if (applied == REFUSED && savepoint && applier_run(applier, BACK, error) != APPLIED)
        applied = BROKEN;
    if (applied != BROKEN && savepoint && applier_run(applier, RELEASE, error) != APPLIED)
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
    if (applier_run(applier, COMMIT, error) != APPLIED)
        return -1;
    if (applier->checkpoint)
        sqlite3_wal_checkpoint_v2(applier->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    applier->checkpoint = false;
    return 0;
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
