#include "server/store/label_reads.h"

#include <sqlite3.h>

#include "server/store/database.h"

int store_cancelled_labels(struct store *store, const char *label,
                           int (*each)(void *arg, const char *value, const char *owner, int64_t cancelled_ms),
                           void *arg, struct error *error)
{
    static const char sql[] = "SELECT value, ifnull(owner, ''), max(finished_ms) FROM labels CROSS JOIN "
                              "experiments ON id = experiment"
                              " WHERE labels.name = ? AND state = 'cancelled' GROUP BY value, owner";
    int ended = 0;
    struct rows rows = rows_begin(store->readers, 0, sql, SQL_VALUES(SQL_TEXT(label)));
    while (!ended && rows_next(&rows)) {
        const char *value = (const char *)sqlite3_column_text(rows.row, 0),
                   *owner = (const char *)sqlite3_column_text(rows.row, 1);
        ended = !value || !owner || each(arg, value, owner, sqlite3_column_int64(rows.row, 2)) != 0;
    }
    return rows_end(&rows, "labels", error) < 0 ? -1 : ended;
}
