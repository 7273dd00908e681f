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
    "SELECT request, recipe, submitted_ms, total, refused, cancelled, (SELECT "
    "reference IS NOT NULL FROM points"
    " WHERE sweep_id = id AND place = 0), ifnull(owner, ''), rounds, spread FROM sweeps "
    "WHERE id = :id AND NOT removing";
/* Answered from an index alone. */
static const char count_sql[] =
    "SELECT state, SUM(points), MAX(finished_ms), device FROM experiments WHERE sweep = :id"
    " GROUP BY state, device";

/* Leaves *row without a request when there is no sweep of that id. */
static int head_read(struct store *store, const char *id, struct sweep_row *row, struct error *error)
{
    bool no_memory = false;
    struct reader_rows rows = reader_rows_begin(&store->readers, 0, head_sql);
    reader_bind_text(rows.row, ":id", id);
    if (reader_rows_next(&rows)) {
        row->request = reader_text(rows.row, 0, &no_memory);
        row->recipe = reader_text(rows.row, 1, &no_memory);
        row->submitted_ms = sqlite3_column_int64(rows.row, 2);
        row->total = sqlite3_column_int(rows.row, 3);
        row->states[JOB_FAILED] += sqlite3_column_int(rows.row, 4);
        row->cancelled = sqlite3_column_int(rows.row, 5);
        row->referenced = sqlite3_column_int(rows.row, 6);
        snprintf(row->owner, sizeof row->owner, "%s", (const char *)sqlite3_column_text(rows.row, 7));
        row->rounds = sqlite3_column_int(rows.row, 8);
        row->spread = sqlite3_column_int(rows.row, 9);
    }
    int status = reader_rows_end(&rows, "a sweep", error);
    if (no_memory)
        return error_set(error, ERROR_MEMORY, "no memory for a sweep");
    if (status == 0 && !row->request)
        return error_set(error, ERROR_NOT_FOUND, "there is no sweep %.32s", id);
    return status;
}

static int counts_read(struct store *store, struct sweep_row *row, struct error *error)
{
    struct reader_rows rows = reader_rows_begin(&store->readers, 0, count_sql);
    reader_bind_text(rows.row, ":id", row->id);
    while (reader_rows_next(&rows)) {
        int state = job_state_of((const char *)sqlite3_column_text(rows.row, 0));
        int64_t finished_ms = sqlite3_column_int64(rows.row, 2);
        device_set_add(&row->devices, sqlite3_column_int(rows.row, 3));
        if (state >= 0)
            row->states[state] += sqlite3_column_int(rows.row, 1);
        if (finished_ms > row->finished_ms)
            row->finished_ms = finished_ms;
    }
    return reader_rows_end(&rows, "a sweep's progress", error);
}

int store_sweep(struct store *store, const char *id, struct sweep_row *row, struct error *error)
{
    *row = (struct sweep_row){0};
    snprintf(row->id, sizeof row->id, "%s", id);
    /* The counts first: what cancels a sweep's last experiments marks the sweep in the same commit. */
    if (counts_read(store, row, error) < 0 || head_read(store, id, row, error) < 0) {
        sweep_row_clear(row);
        return -1;
    }
    row->removed = row->total;
    for (int i = 0; i < JOB_STATES; i++)
        row->removed -= row->states[i];
    /* The end of an experiment that was removed is not known any more. A sweep without experiments ended when
       it was submitted. */
    if (row->removed)
        row->finished_ms = 0;
    else if (sweep_row_ended(row) && !row->finished_ms)
        row->finished_ms = row->submitted_ms;
    return 0;
}

/* All experiments of a sweep have the same labels, so the first one's are read. */
static void ids_text(struct buffer *text, const struct store_filter *filter)
{
    buffer_text(text, "SELECT id FROM sweeps WHERE id < :before AND NOT removing");
    if (filter->owner)
        buffer_text(text, " AND owner = :owner");
    if (filter->label)
        buffer_format(text,
                      " AND EXISTS (SELECT 1 FROM labels WHERE name = :label AND experiment ="
                      " (SELECT min(e.id) FROM experiments AS e WHERE e.sweep = sweeps.id)%s)",
                      filter->label_value ? " AND value = :value" : "");
    if (filter->device_uuid)
        buffer_text(text, " AND EXISTS (SELECT 1 FROM experiments AS e WHERE e.sweep = sweeps.id"
                          " AND " READER_UUID_FILTER ")");
    reader_filter_times(text, filter, "id");
    buffer_text(text, " ORDER BY id DESC LIMIT :rows");
}

/* Reads the ids of up to `limit` sweeps that are older; returns how many, or -1. */
static int ids_read(struct store *store, const struct store_filter *filter, const char *before, int limit,
                    char ids[][ID_BYTES], struct error *error)
{
    struct buffer text = {0};
    int count = 0;
    ids_text(&text, filter);
    struct reader_rows rows =
        reader_rows_begin(&store->readers, filter->within_ms, text.failed ? NULL : text.data);
    reader_filter_bind(rows.row, filter);
    reader_bind_int(rows.row, ":rows", limit);
    reader_bind_text(rows.row, ":before", before);
    while (reader_rows_next(&rows))
        snprintf(ids[count++], ID_BYTES, "%s", (const char *)sqlite3_column_text(rows.row, 0));
    int status = reader_rows_end(&rows, "the list of sweeps", error);
    buffer_free(&text);
    return status < 0 ? -1 : count;
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

/* In the table the points of a round follow each other; this answers the rounds of a point one after the
   other. What they have in common is in the row of the first round. */
static const char points_sql[] =
    "WITH RECURSIVE shape (rounds, count) AS (SELECT rounds, total / rounds FROM sweeps WHERE id = :sweep),"
    " run (place) AS (SELECT :from UNION ALL SELECT place + 1 FROM run WHERE place + 1 < :from + :limit)"
    "SELECT " READER_JOB_COLUMNS
    ", run.place, first.axes, first.refused, first.reason, own.experiment, first.reference"
    " FROM shape CROSS JOIN run CROSS JOIN points AS first"
    " ON first.sweep_id = :sweep AND first.place = run.place / shape.rounds AND run.place < shape.count * "
    "shape.rounds"
    " LEFT JOIN points AS own ON own.sweep_id = :sweep"
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

/* Reads up to `limit` points into `page`; returns how many, or -1. */
static int points_read(struct store *store, const char *sweep, int from, int limit, struct stored_point *page,
                       struct error *error)
{
    int count = 0;
    struct reader_rows rows = reader_rows_begin(&store->readers, 0, points_sql);
    reader_bind_text(rows.row, ":sweep", sweep);
    reader_bind_int(rows.row, ":from", from);
    reader_bind_int(rows.row, ":limit", limit);
    while (reader_rows_next(&rows) && point_read(rows.row, &page[count], error) == 0)
        count++;
    bool no_memory = rows.status == SQLITE_ROW;
    if (reader_rows_end(&rows, "a sweep's points", error) < 0 || no_memory) {
        while (count > 0)
            point_clear(&page[--count]);
        count = -1;
    }
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
