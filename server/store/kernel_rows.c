/* The SQL of the tables sources and stored_kernels. */
#include "server/store/kernel_rows.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/request_kernels.h"
#include "api/sweep.h"

#include "server/store/database.h"

/* ---- reading ---- */

static void row_read(const struct rows *rows, struct kernel_row *row)
{
    *row = (struct kernel_row){.stored = sqlite3_column_type(rows->row, 2) != SQLITE_NULL};
    rows_copy(rows, 0, row->name, sizeof row->name);
    rows_copy(rows, 1, row->entry, sizeof row->entry);
    rows_copy(rows, 2, row->owner, sizeof row->owner);
    rows_copy(rows, 3, row->title, sizeof row->title);
    row->is_public = sqlite3_column_int(rows->row, 4);
    row->stored_ms = sqlite3_column_int64(rows->row, 5);
}

int store_kernel_read(struct store *store, const char *name, const struct kernel_reader *reader,
                      struct kernel_row *row, struct error *error)
{
    static const char sql[] =
        "SELECT sources.name, entry, owner, title, public, stored_ms, definition FROM sources"
        " LEFT JOIN stored_kernels AS kept ON kept.name = sources.name AND (owner = ?2 OR public OR ?3)"
        " WHERE sources.name = ?1 AND (owner IS NOT NULL OR ?3 OR EXISTS"
        " (SELECT 1 FROM source_uses JOIN experiments ON experiments.id = source_uses.experiment"
        " WHERE source_uses.name = ?1 AND ifnull(experiments.owner, '') = ?2))"
        " ORDER BY owner = ?2 DESC, stored_ms LIMIT 1";
    bool no_memory = false, found = false;
    struct rows rows = rows_begin(store->readers, 0, sql,
                                  SQL_VALUES(SQL_TEXT(name), SQL_TEXT(reader->user), SQL_INT(reader->admin)));
    memset(row, 0, sizeof *row);
    if (rows_next(&rows)) {
        row_read(&rows, row);
        row->definition = rows_text(&rows, 6, &no_memory);
        found = true;
    }
    if (rows_end(&rows, "a stored kernel", error) < 0)
        return -1;
    if (no_memory)
        return error_set(error, ERROR_MEMORY, "no memory for a stored kernel");
    return found ? 0 : error_set(error, ERROR_NOT_FOUND, "there is no kernel %.64s", name);
}

int store_kernels(struct store *store, const struct kernel_reader *reader,
                  void (*each)(void *arg, const struct kernel_row *row), void *arg, struct error *error)
{
    static const char sql[] =
        "SELECT kept.name, entry, owner, title, public, stored_ms FROM stored_kernels AS kept"
        " JOIN sources ON sources.name = kept.name"
        " WHERE owner = ?1 OR public OR ?2 ORDER BY stored_ms DESC, kept.name, owner";
    struct rows rows =
        rows_begin(store->readers, 0, sql, SQL_VALUES(SQL_TEXT(reader->user), SQL_INT(reader->admin)));
    while (rows_next(&rows)) {
        struct kernel_row row;
        row_read(&rows, &row);
        each(arg, &row);
    }
    return rows_end(&rows, "the stored kernels", error);
}

char *store_request_whole(struct store *store, const char *experiment, struct error *error)
{
    static const char sql[] =
        "SELECT request, one.definition, other.definition FROM experiments JOIN sources AS one ON one.name = "
        "kernel LEFT JOIN sources AS other ON other.name = json_extract(request, '$.reference.kernel')"
        " WHERE id = ?";
    enum { REQUEST, ONE, OTHER, COLUMNS };
    bool no_memory = false;
    char *column[COLUMNS] = {NULL}, *text = NULL;
    struct rows rows = rows_begin(store->readers, -1, sql, SQL_VALUES(SQL_TEXT(experiment)));
    if (rows_next(&rows))
        for (int i = 0; i < COLUMNS; i++)
            column[i] = rows_text(&rows, i, &no_memory);
    bool read = rows_end(&rows, "an experiment's kernel", error) == 0;
    if (read && !no_memory && column[ONE])
        text = request_kernels_join(column[REQUEST], (const char *const[]){column[ONE], column[OTHER]},
                                    1 + (column[OTHER] != NULL));
    if (read && !text)
        error_set(error, no_memory || column[ONE] ? ERROR_MEMORY : ERROR_NOT_FOUND,
                  "the kernel of experiment %s is not there", experiment);
    for (int i = 0; i < COLUMNS; i++)
        free(column[i]);
    return text;
}

int store_kernels_exist(struct store *store, struct error *error)
{
    struct rows rows = rows_begin(store->readers, 0, "SELECT 1 FROM stored_kernels LIMIT 1", SQL_NO_VALUES);
    int found = rows_next(&rows);
    return rows_end(&rows, "the stored kernels", error) < 0 ? -1 : found;
}

/* ---- writing ---- */

static void kernel_remove(struct transaction *transaction, const struct store_kernel *kernel)
{
    if (!TRANSACTION_RUN(transaction, "DELETE FROM stored_kernels WHERE name = ? AND (owner = ? OR ?)",
                         SQL_TEXT(kernel->name), SQL_TEXT(kernel->owner), SQL_INT(kernel->of_all)))
        error_set(&transaction->error, ERROR_NOT_FOUND, "there is no kernel %.64s", kernel->name);
}

/* A name has twelve digits of the content's hash: another content of the same name can be searched for, and is refused. */
static void definition_insert(struct transaction *transaction, const struct source_definition *kernel)
{
    sqlite3_stmt *row = TRANSACTION_ROW(transaction, "SELECT definition = ? FROM sources WHERE name = ?",
                                        SQL_TEXT(kernel->definition), SQL_TEXT(kernel->name));
    if (!row)
        TRANSACTION_RUN(transaction, "INSERT INTO sources (name, entry, definition) VALUES (?, ?, ?)",
                        SQL_TEXT(kernel->name), SQL_TEXT(kernel->entry), SQL_TEXT(kernel->definition));
    else if (!sqlite3_column_int(row, 0))
        error_set(&transaction->error, ERROR_CONFLICT,
                  "another source has the name %.64s: change yours, a comment will do", kernel->name);
}

void kernel_rows_use(struct transaction *transaction, const char *experiment,
                     const struct source_definition *sources, int count)
{
    for (int i = 0; i < count && transaction->error.kind == ERROR_NONE; i++) {
        definition_insert(transaction, &sources[i]);
        TRANSACTION_RUN(transaction, "INSERT OR IGNORE INTO source_uses (name, experiment) VALUES (?, ?)",
                        SQL_TEXT(sources[i].name), SQL_TEXT(experiment));
    }
}

void kernel_rows_apply(struct transaction *transaction, struct store_write *write)
{
    const struct store_kernel *kernel = write->kernel;
    if (kernel->remove) {
        kernel_remove(transaction, kernel);
        return;
    }
    int again = TRANSACTION_RUN(
        transaction, "UPDATE stored_kernels SET title = ?, public = ? WHERE name = ? AND owner = ?",
        SQL_TEXT(kernel->title), SQL_INT(kernel->is_public), SQL_TEXT(kernel->name), SQL_TEXT(kernel->owner));
    write->outcome = again ? WRITE_AGAIN : WRITE_NEW;
    definition_insert(transaction,
                      &(struct source_definition){kernel->name, kernel->entry, kernel->definition});
    if (again || transaction->error.kind != ERROR_NONE)
        return;
    sqlite3_stmt *row = TRANSACTION_ROW(transaction, "SELECT count(*) FROM stored_kernels WHERE owner = ?",
                                        SQL_TEXT(kernel->owner));
    int count = row ? sqlite3_column_int(row, 0) : 0;
    if (count >= kernel->limit)
        error_set(&transaction->error, ERROR_CONFLICT,
                  "you have %d kernels stored, and an owner may have %d: DELETE one of them first", count,
                  kernel->limit);
    TRANSACTION_RUN(
        transaction,
        "INSERT INTO stored_kernels (name, owner, title, public, stored_ms) VALUES (?, ?, ?, ?, ?)",
        SQL_TEXT(kernel->name), SQL_TEXT(kernel->owner), SQL_TEXT(kernel->title), SQL_INT(kernel->is_public),
        SQL_INT(kernel->stored_ms));
}
