#include "server/store/database_check.h"

#include <ctype.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "server/store/schema.h"

/* The first number of the answer; -1: it cannot be had. */
static int64_t number_of(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

int database_identify(sqlite3 *db, const char *path, struct database_facts *facts, struct error *error)
{
    int64_t version = number_of(db, "PRAGMA user_version");
    /* What every version has had. */
    int64_t columns = number_of(db, "SELECT (SELECT count(*) FROM pragma_table_info('experiments')"
                                    " WHERE name IN ('id', 'state', 'kernel', 'request', 'result'))"
                                    " + (SELECT count(*) FROM pragma_table_info('keys')"
                                    " WHERE name IN ('key', 'fingerprint', 'experiment'))");
    facts->version = (int)version;
    if (version < 0 || columns < 0)
        return error_set(error, ERROR_INVALID, "%s is not a database of coalesced: %s", path,
                         sqlite3_errmsg(db));
    if (version == 0 || columns < 8)
        return error_set(error, ERROR_INVALID, "%s is not a database of coalesced", path);
    if (version > schema_newest())
        return error_set(
            error, ERROR_INVALID,
            "%s is of a newer version (%lld) than this program (%d): use the program that wrote it", path,
            (long long)version, schema_newest());
    return 0;
}

static int integrity_check(sqlite3 *db, const char *path, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &statement, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    const char *said = status == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    bool sound = said && strcmp(said, "ok") == 0;
    if (!sound)
        error_set(error, ERROR_STORE, "%s is damaged: %s", path, said ? said : sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    return sound ? 0 : -1;
}

/* As a URI, which alone can say that nobody writes the file. */
static int uri_of(const char *path, char *uri, size_t room, struct error *error)
{
    size_t used = (size_t)snprintf(uri, room, "file:");
    for (; *path && used + 16 < room; path++)
        used += (size_t)snprintf(uri + used, room - used,
                                 isalnum((unsigned char)*path) || strchr("/-._~", *path) ? "%c" : "%%%02X",
                                 (unsigned char)*path);
    if (*path)
        return error_set(error, ERROR_INVALID, "the file's name is too long");
    snprintf(uri + used, room - used, "?immutable=1");
    return 0;
}

int database_check(const char *path, bool whole, struct database_facts *facts, struct error *error)
{
    char uri[3 * PATH_MAX];
    sqlite3 *db = NULL;
    int status = -1;
    if (uri_of(path, uri, sizeof uri, error) < 0)
        return -1;
    if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        error_set(error, ERROR_INVALID, "cannot open %s: %s", path, sqlite3_errmsg(db));
    else if (database_identify(db, path, facts, error) == 0 &&
             (!whole || integrity_check(db, path, error) == 0))
        status = 0;
    if (status == 0 && whole) {
        facts->experiments = number_of(db, "SELECT count(*) FROM experiments");
        facts->sweeps = facts->version > 1 ? number_of(db, "SELECT count(*) FROM sweeps") : 0;
        facts->bytes = number_of(db, "PRAGMA page_count") * number_of(db, "PRAGMA page_size");
    }
    sqlite3_close(db);
    return status;
}
