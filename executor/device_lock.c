#include "executor/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* The holder's process id, for whoever has to look for it. */
static void write_holder(int fd)
{
    if (ftruncate(fd, 0) == 0)
        dprintf(fd, "%ld\n", (long)getpid());
}

static int lock_within(int fd, double wait_s, const char *path, struct error *error)
{
    static const struct timespec pause = {.tv_nsec = 20000000};
    int64_t until = clock_monotonic_ns() + (int64_t)(wait_s * 1e9);
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return error_set_errno(error, errno, "cannot lock %s", path);
        if (clock_monotonic_ns() >= until) {
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

const char *device_lock_directory(char path[PATH_MAX])
{
    struct stat found;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime && runtime[0] == '/')
        snprintf(path, PATH_MAX, "%s/coalesced-locks", runtime);
    if (!runtime || runtime[0] != '/' || (mkdir(path, 0700) < 0 && errno != EEXIST)) {
        snprintf(path, PATH_MAX, "/tmp/coalesced-locks-%ld", (long)geteuid());
        mkdir(path, 0700);
    }
    /* In /tmp anybody may have made it, or a link to somewhere else. */
    if (lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid())
        return path;
    log_warning("executor: %s cannot be had for locks: no other executor is kept away", path);
    return NULL;
}

int device_lock_open(const char *directory, const char *name, const char *suffix, char path[PATH_MAX],
                     struct error *error)
{
    if (!name[0] || name[0] == '.' || strchr(name, '/'))
        return error_set(error, ERROR_INVALID, "\"%s\" cannot be the name of a lock", name);
    if (snprintf(path, PATH_MAX, "%s/%s%s.lock", directory, name, suffix) >= PATH_MAX)
        return error_set(error, ERROR_INVALID, "the lock's directory has too long a name");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 &&
        errno == EACCES) /* another user's in a directory of both: to be locked it need only be read */
        fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? error_set_errno(error, errno, "cannot open %s", path) : fd;
}

int device_lock(const char *directory, const char *uuid, bool counting, double wait_s, struct error *error)
{
    char path[PATH_MAX];
    int fd = device_lock_open(directory, uuid, counting ? ".counting" : "", path, error);
    if (fd < 0)
        return -1;
    if (lock_within(fd, wait_s, path, error) < 0) {
        close(fd);
        return -1;
    }
    write_holder(fd);
    return 0;
}
