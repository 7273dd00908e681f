#include "server/store/experiment_reads.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/samples.h"
#include "server/store/database.h"
#include "server/store/removal_reads.h"

/* A page of a list is read whole before the caller sees it, so that no connection is held meanwhile. */
enum { JOB_ROWS = 32, SWEEP_ROWS = 16, POINT_ROWS = 16 };

/* ---- one experiment ---- */

/* What job_read() expects, from column 0 on. Unqualified: no other table has columns of these names. */
#define JOB_COLUMNS                                                                                          \
    "id, state, device, priority, attempt, timeout_s, submitted_ms, started_ms, finished_ms, kernel,"        \
    " failure, failure_text, failure_where, request, result, sweep, owner, repeat_index, lost,"              \
    " (SELECT entry FROM sources WHERE sources.name = kernel)"
enum { JOB_COLUMN_COUNT = 20 };

#define NOT_REMOVED " NOT IN (SELECT id FROM removals)"
/* What was removed, by itself or with its sweep, is not seen by readers. */
#define SHOWN "id" NOT_REMOVED " AND ifnull(sweep, '')" NOT_REMOVED

/* The experiment of the statement's row; NULL: no memory. */
static struct job *job_read(const struct rows *rows)
{
    sqlite3_stmt *row = rows->row;
    struct job *job = calloc(1, sizeof *job);
    bool no_memory = false;
    char failure[32];
    if (!job)
        return NULL;
    rows_copy(rows, 0, job->id, sizeof job->id);
    job->state = (enum job_state)job_state_of((const char *)sqlite3_column_text(row, 1));
    job->device = sqlite3_column_int(row, 2);
    job->priority = sqlite3_column_int(row, 3);
    job->attempt = sqlite3_column_int(row, 4);
    job->timeout_s = sqlite3_column_double(row, 5);
    job->submitted_ms = sqlite3_column_int64(row, 6);
    job->started_ms = sqlite3_column_int64(row, 7);
    job->finished_ms = sqlite3_column_int64(row, 8);
    job->kernel = rows_text(rows, 9, &no_memory);
    rows_copy(rows, 10, failure, sizeof failure);
    job->failure.kind = error_kind_of(failure);
    rows_copy(rows, 11, job->failure.text, sizeof job->failure.text);
    rows_copy(rows, 12, job->failure.where, sizeof job->failure.where);
    job->request = rows_text(rows, 13, &no_memory);
    job->result = rows_text(rows, 14, &no_memory);
    rows_copy(rows, 15, job->sweep, sizeof job->sweep);
    rows_copy(rows, 16, job->owner, sizeof job->owner);
    job->repeat_index = sqlite3_column_type(row, 17) == SQLITE_NULL ? -1 : sqlite3_column_int(row, 17);
    job->lost = rows_text(rows, 18, &no_memory);
    job->entry = rows_text(rows, 19, &no_memory);
    if (!no_memory)
        return job;
    job_free(job);
    return NULL;
}

static const char job_sql[] = "SELECT " JOB_COLUMNS " FROM experiments WHERE id = ? AND " SHOWN;

int store_get(struct store *store, const char *id, struct job **job, struct error *error)
{
    struct rows rows = rows_begin(store->readers, 0, job_sql, SQL_VALUES(SQL_TEXT(id)));
    bool found = rows_next(&rows);
    *job = found ? job_read(&rows) : NULL;
    if (found && !*job)
        rows.status = SQLITE_NOMEM;
    if (rows_end(&rows, "an experiment", error) == 0 && !found)
        removal_reads_missing(store, false, id, error);
    return *job ? 0 : -1;
}

static int blob_read(const struct rows *rows, int column, struct buffer *bytes)
{
    const void *blob = sqlite3_column_blob(rows->row, column);
    return blob ? buffer_append(bytes, blob, (size_t)sqlite3_column_bytes(rows->row, column)) : 0;
}

int store_samples(struct store *store, const char *id, struct samples *samples, struct error *error)
{
    *samples = (struct samples){0};
    struct rows rows = rows_begin(store->readers, 0, "SELECT cold, hot FROM samples WHERE experiment = ?",
                                  SQL_VALUES(SQL_TEXT(id)));
    if (rows_next(&rows) &&
        (blob_read(&rows, 0, &samples->cold) < 0 || blob_read(&rows, 1, &samples->hot) < 0))
        rows.status = SQLITE_NOMEM;
    int status = rows_end(&rows, "samples", error);
    if (status < 0)
        samples_free(samples);
    return status;
}

/* ---- lists; texts are bound, never pasted ---- */

enum { CLOCK_SLACK_MS = 60 * 1000 };

/* Appends the filter's period. An id holds the time at which it was given, so a period is a range of the index;
   with slack on either side, in case the clock was set back a little. `id`: the column. */
static void filter_times(struct buffer *text, const struct store_filter *filter, const char *id)
{
    char bound[ID_BYTES];
    id_least(filter->since_ms - CLOCK_SLACK_MS, bound);
    if (filter->since_ms)
        buffer_format(text, " AND %s >= '%s' AND submitted_ms >= %" PRId64, id, bound, filter->since_ms);
    id_least(filter->until_ms + CLOCK_SLACK_MS, bound);
    if (filter->until_ms)
        buffer_format(text, " AND %s < '%s' AND submitted_ms < %" PRId64, id, bound, filter->until_ms);
}

/* Of experiments that ran on the device. The text is parsed as JSON only where it holds the uuid. */
static void filter_uuid(struct query *query, const char *uuid)
{
    query_add(query, " AND instr(result, ?)", uuid);
    query_add(query, " AND json_extract(result, '$.device.uuid') = ?", uuid);
}

/* The experiments of one owner are found by scanning the index by owner, which is quick; SQLite would rather
   read the rows of all that have the same state or device. What has not ended is few, and a label or sweep
   nearly always has one owner. */
static const char *table_of(const struct store_filter *filter)
{
    if (filter->label)
        return "labels CROSS JOIN experiments ON id = experiment";
    bool ending = filter->state < 0 || job_state_ended((enum job_state)filter->state);
    return filter->owner && filter->owner[0] && !filter->sweep && ending
               ? "experiments INDEXED BY experiments_by_owner"
               : "experiments";
}

static void filter_owner(struct query *query, const char *owner)
{
    if (owner && !owner[0])
        buffer_text(&query->text, " AND owner IS NULL");
    else
        query_add(query, " AND owner = ?", owner);
}

/* Reads up to `limit` experiments into `page`; returns how many, or -1. The text has only the conditions that
   are asked for, so that SQLite can choose an index. Labels have a table of their own, in the order of its
   experiments. */
static int jobs_read(struct store *store, const struct store_filter *filter, const char *before, int limit,
                     struct job **page, struct error *error)
{
    const char *id = filter->label ? "experiment" : "id";
    struct query query = {0};
    int count = 0;
    buffer_format(&query.text, "SELECT " JOB_COLUMNS " FROM %s WHERE 1", table_of(filter));
    query_add(&query, " AND name = ?", filter->label);
    query_add(&query, " AND value = ?", filter->label ? filter->label_value : NULL);
    query_add(&query, " AND kernel = ?", filter->kernel);
    query_add(&query, " AND state = ?",
              filter->state >= 0 ? job_state_name((enum job_state)filter->state) : NULL);
    if (filter->device >= 0)
        buffer_format(&query.text, " AND device = %d", filter->device);
    query_add(&query, " AND sweep = ?", filter->sweep);
    filter_owner(&query, filter->owner);
    filter_times(&query.text, filter, id);
    if (filter->device_uuid)
        filter_uuid(&query, filter->device_uuid);
    buffer_format(&query.text, " AND " SHOWN " AND %s", id);
    query_add(&query, " < ?", before);
    buffer_format(&query.text, " ORDER BY %s DESC LIMIT %d", id, limit);
    struct rows rows = rows_begin_query(store->readers, filter->within_ms, &query);
    while (rows_next(&rows) && (page[count] = job_read(&rows)))
        count++;
    if (rows.status == SQLITE_ROW)
        rows.status = SQLITE_NOMEM;
    if (rows_end(&rows, "the list", error) == 0)
        return count;
    while (count > 0)
        job_free(page[--count]);
    return -1;
}

int store_list(struct store *store, const struct store_filter *filter,
               int (*each)(void *arg, const struct job *), void *arg, struct error *error)
{
    char before[ID_BYTES];
    snprintf(before, sizeof before, "%s", filter->before ? filter->before : "~"); /* greater than every id */
    int count = JOB_ROWS;
    for (int left = filter->limit; left > 0 && count == JOB_ROWS; left -= count) {
        struct job *page[JOB_ROWS];
        count = jobs_read(store, filter, before, left < JOB_ROWS ? left : JOB_ROWS, page, error);
        for (int i = 0; i < count; i++) {
            if (left > 0 && each(arg, page[i]) != 0)
                left = 0;
            memcpy(before, page[i]->id, ID_BYTES);
            job_free(page[i]);
        }
    }
    return count < 0 ? -1 : 0;
}

/* ---- sweeps ---- */

/* The counts are answered from an index alone. */
static const char sweep_sql[] =
    "SELECT request, recipe, submitted_ms, total, refused, cancelled, owner, rounds, spread,"
    " (SELECT entry FROM sources WHERE sources.name = json_extract(request, '$.kernel')), counts.*"
    " FROM sweeps LEFT JOIN (SELECT state, sum(points) - ifnull((SELECT sum(gone.points) FROM removals"
    " JOIN experiments AS gone USING (id) WHERE removals.sweep = ?1 AND gone.state = own.state"
    " AND gone.device = own.device), 0) AS points, max(finished_ms), device FROM experiments AS own"
    " WHERE sweep = ?1 GROUP BY state, device) AS counts WHERE id = ?1 AND id" NOT_REMOVED;

static void counts_add(sqlite3_stmt *row, int column, struct sweep_row *sweep)
{
    int state = job_state_of((const char *)sqlite3_column_text(row, column));
    int64_t finished_ms = sqlite3_column_int64(row, column + 2);
    int points = sqlite3_column_int(row, column + 1);
    if (state < 0 || !points)
        return; /* there is no experiment */
    sweep->states[state] += points;
    device_set_add(&sweep->devices, sqlite3_column_int(row, column + 3));
    if (finished_ms > sweep->finished_ms)
        sweep->finished_ms = finished_ms;
}

int store_sweep(struct store *store, const char *id, struct sweep_row *row, struct error *error)
{
    bool no_memory = false;
    *row = (struct sweep_row){0};
    snprintf(row->id, sizeof row->id, "%s", id);
    struct rows rows = rows_begin(store->readers, 0, sweep_sql, SQL_VALUES(SQL_TEXT(id)));
    for (bool first = true; rows_next(&rows); first = false) {
        counts_add(rows.row, 10, row);
        if (!first)
            continue;
        row->request = rows_text(&rows, 0, &no_memory);
        row->recipe = rows_text(&rows, 1, &no_memory);
        row->submitted_ms = sqlite3_column_int64(rows.row, 2);
        row->total = sqlite3_column_int(rows.row, 3);
        row->refused = sqlite3_column_int(rows.row, 4);
        row->states[JOB_FAILED] += row->refused;
        row->cancelled = sqlite3_column_int(rows.row, 5);
        rows_copy(&rows, 6, row->owner, sizeof row->owner);
        row->rounds = sqlite3_column_int(rows.row, 7);
        row->spread = sqlite3_column_int(rows.row, 8);
        row->entry = rows_text(&rows, 9, &no_memory);
    }
    if (no_memory)
        rows.status = SQLITE_NOMEM;
    int status = rows_end(&rows, "a sweep", error);
    if (status == 0 && !row->request)
        status = removal_reads_missing(store, true, id, error);
    if (status < 0)
        sweep_row_clear(row);
    row->removed = row->total;
    for (int i = 0; i < JOB_STATES; i++)
        row->removed -= row->states[i];
    /* The end of an experiment that was removed is not known any more. A sweep without experiments ended when
       it was submitted. */
    if (row->removed)
        row->finished_ms = 0;
    else if (sweep_row_ended(row) && !row->finished_ms)
        row->finished_ms = row->submitted_ms;
    return status;
}

#define HAS_EXPERIMENT "EXISTS (SELECT 1 FROM experiments AS e WHERE e.sweep = sweeps.id AND "
#define HAS_RUNNING HAS_EXPERIMENT "e.state IN ('queued', 'running'))"
#define HAS_SHOWN(states) HAS_EXPERIMENT "e.state IN (" states ") AND e.id" NOT_REMOVED ")"
#define ALL_SUCCEEDED                                                                                        \
    "(NOT refused AND " HAS_SHOWN("'succeeded'") " AND NOT " HAS_SHOWN("'failed', 'cancelled'") ")"
#define IS_CANCELLED                                                                                         \
    "(cancelled OR (NOT refused AND " HAS_SHOWN("'cancelled'") " AND NOT " HAS_SHOWN(                        \
        "'failed', 'succeeded'") "))"

/* As sweep_row_state() has it. */
static const char *const state_conditions[SWEEP_STATES] = {
    [SWEEP_RUNNING] = " AND " HAS_RUNNING,
    [SWEEP_SUCCEEDED] = " AND NOT " HAS_RUNNING " AND NOT " IS_CANCELLED " AND " ALL_SUCCEEDED,
    [SWEEP_FINISHED] = " AND NOT " HAS_RUNNING " AND NOT " IS_CANCELLED " AND NOT " ALL_SUCCEEDED,
    [SWEEP_CANCELLED] = " AND NOT " HAS_RUNNING " AND " IS_CANCELLED,
};

#define OF_FIRST "experiment = (SELECT min(e.id) FROM experiments AS e WHERE e.sweep = sweeps.id)"

/* Reads the ids of up to `limit` sweeps that are older; returns how many, or -1. All experiments of a sweep
   have the same labels, so the first one's are read. */
static int ids_read(struct store *store, const struct store_filter *filter, const char *before, int limit,
                    char ids[][ID_BYTES], struct error *error)
{
    struct query query = {0};
    int count = 0;
    query_add(&query, "SELECT id FROM sweeps WHERE id" NOT_REMOVED " AND id < ?", before);
    filter_owner(&query, filter->owner);
    if (filter->state >= 0)
        buffer_text(&query.text, state_conditions[filter->state]);
    query_add(&query, " AND EXISTS (SELECT 1 FROM labels WHERE " OF_FIRST " AND name = ?", filter->label);
    query_add(&query, " AND value = ?", filter->label ? filter->label_value : NULL);
    buffer_text(&query.text, filter->label ? ")" : "");
    query_add(&query, " AND NOT EXISTS (SELECT 1 FROM labels WHERE " OF_FIRST " AND name = ?)",
              filter->without_label);
    if (filter->device_uuid) {
        buffer_text(&query.text, " AND EXISTS (SELECT 1 FROM experiments AS e WHERE e.sweep = sweeps.id");
        filter_uuid(&query, filter->device_uuid);
        buffer_text(&query.text, ")");
    }
    filter_times(&query.text, filter, "id");
    buffer_format(&query.text, " ORDER BY id DESC LIMIT %d", limit);
    struct rows rows = rows_begin_query(store->readers, filter->within_ms, &query);
    while (rows_next(&rows))
        rows_copy(&rows, 0, ids[count++], ID_BYTES);
    return rows_end(&rows, "the list of sweeps", error) < 0 ? -1 : count;
}

int store_sweeps(struct store *store, const struct store_filter *filter,
                 int (*each)(void *arg, const struct sweep_row *), void *arg, struct error *error)
{
    char before[ID_BYTES];
    snprintf(before, sizeof before, "%s", filter->before ? filter->before : "~"); /* greater than every id */
    int count = SWEEP_ROWS;
    for (int left = filter->limit; left > 0 && count == SWEEP_ROWS; left -= count) {
        char ids[SWEEP_ROWS][ID_BYTES];
        count = ids_read(store, filter, before, left < SWEEP_ROWS ? left : SWEEP_ROWS, ids, error);
        for (int i = 0; i < count && left > 0; i++) {
            struct sweep_row row;
            struct error why = {0};
            memcpy(before, ids[i], ID_BYTES);
            if (store_sweep(store, ids[i], &row, &why) == 0)
                left = each(arg, &row) == 0 ? left : 0;
            else if (why.kind != ERROR_NOT_FOUND) /* it may have been removed by now */
                return error_set(error, why.kind, "%s", why.text);
            sweep_row_clear(&row);
        }
    }
    return count < 0 ? -1 : 0;
}

/* ---- points ---- */

/* In the table the points of a round follow each other; this answers the rounds of a point one after the
   other. What they have in common is in the row of the first round. */
static const char points_sql[] =
    "WITH RECURSIVE shape (rounds, count) AS (SELECT rounds, total / rounds FROM sweeps WHERE id = ?1),"
    " run (place) AS (SELECT ?2 UNION ALL SELECT place + 1 FROM run WHERE place + 1 < ?2 + ?3)"
    "SELECT " JOB_COLUMNS ", run.place, first.axes, first.refused, first.reason, own.experiment,"
    " first.reference FROM shape CROSS JOIN run CROSS JOIN points AS first"
    " ON first.sweep_id = ?1 AND first.place = run.place / shape.rounds"
    " AND run.place < shape.count * shape.rounds"
    " LEFT JOIN points AS own ON own.sweep_id = ?1"
    " AND own.place = run.place % shape.rounds * shape.count + run.place / shape.rounds"
    " LEFT JOIN experiments ON id = own.experiment AND id" NOT_REMOVED;

static void point_clear(struct point_row *point)
{
    free(point->axes);
    free(point->request);
    free(point->reason);
    free(point->experiment);
    free(point->reference);
    job_free(point->job);
}

/* False: no memory, and the point is to be cleared too. */
static bool point_read(const struct rows *rows, struct point_row *point)
{
    bool no_memory = false, launched = sqlite3_column_type(rows->row, 0) != SQLITE_NULL;
    *point = (struct point_row){
        .place = sqlite3_column_int(rows->row, JOB_COLUMN_COUNT),
        .axes = rows_text(rows, JOB_COLUMN_COUNT + 1, &no_memory),
        .request = rows_text(rows, JOB_COLUMN_COUNT + 2, &no_memory),
        .reason = rows_text(rows, JOB_COLUMN_COUNT + 3, &no_memory),
        .experiment = rows_text(rows, JOB_COLUMN_COUNT + 4, &no_memory),
        .reference = rows_text(rows, JOB_COLUMN_COUNT + 5, &no_memory),
        .job = launched ? job_read(rows) : NULL,
    };
    return !no_memory && (!launched || point->job);
}

int store_points(struct store *store, const char *sweep, int from, int limit,
                 int (*each)(void *arg, const struct point_row *), void *arg, struct error *error)
{
    for (int count = POINT_ROWS; limit > 0 && count == POINT_ROWS; limit -= count) {
        struct point_row page[POINT_ROWS];
        int wanted = limit < POINT_ROWS ? limit : POINT_ROWS;
        struct rows rows = rows_begin(store->readers, 0, points_sql,
                                      SQL_VALUES(SQL_TEXT(sweep), SQL_INT(from), SQL_INT(wanted)));
        for (count = 0; rows_next(&rows); count++)
            if (!point_read(&rows, &page[count]))
                rows.status = SQLITE_NOMEM; /* which ends them */
        int status = rows_end(&rows, "a sweep's points", error);
        for (int i = 0; i < count; i++) {
            if (status == 0 && limit > 0 && each(arg, &page[i]) != 0)
                limit = 0;
            from = page[i].place + 1;
            point_clear(&page[i]);
        }
        if (status < 0)
            return -1;
    }
    return 0;
}
