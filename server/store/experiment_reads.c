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
        reader_finish(reader, NULL, status, "an experiment", error);
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
    struct db_reader *reader = reader_borrow(&store->readers, 0);
    sqlite3_stmt *row = reader_prepare(reader, "SELECT cold, hot FROM samples WHERE experiment = ?", id);
    int status = row ? sqlite3_step(row) : SQLITE_ERROR;
    bool no_memory = status == SQLITE_ROW &&
                     (blob_read(row, 0, &samples->cold) < 0 || blob_read(row, 1, &samples->hot) < 0);
    int result = reader_finish(reader, row, status == SQLITE_ROW ? SQLITE_DONE : status, "samples", error);
    reader_return(&store->readers, reader);
    if (no_memory)
        result = error_set(error, ERROR_MEMORY, "no memory for samples");
    if (result < 0)
        samples_free(samples);
    return result;
}

/* The experiments of one owner are found by scanning the index by owner, which is quick; SQLite would rather read the rows of
   all that have the same state or device. What has not ended is few, and a label or sweep nearly always has one owner. */
static const char *table_of(const struct store_filter *filter)
{
    if (filter->label)
        return "labels CROSS JOIN experiments ON id = experiment";
    bool ending = filter->state < 0 || job_state_ended((enum job_state)filter->state);
    return filter->owner && !filter->sweep && ending ? "experiments INDEXED BY experiments_by_owner"
                                                     : "experiments";
}

/* The text has only the conditions that are asked for, so that SQLite can choose an index. Labels have a table of their own,
   in the order of its experiments. */
static sqlite3_stmt *list_prepare(struct db_reader *reader, const struct store_filter *filter,
                                  const char *before, int rows)
{
    struct buffer text = {0};
    const char *id = filter->label ? "experiment" : "id";
    buffer_format(&text, "SELECT " READER_JOB_COLUMNS " FROM %s WHERE 1", table_of(filter));
    if (filter->label)
        buffer_format(&text, " AND name = :label%s", filter->label_value ? " AND value = :value" : "");
    if (filter->kernel)
        buffer_text(&text, " AND kernel = :kernel");
    if (filter->state >= 0)
        buffer_text(&text, " AND state = :state");
    if (filter->device >= 0)
        buffer_text(&text, " AND device = :device");
    if (filter->sweep)
        buffer_text(&text, " AND sweep = :sweep");
    if (filter->owner)
        buffer_text(&text, " AND owner = :owner");
    reader_filter_times(&text, filter, id);
    if (filter->device_uuid)
        buffer_text(&text, " AND " READER_UUID_FILTER);
    if (before)
        buffer_format(&text, " AND %s < :before", id);
    buffer_format(&text, " ORDER BY %s DESC LIMIT :rows", id);

    sqlite3_stmt *statement = text.failed ? NULL : reader_prepare(reader, text.data, NULL);
    if (statement) {
        reader_bind_text(statement, ":kernel", filter->kernel);
        reader_bind_text(statement, ":state",
                         filter->state >= 0 ? job_state_name((enum job_state)filter->state) : NULL);
        reader_bind_text(statement, ":sweep", filter->sweep);
        reader_bind_text(statement, ":before", before);
        reader_filter_bind(statement, filter);
        reader_bind_int(statement, ":device", filter->device);
        reader_bind_int(statement, ":rows", rows);
    }
    buffer_free(&text);
    return statement;
}

/* Reads up to `rows` into `page`; returns how many, or -1. */
static int page_read(struct store *store, const struct store_filter *filter, const char *before, int rows,
                     struct job **page, struct error *error)
{
    struct db_reader *reader = reader_borrow(&store->readers, filter->within_ms);
    sqlite3_stmt *statement = list_prepare(reader, filter, before, rows);
    int count = 0, status = SQLITE_ERROR;
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!(page[count] = reader_job(statement, error)))
            break;
        count++;
    }
    if (reader_finish(reader, statement, status, "the list", error) < 0) {
        while (count > 0)
            job_free(page[--count]);
        count = -1;
    }
    reader_return(&store->readers, reader);
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
