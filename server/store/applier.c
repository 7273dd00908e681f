#include "server/store/applier.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "api/samples.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "server/store/row_removal.h"
#include "server/store/submission_insert.h"

enum { PURGE_EVERY_MS = 10 * 60 * 1000 };

int applier_open(struct applier *applier, sqlite3 *db, const char *path, struct error *error)
{
    if (transaction_open(&applier->transaction, db, path, error) < 0)
        return -1;
    return event_log_open(&applier->events, &applier->transaction, error);
}

void applier_close(struct applier *applier)
{
    if (!applier->transaction.db)
        return;
    transaction_close(&applier->transaction);
    event_log_close(&applier->events);
}

/* ---- changes of experiments ---- */

static enum applied cancel_apply(struct applier *applier, const struct store_cancel *cancel,
                                 struct error *error)
{
    static const char mark_sql[] = "UPDATE sweeps SET cancelled = 1 WHERE id = ?";
    static const char sql[] =
        "UPDATE experiments SET state = 'cancelled', finished_ms = ?, failure = ?, failure_text = ?"
        " WHERE sweep = ? AND state = 'queued'";
    enum applied applied =
        TRANSACTION_RUN(&applier->transaction, error, mark_sql, sql_value_text(cancel->sweep));
    if (applied != APPLIED)
        return applied;
    return TRANSACTION_RUN(&applier->transaction, error, sql, SQL_INT(cancel->finished_ms),
                           sql_value_text(error_kind_name(cancel->failure->kind)),
                           sql_value_text(cancel->failure->text), sql_value_text(cancel->sweep));
}

static enum applied bind_apply(struct applier *applier, const struct store_bind *bind, struct error *error)
{
    /* "+device" keeps SQLite from the index by device, which holds whatever waits and is bound to none. */
    static const char sql[] =
        "UPDATE experiments SET device = ? WHERE sweep = ? AND +device = -1 AND state = 'queued'";
    return TRANSACTION_RUN(&applier->transaction, error, sql, SQL_INT(bind->device),
                           sql_value_text(bind->sweep));
}

/* Appends an object to the JSON list of lost runs. */
static enum applied lost_apply(struct applier *applier, const struct store_change *change,
                               struct error *error)
{
    static const char sql[] =
        "UPDATE experiments SET lost = CASE WHEN lost IS NULL THEN '[' ELSE substr(lost, 1, length(lost) - 1)"
        " || ',' END || ? || ']' WHERE id = ?";
    const struct store_lost *lost = change->lost;
    struct buffer text = {0};
    struct json_writer writer = {.out = &text};
    enum applied applied = BROKEN;
    json_writer_begin_object(&writer, NULL);
    json_writer_int(&writer, "attempt", lost->attempt);
    json_writer_int(&writer, "device", lost->device);
    json_writer_int(&writer, "at", lost->at_ms);
    json_writer_string(&writer, "why", lost->why); /* from a command: any bytes */
    json_writer_end(&writer);
    if (json_writer_finish(&writer) < 0)
        error_set(error, ERROR_MEMORY, "no memory for why a run was lost");
    else
        applied = TRANSACTION_RUN(&applier->transaction, error, sql, SQL_PART(text.data, text.size),
                                  sql_value_text(change->id));
    buffer_free(&text);
    return applied;
}

static bool has_samples(const struct store_change *change)
{
    return change->samples && change->samples->cold.size;
}

static enum applied samples_insert(struct applier *applier, const struct store_change *change,
                                   struct error *error)
{
    static const char sql[] = "INSERT OR REPLACE INTO samples (experiment, cold, hot) VALUES (?, ?, ?)";
    const struct buffer *cold = &change->samples->cold, *hot = &change->samples->hot;
    return TRANSACTION_RUN(&applier->transaction, error, sql, sql_value_text(change->id),
                           SQL_BYTES(cold->data, cold->size), SQL_BYTES(hot->data, hot->size));
}

/* What is lost is appended first, because an experiment that has ended does not change any more. */
static enum applied change_apply(struct applier *applier, const struct store_change *change,
                                 struct error *error)
{
    static const char sql[] =
        "UPDATE experiments SET state = ?, attempt = ?, started_ms = ?, finished_ms = ?, failure = ?,"
        " failure_text = ?, failure_where = ?, result = ? WHERE id = ?";
    /* A statement of its own: setting a column takes the row out of its indices and puts it back, changed or
       not. */
    static const char moved_sql[] =
        "UPDATE experiments SET state = ?, attempt = ?, started_ms = ?, finished_ms = ?, failure = ?,"
        " failure_text = ?, failure_where = ?, result = ?, device = ? WHERE id = ?";
    const struct error *failure = change->failure;
    struct sql_value id = sql_value_text(change->id);
    const struct sql_value values[] = {
        sql_value_text(job_state_name(change->state)),
        SQL_INT(change->attempt),
        SQL_INT(change->started_ms),
        SQL_INT(change->finished_ms),
        sql_value_text(failure ? error_kind_name(failure->kind) : NULL),
        sql_value_text(failure ? failure->text : NULL),
        sql_value_text(failure ? failure->where : NULL),
        sql_value_text(change->result),
        change->moved ? SQL_INT(change->about.device) : id,
        id,
    };
    enum applied applied = change->lost ? lost_apply(applier, change, error) : APPLIED;
    if (applied == APPLIED)
        applied = transaction_run(&applier->transaction, change->moved ? moved_sql : sql, values,
                                  change->moved ? 10 : 9, error);
    if (applied == APPLIED && sqlite3_changes(applier->transaction.db) != 1) {
        error_set(error, ERROR_STORE, "there is no experiment %s", change->id);
        return REFUSED;
    }
    return applied == APPLIED && has_samples(change) ? samples_insert(applier, change, error) : applied;
}

/* ---- owners and devices ---- */

static enum applied share_apply(struct applier *applier, const struct store_share *share, struct error *error)
{
    static const char sql[] = "INSERT OR REPLACE INTO shares (owner, used_s, at_ms) VALUES (?, ?, ?)";
    return TRANSACTION_RUN(&applier->transaction, error, sql, sql_value_text(share->owner),
                           SQL_DOUBLE(share->used_s), SQL_INT(share->at_ms));
}

static enum applied hold_apply(struct applier *applier, const struct store_hold *hold, struct error *error)
{
    static const char sql[] = "INSERT OR IGNORE INTO holds (device, owner, since_ms) VALUES (?, ?, ?)";
    if (!hold->held)
        return TRANSACTION_RUN(&applier->transaction, error, "DELETE FROM holds WHERE device = ?",
                               SQL_INT(hold->device));
    return TRANSACTION_RUN(&applier->transaction, error, sql, SQL_INT(hold->device),
                           sql_value_text(hold->owner), SQL_INT(hold->since_ms));
}

/* Frees the number of a device to which nothing refers. */
static enum applied device_delete(struct applier *applier, int number, struct error *error)
{
    static const char sql[] = "DELETE FROM devices WHERE number = ?1"
                              " AND NOT EXISTS (SELECT 1 FROM experiments WHERE device = ?1)"
                              " AND NOT EXISTS (SELECT 1 FROM holds WHERE device = ?1)";
    enum applied applied = TRANSACTION_RUN(&applier->transaction, error, sql, SQL_INT(number));
    if (applied != APPLIED || sqlite3_changes(applier->transaction.db) == 1)
        return applied;
    error_set(error, ERROR_STORE, "number %d is in use again", number);
    return REFUSED;
}

static enum applied device_apply(struct applier *applier, const struct store_device *device,
                                 struct error *error)
{
    static const char sql[] = "INSERT INTO devices (number, name, hello, hello_ms) VALUES (?, ?, ?, ?)"
                              " ON CONFLICT (number) DO UPDATE SET hello = ifnull(excluded.hello, hello),"
                              " hello_ms = max(excluded.hello_ms, hello_ms)";
    enum applied applied =
        device->replaces_old_device ? device_delete(applier, device->number, error) : APPLIED;
    if (applied != APPLIED)
        return applied;
    return TRANSACTION_RUN(&applier->transaction, error, sql, SQL_INT(device->number),
                           sql_value_text(device->name), sql_value_text(device->hello),
                           SQL_INT(device->hello_ms));
}

static enum applied calibration_insert(struct applier *applier, const struct store_calibration *calibration,
                                       struct error *error)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO calibrations (uuid, made_ms, device, driver, build, sweep, calibration)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)";
    return TRANSACTION_RUN(&applier->transaction, error, sql, sql_value_text(calibration->uuid),
                           SQL_INT(calibration->made_ms), SQL_INT(calibration->device),
                           sql_value_text(calibration->driver), sql_value_text(calibration->build),
                           sql_value_text(calibration->sweep), sql_value_text(calibration->calibration));
}

/* ---- a write ---- */

/* After the last step of a removal the log is checkpointed: only then is the file as short as the
   database. */
static enum applied removal_apply(struct applier *applier, struct store_removal *removal, struct error *error)
{
    bool begun = removal->more;
    enum applied applied = row_removal_step(applier->transaction.db, removal, error);
    applier->checkpoint |= begun && !removal->more;
    return applied;
}

/* A write of one statement is all or nothing by itself; a savepoint would copy each page that changes. */
static bool is_one_statement(const struct store_write *write)
{
    const struct store_submission *submission = write->submission;
    if (write->cancel || write->removal || write->bind || write->device_count || write->calibration ||
        write->forgotten_count)
        return false;
    if (!submission)
        return write->change_count + !!write->share + !!write->hold == 1 &&
               !(write->change_count && (has_samples(&write->changes[0]) || write->changes[0].lost));
    return !write->change_count && !submission->sweep && !submission->key;
}

static enum applied parts_apply(struct applier *applier, struct store_write *write, struct error *error)
{
    enum applied applied = APPLIED;
    if (write->submission)
        applied = submission_insert(&applier->transaction, &applier->reserve, write, error);
    if (applied == APPLIED && write->cancel)
        applied = cancel_apply(applier, write->cancel, error);
    if (applied == APPLIED && write->removal)
        applied = removal_apply(applier, write->removal, error);
    if (applied == APPLIED && write->bind)
        applied = bind_apply(applier, write->bind, error);
    for (int i = 0; applied == APPLIED && i < write->change_count; i++)
        applied = change_apply(applier, &write->changes[i], error);
    if (applied == APPLIED && write->share)
        applied = share_apply(applier, write->share, error);
    for (int i = 0; applied == APPLIED && i < write->forgotten_count; i++)
        applied = TRANSACTION_RUN(&applier->transaction, error, "DELETE FROM shares WHERE owner = ?",
                                  sql_value_text(write->forgotten_owners[i]));
    if (applied == APPLIED && write->hold)
        applied = hold_apply(applier, write->hold, error);
    for (int i = 0; applied == APPLIED && i < write->device_count; i++)
        applied = device_apply(applier, &write->devices[i], error);
    if (applied == APPLIED && write->calibration)
        applied = calibration_insert(applier, write->calibration, error);
    if (applied == APPLIED)
        applied = event_log_write(&applier->events, write, error);
    return applied;
}

enum applied applier_write(struct applier *applier, struct store_write *write, struct error *error)
{
    struct transaction *transaction = &applier->transaction;
    if (is_one_statement(write))
        return parts_apply(applier, write, error);
    enum applied applied = transaction_run(transaction, "SAVEPOINT one", SQL_NO_VALUES, error);
    if (applied == APPLIED)
        applied = parts_apply(applier, write, error);
    if (applied == BROKEN)
        return BROKEN;
    struct error broken = {0}; /* of a write that is refused *error says why already */
    if ((applied == APPLIED ||
         transaction_run(transaction, "ROLLBACK TO one", SQL_NO_VALUES, &broken) == APPLIED) &&
        transaction_run(transaction, "RELEASE one", SQL_NO_VALUES, &broken) == APPLIED)
        return applied;
    *error = broken;
    return BROKEN;
}

/* ---- the end of the transaction ---- */

static int keys_purge(struct applier *applier, struct error *error)
{
    int64_t now_ms = clock_wall_ms();
    if (now_ms - applier->keys_purged_ms <= PURGE_EVERY_MS)
        return 0;
    if (TRANSACTION_RUN(&applier->transaction, error, "DELETE FROM keys WHERE kept_ms <= ?",
                        SQL_INT(now_ms - STORE_KEY_MS)) != APPLIED)
        return -1;
    applier->keys_purged_ms = now_ms;
    return 0;
}

int applier_commit(struct applier *applier, struct error *error)
{
    if (keys_purge(applier, error) < 0 || event_log_save(&applier->events, error) < 0 ||
        transaction_commit(&applier->transaction, error) < 0)
        return -1;
    event_log_publish(&applier->events);
    if (transaction_verify(&applier->transaction, error) < 0)
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
