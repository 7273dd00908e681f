#include "server/store/experiment_reads.h"

#include <sqlite3.h>
#include <string.h>

#include "api/samples.h"
#include "server/store/store_parts.h"

/* A page is read whole before the caller sees it, so that no connection is held meanwhile. */
enum { PAGE_ROWS = 32 };

int store_get(struct store *store, const char *id, struct job **job, struct error *error)
{
    struct db_reader *reader = reader_borrow(&store->readers, 0);
    sqlite3_bind_text(reader->get, 1, id, -1, SQLITE_STATIC);
    int status = sqlite3_step(reader->get);
    *job = status == SQLITE_ROW ? reader_job(reader->get, error) : NULL;
    if (status == SQLITE_DONE)
        error_set(error, ERROR_NOT_FOUND, "there is no experiment %.32s", id);
    else if (status != SQLITE_ROW)
        reader_failed(reader, "an experiment", error);
    sqlite3_reset(reader->get);
    sqlite3_clear_bindings(reader->get);
    reader_return(&store->readers, reader);
    return *job ? 0 : -1;
}

static int blob_read(sqlite3_stmt *row, int column, struct buffer *bytes)
{
    const void *blob = sqlite3_column_blob(row, column);
    return blob ? buffer_append(bytes, blob, (size_t)sqlite3_column_bytes(row, column)) : 0;
}

int store_samples(struct store *store, const char *id, struct samples *samples, struct error *error)
{
    *samples = (struct samples){0};
    bool no_memory = false;
    struct reader_rows rows =
        reader_rows_begin(&store->readers, 0, "SELECT cold, hot FROM samples WHERE experiment = :id");
    reader_bind_text(rows.row, ":id", id);
    if (reader_rows_next(&rows))
        no_memory = blob_read(rows.row, 0, &samples->cold) < 0 || blob_read(rows.row, 1, &samples->hot) < 0;
    int result = reader_rows_end(&rows, "samples", error);
    if (no_memory)
        result = error_set(error, ERROR_MEMORY, "no memory for samples");
    if (result < 0)
        samples_free(samples);
    return result;
}

/* The experiments of one owner are found by scanning the index by owner, which is quick; SQLite would rather
   read the rows of all that have the same state or device. What has not ended is few, and a label or sweep
   nearly always has one owner. */
static const char *table_of(const struct store_filter *filter)
{
    if (filter->label)
        return "labels CROSS JOIN experiments ON id = experiment";
    bool ending = filter->state < 0 || job_state_ended((enum job_state)filter->state);
    return filter->owner && !filter->sweep && ending ? "experiments INDEXED BY experiments_by_owner"
                                                     : "experiments";
}

/* The text has only the conditions that are asked for, so that SQLite can choose an index. Labels have a
   table of their own, in the order of its experiments. */
static void list_text(struct buffer *text, const struct store_filter *filter, const char *before)
{
    const char *id = filter->label ? "experiment" : "id";
    buffer_format(text, "SELECT " READER_JOB_COLUMNS " FROM %s WHERE 1", table_of(filter));
    if (filter->label)
        buffer_format(text, " AND name = :label%s", filter->label_value ? " AND value = :value" : "");
    if (filter->kernel)
        buffer_text(text, " AND kernel = :kernel");
    if (filter->state >= 0)
        buffer_text(text, " AND state = :state");
    if (filter->device >= 0)
        buffer_text(text, " AND device = :device");
    if (filter->sweep)
        buffer_text(text, " AND sweep = :sweep");
    if (filter->owner)
        buffer_text(text, " AND owner = :owner");
    reader_filter_times(text, filter, id);
    if (filter->device_uuid)
        buffer_text(text, " AND " READER_UUID_FILTER);
    if (before)
        buffer_format(text, " AND %s < :before", id);
    buffer_format(text, " ORDER BY %s DESC LIMIT :rows", id);
}

/* Reads up to `limit` experiments into `page`; returns how many, or -1. */
static int page_read(struct store *store, const struct store_filter *filter, const char *before, int limit,
                     struct job **page, struct error *error)
{
    struct buffer text = {0};
    const char *state = filter->state >= 0 ? job_state_name((enum job_state)filter->state) : NULL;
    int count = 0;
    list_text(&text, filter, before);
    struct reader_rows rows =
        reader_rows_begin(&store->readers, filter->within_ms, text.failed ? NULL : text.data);
    reader_bind_text(rows.row, ":kernel", filter->kernel);
    reader_bind_text(rows.row, ":state", state);
    reader_bind_text(rows.row, ":sweep", filter->sweep);
    reader_bind_text(rows.row, ":before", before);
    reader_bind_int(rows.row, ":device", filter->device);
    reader_bind_int(rows.row, ":rows", limit);
    reader_filter_bind(rows.row, filter);
    while (reader_rows_next(&rows) && (page[count] = reader_job(rows.row, error)))
        count++;
    bool no_memory = rows.status == SQLITE_ROW;
    if (reader_rows_end(&rows, "the list", error) < 0 || no_memory) {
        while (count > 0)
            job_free(page[--count]);
        count = -1;
    }
    buffer_free(&text);
    return count;
}

int store_list(struct store *store, const struct store_filter *filter,
               int (*each)(void *arg, const struct job *), void *arg, struct error *error)
{
    char before[ID_BYTES] = "";
    const char *from = filter->before;
    for (int left = filter->limit, ended = 0; left > 0 && !ended;) {
        struct job *page[PAGE_ROWS];
        int rows = left < PAGE_ROWS ? left : PAGE_ROWS;
        int count = page_read(store, filter, from, rows, page, error);
        if (count < 0)
            return -1;
        for (int i = 0; i < count; i++) {
            ended = ended || each(arg, page[i]) != 0;
            memcpy(before, page[i]->id, ID_BYTES);
            job_free(page[i]);
        }
        from = before;
        left -= count;
        ended = ended || count < rows;
    }
    return 0;
}
