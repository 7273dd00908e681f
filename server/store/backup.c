#include "server/store/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "server/store/data_directory.h"

enum { BUSY_MS = 10000 };

/* ---- files ---- */

/* 0, or an errno. */
static int bytes_copy(int from, int to)
{
    char bytes[64 << 10];
    ssize_t count;
    while ((count = read(from, bytes, sizeof bytes)) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        for (ssize_t sent = 0, part; sent < count; sent += part)
            if ((part = write(to, bytes + sent, (size_t)(count - sent))) < 0)
                return errno;
    }
    return fsync(to) < 0 ? errno : 0;
}

/* The copy is synced, readable by its owner alone, and replaces what had that name. A failed one is
   removed. */
static int file_copy(const char *from, const char *to, struct error *error)
{
    int status = 0, source = open(from, O_RDONLY | O_CLOEXEC);
    if (source < 0)
        return error_set_errno(error, errno, "cannot open %s", from);
    unlink(to);
    int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int number = target < 0 ? errno : bytes_copy(source, target);
    if (target >= 0 && close(target) < 0 && !number)
        number = errno;
    if (number) {
        status = error_set_errno(error, number, "cannot copy %s to %s", from, to);
        unlink(to);
    }
    close(source);
    return status;
}

static int path_sync(const char *path, int flags, struct error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | flags);
    int status = file < 0 || fsync(file) < 0 ? error_set_errno(error, errno, "cannot sync %s", path) : 0;
    if (file >= 0)
        close(file);
    return status;
}

static int file_sync(const char *path, struct error *error)
{
    return path_sync(path, 0, error);
}

/* Syncs the directory that names a file: only then is a rename durable. */
static int name_sync(const char *path, struct error *error)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s", path);
    return path_sync(dirname(name), O_DIRECTORY, error);
}

/* ---- backup ---- */

/* All pages in one step: when the server writes between two steps SQLite begins anew, under load for ever. */
static int pages_copy(sqlite3 *from, sqlite3 *to, const char *part, struct error *error)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (backup)
        sqlite3_backup_step(backup, -1);
    if (backup && sqlite3_backup_finish(backup) == SQLITE_OK)
        return 0;
    return error_set(error, ERROR_STORE, "cannot copy the database to %s: %s", part, sqlite3_errmsg(to));
}

/* Without a journal and without SQLite's syncs: a copy that fails is removed, a whole one is synced once. */
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

/* Makes an empty file and locks it, so that no other backup writes it; the descriptor, or -1. */
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
    /* Or another backup has just renamed it. */
    error_set(error, ERROR_CONFLICT, "another backup is being written to %s", part);
    close(file);
    return -1;
}

/* True when it is the database or its log, by whatever name. */
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
        status = file_sync(part, error);
    if (status == 0)
        status = schema_check(part, true, facts, error);
    if (status == 0 && rename(part, file) < 0)
        status = error_set_errno(error, errno, "cannot rename %s to %s", part, file);
    if (status < 0)
        unlink(part);
    else
        status = name_sync(file, error);
    close(lock);
    return status;
}

/* ---- restore ---- */

/* Paths in the data directory. */
struct places {
    char database[PATH_MAX], log[PATH_MAX], shared[PATH_MAX], fresh[PATH_MAX], lock[PATH_MAX];
};

static int places_set(struct places *places, const char *directory, struct error *error)
{
    char *const paths[] = {places->database, places->log, places->shared, places->fresh, places->lock};
    static const char *const names[] = {"coalesced.db", "coalesced.db-wal", "coalesced.db-shm",
                                        "coalesced.db.restoring", "lock"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (snprintf(paths[i], PATH_MAX, "%s/%s", directory, names[i]) >= PATH_MAX)
            return error_set(error, ERROR_INVALID, "the data directory's name is too long");
    return 0;
}

/* Refuses a database that was copied without its log, because a part of it may be missing. */
static int log_refuse(const char *file, struct error *error)
{
    char log[PATH_MAX];
    struct stat status;
    if (snprintf(log, sizeof log, "%s-wal", file) < (int)sizeof log && stat(log, &status) == 0 &&
        status.st_size > 0)
        return error_set(
            error, ERROR_INVALID,
            "%s has a log beside it, %s: it is not what coalesced backup wrote, but a database that"
            " was in use",
            file, log);
    return 0;
}

/* Gives what is made to the owner of the directory, so that root can restore for the server's user. That user
   may put links there: none is followed. */
static int owner_set(const char *directory, const char *path, struct error *error)
{
    struct stat status;
    if (geteuid() != 0)
        return 0;
    if (stat(directory, &status) < 0 || lchown(path, status.st_uid, status.st_gid) < 0)
        return error_set_errno(error, errno, "cannot give %s to the owner of %s", path, directory);
    return 0;
}

/* Moves what a crash left in the log into the old database. Where that fails, the log is put aside with
   it. */
static void log_settle(const struct places *places)
{
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(places->database, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
        SQLITE_OK)
        sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_close(db);
}

/* Links the old database to a second name, so that the first always has a file; renames it where links are
   impossible. */
static int aside_name(const struct places *places, const char *directory, char aside[BACKUP_ASIDE_BYTES],
                      struct error *error)
{
    char moment[32];
    time_t now = time(NULL);
    strftime(moment, sizeof moment, "%Y%m%dT%H%M%SZ", gmtime(&now));
    for (int i = 1;; i++) {
        char suffix[16] = "";
        if (i > 1)
            snprintf(suffix, sizeof suffix, "-%d", i);
        if (snprintf(aside, BACKUP_ASIDE_BYTES, "%s/coalesced.db.before-%s%s", directory, moment, suffix) >=
            BACKUP_ASIDE_BYTES)
            return error_set(error, ERROR_INVALID, "the data directory's name is too long");
        if (link(places->database, aside) == 0)
            return 0;
        if (errno == EEXIST)
            continue;
        if (rename(places->database, aside) == 0)
            return 0;
        return error_set_errno(error, errno, "cannot put the old database aside as %s", aside);
    }
}

static int aside_put(const struct places *places, const char *directory, char aside[BACKUP_ASIDE_BYTES],
                     struct error *error)
{
    char log[BACKUP_ASIDE_BYTES + 8];
    struct stat status;
    aside[0] = '\0';
    if (access(places->database, F_OK) < 0)
        return 0;
    log_settle(places);
    if (aside_name(places, directory, aside, error) < 0)
        return -1;
    snprintf(log, sizeof log, "%s-wal", aside);
    if (stat(places->log, &status) == 0 && status.st_size > 0 && rename(places->log, log) < 0)
        return error_set_errno(error, errno, "cannot put %s aside", places->log);
    return 0;
}

int backup_restore(const char *file, const char *directory, char aside[BACKUP_ASIDE_BYTES],
                   struct database_facts *facts, struct error *error)
{
    struct places places;
    int status = -1;
    aside[0] = '\0';
    if (places_set(&places, directory, error) < 0 || log_refuse(file, error) < 0 ||
        (access(file, R_OK) < 0 && error_set_errno(error, errno, "cannot read %s", file) < 0) ||
        schema_check(file, false, facts, error) < 0)
        return -1;
    int lock = data_directory_lock(directory, error);
    if (lock < 0)
        return -1;
    if (owner_set(directory, places.lock, error) == 0 && file_copy(file, places.fresh, error) == 0 &&
        owner_set(directory, places.fresh, error) == 0 &&
        schema_check(places.fresh, true, facts, error) == 0 &&
        aside_put(&places, directory, aside, error) == 0) {
        unlink(places.log); /* empty by now */
        unlink(places.shared);
        status = rename(places.fresh, places.database) < 0
                     ? error_set_errno(error, errno, "cannot put the database in place")
                     : name_sync(places.database, error);
    }
    if (status < 0)
        unlink(places.fresh);
    close(lock);
    return status;
}
