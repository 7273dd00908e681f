#include "server/store/startup_reads.h"

#include <sqlite3.h>

#include "server/store/store_parts.h"
#include "server/store/write.h"

/* Calls row(arg, statement) for each row. */
static int rows_read(struct store *store, const char *sql, const char *what,
                     void (*row)(void *arg, sqlite3_stmt *row), void *arg, struct error *error)
{
    struct db_reader *reader = reader_borrow(&store->readers, -1);
    sqlite3_stmt *statement = reader_prepare(reader, sql, NULL);
    int status = SQLITE_ERROR;
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW)
        row(arg, statement);
    int result = reader_finish(reader, statement, status, what, error);
    reader_return(&store->readers, reader);
    return result;
}

struct share_reader {
    void (*each)(void *arg, const char *owner, double used_s, int64_t at_ms);
    void *arg;
};

static void share_row(void *arg, sqlite3_stmt *row)
{
    const struct share_reader *shares = arg;
    shares->each(shares->arg, (const char *)sqlite3_column_text(row, 0), sqlite3_column_double(row, 1),
                 sqlite3_column_int64(row, 2));
}

int store_shares(struct store *store,
                 void (*each)(void *arg, const char *owner, double used_s, int64_t at_ms), void *arg,
                 struct error *error)
{
    struct share_reader shares = {each, arg};
    return rows_read(store, "SELECT owner, used_s, at_ms FROM shares ORDER BY at_ms, owner", "the shares",
                     share_row, &shares, error);
}

struct hold_reader {
    void (*each)(void *arg, int device, const char *owner, int64_t since_ms);
    void *arg;
};

static void hold_row(void *arg, sqlite3_stmt *row)
{
    const struct hold_reader *holds = arg;
    holds->each(holds->arg, sqlite3_column_int(row, 0), (const char *)sqlite3_column_text(row, 1),
                sqlite3_column_int64(row, 2));
}

int store_holds(struct store *store, void (*each)(void *arg, int device, const char *owner, int64_t since_ms),
                void *arg, struct error *error)
{
    struct hold_reader holds = {each, arg};
    return rows_read(store, "SELECT device, owner, since_ms FROM holds", "the holds", hold_row, &holds,
                     error);
}

struct device_reader {
    void (*each)(void *arg, const struct store_device *device);
    void *arg;
};

static void device_row(void *arg, sqlite3_stmt *row)
{
    const struct device_reader *reader = arg;
    const struct store_device device = {
        .number = sqlite3_column_int(row, 0),
        .name = (const char *)sqlite3_column_text(row, 1),
        .hello = (const char *)sqlite3_column_text(row, 2),
        .hello_ms = sqlite3_column_int64(row, 3),
    };
    if (device.name)
        reader->each(reader->arg, &device);
}

int store_devices(struct store *store, void (*each)(void *arg, const struct store_device *device), void *arg,
                  struct error *error)
{
    struct device_reader reader = {each, arg};
    return rows_read(store, "SELECT number, name, hello, hello_ms FROM devices ORDER BY number",
                     "the devices", device_row, &reader, error);
}

struct number_reader {
    void (*each)(void *arg, int number);
    void *arg;
};

static void reclaimable_row(void *arg, sqlite3_stmt *row)
{
    const struct number_reader *reclaimable = arg;
    reclaimable->each(reclaimable->arg, sqlite3_column_int(row, 0));
}

int store_devices_reclaimable(struct store *store, void (*each)(void *arg, int number), void *arg,
                              struct error *error)
{
    struct number_reader reclaimable = {each, arg};
    /* A request that waits may name its peer by number. No value may be NULL, or NOT IN would be true of no number. */
    return rows_read(
        store,
        "SELECT number FROM devices"
        " WHERE NOT EXISTS (SELECT 1 FROM experiments WHERE device = devices.number)"
        " AND number NOT IN (SELECT device FROM holds"
        " UNION SELECT ifnull(json_extract(value, '$.device'), -1) FROM experiments, json_each(lost)"
        " WHERE lost IS NOT NULL"
        " UNION SELECT CASE WHEN json_valid(request) THEN ifnull(json_extract(request, '$.peer'), -1)"
        " ELSE -1 END FROM experiments WHERE state IN ('queued', 'running'))"
        " ORDER BY hello_ms, number",
        "the devices", reclaimable_row, &reclaimable, error);
}

struct calibration_reader {
    void (*each)(void *arg, const struct store_calibration *calibration);
    void *arg;
};

static void calibration_row(void *arg, sqlite3_stmt *row)
{
    const struct calibration_reader *calibrations = arg;
    const struct store_calibration one = {
        .uuid = (const char *)sqlite3_column_text(row, 0),
        .made_ms = sqlite3_column_int64(row, 1),
        .device = sqlite3_column_int(row, 2),
        .driver = (const char *)sqlite3_column_text(row, 3),
        .build = (const char *)sqlite3_column_text(row, 4),
        .sweep = (const char *)sqlite3_column_text(row, 5),
        .calibration = (const char *)sqlite3_column_text(row, 6),
    };
    if (one.uuid && one.driver && one.build && one.sweep && one.calibration)
        calibrations->each(calibrations->arg, &one);
}

int store_calibrations(struct store *store,
                       void (*each)(void *arg, const struct store_calibration *calibration), void *arg,
                       struct error *error)
{
    struct calibration_reader calibrations = {each, arg};
    /* Of a group with max() SQLite answers the row that has the maximum. */
    return rows_read(store,
                     "SELECT uuid, max(made_ms), device, driver, build, sweep, calibration FROM calibrations"
                     " GROUP BY uuid",
                     "the calibrations", calibration_row, &calibrations, error);
}

struct event_reader {
    void (*each)(void *arg, const struct store_events *events);
    void *arg;
};

static void events_row(void *arg, sqlite3_stmt *row)
{
    const struct event_reader *events = arg;
    const struct store_events one = {
        .last = sqlite3_column_int64(row, 0),
        .count = sqlite3_column_int(row, 1),
        .lines = (const char *)sqlite3_column_text(row, 2),
        .size = (size_t)sqlite3_column_bytes(row, 2),
    };
    if (one.lines)
        events->each(events->arg, &one);
}

int store_events(struct store *store, void (*each)(void *arg, const struct store_events *events), void *arg,
                 struct error *error)
{
    struct event_reader events = {each, arg};
    return rows_read(store, "SELECT last, count, lines FROM events ORDER BY last", "the events", events_row,
                     &events, error);
}

static void last_row(void *arg, sqlite3_stmt *row)
{
    *(int64_t *)arg = sqlite3_column_int64(row, 0);
}

int64_t store_events_last(struct store *store)
{
    int64_t last = -1;
    struct error error = {0};
    return rows_read(store, "SELECT max(last) FROM events", "the events", last_row, &last, &error) < 0 ? -1
                                                                                                       : last;
}
