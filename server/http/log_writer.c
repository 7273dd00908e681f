/* Writes whole lines to a file, rotates it and follows its renaming; and the two buffers of lines, one that
   requests fill and one that the thread writes. */
#include "server/http/log_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"

/* ---- the file ---- */

enum { MODE = 0640, PIPE_LOOK_MS = 100 };

/* The path, or "standard output". */
static const char *log_file_name(const struct log_file *file)
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

/* Renames FILE to FILE.0 before it touches older files, and back if those cannot be renamed. FILE.0 exists
   before if the service was killed between the two. -1 with errno. */
static int file_move_aside(const struct log_file *file)
{
    char aside[PATH_MAX];
    if (name_make(file, 0, aside) < 0 || (access(aside, F_OK) == 0 && names_shift(file) < 0) ||
        rename(file->path, aside) < 0)
        return -1;
    if (names_shift(file) == 0)
        return 0;
    int reason = errno;
    if (rename(aside, file->path) < 0)
        log_debug("cannot rename %s back: %s", aside, strerror(errno));
    errno = reason;
    return -1;
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
    if (fchown(file->fd, (uid_t)-1, status.st_gid) < 0 || fchmod(file->fd, status.st_mode & 0777) < 0)
        log_debug("a new log has not the group and mode of the old one: %s", strerror(errno));
    return 0;
}

/* Waits until a pipe takes bytes; false after log_file.interrupted was set, with errno. */
static bool pipe_wait(struct log_file *file)
{
    struct pollfd ready = {.fd = file->fd, .events = POLLOUT};
    while (poll(&ready, 1, PIPE_LOOK_MS) == 0)
        if (atomic_load(&file->interrupted)) {
            errno = EAGAIN;
            return false;
        }
    return true;
}

/* The bytes of the whole lines among the first `size` ones. */
static size_t whole_lines(const char *lines, size_t size)
{
    while (size && lines[size - 1] != '\n')
        size--;
    return size;
}

/* Returns how many bytes were written; if not all, errno says why. */
static size_t lines_write(struct log_file *file, bool regular, const char *data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        size_t part = regular || size - done < PIPE_BUF ? size - done : PIPE_BUF;
        if (!regular && !pipe_wait(file))
            break;
        ssize_t written = write(file->fd, data + done, part);
        if (written > 0)
            done += (size_t)written;
        else if (errno != EINTR && (regular || errno != EAGAIN))
            break;
    }
    int reason = errno;
    size_t torn = regular && file->path ? done - whole_lines(data, done) : 0;
    if (torn && ftruncate(file->fd, lseek(file->fd, 0, SEEK_END) - (off_t)torn) < 0)
        log_debug("cannot take back half a line: %s", strerror(errno));
    errno = reason;
    return done;
}

/* Returns how many of the bytes may be written, in whole lines. */
static size_t lines_that_fit(const struct log_file *file, const char *lines, size_t size)
{
    const struct log_limits *limits = &file->limits;
    int64_t budget = limits->budget ? limits->budget(limits->budget_arg, file->fd) : INT64_MAX;
    return budget >= (int64_t)size ? size : whole_lines(lines, budget > 0 ? (size_t)budget : 0);
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

/* ---- the writer ---- */

enum { FLUSH_BYTES = 64 << 10, BUFFERED_BYTES = 4 << 20, REUSED_BYTES = 256 << 10, FLUSH_MS = 100 };

struct log_writer {
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t filled;
    struct buffer lines;
    size_t line_at; /* where the present line begins */
    uint64_t lost;  /* lines, not yet reported to the thread */
    int64_t second;
    char now[CLOCK_TEXT_BYTES]; /* the text of that second */
    struct log_file file; /* used by the thread alone, as what follows; interrupted: the thread is to end */
    bool failing;
    struct buffer writing;
    uint64_t lost_while_failing;
};

static void failure_log(struct log_writer *log_writer, const struct error *why)
{
    if (!log_writer->failing)
        log_warning("%s; lines are lost until it works", why->text);
    log_writer->failing = true;
}

static void losses_log(struct log_writer *log_writer)
{
    if (log_writer->lost_while_failing)
        log_warning("%s: %llu lines were lost", log_file_name(&log_writer->file),
                    (unsigned long long)log_writer->lost_while_failing);
    log_writer->lost_while_failing = 0;
}

/* `lost`: lines that did not fit into memory. */
static void log_writer_flush(struct log_writer *log_writer, uint64_t lost)
{
    struct buffer *lines = &log_writer->writing;
    struct error why = {0};
    size_t written = log_file_write(&log_writer->file, lines->data, lines->size, &why);
    log_writer->lost_while_failing += lost;
    if (written < lines->size) {
        for (size_t i = written; i < lines->size; i++)
            log_writer->lost_while_failing += lines->data[i] == '\n';
        failure_log(log_writer, &why);
    } else {
        log_writer->failing = false;
        losses_log(log_writer);
    }
    lines->size = 0;
    if (lines->allocated > REUSED_BYTES)
        buffer_free(lines);
}

/* Waits for a line, and then FLUSH_MS for further lines to write with it. Called with the lock held. */
static void lines_wait(struct log_writer *log_writer)
{
    while (!atomic_load(&log_writer->file.interrupted) && !log_writer->lines.size)
        pthread_cond_wait(&log_writer->filled, &log_writer->lock);
    int64_t until_ns = clock_monotonic_ns() + FLUSH_MS * 1000000LL;
    while (!atomic_load(&log_writer->file.interrupted) && log_writer->lines.size < FLUSH_BYTES)
        if (thread_wait_until(&log_writer->filled, &log_writer->lock, until_ns) == ETIMEDOUT)
            break;
}

static void *log_writer_main(void *arg)
{
    struct log_writer *log_writer = arg;
    pthread_mutex_lock(&log_writer->lock);
    for (;;) {
        lines_wait(log_writer);
        if (!log_writer->lines.size)
            break;
        struct buffer filled = log_writer->lines;
        uint64_t lost = log_writer->lost;
        log_writer->lines = log_writer->writing;
        log_writer->writing = filled;
        log_writer->lost = 0;
        pthread_mutex_unlock(&log_writer->lock);
        log_writer_flush(log_writer, lost);
        pthread_mutex_lock(&log_writer->lock);
    }
    pthread_mutex_unlock(&log_writer->lock);
    losses_log(log_writer);
    return NULL;
}

static void log_writer_free(struct log_writer *log_writer)
{
    log_file_close(&log_writer->file);
    buffer_free(&log_writer->lines);
    buffer_free(&log_writer->writing);
    free(log_writer);
}

int log_writer_open(struct log_writer **out, const char *path, const struct log_limits *limits,
                    struct error *error)
{
    struct log_writer *log_writer = calloc(1, sizeof *log_writer);
    struct error why = {0};
    if (!log_writer)
        return error_set(error, ERROR_MEMORY, "no memory for %s", path);
    bool opened = log_file_open(&log_writer->file, path, limits, &why) == 0;
    if (!opened && why.kind != ERROR_UNAVAILABLE) {
        log_writer_free(log_writer);
        return error_set(error, why.kind, "%s", why.text);
    }
    if (!opened)
        failure_log(log_writer, &why);
    pthread_mutex_init(&log_writer->lock, NULL);
    thread_condition_init(&log_writer->filled);
    if (thread_start(&log_writer->thread, "log-writer", log_writer_main, log_writer, error) < 0) {
        log_writer_free(log_writer);
        return -1;
    }
    *out = log_writer;
    return 0;
}

void log_writer_close(struct log_writer *log_writer)
{
    if (!log_writer)
        return;
    pthread_mutex_lock(&log_writer->lock);
    atomic_store(&log_writer->file.interrupted, true);
    pthread_cond_signal(&log_writer->filled);
    pthread_mutex_unlock(&log_writer->lock);
    pthread_join(log_writer->thread, NULL);
    pthread_cond_destroy(&log_writer->filled);
    pthread_mutex_destroy(&log_writer->lock);
    log_writer_free(log_writer);
}

/* Formats a second once and inserts the milliseconds. */
static void now_write(struct log_writer *log_writer, char now[CLOCK_TEXT_BYTES])
{
    int64_t wall_ms = clock_wall_ms();
    if (wall_ms / 1000 != log_writer->second)
        clock_text(wall_ms, log_writer->now);
    log_writer->second = wall_ms / 1000;
    memcpy(now, log_writer->now, CLOCK_TEXT_BYTES);
    char *digits = now + sizeof "2026-11-21T06:41:19." - 1;
    for (int i = 2; i >= 0; i--, wall_ms /= 10)
        digits[i] = (char)('0' + wall_ms % 10);
}

bool log_writer_is_full(struct log_writer *log_writer)
{
    pthread_mutex_lock(&log_writer->lock);
    bool full = log_writer->lines.size > BUFFERED_BYTES;
    pthread_mutex_unlock(&log_writer->lock);
    return full;
}

struct buffer *log_writer_begin(struct log_writer *log_writer, char now[CLOCK_TEXT_BYTES])
{
    pthread_mutex_lock(&log_writer->lock);
    if (log_writer->lines.size > BUFFERED_BYTES) {
        log_writer->lost++;
        pthread_mutex_unlock(&log_writer->lock);
        return NULL;
    }
    now_write(log_writer, now);
    log_writer->line_at = log_writer->lines.size;
    return &log_writer->lines;
}

void log_writer_end(struct log_writer *log_writer)
{
    struct buffer *lines = &log_writer->lines;
    if (buffer_text(lines, "\n") < 0) { /* no memory for this line */
        lines->size = log_writer->line_at;
        lines->failed = false;
        log_writer->lost++;
    }
    /* Wakes the thread for the first line, and when it should not wait for more. */
    if (lines->size >= FLUSH_BYTES || !log_writer->line_at)
        pthread_cond_signal(&log_writer->filled);
    pthread_mutex_unlock(&log_writer->lock);
}
