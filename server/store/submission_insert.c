#include "server/store/submission_insert.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "api/sweep.h"

/* Nobody by name is NULL in the tables. */
static struct sql_value owner_value(const char *owner)
{
    return sql_value_text(owner && owner[0] ? owner : NULL);
}

/* Sets the write's outcome: WRITE_NEW unless the submission's key is known. */
static enum applied key_find(struct transaction *transaction, struct store_write *write, struct error *error)
{
    /* The key of what was removed is free again. */
    static const char sql[] =
        "SELECT experiment, fingerprint FROM keys WHERE key = ? AND owner = ? AND kept_ms > ?"
        " AND (EXISTS (SELECT 1 FROM experiments WHERE id = keys.experiment)"
        " OR EXISTS (SELECT 1 FROM sweeps WHERE id = keys.experiment AND NOT removing))";
    const struct store_submission *submission = write->submission;
    sqlite3_stmt *row;
    write->outcome = WRITE_NEW;
    if (!submission->key)
        return APPLIED;
    enum applied applied =
        transaction_statement(transaction, &row, sql,
                              SQL_VALUES(sql_value_text(submission->key),
                                         sql_value_text(submission->owner ? submission->owner : ""),
                                         SQL_INT(submission->submitted_ms - STORE_KEY_MS)),
                              error);
    if (applied != APPLIED)
        return applied;
    int status = sqlite3_step(row);
    if (status == SQLITE_ROW) {
        bool same = strcmp((const char *)sqlite3_column_text(row, 1), submission->fingerprint) == 0;
        write->outcome = same ? WRITE_AGAIN : WRITE_MISMATCH;
        snprintf(write->known_id, sizeof write->known_id, "%s", sqlite3_column_text(row, 0));
    }
    return transaction_end(transaction, row, status, error);
}

static enum applied key_insert(struct transaction *transaction, const struct store_submission *submission,
                               struct error *error)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO keys (key, owner, fingerprint, experiment, kept_ms) VALUES (?, ?, ?, ?, ?)";
    const char *id = submission->sweep ? submission->sweep : submission->experiments[0].id;
    return TRANSACTION_RUN(transaction, error, sql, sql_value_text(submission->key),
                           sql_value_text(submission->owner ? submission->owner : ""),
                           sql_value_text(submission->fingerprint), sql_value_text(id),
                           SQL_INT(submission->submitted_ms));
}

/* The object of the request's labels, without parsing the rest of the request. Its length is 0 where there
   are no labels, as in most requests. */
static struct sql_value labels_find(const char *request)
{
    static const char member[] = "\"labels\":";
    const char *labels = strstr(request, member);
    if (!labels)
        return SQL_PART("", 0);
    labels += sizeof member - 1;
    labels += strspn(labels, " ");
    if (labels[0] != '{' || labels[1] == '}')
        return SQL_PART("", 0);
    bool quoted = false;
    const char *at = labels;
    for (; *at && (quoted || *at != '}'); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (quoted && *at == '\\' && at[1])
            at++;
    }
    return SQL_PART(labels, (size_t)(at - labels) + (*at == '}'));
}

static enum applied experiment_insert(struct transaction *transaction,
                                      const struct store_submission *submission,
                                      const struct store_experiment *experiment, struct error *error)
{
    static const char sql[] =
        "INSERT INTO experiments (id, state, device, priority, timeout_s, submitted_ms, kernel, request,"
        " sweep, points, owner, repeat_index) VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    static const char labels_sql[] = "INSERT OR IGNORE INTO labels (name, experiment, value)"
                                     " SELECT key, ?, value FROM json_each(?)";
    bool repeated = submission->sweep && experiment->repeat_index >= 0;
    enum applied applied = TRANSACTION_RUN(
        transaction, error, sql, sql_value_text(experiment->id), SQL_INT(experiment->device),
        SQL_INT(experiment->priority), SQL_DOUBLE(experiment->timeout_s), SQL_INT(submission->submitted_ms),
        sql_value_text(experiment->kernel), sql_value_text(experiment->request),
        sql_value_text(submission->sweep), SQL_INT(experiment->points), owner_value(submission->owner),
        repeated ? SQL_INT(experiment->repeat_index) : sql_value_text(NULL));
    struct sql_value labels = labels_find(experiment->request);
    if (applied != APPLIED || !labels.size)
        return applied;
    /* OR IGNORE leaves no constraint that a value could violate, so a refusal is a failure. */
    return TRANSACTION_RUN(transaction, error, labels_sql, sql_value_text(experiment->id), labels) == APPLIED
               ? APPLIED
               : BROKEN;
}

/* What the rounds of a point have in common is stored with the first one. */
static enum applied point_insert(struct transaction *transaction, const struct store_submission *submission,
                                 int round, int index, struct error *error)
{
    static const char sql[] =
        "INSERT INTO points (sweep_id, place, axes, experiment, refused, reason, reference)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)";
    const struct sweep_point *point = &submission->points[index];
    const struct store_experiment *experiments =
        submission->experiments + round * (submission->count / submission->rounds);
    bool launched = point->experiment >= 0, reason = !launched && !round;
    return TRANSACTION_RUN(
        transaction, error, sql, sql_value_text(submission->sweep),
        SQL_INT(round * submission->point_count + index), sql_value_text(round ? "" : point->values),
        sql_value_text(launched ? experiments[point->experiment].id : NULL),
        sql_value_text(reason ? point->request : NULL), sql_value_text(reason ? point->failure : NULL),
        sql_value_text(round ? NULL : point->reference));
}

static enum applied sweep_insert(struct transaction *transaction, const struct store_submission *submission,
                                 struct error *error)
{
    static const char sql[] =
        "INSERT INTO sweeps (id, request, recipe, submitted_ms, total, refused, owner, ended_ms,"
        " rounds, spread) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    int refused = 0;
    for (int i = 0; i < submission->point_count; i++)
        refused += submission->points[i].experiment < 0;
    enum applied applied = TRANSACTION_RUN(
        transaction, error, sql, sql_value_text(submission->sweep), sql_value_text(submission->request),
        sql_value_text(submission->recipe), SQL_INT(submission->submitted_ms),
        SQL_INT(submission->point_count * submission->rounds), SQL_INT(refused * submission->rounds),
        owner_value(submission->owner), SQL_INT(submission->count ? 0 : submission->submitted_ms),
        SQL_INT(submission->rounds), SQL_INT(submission->spread));
    for (int round = 0; round < submission->rounds; round++)
        for (int i = 0; applied == APPLIED && i < submission->point_count; i++)
            applied = point_insert(transaction, submission, round, i, error);
    return applied;
}

enum applied submission_insert(struct transaction *transaction, struct disk_reserve *reserve,
                               struct store_write *write, struct error *error)
{
    const struct store_submission *submission = write->submission;
    enum applied applied = key_find(transaction, write, error);
    if (applied != APPLIED || write->outcome != WRITE_NEW)
        return applied;
    if (submission->known_only) {
        error_set(error, ERROR_FULL, "the queue has no room for %d experiment%s", submission->count,
                  submission->count == 1 ? "" : "s");
        return REFUSED;
    }
    if (disk_reserve_take(reserve, submission->count, error) < 0)
        return REFUSED;
    for (int i = 0; applied == APPLIED && i < submission->count; i++)
        applied = experiment_insert(transaction, submission, &submission->experiments[i], error);
    if (applied == APPLIED && submission->sweep)
        applied = sweep_insert(transaction, submission, error);
    if (applied == APPLIED && submission->key)
        applied = key_insert(transaction, submission, error);
    return applied;
}
