/* Reads of experiments. A page is read whole before anybody looks at it, so that no connection is held meanwhile. */
#include <sqlite3.h>
#include <string.h>

#include "api/samples.h"
#include "base/buffer.h"
#include "server/store/open.h"
#include "server/store/row_filter.h"
#include "server/store/reader.h"

enum { PAGE_ROWS = 32 };

int store_get(struct store *store, const char *id, struct job **job, struct error *error)
{
    struct reader *reader = reader_borrow(&store->readers, 0);
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
    struct reader *reader = reader_borrow(&store->readers, 0);
    sqlite3_stmt *statement = NULL;
    int status = SQLITE_ERROR, failed = 0;
    if (sqlite3_prepare_v2(reader->db, "SELECT cold, hot FROM samples WHERE experiment = ?", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, id, -1, SQLITE_STATIC) == SQLITE_OK)
        status = sqlite3_step(statement);
    if (status == SQLITE_ROW &&
        (blob_read(statement, 0, &samples->cold) < 0 || blob_read(statement, 1, &samples->hot) < 0))
        failed = error_set(error, ERROR_MEMORY, "no memory for samples");
    else if (status != SQLITE_ROW && status != SQLITE_DONE)
        failed = reader_failed(reader, "samples", error);
    sqlite3_finalize(statement);
    reader_return(&store->readers, reader);
    if (failed)
        samples_free(samples);
    return failed;
}

/* An owner's are found by passing over those of others in the index, which is quick; SQLite would rather go to the rows of
   all that have the same state or device. What has not ended is few, and labels and sweeps are nearly always one owner's. */
static const char *table_of(const struct store_filter *filter)
{
    if (filter->label)
        return "labels CROSS JOIN experiments ON id = experiment";
    bool ending = filter->state < 0 || job_state_ended((enum job_state)filter->state);
    return filter->owner && !filter->sweep && ending ? "experiments INDEXED BY experiments_by_owner"
                                                     : "experiments";
}

/* Only what is asked for is in the text, so that SQLite can choose an index. Values are bound, never pasted. Labels
   have a table of their own, in the order of its experiments. */
static sqlite3_stmt *list_prepare(sqlite3 *db, const struct store_filter *filter, const char *before,
                                  int rows)
{
    struct buffer text = {0};
    const char *id = filter->label ? "experiment" : "id";
    buffer_format(&text, "SELECT " JOB_COLUMNS " FROM %s WHERE 1", table_of(filter));
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
    row_filter_text(&text, filter, id);
    if (filter->device_uuid)
        buffer_text(&text, " AND " FILTER_UUID);
    if (before)
        buffer_format(&text, " AND %s < :before", id);
    buffer_format(&text, " ORDER BY %s DESC LIMIT :rows", id);

    sqlite3_stmt *statement = NULL;
    if (!text.failed && sqlite3_prepare_v2(db, text.data, -1, &statement, NULL) == SQLITE_OK) {
        const char *state = filter->state >= 0 ? job_state_name((enum job_state)filter->state) : NULL;
        const struct {
            const char *name, *value;
        } texts[] = {
            {":kernel", filter->kernel}, {":state", state}, {":sweep", filter->sweep}, {":before", before}};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, texts[i].name),
                              texts[i].value, -1, SQLITE_STATIC);
        row_filter_bind(statement, filter);
        sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, ":device"), filter->device);
        sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, ":rows"), rows);
    }
    buffer_free(&text);
    return statement;
}

/* Reads up to `rows` into `page`; how many, or -1. */
static int page_read(struct store *store, const struct store_filter *filter, const char *before, int rows,
                     struct job **page, struct error *error)
{
    struct reader *reader = reader_borrow(&store->readers, filter->within_ms);
    sqlite3_stmt *statement = list_prepare(reader->db, filter, before, rows);
    int count = 0, status = SQLITE_ERROR;
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!(page[count] = reader_job(statement, error)))
            break;
        count++;
    }
    if (status != SQLITE_DONE) {
        reader_failed(reader, "the list", error);
        while (count > 0)
            job_free(page[--count]);
        count = -1;
    }
    sqlite3_finalize(statement);
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
