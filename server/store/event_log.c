#include "server/store/event_log.h"

#include <sqlite3.h>
#include <string.h>

#include "base/json_writer.h"

/* Counts events up to the number `last`. */
static void mark(struct event_log *log, int count, int64_t last)
{
    log->last = last;
    log->unmarked += count;
    if (log->unmarked < EVENT_LOG_MARK_EVERY)
        return;
    log->unmarked = 0;
    if (log->mark_count == EVENT_LOG_MARKS)
        memmove(log->marks, log->marks + 1, --log->mark_count * sizeof log->marks[0]);
    log->marks[log->mark_count++] = last;
}

int event_log_open(struct event_log *log, struct transaction *transaction, struct error *error)
{
    static const char sql[] = "SELECT count, last FROM events ORDER BY last";
    log->transaction = transaction;
    /* Events of earlier runs count as well, or those between two starts would never be deleted. */
    for (sqlite3_stmt *row = transaction_row(transaction, sql, SQL_NO_VALUES); row;
         row = transaction_next(transaction))
        mark(log, sqlite3_column_int(row, 0), sqlite3_column_int64(row, 1));
    if (transaction->error.kind != ERROR_NONE)
        return database_failed(transaction->database.db, "the events", error);
    /* No server has a million events in a second, so a number of now, in microseconds, was never given
       before: neither by a state of this database that a backup has replaced, nor by another database. */
    int64_t now_us = clock_wall_ms() * 1000;
    log->last = log->last > now_us ? log->last : now_us;
    return 0;
}

void event_log_close(struct event_log *log)
{
    buffer_free(&log->lines);
}

/* ---- the lines ---- */

static struct json_writer line_begin(struct event_log *log, const char *kind)
{
    struct json_writer writer = {.out = &log->lines};
    buffer_text(&log->lines, kind);
    json_writer_begin_object(&writer, NULL);
    return writer;
}

static void line_end(struct event_log *log, struct json_writer *writer)
{
    json_writer_end(writer);
    buffer_text(&log->lines, "\n");
    log->count++;
}

static void write_time(struct event_log *log, struct json_writer *writer, int64_t wall_ms)
{
    if (wall_ms != log->at_ms)
        clock_text(log->at_ms = wall_ms, log->at);
    json_writer_string(writer, "at", log->at);
}

/* The kernel's name as it stands in the request, which is not parsed for it: a name has no escapes. */
static void write_kernel(struct json_writer *writer, const char *request)
{
    static const char member[] = "\"kernel\":\"";
    const char *kernel = strstr(request, member);
    const char *value = kernel ? kernel + sizeof member - 2 : "\"\"";
    json_writer_raw(writer, "kernel", value, strcspn(value + 1, "\"") + 2);
}

/* The id is the first member and the sweep's id the second, so that a reader finds them at a known place. */
static void write_state(struct event_log *log, const char *id, enum job_state state, int attempt,
                        const struct store_about *about, int64_t at_ms, const struct error *failure)
{
    if (!about->request)
        return;
    struct json_writer writer = line_begin(log, "state ");
    json_writer_string(&writer, "id", id);
    json_writer_name(&writer, "sweep", about->sweep);
    json_writer_string(&writer, "state", job_state_name(state));
    json_writer_int(&writer, "attempt", attempt);
    json_writer_known_int(&writer, "device", about->device >= 0, about->device);
    write_kernel(&writer, about->request);
    json_writer_name(&writer, "owner", about->owner);
    write_time(log, &writer, at_ms);
    if (failure)
        json_writer_string(&writer, "failure", error_kind_name(failure->kind));
    line_end(log, &writer);
}

static void write_sweep(struct event_log *log, const char *id, bool ended, const char *owner, int64_t at_ms)
{
    struct json_writer writer = line_begin(log, "sweep ");
    json_writer_string(&writer, "id", id);
    json_writer_bool(&writer, "ended", ended);
    json_writer_name(&writer, "owner", owner);
    write_time(log, &writer, at_ms);
    line_end(log, &writer);
}

static void write_removal(struct event_log *log, const struct store_mark *mark)
{
    sqlite3_stmt *row = transaction_row(log->transaction,
                                        mark->sweep ? "SELECT owner, NULL FROM sweeps WHERE id = ?"
                                                    : "SELECT owner, sweep FROM experiments WHERE id = ?",
                                        SQL_VALUES(SQL_TEXT(mark->id)));
    struct json_writer writer = line_begin(log, "removal ");
    json_writer_string(&writer, "id", mark->id);
    json_writer_name(&writer, "sweep", row ? (const char *)sqlite3_column_text(row, 1) : NULL);
    json_writer_string(&writer, "kind", mark->sweep ? "sweep" : "experiment");
    json_writer_bool(&writer, "removed", !mark->restore);
    json_writer_name(&writer, "owner", row ? (const char *)sqlite3_column_text(row, 0) : NULL);
    write_time(log, &writer, mark->now_ms);
    line_end(log, &writer);
}

static void write_hold(struct event_log *log, const struct store_hold *hold)
{
    struct json_writer writer = line_begin(log, "queue ");
    json_writer_known_int(&writer, "device", hold->device >= 0, hold->device);
    json_writer_bool(&writer, "paused", hold->held);
    if (hold->held) {
        json_writer_name(&writer, "paused_by", hold->owner);
        json_writer_time(&writer, "paused_since", hold->since_ms);
    }
    line_end(log, &writer);
}

/* ---- which events a write has ---- */

/* The sweep's end, when the change was its last one: a trigger of the schema has set ended_ms then. */
static void sweep_end(struct event_log *log, const char *sweep, const char *owner, int64_t at_ms)
{
    if (TRANSACTION_ROW(log->transaction, "SELECT 1 FROM sweeps WHERE id = ? AND ended_ms > 0",
                        SQL_TEXT(sweep)))
        write_sweep(log, sweep, true, owner, at_ms);
}

static void submission_events(struct event_log *log, const struct store_submission *submission)
{
    int64_t at_ms = submission->submitted_ms;
    if (submission->sweep) {
        write_sweep(log, submission->sweep, false, submission->owner, at_ms);
        if (!submission->count)
            write_sweep(log, submission->sweep, true, submission->owner, at_ms);
        return;
    }
    for (int i = 0; i < submission->count; i++) {
        const struct store_experiment *one = &submission->experiments[i];
        const struct store_about about = {NULL, submission->owner, one->request, one->device};
        write_state(log, one->id, JOB_QUEUED, 0, &about, at_ms, NULL);
    }
}

static void change_events(struct event_log *log, const struct store_change *change)
{
    const struct store_about *about = &change->about;
    bool ended = job_state_ended(change->state);
    int64_t at_ms = ended                          ? change->finished_ms
                    : change->state == JOB_RUNNING ? change->started_ms
                                                   : clock_wall_ms();
    write_state(log, change->id, change->state, change->attempt, about, at_ms, change->failure);
    if (ended && about->sweep && about->sweep[0])
        sweep_end(log, about->sweep, about->owner, at_ms);
}

static void cancel_events(struct event_log *log, const struct store_cancel *cancel)
{
    for (int i = 0; i < cancel->count; i++) {
        const struct store_cancelled *one = &cancel->experiments[i];
        write_state(log, one->id, JOB_CANCELLED, one->attempt, &one->about, cancel->finished_ms,
                    cancel->failure);
    }
    if (cancel->count)
        sweep_end(log, cancel->sweep, cancel->experiments[0].about.owner, cancel->finished_ms);
}

void event_log_write(struct event_log *log, const struct store_write *write)
{
    if (log->transaction->error.kind != ERROR_NONE)
        return;
    /* A hold or a mark is set by the last statement of its write, which changes no row if it was set already. */
    const bool changed = sqlite3_changes(log->transaction->database.db) > 0;
    if (write->hold && changed)
        write_hold(log, write->hold);
    if (write->mark && changed)
        write_removal(log, write->mark);
    if (write->submission && write->outcome == WRITE_NEW)
        submission_events(log, write->submission);
    if (write->cancel)
        cancel_events(log, write->cancel);
    for (int i = 0; i < write->change_count; i++)
        change_events(log, &write->changes[i]);
    if (log->lines.failed)
        transaction_no_memory(log->transaction, "events");
}

/* ---- the transaction ---- */

void event_log_save(struct event_log *log)
{
    if (!log->count)
        return;
    TRANSACTION_RUN(log->transaction, "INSERT INTO events (last, count, lines) VALUES (?, ?, ?)",
                    SQL_INT(log->last + log->count), SQL_INT(log->count),
                    SQL_PART(log->lines.data, log->lines.size));
    if (log->mark_count < EVENT_LOG_MARKS)
        return;
    TRANSACTION_RUN(log->transaction, "DELETE FROM events WHERE last <= ?", SQL_INT(log->marks[0]));
    if (log->transaction->error.kind == ERROR_NONE)
        memmove(log->marks, log->marks + 1, --log->mark_count * sizeof log->marks[0]);
}

void event_log_publish(struct event_log *log)
{
    if (!log->count)
        return;
    const struct store_events events = {.last = log->last + log->count,
                                        .count = log->count,
                                        .lines = log->lines.data,
                                        .size = log->lines.size};
    mark(log, events.count, events.last);
    if (log->on_events)
        log->on_events(log->arg, &events);
    event_log_forget(log);
}

void event_log_forget(struct event_log *log)
{
    log->count = 0;
    log->lines.size = 0;
    log->lines.failed = false;
}
