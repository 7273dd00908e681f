#include "server/store/schema.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/store/database.h"

/* The first step makes version SCHEMA_FIRST_VERSION, each later one the next version. A step that was
   released is not edited: a change of the schema is a further step, and a file of tests/upgrades/ for the
   version before it. */
static const char *const steps[] = {
    "CREATE TABLE experiments ("
    " id TEXT PRIMARY KEY NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),"
    " device INTEGER NOT NULL," /* -1: it may run on several, and none has taken it yet */
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
    " request TEXT NOT NULL," /* JSON, as it came with every default filled in */
    " result TEXT,"           /* JSON, as the executor sent it */
    " sweep TEXT,"
    " points INTEGER NOT NULL DEFAULT 0," /* of its sweep, that it stands for */
    " owner TEXT,"                        /* who submitted it; NULL: nobody by name */
    " repeat_index INTEGER,"              /* the round of its sweep, from 0; NULL: it is not repeated */
    " lost TEXT);" /* runs that were lost: JSON list of {attempt, device, at, why}; NULL: none */
    /* An index with the id behind its column serves a filtered list, newest first. */
    "CREATE INDEX experiments_by_state ON experiments (state, id);"
    "CREATE INDEX experiments_by_kernel ON experiments (kernel, id);"
    "CREATE INDEX experiments_by_device ON experiments (device, id);"
    "CREATE INDEX experiments_by_sweep ON experiments (sweep, id) WHERE sweep IS NOT NULL;"
    /* By id first: the submissions of forty owners at one moment then touch one page of the index instead of
       forty. The list of one owner scans the index, without reading the rows of others. */
    "CREATE INDEX experiments_by_owner ON experiments (id, owner) WHERE owner IS NOT NULL;"
    /* Covers the query that counts a sweep's progress. */
    "CREATE INDEX experiments_of_sweeps ON experiments (sweep, state, device, points, finished_ms)"
    " WHERE sweep IS NOT NULL;"
    /* Finds the oldest for the retention. */
    "CREATE INDEX experiments_alone_by_end ON experiments (finished_ms)"
    " WHERE sweep IS NULL AND finished_ms > 0;"
    /* Few experiments lost a run; the search for a free device number reads them. */
    "CREATE INDEX experiments_lost ON experiments (id) WHERE lost IS NOT NULL;"
    /* Nothing in the server ends an experiment twice; a bug that did would be reported by this. */
    "CREATE TRIGGER experiments_end_once BEFORE UPDATE ON experiments"
    " WHEN OLD.state IN ('succeeded', 'failed', 'cancelled')"
    " BEGIN SELECT RAISE(ABORT, 'an ended experiment cannot change'); END;"

    "CREATE TABLE sweeps ("
    " id TEXT PRIMARY KEY NOT NULL,"
    " request TEXT NOT NULL,"
    " recipe TEXT,"
    " submitted_ms INTEGER NOT NULL,"
    " total INTEGER NOT NULL,"
    " refused INTEGER NOT NULL,"
    " cancelled INTEGER NOT NULL DEFAULT 0,"
    " owner TEXT,"
    " ended_ms INTEGER NOT NULL DEFAULT 0," /* when its last experiment ended; 0: not yet */
    " removing INTEGER NOT NULL DEFAULT 0," /* it is being removed, a few rows at a time, and is not listed */
    " rounds INTEGER NOT NULL DEFAULT 1,"   /* how often all its points are run */
    " spread INTEGER NOT NULL DEFAULT 0);"  /* its experiments may go to different devices */
    "CREATE INDEX sweeps_by_owner ON sweeps (owner, id) WHERE owner IS NOT NULL;"
    "CREATE INDEX sweeps_by_end ON sweeps (ended_ms) WHERE ended_ms > 0;"
    "CREATE INDEX sweeps_removing ON sweeps (id) WHERE removing;"
    "CREATE TRIGGER sweeps_end AFTER UPDATE OF state ON experiments"
    " WHEN NEW.sweep IS NOT NULL AND NEW.state IN ('succeeded', 'failed', 'cancelled')"
    " AND NOT EXISTS (SELECT 1 FROM experiments WHERE sweep = NEW.sweep AND state IN ('queued', 'running'))"
    " BEGIN UPDATE sweeps SET ended_ms = NEW.finished_ms WHERE id = NEW.sweep; END;"

    /* A row is a point in one round; the rows of the first round come first and hold what all rounds have in
       common. A point that cannot be launched has no experiment, but its own request and the reason. */
    "CREATE TABLE points ("
    " sweep_id TEXT NOT NULL,"
    " place INTEGER NOT NULL,"
    " axes TEXT NOT NULL,"
    " experiment TEXT,"
    " refused TEXT,"
    " reason TEXT,"
    " reference TEXT," /* JSON: what a recipe published and predicts for the point; NULL: none */
    " PRIMARY KEY (sweep_id, place)) WITHOUT ROWID;"

    /* The raw samples of experiments that asked for them. */
    "CREATE TABLE samples ("
    " experiment TEXT PRIMARY KEY NOT NULL,"
    " cold BLOB,"
    " hot BLOB) WITHOUT ROWID;"
    "CREATE TRIGGER samples_removed AFTER DELETE ON experiments"
    " BEGIN DELETE FROM samples WHERE experiment = OLD.id; END;"

    /* The labels of requests, for filters: by name, and by name and value, newest first. */
    "CREATE TABLE labels ("
    " name TEXT NOT NULL,"
    " experiment TEXT NOT NULL,"
    " value TEXT NOT NULL,"
    " PRIMARY KEY (name, experiment)) WITHOUT ROWID;"
    "CREATE INDEX labels_by_value ON labels (name, value, experiment);"
    "CREATE TRIGGER labels_removed AFTER DELETE ON experiments WHEN instr(OLD.request, '\"labels\"')"
    " BEGIN DELETE FROM labels WHERE experiment = OLD.id"
    " AND name IN (SELECT key FROM json_each(OLD.request, '$.labels')); END;"

    /* Idempotency keys. A key is its owner's; '' for nobody by name. */
    "CREATE TABLE keys ("
    " key TEXT NOT NULL,"
    " owner TEXT NOT NULL,"
    " fingerprint TEXT NOT NULL,"
    " experiment TEXT NOT NULL,"
    " kept_ms INTEGER NOT NULL,"
    " PRIMARY KEY (key, owner)) WITHOUT ROWID;"
    "CREATE INDEX keys_by_age ON keys (kept_ms);"

    /* The device time that each owner has used, as of at_ms; it halves as time goes by. */
    "CREATE TABLE shares ("
    " owner TEXT PRIMARY KEY NOT NULL,"
    " used_s REAL NOT NULL,"
    " at_ms INTEGER NOT NULL) WITHOUT ROWID;"
    /* Devices that take no new work until somebody resumes them; -1: all of them. */
    "CREATE TABLE holds ("
    " device INTEGER PRIMARY KEY NOT NULL,"
    " owner TEXT NOT NULL,"
    " since_ms INTEGER NOT NULL);"

    /* All events of one transaction: the number of the last one, and a line for each. The first row has no
       event; it says from which number on the history is complete. */
    "CREATE TABLE events ("
    " last INTEGER PRIMARY KEY NOT NULL,"
    " count INTEGER NOT NULL,"
    " lines TEXT NOT NULL);"
    "INSERT INTO events (last, count, lines) VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 0,"
    " '');"

    /* Every device that has a number, with the last hello of its executor (api/protocol.h), so that its
       limits are known while no executor runs; NULL: none ever said hello. */
    "CREATE TABLE devices ("
    " number INTEGER PRIMARY KEY NOT NULL,"
    " name TEXT NOT NULL UNIQUE,"
    " hello TEXT,"
    " hello_ms INTEGER NOT NULL DEFAULT 0);"
    /* Calibrations: the document of api/calibration_json.h. The newest of a device counts, the older ones
       stay. */
    "CREATE TABLE calibrations ("
    " uuid TEXT NOT NULL,"
    " made_ms INTEGER NOT NULL,"
    " device INTEGER NOT NULL,"
    " driver TEXT NOT NULL,"
    " build TEXT NOT NULL,"
    " sweep TEXT NOT NULL,"
    " calibration TEXT NOT NULL,"
    " PRIMARY KEY (uuid, made_ms)) WITHOUT ROWID;",

    /* What is removed is hidden first, and its rows stay as they are: until then it can be restored. 0: it is
       being deleted, a few rows at a time. `sweep`: the one that an experiment belongs to. */
    "CREATE TABLE removals ("
    " id TEXT PRIMARY KEY NOT NULL,"
    " is_sweep INTEGER NOT NULL,"
    " sweep TEXT,"
    " removed_by TEXT,"
    " removed_ms INTEGER NOT NULL,"
    " until_ms INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX removals_by_time ON removals (until_ms);"
    "CREATE INDEX removals_of_sweeps ON removals (sweep) WHERE sweep IS NOT NULL;"
    "INSERT INTO removals SELECT id, 1, NULL, NULL, 0, 0 FROM sweeps WHERE removing;"
    "DROP INDEX sweeps_removing;"
    "ALTER TABLE sweeps DROP COLUMN removing;",

    /* Kernels that users bring, by the name that is made of their content: as long as somebody has it stored or an
       experiment uses it. */
    "CREATE TABLE sources ("
    " name TEXT PRIMARY KEY NOT NULL,"
    " entry TEXT NOT NULL,"
    " definition TEXT NOT NULL);" /* JSON, as source_draft_json() writes it */
    /* Who has which one stored; '' for nobody by name. */
    "CREATE TABLE stored_kernels ("
    " name TEXT NOT NULL,"
    " owner TEXT NOT NULL,"
    " title TEXT,"
    " public INTEGER NOT NULL,"
    " stored_ms INTEGER NOT NULL,"
    " PRIMARY KEY (name, owner)) WITHOUT ROWID;"
    "CREATE INDEX stored_kernels_by_owner ON stored_kernels (owner, stored_ms);"
    "CREATE INDEX stored_kernels_by_age ON stored_kernels (stored_ms);"
    "CREATE TABLE source_uses ("
    " name TEXT NOT NULL,"
    " experiment TEXT NOT NULL,"
    " PRIMARY KEY (name, experiment)) WITHOUT ROWID;"
    "CREATE INDEX source_uses_by_experiment ON source_uses (experiment);"
    "CREATE TRIGGER source_uses_removed AFTER DELETE ON experiments WHEN OLD.kernel GLOB 'src-*'"
    " BEGIN DELETE FROM source_uses WHERE experiment = OLD.id; END;"
    "CREATE TRIGGER sources_unused AFTER DELETE ON source_uses"
    " WHEN NOT EXISTS (SELECT 1 FROM source_uses WHERE name = OLD.name)"
    " AND NOT EXISTS (SELECT 1 FROM stored_kernels WHERE name = OLD.name)"
    " BEGIN DELETE FROM sources WHERE name = OLD.name; END;"
    "CREATE TRIGGER sources_not_stored AFTER DELETE ON stored_kernels"
    " WHEN NOT EXISTS (SELECT 1 FROM source_uses WHERE name = OLD.name)"
    " AND NOT EXISTS (SELECT 1 FROM stored_kernels WHERE name = OLD.name)"
    " BEGIN DELETE FROM sources WHERE name = OLD.name; END;",
};

enum { STEPS = sizeof steps / sizeof *steps };

/* The first column of the answer's first row; false: the statement failed or answered nothing. */
static bool text_read(sqlite3 *db, const char *sql, char *text, size_t size)
{
    sqlite3_stmt *statement = NULL;
    bool found = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
                 sqlite3_step(statement) == SQLITE_ROW;
    if (found)
        snprintf(text, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return found;
}

/* The same of a number; -1 without one. */
static int64_t number_read(sqlite3 *db, const char *sql)
{
    char text[32];
    return text_read(db, sql, text, sizeof text) ? strtoll(text, NULL, 10) : -1;
}

int schema_newest(void)
{
    return SCHEMA_FIRST_VERSION + STEPS - 1;
}

static int version_check(const char *what, int version, int newest, enum error_kind kind, struct error *error)
{
    if (version > newest)
        return error_set(
            error, kind,
            "%s is of a newer version (%d) than this program (%d): use the program that wrote it", what,
            version, newest);
    if (version < SCHEMA_FIRST_VERSION)
        return error_set(error, kind,
                         "%s is of version %d, from before the first release, and this program reads versions"
                         " from %d on: use the program that wrote it, or move the file away to begin anew",
                         what, version, SCHEMA_FIRST_VERSION);
    return 0;
}

/* ---- migration ---- */

static int schema_run(sqlite3 *db, const char *sql, struct error *error)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return database_failed(db, "cannot set up the database", error);
}

/* A file system without shared memory gives the database no write-ahead log, and then what a failed commit
   leaves could not be taken back. */
static int log_check(sqlite3 *db, struct error *error)
{
    char mode[16] = "";
    if (!text_read(db, "PRAGMA journal_mode", mode, sizeof mode))
        return database_failed(db, "cannot read the database", error);
    if (strcmp(mode, "wal") == 0)
        return 0;
    return error_set(
        error, ERROR_STORE,
        "the data directory's file system cannot hold SQLite's write-ahead log (its journal is of"
        " mode %s): use a local disk",
        mode);
}

int schema_migrate_steps(sqlite3 *db, const char *const *list, int count, struct error *error)
{
    int version = (int)number_read(db, "PRAGMA user_version"), newest = SCHEMA_FIRST_VERSION + count - 1;
    if (version < 0)
        return database_failed(db, "cannot read the database", error);
    if (version > 0 && version_check("the database", version, newest, ERROR_STORE, error) < 0)
        return -1;
    for (int i = version ? version + 1 - SCHEMA_FIRST_VERSION : 0; i < count; i++) {
        char seal[64];
        snprintf(seal, sizeof seal, "PRAGMA user_version = %d; COMMIT", SCHEMA_FIRST_VERSION + i);
        if (schema_run(db, "BEGIN IMMEDIATE", error) < 0 || schema_run(db, list[i], error) < 0 ||
            schema_run(db, seal, error) < 0) {
            if (!sqlite3_get_autocommit(db))
                sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
            return -1;
        }
    }
    return 0;
}

int schema_migrate(sqlite3 *db, struct error *error)
{
    /* The order matters: auto_vacuum and WAL take effect only before the first page is written. */
    if (schema_run(db,
                   "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                   "PRAGMA temp_store = MEMORY;",
                   error) < 0 ||
        log_check(db, error) < 0)
        return -1;
    return schema_migrate_steps(db, steps, STEPS, error);
}

/* ---- checks of a file ---- */

int schema_identify(sqlite3 *db, const char *path, struct database_facts *facts, struct error *error)
{
    int64_t version = number_read(db, "PRAGMA user_version");
    int64_t columns = number_read(db, "SELECT (SELECT count(*) FROM pragma_table_info('experiments')"
                                      " WHERE name IN ('id', 'state', 'kernel', 'request', 'result'))"
                                      " + (SELECT count(*) FROM pragma_table_info('keys')"
                                      " WHERE name IN ('key', 'fingerprint', 'experiment'))");
    facts->version = (int)version;
    const int code = sqlite3_errcode(db) & 0xff;
    if ((version < 0 || columns < 0) &&
        (code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_PERM))
        return error_set(error, ERROR_SYSTEM,
                         "cannot read %s: %s; if it belongs to another user, run this as that user", path,
                         sqlite3_errmsg(db));
    if (version < 0 || columns < 0)
        return error_set(error, ERROR_INVALID, "%s is not a database of coalesced, or is incomplete: %s",
                         path, sqlite3_errmsg(db));
    if (version == 0 || columns < 8)
        return error_set(error, ERROR_INVALID, "%s is not a database of coalesced", path);
    return version_check(path, (int)version, schema_newest(), ERROR_INVALID, error);
}

static int integrity_check(sqlite3 *db, const char *path, struct error *error)
{
    char answer[256];
    if (!text_read(db, "PRAGMA integrity_check(1)", answer, sizeof answer))
        snprintf(answer, sizeof answer, "%s", sqlite3_errmsg(db));
    return strcmp(answer, "ok") == 0 ? 0 : error_set(error, ERROR_STORE, "%s is damaged: %s", path, answer);
}

/* The path as a URI, which is the only form that can say that nobody writes the file. */
static int uri_write(const char *path, char *uri, size_t size, struct error *error)
{
    size_t used = (size_t)snprintf(uri, size, "file:");
    for (; *path && used + 16 < size; path++)
        used += (size_t)snprintf(uri + used, size - used, strchr("%?#", *path) ? "%%%02X" : "%c",
                                 (unsigned char)*path);
    if (*path)
        return error_set(error, ERROR_INVALID, "the file's name is too long");
    snprintf(uri + used, size - used, "?immutable=1");
    return 0;
}

int schema_check(const char *path, bool whole, struct database_facts *facts, struct error *error)
{
    char uri[3 * PATH_MAX];
    sqlite3 *db = NULL;
    int status = -1;
    if (uri_write(path, uri, sizeof uri, error) < 0)
        return -1;
    if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        error_set(error, ERROR_INVALID, "cannot open %s: %s", path, sqlite3_errmsg(db));
    else if (schema_identify(db, path, facts, error) == 0 &&
             (!whole || integrity_check(db, path, error) == 0))
        status = 0;
    if (status == 0 && whole) {
        facts->experiments = number_read(db, "SELECT count(*) FROM experiments");
        facts->sweeps = number_read(db, "SELECT count(*) FROM sweeps");
        facts->bytes = number_read(db, "PRAGMA page_count") * number_read(db, "PRAGMA page_size");
    }
    sqlite3_close(db);
    return status;
}
