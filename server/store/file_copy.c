#include "server/store/file_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

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

int file_copy_file(const char *from, const char *to, struct error *error)
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

int file_copy_sync(const char *path, struct error *error)
{
    return path_sync(path, 0, error);
}

int file_copy_sync_name(const char *path, struct error *error)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s", path);
    return path_sync(dirname(name), O_DIRECTORY, error);
}
