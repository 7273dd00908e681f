#include "server/store/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "server/config.h"
#include "server/store/data_directory.h"
#include "server/store/schema.h"

enum { BUSY_MS = 10000, COPY_BYTES = 1 << 30 };

/* ---- backup ---- */

/* All pages in one step: when the server writes between two steps SQLite begins anew, under load for ever.
   Without a journal and without SQLite's syncs: a copy that fails is removed, a whole one is synced once. */
static int database_copy(const char *source, const char *part, struct error *error)
{
    sqlite3 *from = NULL, *to = NULL;
    struct database_facts facts;
    int status = -1;
    if (sqlite3_open_v2(source, &from, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(from, BUSY_MS) != SQLITE_OK)
        error_set(error, ERROR_STORE, "cannot open %s: %s", source, sqlite3_errmsg(from));
    else if (sqlite3_open_v2(part, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
             sqlite3_exec(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL, NULL) !=
                 SQLITE_OK)
        error_set(error, ERROR_STORE, "cannot open %s: %s", part, sqlite3_errmsg(to));
    else if (schema_identify(from, source, &facts, error) == 0) {
        sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
        if (backup)
            sqlite3_backup_step(backup, -1);
        status = backup && sqlite3_backup_finish(backup) == SQLITE_OK
                     ? 0
                     : error_set(error, ERROR_STORE, "cannot copy the database to %s: %s", part,
                                 sqlite3_errmsg(to));
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
    struct stat opened, named;
    bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno != EWOULDBLOCK)
        error_set_errno(error, errno, "cannot lock %s", part);
    else if (!locked || fstat(file, &opened) < 0 || stat(part, &named) < 0 || opened.st_ino != named.st_ino)
        /* In the last case the other one has just renamed it. */
        error_set(error, ERROR_CONFLICT, "another backup is being written to %s", part);
    else if (fchmod(file, 0600) < 0 || ftruncate(file, 0) < 0)
        error_set_errno(error, errno, "cannot write %s", part);
    else
        return file;
    close(file);
    return -1;
}

/* Returns whether `file` is the database in the directory, its log or the service's lock, also by a link of another name. */
static bool file_is_live(const char *file, const char *directory)
{
    static const char *const parts[] = {"coalesced.db", "coalesced.db-wal", "coalesced.db-shm", "lock"};
    struct stat there, live;
    char name[PATH_MAX + 32];
    if (stat(file, &there) < 0)
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(name, sizeof name, "%s/%s", directory, parts[i]);
        if (stat(name, &live) == 0 && there.st_dev == live.st_dev && there.st_ino == live.st_ino)
            return true;
    }
    return false;
}

/* Checks the copy that was made of the database `of`, which an error names first. */
static int copy_check(const char *copy, const char *of, struct database_facts *facts, struct error *error)
{
    struct error why = {0};
    if (schema_check(copy, true, facts, &why) == 0)
        return 0;
    return error_set(error, why.kind, "%s: its copy %s", of, why.text);
}

/* `file` is there whole and synced, readable by its owner alone, or not at all: it is made as FILE.part. Blocks
   no writer: it reads in one transaction, and what is written meanwhile stays in the database's log until that
   ends. */
static int backup_make(const char *directory, const char *file, bool force, struct database_facts *facts,
                       struct error *error)
{
    char source[PATH_MAX], part[PATH_MAX];
    if (snprintf(source, sizeof source, "%s/coalesced.db", directory) >= (int)sizeof source ||
        snprintf(part, sizeof part, "%s.part", file) >= (int)sizeof part)
        return error_set(error, ERROR_INVALID, "the name is too long");
    if (access(source, R_OK) < 0)
        return errno == ENOENT
                   ? error_set(error, ERROR_NOT_FOUND,
                               "there is no database in %s: is that the data directory?", directory)
                   : error_set_errno(error, errno, "cannot read %s: run this as the user of the service",
                                     source);
    struct stat there;
    if (stat(file, &there) == 0 && S_ISDIR(there.st_mode))
        return error_set(error, ERROR_INVALID, "%s is a directory: name the file of the backup", file);
    if (!force && access(file, F_OK) == 0)
        return error_set(error, ERROR_CONFLICT, "%s is there already; --force replaces it", file);
    if (file_is_live(file, directory))
        return error_set(error, ERROR_INVALID, "%s is a file of the service itself", file);
    int lock = part_open(part, error);
    if (lock < 0)
        return -1;
    int status = database_copy(source, part, error);
    if (status == 0 && fsync(lock) < 0)
        status = error_set_errno(error, errno, "cannot sync %s", part);
    if (status == 0)
        status = copy_check(part, source, facts, error);
    if (status == 0 && rename(part, file) < 0)
        status = error_set_errno(error, errno, "cannot rename %s to %s", part, file);
    if (status < 0)
        unlink(part);
    else
        status = data_directory_sync_name(file, error);
    close(lock);
    return status;
}

/* ---- restore; the data directory is the working directory ---- */

static const char database[] = "coalesced.db", fresh[] = "coalesced.db.restoring";

enum { ASIDE_BYTES = 64 };

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
static int owner_set(const char *path, struct error *error)
{
    struct stat status;
    if (geteuid() != 0)
        return 0;
    if (stat(".", &status) < 0 || lchown(path, status.st_uid, status.st_gid) < 0)
        return error_set_errno(error, errno, "cannot give %s to the owner of the data directory", path);
    return 0;
}

/* The copy is synced, and readable by its owner alone. */
static int fresh_make(int source, struct error *error)
{
    ssize_t count = 0;
    unlink(fresh);
    int target = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (target >= 0 && (count = sendfile(target, source, NULL, COPY_BYTES)) > 0)
        ;
    int status = target < 0 || count < 0 || fsync(target) < 0
                     ? error_set_errno(error, errno, "cannot copy the file to %s", fresh)
                     : owner_set(fresh, error);
    if (target >= 0)
        close(target);
    return status;
}

/* Links the old database to a second name, so that the first always has a file; renames it where links are
   impossible. */
static int aside_name(char aside[ASIDE_BYTES], struct error *error)
{
    char moment[32];
    time_t now = time(NULL);
    strftime(moment, sizeof moment, "%Y%m%dT%H%M%SZ", gmtime(&now));
    snprintf(aside, ASIDE_BYTES, "%s.before-%s", database, moment);
    for (int i = 2; link(database, aside) < 0; i++) {
        if (errno != EEXIST)
            return rename(database, aside) == 0
                       ? 0
                       : error_set_errno(error, errno, "cannot put the old database aside as %s", aside);
        snprintf(aside, ASIDE_BYTES, "%s.before-%s-%d", database, moment, i);
    }
    return 0;
}

/* Puts the old database aside, after moving what a crash left in the log into it. Where that fails, the log is
   put aside with it. */
static int aside_put(char aside[ASIDE_BYTES], struct error *error)
{
    static const char log[] = "coalesced.db-wal";
    char aside_log[ASIDE_BYTES + 8];
    struct stat status;
    sqlite3 *db = NULL;
    if (access(database, F_OK) == 0) {
        if (sqlite3_open_v2(database, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK)
            sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
        sqlite3_close(db);
        if (aside_name(aside, error) < 0)
            return -1;
        snprintf(aside_log, sizeof aside_log, "%s-wal", aside);
        if (stat(log, &status) == 0 && status.st_size > 0 && rename(log, aside_log) < 0)
            return error_set_errno(error, errno, "cannot put %s aside", log);
    } else if (stat(log, &status) == 0 && status.st_size > 0) {
        /* The database was moved away; its log has its last commits. */
        snprintf(aside, ASIDE_BYTES, "%s.before-%lld-wal", database, (long long)time(NULL));
        if (rename(log, aside) < 0)
            return error_set_errno(error, errno, "cannot put %s aside", log);
    }
    unlink(log); /* empty by now, or gone */
    unlink("coalesced.db-shm");
    return 0;
}

/* Returns what is said of the log that lies beside the old database, or "" if there is none. */
static const char *log_aside(const char *directory, const char *aside)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s-wal", directory, aside);
    return length > 0 && length < (int)sizeof path && access(path, F_OK) == 0
               ? ", with its log beside it (-wal): keep both"
               : "";
}

/* Checks the file and puts a copy of it in the place of the data directory's database, which lies beside it
   then under the name `aside`; empty: there was none. It is in place until the last step, which is one
   rename. Takes the directory's lock, which only a server holds otherwise. */
static int backup_restore(const char *file, const char *directory, char aside[ASIDE_BYTES],
                          struct database_facts *facts, struct error *error)
{
    int status = -1, lock = -1, source = open(file, O_RDONLY | O_CLOEXEC);
    aside[0] = '\0';
    if (source < 0)
        return error_set_errno(error, errno, "cannot read %s", file);
    if (log_refuse(file, error) < 0 || schema_check(file, false, facts, error) < 0 ||
        (lock = data_directory_lock(directory, error)) < 0)
        goto out;
    if (chdir(directory) < 0) {
        error_set_errno(error, errno, "cannot enter %s", directory);
        goto out;
    }
    if (owner_set("lock", error) == 0 && fresh_make(source, error) == 0 &&
        copy_check(fresh, file, facts, error) == 0 && aside_put(aside, error) == 0)
        status = rename(fresh, database) < 0
                     ? error_set_errno(error, errno, "cannot put the database in place")
                     : data_directory_sync_name(database, error);
    if (status < 0)
        unlink(fresh);
out:
    if (lock >= 0)
        close(lock);
    close(source);
    return status;
}

/* ---- the commands ---- */

enum { DONE = 0, FAILED = 1, WRONG = 2 }; /* exit statuses */

struct backup_arguments {
    const char *command, *help;
    const char *file;
    char *directory; /* owned; NULL: none was named */
    bool force, helped;
};

#define DATA_DIR_HELP                                                                                        \
    "  --data-dir DIR  (COALESCED_DATA_DIR)\n"                                                               \
    "        where experiments are kept; by default $XDG_STATE_HOME/coalesced or ~/.local/state/coalesced\n"

static const char backup_help[] =
    "coalesced backup: copies what is kept into a file, while the service runs or not\n\n"
    "usage: coalesced backup FILE [--data-dir DIR] [--force]\n\n" DATA_DIR_HELP "  --force\n"
    "        replace FILE when it is there\n\n"
    "FILE holds the database as it was at one moment. It is checked, synced and readable by its owner alone; "
    "until all of\n"
    "that is done it is called FILE.part. Run it as the user of the service.\n\n"
    "examples:\n"
    "  coalesced backup /var/backups/coalesced-$(date +%F).db --data-dir /var/lib/coalesced\n"
    "  docker exec coalesced coalesced backup /var/lib/coalesced/backup.db --force\n";

static const char restore_help[] =
    "coalesced restore: puts a file that coalesced backup wrote in place, while no service runs\n\n"
    "usage: coalesced restore FILE [--data-dir DIR]\n\n" DATA_DIR_HELP "\n"
    "The structure of FILE is checked first, not each value: for that compare a checksum (sha256sum). The "
    "database that\n"
    "was there stays beside it, under the name that is printed. What waited or ran when the backup was made "
    "waits again.\n\n"
    "example:\n"
    "  systemctl stop coalesced\n"
    "  coalesced restore /var/backups/coalesced-2026-01-31.db --data-dir /var/lib/coalesced\n"
    "  systemctl start coalesced\n";

static int usage_error(const struct backup_arguments *line, const char *what, const char *word)
{
    fprintf(stderr, "coalesced %s: %s%s\n\n%s", line->command, what, word, line->help);
    return WRONG;
}

/* DONE; or WRONG, after saying why. */
static int command_line_read(struct backup_arguments *line, int argc, char **argv)
{
    static const struct option options[] = {{"data-dir", required_argument, NULL, 'd'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"force", no_argument, NULL, 'f'},
                                            {0}};
    const char *directory = NULL;
    struct error error = {0};
    bool may_force = line->help == backup_help;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option == ':')
            return usage_error(line, argv[optind - 1], " wants a value");
        if (option == '?' || (option == 'f' && !may_force))
            return usage_error(line, "there is no option ", argv[optind - 1]);
        directory = option == 'd' ? optarg : directory;
        line->helped |= option == 'h';
        line->force |= option == 'f';
    }
    if (line->helped)
        return DONE;
    if (optind + 1 != argc)
        return usage_error(line, optind < argc ? "one FILE is wanted, there are more" : "which FILE?", "");
    line->file = argv[optind];
    line->directory = directory ? strdup(directory) : config_data_dir(&error);
    return line->directory ? DONE : usage_error(line, directory ? "no memory" : error.text, "");
}

int backup_command(int argc, char **argv)
{
    bool restores = strcmp(argv[0], "restore") == 0;
    struct backup_arguments line = {.command = argv[0], .help = restores ? restore_help : backup_help};
    struct database_facts facts = {0};
    struct error error = {0};
    char aside[ASIDE_BYTES] = "";
    int exit_status = command_line_read(&line, argc, argv);
    if (exit_status == DONE && line.helped)
        fputs(line.help, stdout);
    else if (exit_status == DONE) {
        int status = restores ? backup_restore(line.file, line.directory, aside, &facts, &error)
                              : backup_make(line.directory, line.file, line.force, &facts, &error);
        if (status == 0)
            printf("%s %s: %lld experiments, %lld sweeps, %lld bytes, version %d of the database\n",
                   restores ? "restored" : "wrote", line.file, (long long)facts.experiments,
                   (long long)facts.sweeps, (long long)facts.bytes, facts.version);
        else
            fprintf(stderr, "coalesced %s: %s\n", line.command, error.text);
        if (aside[0] && status == 0)
            printf("what was there is %s/%s%s\n", line.directory, aside, log_aside(line.directory, aside));
        exit_status = status == 0 ? DONE : FAILED;
    }
    free(line.directory);
    return exit_status;
}
