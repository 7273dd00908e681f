#include "server/store/removal_reads.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "server/store/database.h"

int store_removals(struct store *store, const char *id, const char *by, struct removal_row *rows, int most,
                   struct error *error)
{
    static const char sql[] =
        "SELECT gone.id, is_sweep, iif(is_sweep, (SELECT count(*) FROM experiments WHERE sweep = gone.id)"
        " - (SELECT count(*) FROM removals WHERE sweep = gone.id), 1),"
        " ifnull(experiments.owner, sweeps.owner), removed_by, removed_ms, until_ms FROM removals AS gone"
        " LEFT JOIN experiments ON experiments.id = gone.id LEFT JOIN sweeps ON sweeps.id = gone.id"
        " WHERE until_ms > ?1 AND (gone.id = ?2 OR ?2 IS NULL AND (?3 IS NULL OR ifnull(removed_by, '') = ?3)"
        " AND ifnull(gone.sweep, '') NOT IN (SELECT id FROM removals))"
        " ORDER BY removed_ms DESC LIMIT ?4";
    int count = 0;
    struct rows found =
        rows_begin(store->readers, 0, sql,
                   SQL_VALUES(SQL_INT(clock_wall_ms()), SQL_TEXT(id), SQL_TEXT(by), SQL_INT(most)));
    while (count < most && rows_next(&found)) {
        struct removal_row *row = &rows[count++];
        rows_copy(&found, 0, row->id, sizeof row->id);
        row->sweep = sqlite3_column_int(found.row, 1);
        row->experiments = sqlite3_column_int(found.row, 2);
        rows_copy(&found, 3, row->owner, sizeof row->owner);
        rows_copy(&found, 4, row->removed_by, sizeof row->removed_by);
        row->removed_ms = sqlite3_column_int64(found.row, 5);
        row->restorable_ms = sqlite3_column_int64(found.row, 6);
    }
    return rows_end(&found, "what was removed", error) < 0 ? -1 : count;
}

int removal_reads_missing(struct store *store, bool sweep, const char *id, struct error *error)
{
    static const char sql[] =
        "SELECT id, is_sweep, until_ms, removed_by, iif(is_sweep, (SELECT owner FROM sweeps AS own WHERE "
        "own.id ="
        " gone.id), (SELECT owner FROM experiments AS own WHERE own.id = gone.id)) FROM removals AS gone"
        " WHERE until_ms > ?2 AND id IN (?1, (SELECT sweep FROM experiments WHERE id = ?1))"
        " ORDER BY is_sweep DESC LIMIT 1";
    const char *what = sweep ? "sweep" : "experiment";
    char removed[ID_BYTES] = "", until[CLOCK_TEXT_BYTES], by[USER_NAME_BYTES] = "",
         owner[USER_NAME_BYTES] = "", who[USER_NAME_BYTES + 16];
    struct rows rows = rows_begin(store->readers, 0, sql, SQL_VALUES(SQL_TEXT(id), SQL_INT(clock_wall_ms())));
    if (rows_next(&rows)) {
        rows_copy(&rows, 0, removed, sizeof removed);
        what = sqlite3_column_int(rows.row, 1) ? "sweep" : "experiment";
        clock_text(sqlite3_column_int64(rows.row, 2), until);
        rows_copy(&rows, 3, by, sizeof by);
        rows_copy(&rows, 4, owner, sizeof owner);
    }
    snprintf(who, sizeof who, "%s%san admin", owner, owner[0] ? " or " : "");
    if (rows_end(&rows, "what was removed", error) < 0)
        return -1;
    if (!removed[0])
        return error_set(error, ERROR_NOT_FOUND, "there is no %s %.32s", what, id);
    if (strcmp(removed, id) != 0 && by[0])
        return error_set(error, ERROR_NOT_FOUND,
                         "experiment %s was removed with its sweep: POST /v1/sweeps/%s/restore brings it back"
                         " until %s, for %s",
                         id, removed, until, who);
    if (strcmp(removed, id) != 0)
        return error_set(error, ERROR_NOT_FOUND,
                         "experiment %s was removed with its sweep: POST /v1/sweeps/%s/restore brings it back"
                         " until %s",
                         id, removed, until);
    if (by[0])
        return error_set(error, ERROR_NOT_FOUND,
                         "%s %s was removed by %s: POST /v1/%ss/%s/restore brings it back until %s, for %s",
                         what, id, by, what, id, until, who);
    return error_set(error, ERROR_NOT_FOUND,
                     "%s %s was removed: POST /v1/%ss/%s/restore brings it back until %s", what, id, what, id,
                     until);
}
