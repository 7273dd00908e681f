#include "server/store/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "server/store/file_copy.h"
#include "server/store/lock.h"

/* What lies at these places, in the data directory. */
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

/* A database that was copied without its log is not what it was. */
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

/* What is made belongs to whom the directory belongs, so that root can restore for the service's user. That user may put
   links there: none is followed. */
static int owner_take(const char *directory, const char *path, struct error *error)
{
    struct stat status;
    if (geteuid() != 0)
        return 0;
    if (stat(directory, &status) < 0 || lchown(path, status.st_uid, status.st_gid) < 0)
        return error_set_errno(error, errno, "cannot give %s to the owner of %s", path, directory);
    return 0;
}

/* What a crash left in the log belongs to the old database. Where that cannot be checkpointed, the log goes aside too. */
static void log_settle(const struct places *places)
{
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(places->database, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
        SQLITE_OK)
        sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_close(db);
}

/* A second name for the database, so that the first is never without one, where a file can have two. */
static int aside_name(const struct places *places, const char *directory, char aside[RESTORE_ASIDE_BYTES],
                      struct error *error)
{
    char moment[32];
    time_t now = time(NULL);
    strftime(moment, sizeof moment, "%Y%m%dT%H%M%SZ", gmtime(&now));
    for (int i = 1;; i++) {
        char more[16] = "";
        if (i > 1)
            snprintf(more, sizeof more, "-%d", i);
        if (snprintf(aside, RESTORE_ASIDE_BYTES, "%s/coalesced.db.before-%s%s", directory, moment, more) >=
            RESTORE_ASIDE_BYTES)
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

static int aside_put(const struct places *places, const char *directory, char aside[RESTORE_ASIDE_BYTES],
                     struct error *error)
{
    char log[RESTORE_ASIDE_BYTES + 8];
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

int restore_database(const char *file, const char *directory, char aside[RESTORE_ASIDE_BYTES],
                     struct database_facts *facts, struct error *error)
{
    struct places places;
    int status = -1;
    aside[0] = '\0';
    if (places_set(&places, directory, error) < 0 || log_refuse(file, error) < 0 ||
        (access(file, R_OK) < 0 && error_set_errno(error, errno, "cannot read %s", file) < 0) ||
        schema_check(file, false, facts, error) < 0)
        return -1;
    int lock = lock_directory(directory, error);
    if (lock < 0)
        return -1;
    if (owner_take(directory, places.lock, error) == 0 && file_copy_file(file, places.fresh, error) == 0 &&
        owner_take(directory, places.fresh, error) == 0 &&
        schema_check(places.fresh, true, facts, error) == 0 &&
        aside_put(&places, directory, aside, error) == 0) {
        unlink(places.log); /* empty by now, or another's */
        unlink(places.shared);
        status = rename(places.fresh, places.database) < 0
                     ? error_set_errno(error, errno, "cannot put the database in place")
                     : file_copy_sync_name(places.database, error);
    }
    if (status < 0)
        unlink(places.fresh);
    close(lock);
    return status;
}
