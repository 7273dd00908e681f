/* A write is a savepoint within the writer's transaction, so that one which is refused leaves the others alone. */
#include "server/store/apply.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "api/samples.h"
#include "api/sweep.h"
#include "api/text.h"
#include "base/clock.h"
#include "server/store/row_removal.h"
#include "server/store/device_row.h"
#include "server/store/labels.h"

enum { PURGE_EVERY_MS = 10 * 60 * 1000 };

static void bind_owner(sqlite3_stmt *statement, int place, const char *owner)
{
    applier_bind_text(statement, place, owner && owner[0] ? owner : NULL);
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
    applier_bind_text(statement, 1, submission->key);
    applier_bind_text(statement, 2, submission->owner ? submission->owner : "");
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
    applier_bind_text(statement, 1, submission->key);
    applier_bind_text(statement, 2, submission->owner ? submission->owner : "");
    applier_bind_text(statement, 3, submission->fingerprint);
    applier_bind_text(statement, 4, submission->sweep ? submission->sweep : submission->experiments[0].id);
    sqlite3_bind_int64(statement, 5, submission->submitted_ms);
    return applier_run(applier, KEY_KEEP, error);
}

static enum applied apply_experiment(struct applier *applier, const struct store_submission *submission,
                                     const struct store_experiment *experiment, struct error *error)
{
    sqlite3_stmt *statement = applier->statements[EXPERIMENT_INSERT];
    applier_bind_text(statement, 1, experiment->id);
    sqlite3_bind_int(statement, 2, experiment->device);
    sqlite3_bind_int(statement, 3, experiment->priority);
    sqlite3_bind_double(statement, 4, experiment->timeout_s);
    sqlite3_bind_int64(statement, 5, submission->submitted_ms);
    applier_bind_text(statement, 6, experiment->kernel);
    applier_bind_text(statement, 7, experiment->request);
    applier_bind_text(statement, 8, submission->sweep);
    sqlite3_bind_int(statement, 9, experiment->points);
    bind_owner(statement, 10, submission->owner);
    if (submission->sweep && experiment->repeat_index >= 0)
        sqlite3_bind_int(statement, 11, experiment->repeat_index);
    enum applied applied = applier_run(applier, EXPERIMENT_INSERT, error);
    int length = 0;
    const char *labels = applied == APPLIED ? labels_find(experiment->request, &length) : NULL;
    if (!labels)
        return applied;
    statement = applier->statements[LABELS_INSERT];
    applier_bind_text(statement, 1, experiment->id);
    sqlite3_bind_text(statement, 2, labels, length, SQLITE_STATIC);
    /* It ignores what is there twice, so nothing about the rows can be wrong. */
    return applier_run(applier, LABELS_INSERT, error) == APPLIED ? APPLIED : BROKEN;
}

/* What all rounds of a point have in common is with the first one. */
static enum applied apply_point(struct applier *applier, const struct store_submission *submission, int round,
                                int index, struct error *error)
{
    const struct sweep_point *point = &submission->points[index];
    const struct store_experiment *experiments =
        submission->experiments + round * (submission->count / submission->rounds);
    bool launched = point->experiment >= 0;
    sqlite3_stmt *statement = applier->statements[POINT_INSERT];
    applier_bind_text(statement, 1, submission->sweep);
    sqlite3_bind_int(statement, 2, round * submission->point_count + index);
    applier_bind_text(statement, 3, round ? "" : point->values);
    applier_bind_text(statement, 4, launched ? experiments[point->experiment].id : NULL);
    applier_bind_text(statement, 5, launched || round ? NULL : point->request);
    applier_bind_text(statement, 6, launched || round ? NULL : point->failure);
    applier_bind_text(statement, 7, round ? NULL : point->reference);
    return applier_run(applier, POINT_INSERT, error);
}

static enum applied apply_sweep(struct applier *applier, const struct store_submission *submission,
                                struct error *error)
{
    int refused = 0;
    for (int i = 0; i < submission->point_count; i++)
        refused += submission->points[i].experiment < 0;
    sqlite3_stmt *statement = applier->statements[SWEEP_INSERT];
    applier_bind_text(statement, 1, submission->sweep);
    applier_bind_text(statement, 2, submission->request);
    applier_bind_text(statement, 3, submission->recipe);
    sqlite3_bind_int64(statement, 4, submission->submitted_ms);
    sqlite3_bind_int(statement, 5, submission->point_count * submission->rounds);
    sqlite3_bind_int(statement, 6, refused * submission->rounds);
    bind_owner(statement, 7, submission->owner);
    sqlite3_bind_int64(statement, 8, submission->count ? 0 : submission->submitted_ms);
    sqlite3_bind_int(statement, 9, submission->rounds);
    sqlite3_bind_int(statement, 10, submission->spread);
    enum applied applied = applier_run(applier, SWEEP_INSERT, error);
    for (int round = 0; round < submission->rounds; round++)
        for (int i = 0; applied == APPLIED && i < submission->point_count; i++)
            applied = apply_point(applier, submission, round, i, error);
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
    if (disk_reserve_take(&applier->room, submission->count, error) < 0)
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
    applier_bind_text(statement, 1, cancel->sweep);
    enum applied applied = applier_run(applier, SWEEP_MARK, error);
    if (applied != APPLIED)
        return applied;
    statement = applier->statements[SWEEP_CANCEL];
    sqlite3_bind_int64(statement, 1, cancel->finished_ms);
    applier_bind_text(statement, 2, error_kind_name(cancel->failure->kind));
    applier_bind_text(statement, 3, cancel->failure->text);
    applier_bind_text(statement, 4, cancel->sweep);
    return applier_run(applier, SWEEP_CANCEL, error);
}

static enum applied apply_bind(struct applier *applier, const struct store_bind *bind, struct error *error)
{
    sqlite3_stmt *statement = applier->statements[BIND];
    sqlite3_bind_int(statement, 1, bind->device);
    applier_bind_text(statement, 2, bind->sweep);
    return applier_run(applier, BIND, error);
}

static enum applied apply_lost(struct applier *applier, const struct store_change *change,
                               struct error *error)
{
    const struct store_lost *lost = change->lost;
    struct buffer why = {
        0}; /* what a command says may be any bytes, and cut anywhere: as JSON they are text */
    if (text_string(&why, lost->why) < 0) {
        buffer_free(&why);
        error_set(error, ERROR_MEMORY, "no memory for why a run was lost");
        return BROKEN;
    }
    sqlite3_stmt *statement = applier->statements[LOST];
    sqlite3_bind_int(statement, 1, lost->attempt);
    sqlite3_bind_int(statement, 2, lost->device);
    sqlite3_bind_int64(statement, 3, lost->at_ms);
    applier_bind_text(statement, 4, why.data);
    applier_bind_text(statement, 5, change->id);
    enum applied applied = applier_run(applier, LOST, error);
    buffer_free(&why);
    return applied;
}

static enum applied apply_change(struct applier *applier, const struct store_change *change,
                                 struct error *error)
{
    enum apply_statement which = change->moved ? CHANGE_MOVED : CHANGE;
    sqlite3_stmt *statement = applier->statements[which];
    applier_bind_text(statement, 1, job_state_name(change->state));
    sqlite3_bind_int(statement, 2, change->attempt);
    sqlite3_bind_int64(statement, 3, change->started_ms);
    sqlite3_bind_int64(statement, 4, change->finished_ms);
    if (change->failure) {
        applier_bind_text(statement, 5, error_kind_name(change->failure->kind));
        applier_bind_text(statement, 6, change->failure->text);
        applier_bind_text(statement, 7, change->failure->where);
    }
    applier_bind_text(statement, 8, change->result);
    if (change->moved)
        sqlite3_bind_int(statement, 9, change->about.device);
    applier_bind_text(statement, change->moved ? 10 : 9, change->id);
    enum applied applied = applier_run(applier, which, error);
    if (applied == APPLIED && sqlite3_changes(applier->db) != 1) {
        error_set(error, ERROR_STORE, "there is no experiment %s", change->id);
        return REFUSED;
    }
    return applied;
}

static bool has_samples(const struct store_change *change)
{
    return change->samples && change->samples->cold.size;
}

static enum applied apply_samples(struct applier *applier, const struct store_change *change,
                                  struct error *error)
{
    const struct buffer *cold = &change->samples->cold, *hot = &change->samples->hot;
    sqlite3_stmt *statement = applier->statements[SAMPLES_KEEP];
    applier_bind_text(statement, 1, change->id);
    sqlite3_bind_blob64(statement, 2, cold->data, cold->size, SQLITE_STATIC);
    sqlite3_bind_blob64(statement, 3, hot->data, hot->size, SQLITE_STATIC);
    return applier_run(applier, SAMPLES_KEEP, error);
}

static enum applied apply_share(struct applier *applier, const struct store_share *share, struct error *error)
{
    sqlite3_stmt *statement = applier->statements[SHARE];
    applier_bind_text(statement, 1, share->owner);
    sqlite3_bind_double(statement, 2, share->used_s);
    sqlite3_bind_int64(statement, 3, share->at_ms);
    return applier_run(applier, SHARE, error);
}

static enum applied apply_forgotten(struct applier *applier, const struct store_write *write,
                                    struct error *error)
{
    enum applied applied = APPLIED;
    for (int i = 0; applied == APPLIED && i < write->forgotten_count; i++) {
        applier_bind_text(applier->statements[SHARE_FORGET], 1, write->forgotten_owners[i]);
        applied = applier_run(applier, SHARE_FORGET, error);
    }
    return applied;
}

static enum applied apply_hold(struct applier *applier, const struct store_hold *hold, struct error *error)
{
    enum apply_statement which = hold->held ? HOLD : RESUME;
    sqlite3_stmt *statement = applier->statements[which];
    sqlite3_bind_int(statement, 1, hold->device);
    if (hold->held) {
        applier_bind_text(statement, 2, hold->owner);
        sqlite3_bind_int64(statement, 3, hold->since_ms);
    }
    return applier_run(applier, which, error);
}

/* When the last step is done the log is checkpointed, as far as no reader needs it: only then is the file as short as the
   database. */
static enum applied apply_removal(struct applier *applier, struct store_removal *removal, struct error *error)
{
    bool begun = removal->more;
    enum applied applied = row_removal_step(applier->db, removal, error);
    applier->checkpoint |= begun && !removal->more;
    return applied;
}

/* A write of one statement that may be refused is all or nothing by itself; a savepoint copies each page that changes. */
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

/* Of a write that is refused *error says why already. */
static enum applied savepoint_end(struct applier *applier, enum applied applied, struct error *error)
{
    struct error broken = {0};
    if ((applied == APPLIED || applier_run(applier, BACK, &broken) == APPLIED) &&
        applier_run(applier, RELEASE, &broken) == APPLIED)
        return applied;
    *error = broken;
    return BROKEN;
}

enum applied apply_write(struct applier *applier, struct store_write *write, struct error *error)
{
    bool savepoint = !is_one_statement(write);
    enum applied applied = savepoint ? applier_run(applier, SAVEPOINT, error) : APPLIED;
    if (applied == APPLIED && write->submission)
        applied = apply_submission(applier, write, error);
    if (applied == APPLIED && write->cancel)
        applied = apply_cancel(applier, write->cancel, error);
    if (applied == APPLIED && write->removal)
        applied = apply_removal(applier, write->removal, error);
    if (applied == APPLIED && write->bind)
        applied = apply_bind(applier, write->bind, error);
    for (int i = 0; applied == APPLIED && i < write->change_count; i++) {
        /* What has ended does not change any more. */
        if (write->changes[i].lost)
            applied = apply_lost(applier, &write->changes[i], error);
        if (applied == APPLIED)
            applied = apply_change(applier, &write->changes[i], error);
        if (applied == APPLIED && has_samples(&write->changes[i]))
            applied = apply_samples(applier, &write->changes[i], error);
    }
    if (applied == APPLIED && write->share)
        applied = apply_share(applier, write->share, error);
    if (applied == APPLIED)
        applied = apply_forgotten(applier, write, error);
    if (applied == APPLIED && write->hold)
        applied = apply_hold(applier, write->hold, error);
    for (int i = 0; applied == APPLIED && i < write->device_count; i++)
        applied = device_keep(applier->db, &write->devices[i], error);
    if (applied == APPLIED && write->calibration)
        applied = calibration_keep(applier->db, write->calibration, error);
    if (applied == APPLIED)
        applied = event_log_write(&applier->tell, write, error);
    return savepoint && applied != BROKEN ? savepoint_end(applier, applied, error) : applied;
}

int apply_begin(struct applier *applier, struct error *error)
{
    if (applier_run(applier, BEGIN, error) != APPLIED)
        return -1;
    return wal_end_read(applier->db, &applier->end, error);
}

/* Would a start find what was committed? Where the log was moved or removed meanwhile, it is to be in the database. */
static int commit_verify(struct applier *applier, struct error *error)
{
    struct error why = {0};
    int frames = 0, checkpointed = -1;
    if (location_check(&applier->location, LOCATION_LOG, &why) == 0)
        return 0;
    int status =
        sqlite3_wal_checkpoint_v2(applier->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &frames, &checkpointed);
    bool saved = status == SQLITE_OK && frames == checkpointed &&
                 location_check(&applier->location, LOCATION_DATABASE, NULL) == 0;
    return saved ? 0 : error_set(error, why.kind, "%s", why.text);
}

int apply_commit(struct applier *applier, struct error *error)
{
    int64_t now_ms = clock_wall_ms();
    if (now_ms - applier->purged_ms > PURGE_EVERY_MS) {
        sqlite3_bind_int64(applier->statements[KEY_PURGE], 1, now_ms - STORE_KEY_MS);
        if (applier_run(applier, KEY_PURGE, error) != APPLIED)
            return -1;
        applier->purged_ms = now_ms;
    }
    if (event_log_keep(&applier->tell, error) < 0)
        return -1;
    if (applier_run(applier, COMMIT, error) != APPLIED) {
        applier->uncertain = true;
        return -1;
    }
    event_log_publish(&applier->tell);
    if (commit_verify(applier, error) < 0) {
        applier->uncertain = true;
        return -1;
    }
    if (applier->checkpoint)
        sqlite3_wal_checkpoint_v2(applier->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    applier->checkpoint = false;
    return 0;
}

void apply_rollback(struct applier *applier)
{
    event_log_forget(&applier->tell);
    /* Some failures end the transaction by themselves. */
    if (!sqlite3_get_autocommit(applier->db))
        applier_run(applier, ROLLBACK, NULL);
}
