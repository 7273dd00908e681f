#include "server/store/startup_reads.h"

#include <sqlite3.h>

#include "server/store/database.h"
#include "server/store/job.h"
#include "server/store/write.h"

static struct rows read_all(struct store *store, const char *sql)
{
    return rows_begin(store->readers, -1, sql, SQL_NO_VALUES);
}

static const char *text_of(const struct rows *rows, int column)
{
    return (const char *)sqlite3_column_text(rows->row, column);
}

int store_shares(struct store *store,
                 void (*each)(void *arg, const char *owner, double used_s, int64_t at_ms), void *arg,
                 struct error *error)
{
    struct rows rows = read_all(store, "SELECT owner, used_s, at_ms FROM shares ORDER BY at_ms, owner");
    while (rows_next(&rows))
        each(arg, text_of(&rows, 0), sqlite3_column_double(rows.row, 1), sqlite3_column_int64(rows.row, 2));
    return rows_end(&rows, "the shares", error);
}

int store_last_ms(struct store *store, int64_t *last_ms, struct error *error)
{
    /* Ids sort by the time of their submission. The end of a run writes its owner's share, where owners have names. */
    struct rows rows =
        read_all(store, "SELECT max(ifnull((SELECT max(at_ms) FROM shares), 0),"
                        " ifnull((SELECT max(started_ms) FROM experiments WHERE state = 'running'), 0),"
                        " ifnull((SELECT submitted_ms FROM experiments ORDER BY id DESC LIMIT 1), 0))");
    *last_ms = rows_next(&rows) ? sqlite3_column_int64(rows.row, 0) : 0;
    return rows_end(&rows, "the time of the last change", error);
}

int store_holds(struct store *store, void (*each)(void *arg, int device, const char *owner, int64_t since_ms),
                void *arg, struct error *error)
{
    struct rows rows = read_all(store, "SELECT device, owner, since_ms FROM holds");
    while (rows_next(&rows))
        each(arg, sqlite3_column_int(rows.row, 0), text_of(&rows, 1), sqlite3_column_int64(rows.row, 2));
    return rows_end(&rows, "the holds", error);
}

int store_devices(struct store *store, void (*each)(void *arg, const struct store_device *device), void *arg,
                  struct error *error)
{
    struct rows rows = read_all(store, "SELECT number, name, hello, hello_ms FROM devices ORDER BY number");
    while (rows_next(&rows)) {
        const struct store_device device = {
            .number = sqlite3_column_int(rows.row, 0),
            .name = text_of(&rows, 1),
            .hello = text_of(&rows, 2),
            .hello_ms = sqlite3_column_int64(rows.row, 3),
        };
        if (device.name)
            each(arg, &device);
    }
    return rows_end(&rows, "the devices", error);
}

int store_devices_reclaimable(struct store *store, void (*each)(void *arg, int number), void *arg,
                              struct error *error)
{
    /* A request that waits may name its peer by number. No value may be NULL, or NOT IN would be true of no
       number. */
    static const char sql[] =
        "SELECT number FROM devices"
        " WHERE NOT EXISTS (SELECT 1 FROM experiments WHERE device = devices.number)"
        " AND number NOT IN (SELECT device FROM holds"
        " UNION SELECT ifnull(json_extract(value, '$.device'), -1) FROM experiments, json_each(lost)"
        " WHERE lost IS NOT NULL"
        " UNION SELECT CASE WHEN json_valid(request) THEN ifnull(json_extract(request, '$.peer'), -1)"
        " ELSE -1 END FROM experiments WHERE state IN ('queued', 'running'))"
        " ORDER BY hello_ms, number";
    struct rows rows = read_all(store, sql);
    while (rows_next(&rows))
        each(arg, sqlite3_column_int(rows.row, 0));
    return rows_end(&rows, "the devices", error);
}

int store_calibrations(struct store *store,
                       void (*each)(void *arg, const struct store_calibration *calibration), void *arg,
                       struct error *error)
{
    /* Of a group with max() SQLite answers the row that has the maximum. */
    struct rows rows = read_all(
        store, "SELECT uuid, max(made_ms), device, driver, build, sweep, calibration FROM calibrations"
               " GROUP BY uuid");
    while (rows_next(&rows)) {
        const struct store_calibration one = {
            .uuid = text_of(&rows, 0),
            .made_ms = sqlite3_column_int64(rows.row, 1),
            .device = sqlite3_column_int(rows.row, 2),
            .driver = text_of(&rows, 3),
            .build = text_of(&rows, 4),
            .sweep = text_of(&rows, 5),
            .calibration = text_of(&rows, 6),
        };
        if (one.uuid && one.driver && one.build && one.sweep && one.calibration)
            each(arg, &one);
    }
    return rows_end(&rows, "the calibrations", error);
}

int store_events(struct store *store, void (*each)(void *arg, const struct store_events *events), void *arg,
                 struct error *error)
{
    struct rows rows = read_all(store, "SELECT last, count, lines FROM events ORDER BY last");
    while (rows_next(&rows)) {
        const struct store_events one = {
            .last = sqlite3_column_int64(rows.row, 0),
            .count = sqlite3_column_int(rows.row, 1),
            .lines = text_of(&rows, 2),
            .size = (size_t)sqlite3_column_bytes(rows.row, 2),
        };
        if (one.lines)
            each(arg, &one);
    }
    return rows_end(&rows, "the events", error);
}

int64_t store_events_last(struct store *store)
{
    struct rows rows = read_all(store, "SELECT max(last) FROM events");
    int64_t last = rows_next(&rows) ? sqlite3_column_int64(rows.row, 0) : -1;
    return rows_end(&rows, "the events", NULL) < 0 ? -1 : last;
}
