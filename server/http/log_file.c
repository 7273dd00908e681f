/* Writes whole lines to a file, rotates it and follows its renaming. */
#include "server/http/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

enum { MODE = 0640, PIPE_LOOK_MS = 100 };

const char *log_file_name(const struct log_file *file)
{
    return file->path ? file->path : "standard output";
}

/* Opening a named pipe that nobody reads fails with ENXIO, because of O_NONBLOCK. */
static int file_reopen(struct log_file *file)
{
    int fd = open(file->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, MODE);
    if (fd < 0)
        return -1;
    if (file->fd >= 0)
        close(file->fd);
    file->fd = fd;
    return 0;
}

int log_file_open(struct log_file *file, const char *path, const struct log_limits *limits,
                  struct error *error)
{
    bool named = strcmp(path, "-") != 0;
    *file = (struct log_file){.fd = named ? -1 : STDOUT_FILENO};
    if (limits)
        file->limits = *limits;
    if (!named)
        return 0;
    if (!(file->path = strdup(path)))
        return error_set(error, ERROR_MEMORY, "no memory for %s", path);
    if (file_reopen(file) == 0)
        return 0;
    int reason = errno;
    error_set_errno(error, reason, "cannot write to %s", path);
    if (reason == ENOSPC || reason == EDQUOT || reason == ENXIO)
        error->kind = ERROR_UNAVAILABLE;
    return -1;
}

void log_file_close(struct log_file *file)
{
    if (file->path && file->fd >= 0)
        close(file->fd);
    free(file->path);
}

void log_file_interrupt(struct log_file *file)
{
    atomic_store(&file->interrupted, true);
}

/* Opens the file again if somebody has renamed or removed it. -1 with errno. */
static int file_check(struct log_file *file)
{
    struct stat named, opened;
    if (!file->path || (stat(file->path, &named) == 0 && fstat(file->fd, &opened) == 0 &&
                        named.st_dev == opened.st_dev && named.st_ino == opened.st_ino))
        return 0;
    return file_reopen(file);
}

static int name_make(const struct log_file *file, int number, char name[PATH_MAX])
{
    if (snprintf(name, PATH_MAX, "%s.%d", file->path, number) < PATH_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

/* Renames FILE.0 to FILE.1, FILE.1 to FILE.2 and so on; the last one is replaced. -1 with errno. */
static int names_shift(const struct log_file *file)
{
    char from[PATH_MAX], to[PATH_MAX];
    for (int number = file->limits.files - 1; number >= 0; number--)
        if (name_make(file, number, from) < 0 || name_make(file, number + 1, to) < 0 ||
            (rename(from, to) < 0 && errno != ENOENT))
            return -1;
    return 0;
}

/* Renames FILE to FILE.0 before it touches older files, and back if those cannot be renamed. -1 with errno.
   */
static int file_move_aside(const struct log_file *file)
{
    char aside[PATH_MAX];
    if (name_make(file, 0, aside) < 0)
        return -1;
    /* FILE.0 exists if the service was killed between the two renames. */
    if (access(aside, F_OK) == 0 && names_shift(file) < 0)
        return -1;
    if (rename(file->path, aside) < 0)
        return -1;
    if (names_shift(file) == 0)
        return 0;
    int reason = errno;
    if (rename(aside, file->path) < 0)
        log_debug("cannot rename %s back: %s", aside, strerror(errno));
    errno = reason;
    return -1;
}

/* Gives the new file the group and the mode of the old one, if that is permitted. */
static void access_copy(int fd, const struct stat *old)
{
    if (fchown(fd, (uid_t)-1, old->st_gid) < 0 || fchmod(fd, old->st_mode & 0777) < 0)
        log_debug("a new log has not the group and mode of the old one: %s", strerror(errno));
}

/* Rotates the file if `size` more bytes would exceed the limit. A file that cannot be renamed goes on
   growing: a log beyond its limit is better than none. -1 with errno: the new file cannot be opened. */
static int file_rotate(struct log_file *file, size_t size)
{
    struct stat status;
    if (!file->limits.bytes || !file->path || fstat(file->fd, &status) < 0 || !S_ISREG(status.st_mode) ||
        !status.st_size || status.st_size + (off_t)size <= file->limits.bytes)
        return 0;
    bool failed = file_move_aside(file) < 0;
    if (failed && !file->unrotated)
        log_warning("cannot rename %s, which grows beyond --log-bytes: %s", file->path, strerror(errno));
    file->unrotated = failed;
    if (failed)
        return 0;
    if (file_reopen(file) < 0)
        return -1;
    access_copy(file->fd, &status);
    return 0;
}

/* Writes to a pipe and waits for its reader, until log_file_interrupt(). */
static int pipe_write(struct log_file *file, const char *data, size_t *size)
{
    struct pollfd ready = {.fd = file->fd, .events = POLLOUT};
    while (poll(&ready, 1, PIPE_LOOK_MS) == 0)
        if (atomic_load(&file->interrupted)) {
            errno = EAGAIN;
            return -1;
        }
    ssize_t written = write(file->fd, data, *size < PIPE_BUF ? *size : PIPE_BUF);
    *size = written < 0 ? 0 : (size_t)written;
    return written < 0 && errno != EINTR && errno != EAGAIN ? -1 : 0;
}

/* Removes the incomplete last line that a full disk leaves. */
static void line_remove(struct log_file *file, const char *data, size_t written)
{
    size_t torn = 0;
    while (torn < written && data[written - torn - 1] != '\n')
        torn++;
    off_t end = lseek(file->fd, 0, SEEK_END);
    if (torn && end >= (off_t)torn && ftruncate(file->fd, end - (off_t)torn) < 0)
        log_debug("cannot take back half a line: %s", strerror(errno));
}

/* Returns how many bytes were written; if not all, errno says why. */
static size_t lines_write(struct log_file *file, bool regular, const char *data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        size_t part = size - done;
        if (!regular) {
            if (pipe_write(file, data + done, &part) < 0)
                return done;
        } else {
            ssize_t written = write(file->fd, data + done, part);
            if (written <= 0 && errno != EINTR) {
                int reason = errno;
                if (file->path)
                    line_remove(file, data, done);
                errno = reason;
                return done;
            }
            part = written < 0 ? 0 : (size_t)written;
        }
        done += part;
    }
    return done;
}

/* Returns how many of the bytes may be written, in whole lines. */
static size_t lines_that_fit(const struct log_file *file, const char *lines, size_t size)
{
    const struct log_limits *limits = &file->limits;
    int64_t budget = limits->budget ? limits->budget(limits->budget_arg, file->fd) : INT64_MAX;
    if (budget >= (int64_t)size)
        return size;
    size_t fit = budget > 0 ? (size_t)budget : 0;
    while (fit && lines[fit - 1] != '\n')
        fit--;
    return fit;
}

size_t log_file_write(struct log_file *file, const char *lines, size_t size, struct error *error)
{
    struct stat status;
    size_t written = 0, fit = size;
    errno = 0;
    if (file_check(file) == 0 && file_rotate(file, size) == 0) {
        bool regular = fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode);
        if (regular)
            fit = lines_that_fit(file, lines, size);
        written = lines_write(file, regular, lines, fit);
    }
    if (written < fit)
        error_set_errno(error, errno, "cannot write to %s", log_file_name(file));
    else if (fit < size)
        error_set(error, ERROR_STORAGE,
                  "cannot write to %s: what is left of the disk is kept for experiments (--reserve-bytes)",
                  log_file_name(file));
    return written;
}
