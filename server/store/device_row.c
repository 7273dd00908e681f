#include "server/store/device_row.h"

#include <sqlite3.h>
#include <stddef.h>

/* Runs a statement that answers no rows, and ends it. `status`: of preparing and binding it. */
static enum applied row_write(sqlite3 *db, sqlite3_stmt *row, int status, struct error *error)
{
    if (status == SQLITE_OK)
        status = sqlite3_step(row);
    enum applied applied = APPLIED;
    if (status != SQLITE_DONE) {
        applied = (status & 0xff) == SQLITE_CONSTRAINT ? REFUSED : BROKEN;
        error_set(error, ERROR_STORE, "%s", sqlite3_errmsg(db));
    }
    sqlite3_finalize(row);
    return applied;
}

/* Forgets the device of that number. */
static enum applied device_forget(sqlite3 *db, int number, struct error *error)
{
    static const char sql[] = "DELETE FROM devices WHERE number = ?1"
                              " AND NOT EXISTS (SELECT 1 FROM experiments WHERE device = ?1)"
                              " AND NOT EXISTS (SELECT 1 FROM holds WHERE device = ?1)";
    sqlite3_stmt *row = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
    if (status == SQLITE_OK)
        sqlite3_bind_int(row, 1, number);
    enum applied applied = row_write(db, row, status, error);
    if (applied != APPLIED || sqlite3_changes(db) == 1)
        return applied;
    error_set(error, ERROR_STORE, "number %d is in use again", number);
    return REFUSED;
}

enum applied device_keep(sqlite3 *db, const struct store_device *device, struct error *error)
{
    static const char sql[] = "INSERT INTO devices (number, name, hello, hello_ms) VALUES (?, ?, ?, ?)"
                              " ON CONFLICT (number) DO UPDATE SET hello = ifnull(excluded.hello, hello),"
                              " hello_ms = max(excluded.hello_ms, hello_ms)";
    enum applied applied = device->replaces_old_device ? device_forget(db, device->number, error) : APPLIED;
    if (applied != APPLIED)
        return applied;
    sqlite3_stmt *row = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
    if (status == SQLITE_OK) {
        sqlite3_bind_int(row, 1, device->number);
        sqlite3_bind_text(row, 2, device->name, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 3, device->hello, -1, SQLITE_STATIC);
        sqlite3_bind_int64(row, 4, device->hello_ms);
    }
    return row_write(db, row, status, error);
}

enum applied calibration_keep(sqlite3 *db, const struct store_calibration *calibration, struct error *error)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO calibrations (uuid, made_ms, device, driver, build, sweep, calibration)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *row = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
    if (status == SQLITE_OK) {
        sqlite3_bind_text(row, 1, calibration->uuid, -1, SQLITE_STATIC);
        sqlite3_bind_int64(row, 2, calibration->made_ms);
        sqlite3_bind_int(row, 3, calibration->device);
        sqlite3_bind_text(row, 4, calibration->driver, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 5, calibration->build, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 6, calibration->sweep, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 7, calibration->calibration, -1, SQLITE_STATIC);
    }
    return row_write(db, row, status, error);
}
