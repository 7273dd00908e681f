#include "server/store/event_log.h"

#include <sqlite3.h>
#include <string.h>

#include "api/text.h"
#include "server/store/schema.h"

/* So many events are behind those before, up to that number. */
static void mark(struct event_log *tell, int count, int64_t last)
{
    tell->last = last;
    tell->unmarked += count;
    if (tell->unmarked < TELL_MARK_EVERY)
        return;
    tell->unmarked = 0;
    if (tell->mark_count == TELL_MARKS)
        memmove(tell->marks, tell->marks + 1, --tell->mark_count * sizeof tell->marks[0]);
    tell->marks[tell->mark_count++] = last;
}

/* Those of earlier runs of the service count as well: else what is told between two starts would never be removed. */
static int kept_read(struct event_log *tell, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    int status =
        sqlite3_prepare_v2(tell->db, "SELECT count, last FROM events ORDER BY last", -1, &rows, NULL);
    while (status == SQLITE_OK && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        mark(tell, sqlite3_column_int(rows, 0), sqlite3_column_int64(rows, 1));
        status = SQLITE_OK;
    }
    if (status != SQLITE_DONE)
        schema_failed(tell->db, "the events", error);
    sqlite3_finalize(rows);
    return status == SQLITE_DONE ? 0 : -1;
}

int event_log_open(struct event_log *tell, sqlite3 *db, struct error *error)
{
    tell->db = db;
    if (kept_read(tell, error) < 0)
        return -1;
    /* Nobody has more than a million events in a second. So what another state of this database has told, which a backup
       has replaced, or another database, is no number of ours. */
    int64_t now_us = clock_wall_ms() * 1000;
    tell->last = tell->last > now_us ? tell->last : now_us;
    const struct {
        sqlite3_stmt **statement;
        const char *sql;
    } wanted[] = {
        {&tell->insert, "INSERT INTO events (last, count, lines) VALUES (?, ?, ?)"},
        {&tell->trim, "DELETE FROM events WHERE last <= ?"},
        {&tell->ended, "SELECT ended_ms FROM sweeps WHERE id = ? AND ended_ms > 0"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (sqlite3_prepare_v3(db, wanted[i].sql, -1, SQLITE_PREPARE_PERSISTENT, wanted[i].statement, NULL))
            return schema_failed(db, "cannot prepare the events' statements", error);
    return 0;
}

void event_log_close(struct event_log *tell)
{
    sqlite3_finalize(tell->insert);
    sqlite3_finalize(tell->trim);
    sqlite3_finalize(tell->ended);
    buffer_free(&tell->lines);
}

/* ---- the texts ---- */

static void add_time(struct event_log *tell, int64_t wall_ms)
{
    if (wall_ms != tell->at_ms)
        clock_text(tell->at_ms = wall_ms, tell->at);
    buffer_text(&tell->lines, ",\"at\":\"");
    buffer_text(&tell->lines, tell->at);
    buffer_text(&tell->lines, "\"");
}

static void add_owner(struct buffer *out, const char *owner)
{
    buffer_text(out, ",\"owner\":");
    text_string(out, owner && owner[0] ? owner : NULL);
}

/* A kernel's name wants no escaping. */
static void add_kernel(struct buffer *out, const char *request)
{
    static const char member[] = "\"kernel\":\"";
    const char *kernel = strstr(request, member);
    buffer_text(out, ",\"kernel\":\"");
    if (kernel) {
        kernel += sizeof member - 1;
        buffer_append(out, kernel, strcspn(kernel, "\""));
    }
    buffer_text(out, "\"");
}

/* The id stands first and the sweep's behind it, where whoever looks for one of them finds it at a known place. */
static void tell_state(struct event_log *tell, const char *id, enum job_state state, int attempt,
                       const struct store_about *about, int64_t at_ms, const struct error *failure)
{
    struct buffer *out = &tell->lines;
    const char *sweep = about->sweep && about->sweep[0] ? about->sweep : NULL;
    if (!about->request)
        return;
    buffer_text(out, "state {\"id\":\"");
    buffer_text(out, id);
    buffer_text(out, "\",\"sweep\":");
    text_string(out, sweep);
    buffer_text(out, ",\"state\":\"");
    buffer_text(out, job_state_name(state));
    buffer_text(out, "\",\"attempt\":");
    text_integer(out, attempt);
    buffer_text(out, ",\"device\":");
    if (about->device < 0)
        buffer_text(out, "null");
    else
        text_integer(out, about->device);
    add_kernel(out, about->request);
    add_owner(out, about->owner);
    add_time(tell, at_ms);
    if (failure) {
        buffer_text(out, ",\"failure\":\"");
        buffer_text(out, error_kind_name(failure->kind));
        buffer_text(out, "\"");
    }
    buffer_text(out, "}\n");
    tell->count++;
}

static void tell_sweep(struct event_log *tell, const char *id, bool ended, const char *owner, int64_t at_ms)
{
    struct buffer *out = &tell->lines;
    buffer_text(out, "sweep {\"id\":\"");
    buffer_text(out, id);
    buffer_text(out, ended ? "\",\"ended\":true" : "\",\"ended\":false");
    add_owner(out, owner);
    add_time(tell, at_ms);
    buffer_text(out, "}\n");
    tell->count++;
}

static void tell_hold(struct event_log *tell, const struct store_hold *hold)
{
    struct buffer *out = &tell->lines;
    char since[CLOCK_TEXT_BYTES];
    buffer_text(out, "queue {\"device\":");
    if (hold->device < 0)
        buffer_text(out, "null");
    else
        text_integer(out, hold->device);
    if (hold->held) {
        clock_text(hold->since_ms, since);
        buffer_text(out, ",\"paused\":true,\"paused_by\":");
        text_string(out, hold->owner && hold->owner[0] ? hold->owner : NULL);
        buffer_format(out, ",\"paused_since\":\"%s\"}\n", since);
    } else {
        buffer_text(out, ",\"paused\":false}\n");
    }
    tell->count++;
}

/* ---- which there are ---- */

/* A trigger of the schema has noted it with the last change. */
static enum applied tell_sweep_end(struct event_log *tell, const char *sweep, const char *owner,
                                   int64_t at_ms, struct error *error)
{
    sqlite3_bind_text(tell->ended, 1, sweep, -1, SQLITE_STATIC);
    int status = sqlite3_step(tell->ended);
    if (status == SQLITE_ROW)
        tell_sweep(tell, sweep, true, owner, at_ms);
    else if (status != SQLITE_DONE)
        error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(tell->db));
    sqlite3_reset(tell->ended);
    sqlite3_clear_bindings(tell->ended);
    return status == SQLITE_ROW || status == SQLITE_DONE ? APPLIED : BROKEN;
}

static void tell_submission(struct event_log *tell, const struct store_submission *submission)
{
    int64_t at_ms = submission->submitted_ms;
    if (submission->sweep) {
        tell_sweep(tell, submission->sweep, false, submission->owner, at_ms);
        if (!submission->count)
            tell_sweep(tell, submission->sweep, true, submission->owner, at_ms);
        return;
    }
    for (int i = 0; i < submission->count; i++) {
        const struct store_experiment *one = &submission->experiments[i];
        const struct store_about about = {NULL, submission->owner, one->request, one->device};
        tell_state(tell, one->id, JOB_QUEUED, 0, &about, at_ms, NULL);
    }
}

static enum applied tell_change(struct event_log *tell, const struct store_change *change,
                                struct error *error)
{
    const struct store_about *about = &change->about;
    bool ended = job_state_ended(change->state);
    int64_t at_ms = ended                          ? change->finished_ms
                    : change->state == JOB_RUNNING ? change->started_ms
                                                   : clock_wall_ms();
    tell_state(tell, change->id, change->state, change->attempt, about, at_ms, change->failure);
    if (!ended || !about->sweep || !about->sweep[0])
        return APPLIED;
    return tell_sweep_end(tell, about->sweep, about->owner, at_ms, error);
}

static enum applied tell_cancel(struct event_log *tell, const struct store_cancel *cancel,
                                struct error *error)
{
    for (int i = 0; i < cancel->count; i++) {
        const struct store_cancelled *one = &cancel->experiments[i];
        tell_state(tell, one->id, JOB_CANCELLED, one->attempt, &one->about, cancel->finished_ms,
                   cancel->failure);
    }
    if (!cancel->count)
        return APPLIED;
    return tell_sweep_end(tell, cancel->sweep, cancel->experiments[0].about.owner, cancel->finished_ms,
                          error);
}

enum applied event_log_write(struct event_log *tell, const struct store_write *write, struct error *error)
{
    enum applied applied = APPLIED;
    /* The write's last statement, when it is a hold's, which changes nothing where it was so already. */
    if (write->hold && sqlite3_changes(tell->db) > 0)
        tell_hold(tell, write->hold);
    if (write->submission && write->outcome == WRITE_NEW)
        tell_submission(tell, write->submission);
    if (write->cancel)
        applied = tell_cancel(tell, write->cancel, error);
    for (int i = 0; applied == APPLIED && i < write->change_count; i++)
        applied = tell_change(tell, &write->changes[i], error);
    if (applied == APPLIED && tell->lines.failed) {
        error_set(error, ERROR_STORE, "no memory for events");
        applied = BROKEN;
    }
    return applied;
}

/* ---- the transaction ---- */

static int run(struct event_log *tell, sqlite3_stmt *statement, struct error *error)
{
    int status = sqlite3_step(statement);
    if (status != SQLITE_DONE)
        error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(tell->db));
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status == SQLITE_DONE ? 0 : -1;
}

int event_log_keep(struct event_log *tell, struct error *error)
{
    if (!tell->count)
        return 0;
    sqlite3_bind_int64(tell->insert, 1, tell->last + tell->count);
    sqlite3_bind_int(tell->insert, 2, tell->count);
    sqlite3_bind_text(tell->insert, 3, tell->lines.data, (int)tell->lines.size, SQLITE_STATIC);
    if (run(tell, tell->insert, error) < 0)
        return -1;
    if (tell->mark_count < TELL_MARKS)
        return 0;
    sqlite3_bind_int64(tell->trim, 1, tell->marks[0]);
    if (run(tell, tell->trim, error) < 0)
        return -1;
    memmove(tell->marks, tell->marks + 1, (TELL_MARKS - 1) * sizeof tell->marks[0]);
    tell->mark_count--;
    return 0;
}

void event_log_publish(struct event_log *tell)
{
    if (!tell->count)
        return;
    const struct store_events events = {.last = tell->last + tell->count,
                                        .count = tell->count,
                                        .lines = tell->lines.data,
                                        .size = tell->lines.size};
    mark(tell, events.count, events.last);
    if (tell->told)
        tell->told(tell->arg, &events);
    event_log_forget(tell);
}

void event_log_forget(struct event_log *tell)
{
    tell->count = 0;
    tell->lines.size = 0;
    tell->lines.failed = false;
}
