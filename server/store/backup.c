#include "server/store/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/store/file_copy.h"

enum { BUSY_MS = 10000 };

/* All pages in one step: between two the service may write, and SQLite would begin anew, under load for ever. */
static int pages_copy(sqlite3 *from, sqlite3 *to, const char *part, struct error *error)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (backup)
        sqlite3_backup_step(backup, -1);
    if (backup && sqlite3_backup_finish(backup) == SQLITE_OK)
        return 0;
    return error_set(error, ERROR_STORE, "cannot copy the database to %s: %s", part, sqlite3_errmsg(to));
}

/* Without a log writer and without syncs of SQLite's: what fails is thrown away, what is whole is synced once. */
static int database_copy(const char *source, const char *part, struct error *error)
{
    sqlite3 *from = NULL, *to = NULL;
    struct database_facts facts;
    int status = -1;
    if (sqlite3_open_v2(source, &from, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        error_set(error, ERROR_STORE, "cannot open %s: %s", source, sqlite3_errmsg(from));
    else if (sqlite3_open_v2(part, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
             sqlite3_exec(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL, NULL) !=
                 SQLITE_OK)
        error_set(error, ERROR_STORE, "cannot open %s: %s", part, sqlite3_errmsg(to));
    else {
        sqlite3_busy_timeout(from, BUSY_MS);
        status = schema_identify(from, source, &facts, error);
        if (status == 0)
            status = pages_copy(from, to, part, error);
    }
    sqlite3_close(to);
    sqlite3_close(from);
    return status;
}

/* An empty file that this process alone makes, whoever else has the same plan; the descriptor, or -1. */
static int part_open(const char *part, struct error *error)
{
    int file = open(part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return error_set_errno(error, errno, "cannot write %s", part);
    struct stat locked, named;
    if (flock(file, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK)
            error_set_errno(error, errno, "cannot lock %s", part);
    } else if (fstat(file, &locked) == 0 && stat(part, &named) == 0 && locked.st_ino == named.st_ino) {
        if (fchmod(file, 0600) == 0 && ftruncate(file, 0) == 0)
            return file;
        error_set_errno(error, errno, "cannot write %s", part);
    }
    /* Or that one has just given it its last name. */
    error_set(error, ERROR_CONFLICT, "another backup is being written to %s", part);
    close(file);
    return -1;
}

/* Is it the database, or its log, by whatever name? */
static bool file_is_live(const char *file, const char *source)
{
    static const char *const parts[] = {"", "-wal", "-shm"};
    struct stat there, live;
    char name[PATH_MAX + 8];
    if (stat(file, &there) < 0)
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(name, sizeof name, "%s%s", source, parts[i]);
        if (stat(name, &live) == 0 && there.st_dev == live.st_dev && there.st_ino == live.st_ino)
            return true;
    }
    return false;
}

int backup_make(const char *directory, const char *file, bool force, struct database_facts *facts,
                struct error *error)
{
    char source[PATH_MAX], part[PATH_MAX];
    if (snprintf(source, sizeof source, "%s/coalesced.db", directory) >= (int)sizeof source ||
        snprintf(part, sizeof part, "%s.part", file) >= (int)sizeof part)
        return error_set(error, ERROR_INVALID, "the name is too long");
    if (access(source, R_OK) < 0 && errno != ENOENT)
        return error_set_errno(error, errno, "cannot read %s: run this as the user of the service", source);
    if (access(source, F_OK) < 0)
        return error_set(error, ERROR_NOT_FOUND, "there is no database in %s: is that the data directory?",
                         directory);
    if (!force && access(file, F_OK) == 0)
        return error_set(error, ERROR_CONFLICT, "%s is there already; --force replaces it", file);
    if (file_is_live(file, source))
        return error_set(error, ERROR_INVALID, "%s belongs to the database itself", file);
    int lock = part_open(part, error);
    if (lock < 0)
        return -1;
    int status = database_copy(source, part, error);
    if (status == 0)
        status = file_copy_sync(part, error);
    if (status == 0)
        status = schema_check(part, true, facts, error);
    if (status == 0 && rename(part, file) < 0)
        status = error_set_errno(error, errno, "cannot rename %s to %s", part, file);
    if (status < 0)
        unlink(part);
    else
        status = file_copy_sync_name(file, error);
    close(lock);
    return status;
}
