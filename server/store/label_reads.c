#include "server/store/label_reads.h"

#include <sqlite3.h>

#include "server/store/database.h"

json_t *store_cancelled_labels(struct store *store, const char *label, struct error *error)
{
    static const char sql[] =
        "SELECT value, max(finished_ms) FROM labels CROSS JOIN experiments ON id = experiment"
        " WHERE labels.name = ? AND state = 'cancelled' GROUP BY value";
    json_t *values = json_object();
    bool no_memory = !values;
    struct rows rows = rows_begin(store->readers, 0, sql, SQL_VALUES(SQL_TEXT(label)));
    while (rows_next(&rows)) {
        const char *value = (const char *)sqlite3_column_text(rows.row, 0);
        no_memory = no_memory || !value ||
                    json_object_set_new(values, value, json_integer(sqlite3_column_int64(rows.row, 1))) < 0;
    }
    if (no_memory)
        rows.status = SQLITE_NOMEM;
    if (rows_end(&rows, "labels", error) == 0)
        return values;
    json_decref(values);
    return NULL;
}
