#include "server/store/data_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum { LOCK_WAIT_MS = 1000, LOCK_RETRY_MS = 5 };

int data_directory_sync_name(const char *path, struct error *error)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s", path);
    int parent = open(dirname(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = parent < 0 || fsync(parent) < 0 ? error_set_errno(error, errno, "cannot sync %s", name) : 0;
    if (parent >= 0)
        close(parent);
    return status;
}

/* ---- the lock: a second server would take the running work of the first one for what a crash left ---- */

static int disk_failed(struct error *error, int number, const char *what, const char *path)
{
    if (number == ENOSPC || number == EDQUOT || number == EIO)
        return error_set(error, ERROR_UNAVAILABLE, "%s %s: %s", what, path, strerror(number));
    return error_set_errno(error, number, "%s %s", what, path);
}

/* The most frequent cause is a directory of another user. */
static int open_failed(struct error *error, int number, const char *path, const char *directory)
{
    struct stat status;
    if (number != EACCES || stat(directory, &status) < 0 || status.st_uid == geteuid())
        return disk_failed(error, number, "cannot open", path);
    return error_set_errno(error, number, "cannot open %s as user %u: %s is user %u's", path,
                           (unsigned)geteuid(), directory, (unsigned)status.st_uid);
}

static int directory_make(const char *directory, struct error *error)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s", directory);
    if (length <= 0 || length >= (int)sizeof path)
        return error_set(error, ERROR_INVALID, "the data directory's name is empty or too long");
    for (char *end = path; end;) {
        if ((end = strchr(end + 1, '/')))
            *end = '\0';
        if (mkdir(path, 0700) == 0)
            data_directory_sync_name(path, NULL);
        else if (errno != EEXIST) {
            int number = errno;
            char what[PATH_MAX + 64];
            snprintf(what, sizeof what, "cannot make the data directory %s (--data-dir):", directory);
            return disk_failed(error, number, what, path);
        }
        if (end)
            *end = '/';
    }
    return 0;
}

static int lock_refused(int file, const char *directory, struct error *error)
{
    char holder[32] = "";
    int pid = pread(file, holder, sizeof holder - 1, 0) > 0 ? atoi(holder) : 0;
    if (pid > 0)
        snprintf(holder, sizeof holder, "process %d", pid);
    return error_set(error, ERROR_CONFLICT, "the data directory %s is in use by %s", directory,
                     pid > 0 ? holder : "another process");
}

/* A server that is killed between fork() and exec() of an executor leaves a child that holds the lock for
   some milliseconds, so a server that is started at once waits for that long. */
static int lock_take(int file)
{
    int64_t end_ns = clock_monotonic_ns() + LOCK_WAIT_MS * 1000000LL;
    while (flock(file, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK || clock_monotonic_ns() > end_ns)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = LOCK_RETRY_MS * 1000000L}, NULL);
    }
    return 0;
}

int data_directory_lock(const char *directory, struct error *error)
{
    if (directory_make(directory, error) < 0)
        return -1;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/lock", directory) >= (int)sizeof path)
        return error_set(error, ERROR_INVALID, "the data directory's name is too long");
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0 && errno == ENOTDIR)
        return error_set(error, ERROR_INVALID, "%s (--data-dir) is not a directory", directory);
    if (file < 0)
        return open_failed(error, errno, path, directory);
    if (lock_take(file) < 0) {
        if (errno == EWOULDBLOCK)
            lock_refused(file, directory, error);
        else
            error_set_errno(error, errno, "cannot lock %s", path);
        close(file);
        return -1;
    }
    /* The process id is for lock_refused() alone, so a full disk is no reason to fail. */
    if (ftruncate(file, 0) < 0 || dprintf(file, "%d\n", (int)getpid()) < 0)
        return file;
    return file;
}

/* ---- the database's files ---- */

void data_directory_note(struct data_directory *directory, sqlite3 *db, const char *path)
{
    /* Where the path is a link, the log lies beside the link's target. */
    const char *name = sqlite3_db_filename(db, "main");
    snprintf(directory->files[0].path, PATH_MAX, "%s", path);
    snprintf(directory->files[1].path, PATH_MAX, "%s", name ? sqlite3_filename_wal(name) : "");
    snprintf(directory->files[2].path, PATH_MAX, "%s-shm", name ? name : "");
    for (int i = 0; i < DATA_DIRECTORY_FILES; i++) {
        struct stat status = {0};
        if (stat(directory->files[i].path, &status) < 0)
            continue;
        directory->files[i].device = status.st_dev;
        directory->files[i].inode = status.st_ino;
    }
}

int data_directory_check(const struct data_directory *directory, int count, struct error *error)
{
    for (int i = 0; i < count; i++) {
        struct stat status = {0};
        if (!directory->files[i].inode)
            continue;
        int found = stat(directory->files[i].path, &status);
        if (found == 0 && status.st_dev == directory->files[i].device &&
            status.st_ino == directory->files[i].inode)
            continue;
        /* After a restart without the log, SQLite makes a new one. After a restart without the database, the service begins
           with an empty one: so a backup has to be restored. */
        const char *path = directory->files[i].path, *ending = strrchr(path, '.');
        const bool database = ending && strcmp(ending, ".db") == 0;
        return error_set(error, ERROR_STORE,
                         "%.200s %s (%s): put back the file that the service opened, or %s", path,
                         found < 0 ? "cannot be found" : "is another file",
                         found < 0 ? strerror(errno) : "moved or replaced while the service runs",
                         database ? "stop the service and restore a backup" : "restart the service");
    }
    return 0;
}

/* ---- the reserve of the disk ---- */

enum {
    EXPERIMENT_BYTES = 8192, /* with its result and its index entries */
    SPACE_LOOK_MS = 200,     /* between two looks at the file system */
    LOG_HEADROOM_PART = 4,   /* logs leave that part of the reserve free beside it, for submissions */
};

int64_t disk_reserve_bytes(int64_t reserve_bytes, int64_t total_bytes)
{
    return reserve_bytes < total_bytes / 2 ? reserve_bytes : total_bytes / 2;
}

/* Sets *reserve, and *free_bytes to what is free beyond it. False: the file system does not say. */
static bool file_system_read(int file, int64_t reserve_bytes, int64_t *free_bytes, int64_t *reserve)
{
    struct statvfs disk;
    if (fstatvfs(file, &disk) < 0 || !disk.f_blocks)
        return false;
    *reserve = disk_reserve_bytes(reserve_bytes, (int64_t)disk.f_blocks * (int64_t)disk.f_frsize);
    *free_bytes = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize - *reserve;
    return true;
}

bool disk_reserve_reached(int file, int64_t reserve_bytes)
{
    int64_t free_bytes, reserve;
    return reserve_bytes && file_system_read(file, reserve_bytes, &free_bytes, &reserve) &&
           free_bytes < EXPERIMENT_BYTES;
}

int64_t disk_reserve_log_bytes(int file, int64_t reserve_bytes)
{
    int64_t free_bytes, reserve;
    if (!reserve_bytes || !file_system_read(file, reserve_bytes, &free_bytes, &reserve))
        return INT64_MAX;
    return free_bytes - reserve / LOG_HEADROOM_PART;
}

int disk_reserve_take(struct disk_reserve *reserve, int experiments, struct error *error)
{
    return disk_reserve_take_bytes(reserve, (int64_t)experiments * EXPERIMENT_BYTES, error);
}

int disk_reserve_take_bytes(struct disk_reserve *reserve, int64_t wanted, struct error *error)
{
    int64_t now_ns = clock_monotonic_ns(), reserved;
    if (!reserve->reserve_bytes)
        return 0;
    if (!reserve->looked_ns || now_ns - reserve->looked_ns > SPACE_LOOK_MS * 1000000LL) {
        if (!file_system_read(reserve->file, reserve->reserve_bytes, &reserve->free_bytes, &reserved))
            return 0; /* the write itself fails then */
        reserve->looked_ns = now_ns;
    }
    bool refusing = reserve->free_bytes < EXPERIMENT_BYTES;
    if (refusing && !reserve->refusing)
        log_warning("store: the disk is nearly full: submissions are refused");
    else if (!refusing && reserve->refusing)
        log_info("store: submissions are taken again");
    reserve->refusing = refusing;
    if (reserve->free_bytes < wanted)
        return error_set(
            error, ERROR_STORAGE,
            "the disk of the data directory is too full: %lld bytes are missing, beside those"
            " that --reserve-bytes keeps free for what runs and waits already; free space in another way, or"
            " remove what has ended (DELETE with ?remove=true, --keep-days, --keep-bytes): that makes room "
            "once"
            " it cannot be undone, and is refused while no byte is free",
            (long long)(wanted - reserve->free_bytes));
    reserve->free_bytes -= wanted;
    return 0;
}
