#include "server/store/sweep_reads.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/store/store_parts.h"

/* As in experiment_reads.c, a page is read whole and no connection is held while the caller sees it. */
enum { SWEEP_ROWS = 16, POINT_ROWS = 16 };

/* ---- sweeps ---- */

static const char head_sql[] =
    "SELECT id, request, recipe, submitted_ms, total, refused, cancelled, (SELECT "
    "reference IS NOT NULL FROM points"
    " WHERE sweep_id = id AND place = 0), ifnull(owner, ''), rounds, spread FROM sweeps "
    "WHERE id = ? AND NOT removing";
/* Answered from an index alone. */
static const char count_sql[] =
    "SELECT state, SUM(points), MAX(finished_ms), device FROM experiments WHERE sweep = ?"
    " GROUP BY state, device";

/* Leaves *row without a request when there is no sweep of that id. */
static int head_read(struct db_reader *reader, const char *id, struct sweep_row *row, struct error *error)
{
    bool no_memory = false;
    sqlite3_stmt *statement = reader_prepare(reader, head_sql, id);
    int status = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    if (status == SQLITE_ROW) {
        snprintf(row->id, sizeof row->id, "%s", (const char *)sqlite3_column_text(statement, 0));
        row->request = reader_text(statement, 1, &no_memory);
        row->recipe = reader_text(statement, 2, &no_memory);
        row->submitted_ms = sqlite3_column_int64(statement, 3);
        row->total = sqlite3_column_int(statement, 4);
        row->states[JOB_FAILED] += sqlite3_column_int(statement, 5);
        row->cancelled = sqlite3_column_int(statement, 6);
        row->referenced = sqlite3_column_int(statement, 7);
        snprintf(row->owner, sizeof row->owner, "%s", (const char *)sqlite3_column_text(statement, 8));
        row->rounds = sqlite3_column_int(statement, 9);
        row->spread = sqlite3_column_int(statement, 10);
        status = SQLITE_DONE;
    }
    int result = reader_finish(reader, statement, status, "a sweep", error);
    return no_memory ? error_set(error, ERROR_MEMORY, "no memory for a sweep") : result;
}

static int counts_read(struct db_reader *reader, struct sweep_row *row, struct error *error)
{
    sqlite3_stmt *statement = reader_prepare(reader, count_sql, row->id);
    int status = SQLITE_ERROR;
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        int state = job_state_of((const char *)sqlite3_column_text(statement, 0));
        int64_t finished_ms = sqlite3_column_int64(statement, 2);
        device_set_add(&row->devices, sqlite3_column_int(statement, 3));
        if (state >= 0)
            row->states[state] += sqlite3_column_int(statement, 1);
        if (finished_ms > row->finished_ms)
            row->finished_ms = finished_ms;
    }
    return reader_finish(reader, statement, status, "a sweep's progress", error);
}

int store_sweep(struct store *store, const char *id, struct sweep_row *row, struct error *error)
{
    *row = (struct sweep_row){0};
    struct db_reader *reader = reader_borrow(&store->readers, 0);
    /* The counts first: what cancels a sweep's last experiments marks the sweep in the same commit. */
    snprintf(row->id, sizeof row->id, "%s", id);
    int status = counts_read(reader, row, error);
    if (status == 0)
        status = head_read(reader, id, row, error);
    if (status == 0 && !row->request)
        status = error_set(error, ERROR_NOT_FOUND, "there is no sweep %.32s", id);
    reader_return(&store->readers, reader);
    row->removed = row->total;
    for (int i = 0; i < JOB_STATES; i++)
        row->removed -= row->states[i];
    /* The end of an experiment that was removed is not known any more. A sweep without experiments ended when it was
       submitted. */
    if (row->removed)
        row->finished_ms = 0;
    else if (sweep_row_ended(row) && !row->finished_ms)
        row->finished_ms = row->submitted_ms;
    if (status < 0)
        sweep_row_clear(row);
    return status;
}

/* All experiments of a sweep have the same labels, so the first one's are read. */
static sqlite3_stmt *ids_prepare(struct db_reader *reader, const struct store_filter *filter)
{
    struct buffer text = {0};
    buffer_text(&text, "SELECT id FROM sweeps WHERE id < :before AND NOT removing");
    if (filter->owner)
        buffer_text(&text, " AND owner = :owner");
    if (filter->label)
        buffer_format(&text,
                      " AND EXISTS (SELECT 1 FROM labels WHERE name = :label AND experiment ="
                      " (SELECT min(e.id) FROM experiments AS e WHERE e.sweep = sweeps.id)%s)",
                      filter->label_value ? " AND value = :value" : "");
    if (filter->device_uuid)
        buffer_text(&text, " AND EXISTS (SELECT 1 FROM experiments AS e WHERE e.sweep = sweeps.id"
                           " AND " READER_UUID_FILTER ")");
    reader_filter_times(&text, filter, "id");
    buffer_text(&text, " ORDER BY id DESC LIMIT :rows");
    sqlite3_stmt *statement = text.failed ? NULL : reader_prepare(reader, text.data, NULL);
    buffer_free(&text);
    return statement;
}

/* Reads the ids of up to `rows` sweeps that are older; returns how many, or -1. */
static int ids_read(struct store *store, const struct store_filter *filter, const char *before, int rows,
                    char ids[][ID_BYTES], struct error *error)
{
    struct db_reader *reader = reader_borrow(&store->readers, filter->within_ms);
    sqlite3_stmt *statement = ids_prepare(reader, filter);
    int count = 0, status = SQLITE_ERROR;
    if (statement) {
        reader_filter_bind(statement, filter);
        reader_bind_int(statement, ":rows", rows);
        reader_bind_text(statement, ":before", before);
    }
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW)
        snprintf(ids[count++], ID_BYTES, "%s", (const char *)sqlite3_column_text(statement, 0));
    if (reader_finish(reader, statement, status, "the list of sweeps", error) < 0)
        count = -1;
    reader_return(&store->readers, reader);
    return count;
}

int store_sweeps(struct store *store, const struct store_filter *filter,
                 int (*each)(void *arg, const struct sweep_row *), void *arg, struct error *error)
{
    char from[ID_BYTES] = "~"; /* greater than every id */
    int limit = filter->limit;
    if (filter->before)
        snprintf(from, sizeof from, "%s", filter->before);
    for (int ended = 0; limit > 0 && !ended;) {
        char ids[SWEEP_ROWS][ID_BYTES];
        int rows = limit < SWEEP_ROWS ? limit : SWEEP_ROWS;
        int count = ids_read(store, filter, from, rows, ids, error);
        if (count < 0)
            return -1;
        for (int i = 0; i < count && !ended; i++) {
            struct sweep_row row;
            struct error why = {0};
            memcpy(from, ids[i], sizeof from);
            if (store_sweep(store, ids[i], &row, &why) == 0)
                ended = each(arg, &row) != 0;
            else if (why.kind != ERROR_NOT_FOUND) /* it may have been removed by now */
                return error_set(error, why.kind, "%s", why.text);
            sweep_row_clear(&row);
        }
        limit -= count;
        ended = ended || count < rows;
    }
    return 0;
}

/* ---- points ---- */

/* In the table the points of a round follow each other; this answers the rounds of a point one after the other. What they
   have in common is in the row of the first round. */
static const char points_sql[] =
    "WITH RECURSIVE shape (rounds, count) AS (SELECT rounds, total / rounds FROM sweeps WHERE id = ?1),"
    " run (place) AS (SELECT ?2 UNION ALL SELECT place + 1 FROM run WHERE place + 1 < ?2 + ?3)"
    "SELECT " READER_JOB_COLUMNS
    ", run.place, first.axes, first.refused, first.reason, own.experiment, first.reference"
    " FROM shape CROSS JOIN run CROSS JOIN points AS first"
    " ON first.sweep_id = ?1 AND first.place = run.place / shape.rounds AND run.place < shape.count * "
    "shape.rounds"
    " LEFT JOIN points AS own ON own.sweep_id = ?1"
    " AND own.place = run.place % shape.rounds * shape.count + run.place / shape.rounds"
    " LEFT JOIN experiments ON id = own.experiment";

struct stored_point {
    int place;
    char *axes, *request, *reason, *experiment, *reference;
    struct job *job;
};

static void point_clear(struct stored_point *point)
{
    free(point->axes);
    free(point->request);
    free(point->reason);
    free(point->experiment);
    free(point->reference);
    job_free(point->job);
}

static int point_read(sqlite3_stmt *row, struct stored_point *point, struct error *error)
{
    bool no_memory = false;
    *point = (struct stored_point){.place = sqlite3_column_int(row, READER_JOB_COLUMN_COUNT)};
    point->axes = reader_text(row, READER_JOB_COLUMN_COUNT + 1, &no_memory);
    point->request = reader_text(row, READER_JOB_COLUMN_COUNT + 2, &no_memory);
    point->reason = reader_text(row, READER_JOB_COLUMN_COUNT + 3, &no_memory);
    point->experiment = reader_text(row, READER_JOB_COLUMN_COUNT + 4, &no_memory);
    point->reference = reader_text(row, READER_JOB_COLUMN_COUNT + 5, &no_memory);
    if (!no_memory && sqlite3_column_type(row, 0) != SQLITE_NULL)
        no_memory = !(point->job = reader_job(row, error));
    if (!no_memory)
        return 0;
    point_clear(point);
    return error_set(error, ERROR_MEMORY, "no memory for a sweep's points");
}

/* Reads up to `rows` into `page`; returns how many, or -1. */
static int points_read(struct store *store, const char *sweep, int from, int rows, struct stored_point *page,
                       struct error *error)
{
    struct db_reader *reader = reader_borrow(&store->readers, 0);
    sqlite3_stmt *statement = reader_prepare(reader, points_sql, sweep);
    int count = 0, status = SQLITE_ERROR;
    if (statement) {
        sqlite3_bind_int(statement, 2, from);
        sqlite3_bind_int(statement, 3, rows);
    }
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW &&
           point_read(statement, &page[count], error) == 0)
        count++;
    if (reader_finish(reader, statement, status, "a sweep's points", error) < 0) {
        while (count > 0)
            point_clear(&page[--count]);
        count = -1;
    }
    reader_return(&store->readers, reader);
    return count;
}

int store_points(struct store *store, const char *sweep, int from, int limit,
                 int (*each)(void *arg, const struct point_row *), void *arg, struct error *error)
{
    for (int ended = 0; limit > 0 && !ended;) {
        struct stored_point page[POINT_ROWS];
        int rows = limit < POINT_ROWS ? limit : POINT_ROWS;
        int count = points_read(store, sweep, from, rows, page, error);
        if (count < 0)
            return -1;
        for (int i = 0; i < count; i++) {
            const struct point_row row = {
                .place = page[i].place,
                .axes = page[i].axes,
                .experiment = page[i].experiment,
                .reference = page[i].reference,
                .job = page[i].job,
                .request = page[i].request,
                .reason = page[i].reason,
            };
            ended = ended || each(arg, &row) != 0;
            from = page[i].place + 1;
            point_clear(&page[i]);
        }
        limit -= count;
        ended = ended || count < rows;
    }
    return 0;
}
