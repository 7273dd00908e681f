/* Files of locks: machine_lock.h. */
#include "executor/machine_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

const char *machine_lock_directory(char path[PATH_MAX])
{
    struct stat found;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime && runtime[0] == '/')
        snprintf(path, PATH_MAX, "%s/coalesced-locks", runtime);
    if (!runtime || runtime[0] != '/' || (mkdir(path, 0700) < 0 && errno != EEXIST)) {
        snprintf(path, PATH_MAX, "/tmp/coalesced-locks-%ld", (long)geteuid());
        mkdir(path, 0700);
    }
    /* Anybody can make a directory, or a link to another place, in /tmp. */
    if (lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid())
        return path;
    log_warning("executor: no directory for locks at %s: other executors are not kept away", path);
    return NULL;
}

/* Opens `<name><suffix>.lock`, which it makes when it is missing; its path in `path`. Child processes do not
   inherit the descriptor. -1: ERROR_INVALID, ERROR_SYSTEM. */
static int lock_open(const char *directory, const char *name, const char *suffix, char path[PATH_MAX],
                     struct error *error)
{
    if (!name[0] || name[0] == '.' || strchr(name, '/'))
        return error_set(error, ERROR_INVALID, "\"%s\" cannot be the name of a lock", name);
    if (snprintf(path, PATH_MAX, "%s/%s%s.lock", directory, name, suffix) >= PATH_MAX)
        return error_set(error, ERROR_INVALID, "the path of the locks' directory is too long");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    /* Another user's file in a shared directory: flock() needs no write access. */
    if (fd < 0 && errno == EACCES)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? error_set_errno(error, errno, "cannot open %s", path) : fd;
}

/* ---- for the life of the process ---- */

static int lock_within(int fd, double wait_s, const char *path, struct error *error)
{
    static const struct timespec pause = {.tv_nsec = 20000000};
    int64_t until_ns = clock_after_ns(wait_s);
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return error_set_errno(error, errno, "cannot lock %s", path);
        if (clock_monotonic_ns() >= until_ns) {
            char holder[16] = "";
            ssize_t count = pread(fd, holder, sizeof holder - 1, 0);
            holder[count > 0 ? strcspn(holder, "\n") : 0] = '\0';
            return error_set(error, ERROR_CONFLICT, "the device is in use: %s is held by process %s", path,
                             holder);
        }
        nanosleep(&pause, NULL);
    }
    return 0;
}

int machine_lock_device(const char *directory, const char *uuid, bool counting, double wait_s,
                        struct error *error)
{
    char path[PATH_MAX];
    int fd = lock_open(directory, uuid, counting ? ".counting" : "", path, error);
    if (fd < 0)
        return -1;
    if (lock_within(fd, wait_s, path, error) < 0) {
        close(fd);
        return -1;
    }
    if (ftruncate(fd, 0) == 0) /* the holder's process id, for the error message of the next process */
        dprintf(fd, "%ld\n", (long)getpid());
    return 0;
}

/* ---- for a run ---- */

static void take(struct machine_lock *lock, const char *name, const char *suffix)
{
    struct error error = {0};
    char path[PATH_MAX];
    if (!lock->directory)
        return;
    int fd = lock_open(lock->directory, name, suffix, path, &error);
    if (fd < 0) {
        log_warning("executor: %s: the run goes on without this lock", error.text);
        return;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        if (lock->waits && !lock->waited)
            lock->waits(lock->arg);
        lock->waited = true;
        while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
            ;
    }
    lock->held[lock->count++] = fd;
}

void machine_lock_take(struct machine_lock *lock, const char *peer, bool host_link)
{
    bool two = peer[0] && strcmp(peer, lock->uuid) != 0, peer_first = two && strcmp(peer, lock->uuid) < 0;
    take(lock, peer_first ? peer : lock->uuid, ".run");
    if (two)
        take(lock, peer_first ? lock->uuid : peer, ".run");
    if (host_link)
        machine_lock_take_host_link(lock);
    lock->waited = false;
}

void machine_lock_take_host_link(struct machine_lock *lock)
{
    if (!lock->host_link)
        take(lock, "host-link", "");
    lock->host_link = true;
    lock->waited = false;
}

void machine_lock_release(struct machine_lock *lock)
{
    while (lock->count)
        close(lock->held[--lock->count]);
    lock->host_link = false;
}
