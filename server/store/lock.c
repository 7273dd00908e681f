/* One service a data directory: a second one would take the first one's running work for what a crash left.
 */
#include "server/store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { LOCK_WAIT_MS = 1000 };

/* A directory is durable only when the one that names it is synced. */
static void directory_sync_parent(const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", directory);
    int parent = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent >= 0) {
        fsync(parent);
        close(parent);
    }
}

/* A disk that is full or fails may work again. */
static int disk_failed(struct error *error, int number, const char *what, const char *path)
{
    if (number == ENOSPC || number == EDQUOT || number == EIO)
        return error_set(error, ERROR_UNAVAILABLE, "%s %s: %s", what, path, strerror(number));
    return error_set_errno(error, number, "%s %s", what, path);
}

/* Most often the directory is another user's. */
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
    for (char *end = path + 1;; end++) {
        if (*end && *end != '/')
            continue;
        char kept = *end;
        *end = '\0';
        if (mkdir(path, 0700) == 0)
            directory_sync_parent(path);
        else if (errno != EEXIST)
            return disk_failed(error, errno, "cannot make the data directory", path);
        *end = kept;
        if (!kept)
            return 0;
    }
}

static int lock_refused(int file, const char *directory, struct error *error)
{
    char holder[32] = "";
    ssize_t size = pread(file, holder, sizeof holder - 1, 0);
    int pid = size > 0 ? atoi(holder) : 0;
    if (pid > 0)
        return error_set(error, ERROR_CONFLICT, "the data directory %s is in use by process %d", directory,
                         pid);
    return error_set(error, ERROR_CONFLICT, "the data directory %s is in use by another process", directory);
}

/* A service that is killed while it starts an executor leaves a process that holds its lock until it has become the
   executor, some milliseconds later: so whoever comes right after it waits for that long. */
static int lock_take(int file)
{
    for (int64_t end_ns = clock_monotonic_ns() + LOCK_WAIT_MS * 1000000LL;;) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK || clock_monotonic_ns() > end_ns)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

int lock_directory(const char *directory, struct error *error)
{
    if (directory_make(directory, error) < 0)
        return -1;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/lock", directory) >= (int)sizeof path)
        return error_set(error, ERROR_INVALID, "the data directory's name is too long");
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
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
    /* Only told, never trusted: what holds is the lock. So a full disk here is no reason to stay away. */
    if (ftruncate(file, 0) < 0 || dprintf(file, "%d\n", (int)getpid()) < 0)
        return file;
    return file;
}
