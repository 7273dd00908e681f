#include "server/store/schema.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Each step takes the database from user_version i to i + 1. Steps that were released are not edited: a
   change of the schema is a further step. */
static const char *const steps[] = {
    "CREATE TABLE experiments ("
    " id TEXT PRIMARY KEY NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),"
    " device INTEGER NOT NULL,"
    " priority INTEGER NOT NULL,"
    " attempt INTEGER NOT NULL DEFAULT 0,"
    " timeout_s REAL NOT NULL,"
    " submitted_ms INTEGER NOT NULL,"
    " started_ms INTEGER NOT NULL DEFAULT 0,"
    " finished_ms INTEGER NOT NULL DEFAULT 0,"
    " kernel TEXT NOT NULL,"
    " failure TEXT,"
    " failure_text TEXT,"
    " failure_where TEXT,"
    " request TEXT NOT NULL,"
    " result TEXT);"
    /* The id in these makes them serve a filtered list, newest first, and the recovery. */
    "CREATE INDEX experiments_by_state ON experiments (state, id);"
    "CREATE INDEX experiments_by_kernel ON experiments (kernel, id);"
    /* Nothing in the service ends an experiment twice; if something does, it is to be seen. */
    "CREATE TRIGGER experiments_end_once BEFORE UPDATE ON experiments"
    " WHEN OLD.state IN ('succeeded', 'failed', 'cancelled')"
    " BEGIN SELECT RAISE(ABORT, 'an ended experiment cannot change'); END;"
    "CREATE TABLE keys ("
    " key TEXT PRIMARY KEY NOT NULL,"
    " fingerprint TEXT NOT NULL,"
    " experiment TEXT NOT NULL,"
    " kept_ms INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX keys_by_age ON keys (kept_ms);",

    "CREATE TABLE sweeps ("
    " id TEXT PRIMARY KEY NOT NULL,"
    " request TEXT NOT NULL,"
    " recipe TEXT,"
    " submitted_ms INTEGER NOT NULL,"
    " total INTEGER NOT NULL,"
    " refused INTEGER NOT NULL,"
    " cancelled INTEGER NOT NULL DEFAULT 0);"
    /* A point that cannot be launched has no experiment, but its own request and why. */
    "CREATE TABLE points ("
    " sweep_id TEXT NOT NULL,"
    " place INTEGER NOT NULL,"
    " axes TEXT NOT NULL,"
    " experiment TEXT,"
    " refused TEXT,"
    " reason TEXT,"
    " PRIMARY KEY (sweep_id, place)) WITHOUT ROWID;"
    "ALTER TABLE experiments ADD COLUMN sweep TEXT;"
    /* How many points of the sweep it stands for. */
    "ALTER TABLE experiments ADD COLUMN points INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX experiments_by_sweep ON experiments (sweep, id) WHERE sweep IS NOT NULL;"
    /* Holds all that a sweep's progress is counted from. */
    "CREATE INDEX experiments_of_sweeps ON experiments (sweep, state, points, finished_ms)"
    " WHERE sweep IS NOT NULL;",

    /* What a recipe published and predicts for the point, as it is shown; NULL: it has none, or is older than this step.
     */
    "ALTER TABLE points ADD COLUMN reference TEXT;"
    "CREATE INDEX experiments_by_device ON experiments (device, id);"
    /* The requests' labels, so that a filter finds them: by name, and by name and value, newest first. */
    "CREATE TABLE labels ("
    " name TEXT NOT NULL,"
    " experiment TEXT NOT NULL,"
    " value TEXT NOT NULL,"
    " PRIMARY KEY (name, experiment)) WITHOUT ROWID;"
    "INSERT OR IGNORE INTO labels (name, experiment, value) SELECT key, experiments.id, value FROM "
    "experiments,"
    " json_each(CASE WHEN json_valid(request) THEN request ELSE '{}' END, '$.labels')"
    " WHERE instr(request, '\"labels\"') AND NOT instr(request, '\"labels\":{}');"
    "CREATE INDEX labels_by_value ON labels (name, value, experiment);"
    "CREATE TRIGGER labels_removed AFTER DELETE ON experiments WHEN instr(OLD.request, '\"labels\"')"
    " BEGIN DELETE FROM labels WHERE experiment = OLD.id"
    " AND name IN (SELECT key FROM json_each(OLD.request, '$.labels')); END;",

    /* Who submitted it; NULL: nobody by name, or before there were names. */
    "ALTER TABLE experiments ADD COLUMN owner TEXT;"
    "ALTER TABLE sweeps ADD COLUMN owner TEXT;"
    /* By id first: forty owners' submissions of one moment then touch one page of it, not forty. A list of one owner's
       looks through it, newest first, without reading the rows of others. */
    "CREATE INDEX experiments_by_owner ON experiments (id, owner) WHERE owner IS NOT NULL;"
    "CREATE INDEX sweeps_by_owner ON sweeps (owner, id) WHERE owner IS NOT NULL;"
    /* A key is its owner's; '' for nobody by name. */
    "ALTER TABLE keys RENAME TO keys_of_all;"
    "CREATE TABLE keys ("
    " key TEXT NOT NULL,"
    " owner TEXT NOT NULL,"
    " fingerprint TEXT NOT NULL,"
    " experiment TEXT NOT NULL,"
    " kept_ms INTEGER NOT NULL,"
    " PRIMARY KEY (key, owner)) WITHOUT ROWID;"
    "INSERT INTO keys SELECT key, '', fingerprint, experiment, kept_ms FROM keys_of_all;"
    "DROP TABLE keys_of_all;"
    "CREATE INDEX keys_by_age ON keys (kept_ms);"
    /* The device's time that each owner has had, as it stood at that moment; it halves as time goes by. */
    "CREATE TABLE shares ("
    " owner TEXT PRIMARY KEY NOT NULL,"
    " used_s REAL NOT NULL,"
    " at_ms INTEGER NOT NULL) WITHOUT ROWID;"
    /* What takes no new work until somebody resumes it: a device, or (-1) all of them. */
    "CREATE TABLE holds ("
    " device INTEGER PRIMARY KEY NOT NULL,"
    " owner TEXT NOT NULL,"
    " since_ms INTEGER NOT NULL);"
    /* When its last experiment ended; 0: not yet. And: it is being removed, a few rows at a time, and is not shown. */
    "ALTER TABLE sweeps ADD COLUMN ended_ms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE sweeps ADD COLUMN removing INTEGER NOT NULL DEFAULT 0;"
    "UPDATE sweeps SET ended_ms = (SELECT ifnull(max(finished_ms), submitted_ms) FROM experiments"
    " WHERE sweep = sweeps.id) WHERE NOT EXISTS (SELECT 1 FROM experiments"
    " WHERE sweep = sweeps.id AND state IN ('queued', 'running'));"
    "CREATE TRIGGER sweeps_end AFTER UPDATE OF state ON experiments"
    " WHEN NEW.sweep IS NOT NULL AND NEW.state IN ('succeeded', 'failed', 'cancelled')"
    " AND NOT EXISTS (SELECT 1 FROM experiments WHERE sweep = NEW.sweep AND state IN ('queued', 'running'))"
    " BEGIN UPDATE sweeps SET ended_ms = NEW.finished_ms WHERE id = NEW.sweep; END;"
    /* What is let go of first. */
    "CREATE INDEX experiments_alone_by_end ON experiments (finished_ms)"
    " WHERE sweep IS NULL AND finished_ms > 0;"
    "CREATE INDEX sweeps_by_end ON sweeps (ended_ms) WHERE ended_ms > 0;"
    "CREATE INDEX sweeps_removing ON sweeps (id) WHERE removing;",

    /* How often all its points are run, round by round; the points of the first round come first. And: which round an
       experiment is of, from 0; NULL: it is not repeated. */
    "ALTER TABLE sweeps ADD COLUMN rounds INTEGER NOT NULL DEFAULT 1;"
    "ALTER TABLE experiments ADD COLUMN repeat_index INTEGER;"
    /* The raw samples of those that asked for them to be kept. */
    "CREATE TABLE samples ("
    " experiment TEXT PRIMARY KEY NOT NULL,"
    " cold BLOB,"
    " hot BLOB) WITHOUT ROWID;"
    "CREATE TRIGGER samples_removed AFTER DELETE ON experiments"
    " BEGIN DELETE FROM samples WHERE experiment = OLD.id; END;"
    /* What has happened, for whoever follows: a row a transaction, the number of its last event, and a line an event.
       The first row says from which number on all is there. */
    "CREATE TABLE events ("
    " last INTEGER PRIMARY KEY NOT NULL,"
    " count INTEGER NOT NULL,"
    " lines TEXT NOT NULL);"
    "INSERT INTO events (last, count, lines) VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 0, "
    "'');",

    /* The devices that there ever were, by the numbers that experiments have; a name keeps its number. And what an
       executor of it said last of itself (api/protocol.h), so that its limits are known while none is there; NULL: none
       ever came. Experiments that may still go to one of several devices have the number -1. */
    "CREATE TABLE devices ("
    " number INTEGER PRIMARY KEY NOT NULL,"
    " name TEXT NOT NULL UNIQUE,"
    " hello TEXT,"
    " hello_ms INTEGER NOT NULL DEFAULT 0);"
    /* Runs that were lost, a JSON list: which attempt, on which device, when and why. NULL: none. */
    "ALTER TABLE experiments ADD COLUMN lost TEXT;"
    /* Its experiments may go to different devices. */
    "ALTER TABLE sweeps ADD COLUMN spread INTEGER NOT NULL DEFAULT 0;"
    /* Tells a sweep's devices with its counts. */
    "DROP INDEX experiments_of_sweeps;"
    "CREATE INDEX experiments_of_sweeps ON experiments (sweep, state, device, points, finished_ms)"
    " WHERE sweep IS NOT NULL;",

    /* What a device's times are made of, as its experiments said: the document that api/calibration_json.h writes. The newest
       of a device counts, the older ones stay. */
    "CREATE TABLE calibrations ("
    " uuid TEXT NOT NULL,"
    " made_ms INTEGER NOT NULL,"
    " device INTEGER NOT NULL,"
    " driver TEXT NOT NULL,"
    " build TEXT NOT NULL,"
    " sweep TEXT NOT NULL,"
    " calibration TEXT NOT NULL,"
    " PRIMARY KEY (uuid, made_ms)) WITHOUT ROWID;",

    /* Which devices lost runs is asked when a number is to be given again: few experiments lost any. */
    "CREATE INDEX experiments_lost ON experiments (id) WHERE lost IS NOT NULL;",
};

int schema_failed(sqlite3 *db, const char *what, struct error *error)
{
    int code = sqlite3_errcode(db) & 0xff, number = sqlite3_system_errno(db);
    bool full = number == ENOSPC || number == EDQUOT || number == EIO;
    bool passes = code == SQLITE_FULL || code == SQLITE_IOERR || (code == SQLITE_CANTOPEN && full);
    error_set(error, passes ? ERROR_UNAVAILABLE : ERROR_STORE, "%s: %s%s%s", what, sqlite3_errmsg(db),
              passes && number ? ": " : "", passes && number ? strerror(number) : "");
    return -1;
}

enum { STEPS = sizeof steps / sizeof *steps };

int schema_newest(void)
{
    return STEPS;
}

static int schema_run(sqlite3 *db, const char *sql, struct error *error)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return schema_failed(db, "cannot set up the database", error);
}

static int schema_version(sqlite3 *db, int *version, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = -1;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        *version = sqlite3_column_int(statement, 0);
        status = 0;
    } else {
        schema_failed(db, "cannot read the database", error);
    }
    sqlite3_finalize(statement);
    return status;
}

/* A file system that cannot share memory leaves the database without a write-ahead log, and what a failed commit leaves then
   cannot be taken back. */
static int schema_check_log(sqlite3 *db, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    char mode[16] = "";
    if (sqlite3_prepare_v2(db, "PRAGMA journal_mode", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        snprintf(mode, sizeof mode, "%s", (const char *)sqlite3_column_text(statement, 0));
    else
        schema_failed(db, "cannot read the database", error);
    sqlite3_finalize(statement);
    if (strcmp(mode, "wal") == 0)
        return 0;
    return error_set(
        error, ERROR_STORE,
        "the data directory's file system cannot hold SQLite's write-ahead log (its journal is of"
        " mode %s): use a local disk",
        mode);
}

int schema_migrate(sqlite3 *db, struct error *error)
{
    /* The order matters: auto_vacuum only takes before the first page is written, as the change to WAL does.
     */
    if (schema_run(db,
                   "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                   "PRAGMA temp_store = MEMORY;",
                   error) < 0)
        return -1;
    int version = 0;
    if (schema_check_log(db, error) < 0 || schema_version(db, &version, error) < 0)
        return -1;
    if (version > STEPS)
        return error_set(error, ERROR_STORE, "the database is of a newer version (%d) than this program (%d)",
                         version, STEPS);
    for (; version < STEPS; version++) {
        char seal[64];
        snprintf(seal, sizeof seal, "PRAGMA user_version = %d; COMMIT", version + 1);
        if (schema_run(db, "BEGIN IMMEDIATE", error) < 0 || schema_run(db, steps[version], error) < 0 ||
            schema_run(db, seal, error) < 0) {
            if (!sqlite3_get_autocommit(db))
                sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
            return -1;
        }
    }
    return 0;
}
