#include "server/store/applier.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "api/samples.h"
#include "api/sweep.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "server/store/kernel_rows.h"
#include "server/store/row_removal.h"

enum { PURGE_EVERY_MS = 10 * 60 * 1000 };

int applier_open(struct applier *applier, const char *path, struct error *error)
{
    static const char newest_sql[] = "SELECT max(id) FROM (SELECT max(id) AS id FROM experiments"
                                     " UNION ALL SELECT max(id) FROM sweeps)";
    struct transaction *transaction = &applier->transaction;
    if (transaction_open(transaction, path, error) < 0 ||
        event_log_open(&applier->events, transaction, error) < 0)
        return -1;
    sqlite3_stmt *row = transaction_row(transaction, newest_sql, SQL_NO_VALUES);
    if (!row)
        return database_failed(transaction->database.db, "cannot read the newest id", error);
    id_start_after((const char *)sqlite3_column_text(row, 0));
    transaction_rollback(transaction); /* ends the row: while it is open, nothing can be checkpointed */
    return 0;
}

void applier_close(struct applier *applier)
{
    transaction_close(&applier->transaction);
    event_log_close(&applier->events);
}

/* ---- submissions ---- */

/* Nobody by name is NULL in the tables, and '' in that of keys. */
static struct sql_value owner_value(const struct store_submission *submission)
{
    return SQL_TEXT(submission->owner && submission->owner[0] ? submission->owner : NULL);
}

/* Sets the write's outcome: WRITE_NEW unless the submission's key is known. The key of what was removed is
   free again. */
static void key_find(struct transaction *transaction, struct store_write *write)
{
    const struct store_submission *submission = write->submission;
    write->outcome = WRITE_NEW;
    if (!submission->key)
        return;
    sqlite3_stmt *row = TRANSACTION_ROW(
        transaction,
        "SELECT experiment, fingerprint FROM keys WHERE key = ? AND owner = ifnull(?, '') AND kept_ms > ?"
        " AND (EXISTS (SELECT 1 FROM experiments WHERE id = keys.experiment)"
        " OR EXISTS (SELECT 1 FROM sweeps WHERE id = keys.experiment))"
        " AND experiment NOT IN (SELECT id FROM removals)",
        SQL_TEXT(submission->key), owner_value(submission), SQL_INT(submission->submitted_ms - STORE_KEY_MS));
    if (!row)
        return;
    bool same = strcmp((const char *)sqlite3_column_text(row, 1), submission->fingerprint) == 0;
    write->outcome = same ? WRITE_AGAIN : WRITE_MISMATCH;
    snprintf(write->known_id, sizeof write->known_id, "%s", sqlite3_column_text(row, 0));
}

static void experiment_insert(struct transaction *transaction, const struct store_submission *submission,
                              const struct store_experiment *experiment)
{
    bool repeated = submission->sweep && experiment->repeat_index >= 0;
    TRANSACTION_RUN(transaction,
                    "INSERT INTO experiments (id, state, device, priority, timeout_s, submitted_ms, kernel,"
                    " request, sweep, points, owner, repeat_index)"
                    " VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    SQL_TEXT(experiment->id), SQL_INT(experiment->device), SQL_INT(experiment->priority),
                    SQL_DOUBLE(experiment->timeout_s), SQL_INT(submission->submitted_ms),
                    SQL_TEXT(experiment->kernel), SQL_TEXT(experiment->request), SQL_TEXT(submission->sweep),
                    SQL_INT(experiment->points), owner_value(submission),
                    repeated ? SQL_INT(experiment->repeat_index) : SQL_TEXT(NULL));
    kernel_rows_use(transaction, experiment->id, experiment->sources, experiment->source_count);
    if (!strstr(experiment->request, "\"labels\":") || transaction->error.kind != ERROR_NONE)
        return;
    TRANSACTION_RUN(transaction,
                    "INSERT OR IGNORE INTO labels (name, experiment, value)"
                    " SELECT key, ?, value FROM json_each(?, '$.labels')",
                    SQL_TEXT(experiment->id), SQL_TEXT(experiment->request));
    /* A write of one experiment has no savepoint (see is_one_statement()), so this cannot be refused alone. */
    transaction->broken = transaction->error.kind != ERROR_NONE;
}

/* What the rounds of a point have in common is stored with the first one. */
static void point_insert(struct transaction *transaction, const struct store_submission *submission,
                         int round, int index)
{
    const struct sweep_point *point = &submission->points[index];
    const struct store_experiment *experiments =
        submission->experiments + round * (submission->count / submission->rounds);
    bool launched = point->experiment >= 0, reason = !launched && !round;
    TRANSACTION_RUN(transaction,
                    "INSERT INTO points (sweep_id, place, axes, experiment, refused, reason, reference)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    SQL_TEXT(submission->sweep), SQL_INT(round * submission->point_count + index),
                    SQL_TEXT(round ? "" : point->values),
                    SQL_TEXT(launched ? experiments[point->experiment].id : NULL),
                    SQL_TEXT(reason ? point->request : NULL), SQL_TEXT(reason ? point->failure : NULL),
                    SQL_TEXT(round ? NULL : point->reference));
}

static void sweep_insert(struct transaction *transaction, const struct store_submission *submission)
{
    int refused = 0;
    for (int i = 0; i < submission->point_count; i++)
        refused += submission->points[i].experiment < 0;
    TRANSACTION_RUN(transaction,
                    "INSERT INTO sweeps (id, request, recipe, submitted_ms, total, refused, owner, ended_ms,"
                    " rounds, spread) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    SQL_TEXT(submission->sweep), SQL_TEXT(submission->request), SQL_TEXT(submission->recipe),
                    SQL_INT(submission->submitted_ms), SQL_INT(submission->point_count * submission->rounds),
                    SQL_INT(refused * submission->rounds), owner_value(submission),
                    SQL_INT(submission->count ? 0 : submission->submitted_ms), SQL_INT(submission->rounds),
                    SQL_INT(submission->spread));
    for (int round = 0; round < submission->rounds; round++)
        for (int i = 0; i < submission->point_count; i++)
            point_insert(transaction, submission, round, i);
}

/* Inserts the rows of what was submitted, unless its key is known. */
static void submission_apply(struct applier *applier, struct store_write *write)
{
    struct transaction *transaction = &applier->transaction;
    const struct store_submission *submission = write->submission;
    const char *id = submission->sweep ? submission->sweep : submission->experiments[0].id;
    key_find(transaction, write);
    if (transaction->error.kind != ERROR_NONE || write->outcome != WRITE_NEW)
        return;
    if (submission->known_only)
        error_set(&transaction->error, ERROR_FULL, "the queue has no room for %d experiment%s",
                  submission->count, submission->count == 1 ? "" : "s");
    else
        disk_reserve_take(&applier->reserve, submission->count, &transaction->error);
    for (int i = 0; i < submission->count && transaction->error.kind == ERROR_NONE; i++)
        experiment_insert(transaction, submission, &submission->experiments[i]);
    if (submission->sweep)
        sweep_insert(transaction, submission);
    if (submission->key)
        TRANSACTION_RUN(transaction,
                        "INSERT OR REPLACE INTO keys (key, owner, fingerprint, experiment, kept_ms)"
                        " VALUES (?, ifnull(?, ''), ?, ?, ?)",
                        SQL_TEXT(submission->key), owner_value(submission), SQL_TEXT(submission->fingerprint),
                        SQL_TEXT(id), SQL_INT(submission->submitted_ms));
}

/* ---- changes of experiments ---- */

static void cancel_apply(struct transaction *transaction, const struct store_cancel *cancel)
{
    TRANSACTION_RUN(transaction, "UPDATE sweeps SET cancelled = 1 WHERE id = ?", SQL_TEXT(cancel->sweep));
    TRANSACTION_RUN(transaction,
                    "UPDATE experiments SET state = 'cancelled', finished_ms = ?, failure = ?,"
                    " failure_text = ? WHERE sweep = ? AND state = 'queued'",
                    SQL_INT(cancel->finished_ms), SQL_TEXT(error_kind_name(cancel->failure->kind)),
                    SQL_TEXT(cancel->failure->text), SQL_TEXT(cancel->sweep));
}

/* Appends an object to the JSON list of lost runs. Why a run was lost is from a command: any bytes. */
static void lost_apply(struct transaction *transaction, const struct store_change *change)
{
    const struct store_lost *lost = change->lost;
    struct buffer why = {0};
    json_writer_string(&(struct json_writer){.out = &why}, NULL, lost->why);
    if (why.failed)
        transaction_no_memory(transaction, "why a run was lost");
    TRANSACTION_RUN(transaction,
                    "UPDATE experiments SET lost ="
                    " json_insert(CASE WHEN json_valid(lost) THEN lost ELSE '[]' END, '$[#]',"
                    " json_object('attempt', ?, 'device', ?, 'at', ?, 'why', json(?))) WHERE id = ?",
                    SQL_INT(lost->attempt), SQL_INT(lost->device), SQL_INT(lost->at_ms),
                    SQL_PART(why.data, why.size), SQL_TEXT(change->id));
    buffer_free(&why);
}

static bool has_samples(const struct store_change *change)
{
    return change->samples && change->samples->cold.size;
}

#define CHANGE_SQL                                                                                           \
    "UPDATE experiments SET state = ?, attempt = ?, started_ms = ?, finished_ms = ?, failure = ?,"           \
    " failure_text = ?, failure_where = ?, result = ?"

/* What is lost is appended first, because an experiment that has ended does not change any more. A change of
   the device has a statement of its own: setting a column takes the row out of its indices and puts it back,
   changed or not. */
static void change_apply(struct transaction *transaction, const struct store_change *change)
{
    const struct error *failure = change->failure;
    struct sql_value id = SQL_TEXT(change->id);
    const struct sql_value values[] = {
        SQL_TEXT(job_state_name(change->state)),
        SQL_INT(change->attempt),
        SQL_INT(change->started_ms),
        SQL_INT(change->finished_ms),
        SQL_TEXT(failure ? error_kind_name(failure->kind) : NULL),
        SQL_TEXT(failure ? failure->text : NULL),
        SQL_TEXT(failure ? failure->where : NULL),
        SQL_TEXT(change->result),
        change->moved ? SQL_INT(change->about.device) : id,
        id,
    };
    if (change->lost)
        lost_apply(transaction, change);
    int changed = change->moved
                      ? transaction_run(transaction, CHANGE_SQL ", device = ? WHERE id = ?", values, 10)
                      : transaction_run(transaction, CHANGE_SQL " WHERE id = ?", values, 9);
    if (changed != 1)
        error_set(&transaction->error, ERROR_STORE, "there is no experiment %s", change->id);
    if (has_samples(change))
        TRANSACTION_RUN(transaction,
                        "INSERT OR REPLACE INTO samples (experiment, cold, hot) VALUES (?, ?, ?)", id,
                        SQL_BYTES(change->samples->cold.data, change->samples->cold.size),
                        SQL_BYTES(change->samples->hot.data, change->samples->hot.size));
}

/* ---- owners and devices ---- */

static void hold_apply(struct transaction *transaction, const struct store_hold *hold)
{
    if (hold->held)
        TRANSACTION_RUN(transaction, "INSERT OR IGNORE INTO holds (device, owner, since_ms) VALUES (?, ?, ?)",
                        SQL_INT(hold->device), SQL_TEXT(hold->owner), SQL_INT(hold->since_ms));
    else
        TRANSACTION_RUN(transaction, "DELETE FROM holds WHERE device = ?", SQL_INT(hold->device));
}

/* First frees the number of a device to which nothing refers, if it is to be replaced. */
static void device_apply(struct transaction *transaction, const struct store_device *device)
{
    if (device->replaces_old_device &&
        TRANSACTION_RUN(transaction,
                        "DELETE FROM devices WHERE number = ?1"
                        " AND NOT EXISTS (SELECT 1 FROM experiments WHERE device = ?1)"
                        " AND NOT EXISTS (SELECT 1 FROM holds WHERE device = ?1)",
                        SQL_INT(device->number)) != 1)
        error_set(&transaction->error, ERROR_STORE, "number %d is in use again", device->number);
    TRANSACTION_RUN(transaction,
                    "INSERT INTO devices (number, name, hello, hello_ms) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT (number) DO UPDATE SET hello = ifnull(excluded.hello, hello),"
                    " hello_ms = max(excluded.hello_ms, hello_ms)",
                    SQL_INT(device->number), SQL_TEXT(device->name), SQL_TEXT(device->hello),
                    SQL_INT(device->hello_ms));
}

static void calibration_apply(struct transaction *transaction, const struct store_calibration *calibration)
{
    TRANSACTION_RUN(transaction,
                    "INSERT OR REPLACE INTO calibrations (uuid, made_ms, device, driver, build, sweep,"
                    " calibration) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    SQL_TEXT(calibration->uuid), SQL_INT(calibration->made_ms), SQL_INT(calibration->device),
                    SQL_TEXT(calibration->driver), SQL_TEXT(calibration->build), SQL_TEXT(calibration->sweep),
                    SQL_TEXT(calibration->calibration));
}

static void kernel_apply(struct applier *applier, struct store_write *write)
{
    struct transaction *transaction = &applier->transaction;
    const struct store_kernel *kernel = write->kernel;
    if (kernel->remove || disk_reserve_take_bytes(&applier->reserve, (int64_t)strlen(kernel->definition),
                                                  &transaction->error) == 0)
        kernel_rows_apply(transaction, write);
}

/* ---- a write ---- */

/* A write of one statement is all or nothing by itself; a savepoint would copy each page that changes. */
static bool is_one_statement(const struct store_write *write)
{
    const struct store_submission *submission = write->submission;
    if (write->cancel || write->mark || write->removal || write->bind || write->device_count ||
        write->calibration || write->kernel || write->forgotten_count)
        return false;
    if (!submission)
        return write->change_count + !!write->share + !!write->hold == 1 &&
               !(write->change_count && (has_samples(&write->changes[0]) || write->changes[0].lost));
    return !write->change_count && !submission->sweep && !submission->key &&
           !submission->experiments[0].source_count;
}

static void parts_apply(struct applier *applier, struct store_write *write)
{
    struct transaction *transaction = &applier->transaction;
    if (write->submission)
        submission_apply(applier, write);
    if (write->cancel)
        cancel_apply(transaction, write->cancel);
    if (write->mark)
        row_removal_mark(transaction, write->mark);
    if (write->removal)
        applier->checkpoint |= row_removal_step(transaction, write->removal);
    if (write->bind)
        /* "+device" keeps SQLite from the index by device, which holds whatever waits and is bound to none. */
        TRANSACTION_RUN(transaction,
                        "UPDATE experiments SET device = ?"
                        " WHERE sweep = ? AND +device = -1 AND state = 'queued'",
                        SQL_INT(write->bind->device), SQL_TEXT(write->bind->sweep));
    for (int i = 0; i < write->change_count; i++)
        change_apply(transaction, &write->changes[i]);
    if (write->share)
        TRANSACTION_RUN(transaction, "INSERT OR REPLACE INTO shares (owner, used_s, at_ms) VALUES (?, ?, ?)",
                        SQL_TEXT(write->share->owner), SQL_DOUBLE(write->share->used_s),
                        SQL_INT(write->share->at_ms));
    for (int i = 0; i < write->forgotten_count; i++)
        TRANSACTION_RUN(transaction, "DELETE FROM shares WHERE owner = ?",
                        SQL_TEXT(write->forgotten_owners[i]));
    if (write->hold)
        hold_apply(transaction, write->hold);
    for (int i = 0; i < write->device_count; i++)
        device_apply(transaction, &write->devices[i]);
    if (write->calibration)
        calibration_apply(transaction, write->calibration);
    if (write->kernel)
        kernel_apply(applier, write);
    event_log_write(&applier->events, write);
}

void applier_write(struct applier *applier, struct store_write *write)
{
    struct transaction *transaction = &applier->transaction;
    bool savepoint = !is_one_statement(write);
    if (transaction->error.kind != ERROR_NONE)
        return;
    if (savepoint)
        transaction_run(transaction, "SAVEPOINT one", SQL_NO_VALUES);
    parts_apply(applier, write);
    if (transaction->error.kind != ERROR_NONE && !transaction->broken) {
        write->refusal = transaction->error;
        transaction->error = (struct error){0};
        if (savepoint)
            transaction_run(transaction, "ROLLBACK TO one", SQL_NO_VALUES);
    }
    if (savepoint)
        transaction_run(transaction, "RELEASE one", SQL_NO_VALUES);
}

/* ---- the end of the transaction ---- */

static void keys_purge(struct applier *applier)
{
    int64_t now_ms = clock_wall_ms();
    if (now_ms - applier->keys_purged_ms <= PURGE_EVERY_MS)
        return;
    TRANSACTION_RUN(&applier->transaction, "DELETE FROM keys WHERE kept_ms <= ?",
                    SQL_INT(now_ms - STORE_KEY_MS));
    if (applier->transaction.error.kind == ERROR_NONE)
        applier->keys_purged_ms = now_ms;
}

int applier_commit(struct applier *applier)
{
    keys_purge(applier);
    event_log_save(&applier->events);
    if (transaction_commit(&applier->transaction) < 0)
        return -1;
    event_log_publish(&applier->events);
    if (transaction_verify(&applier->transaction) < 0)
        return -1;
    if (applier->checkpoint)
        transaction_checkpoint(&applier->transaction);
    applier->checkpoint = false;
    return 0;
}

void applier_rollback(struct applier *applier)
{
    event_log_forget(&applier->events);
    transaction_rollback(&applier->transaction);
}
