#include "server/http/log/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

enum { FLUSH_BYTES = 64 << 10, ROOM_BYTES = 4 << 20, KEPT_BYTES = 256 << 10, FLUSH_MS = 100, MODE = 0640 };

struct journal {
    char *path; /* NULL: standard output */
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t filled;
    struct buffer lines;
    size_t line_at; /* where the present line begins */
    uint64_t lost;  /* lines, not yet told */
    int64_t second;
    char now[CLOCK_TEXT_BYTES]; /* of that second */
    bool stopped;
    /* of the thread that writes */
    int fd;
    bool failing;
    struct buffer writing;
    uint64_t lost_while_failing;
};

/* A named pipe that nobody reads yet is an error, ENXIO, and not waited for. */
static int file_open(struct journal *journal)
{
    int fd = open(journal->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, MODE);
    if (fd < 0)
        return -1;
    if (journal->fd >= 0)
        close(journal->fd);
    journal->fd = fd;
    return 0;
}

/* Somebody has renamed or removed the file: the name is another one's now, or nobody's. */
static int file_follow(struct journal *journal)
{
    struct stat named, held;
    if (!journal->path || (stat(journal->path, &named) == 0 && fstat(journal->fd, &held) == 0 &&
                           named.st_dev == held.st_dev && named.st_ino == held.st_ino))
        return 0;
    return file_open(journal);
}

static bool is_stopped(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    bool stopped = journal->stopped;
    pthread_mutex_unlock(&journal->lock);
    return stopped;
}

/* A reader of a pipe that does not read holds up this thread, but not the service's end. */
static int pipe_write(struct journal *journal, const char *data, size_t *size)
{
    struct pollfd ready = {.fd = journal->fd, .events = POLLOUT};
    while (poll(&ready, 1, FLUSH_MS) == 0)
        if (is_stopped(journal)) {
            errno = EAGAIN;
            return -1;
        }
    ssize_t written = write(journal->fd, data, *size < PIPE_BUF ? *size : PIPE_BUF);
    *size = written < 0 ? 0 : (size_t)written;
    return written < 0 && errno != EINTR && errno != EAGAIN ? -1 : 0;
}

/* Only whole lines stay: one that the disk had no room for the end of is taken back. */
static void line_take_back(struct journal *journal, const char *data, size_t written)
{
    size_t torn = 0;
    while (torn < written && data[written - torn - 1] != '\n')
        torn++;
    off_t end = lseek(journal->fd, 0, SEEK_END);
    if (torn && end >= (off_t)torn && ftruncate(journal->fd, end - (off_t)torn) < 0)
        log_debug("cannot take back half a line: %s", strerror(errno));
}

/* How many bytes were written; less than all of them with errno set. */
static size_t lines_write(struct journal *journal, const char *data, size_t size)
{
    struct stat status;
    bool regular = fstat(journal->fd, &status) == 0 && S_ISREG(status.st_mode);
    size_t done = 0;
    while (done < size) {
        size_t part = size - done;
        if (!regular) {
            if (pipe_write(journal, data + done, &part) < 0)
                return done;
        } else {
            ssize_t written = write(journal->fd, data + done, part);
            if (written <= 0 && errno != EINTR) {
                int reason = errno;
                if (journal->path)
                    line_take_back(journal, data, done);
                errno = reason;
                return done;
            }
            part = written < 0 ? 0 : (size_t)written;
        }
        done += part;
    }
    return done;
}

static void failure_tell(const char *name, int reason)
{
    log_warning("cannot write to %s: %s; lines are lost until it works", name, strerror(reason));
}

static void losses_tell(struct journal *journal)
{
    const char *name = journal->path ? journal->path : "standard output";
    if (journal->lost_while_failing)
        log_warning("%s: %llu lines were lost", name, (unsigned long long)journal->lost_while_failing);
    journal->lost_while_failing = 0;
}

/* `lost`: lines for which there was no room in memory. */
static void journal_flush(struct journal *journal, uint64_t lost)
{
    struct buffer *lines = &journal->writing;
    const char *name = journal->path ? journal->path : "standard output";
    errno = 0;
    size_t written = file_follow(journal) < 0 ? 0 : lines_write(journal, lines->data, lines->size);
    int reason = errno;
    journal->lost_while_failing += lost;
    if (written < lines->size) {
        for (size_t i = written; i < lines->size; i++)
            journal->lost_while_failing += lines->data[i] == '\n';
        if (!journal->failing)
            failure_tell(name, reason);
        journal->failing = true;
    } else {
        journal->failing = false;
        losses_tell(journal);
    }
    lines->size = 0;
    if (lines->room > KEPT_BYTES)
        buffer_free(lines);
}

/* Waits for the first line, and then for more to write with it. */
static void lines_wait(struct journal *journal)
{
    struct timespec until;
    while (!journal->stopped && !journal->lines.size)
        pthread_cond_wait(&journal->filled, &journal->lock);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += FLUSH_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!journal->stopped && journal->lines.size < FLUSH_BYTES)
        if (pthread_cond_timedwait(&journal->filled, &journal->lock, &until) == ETIMEDOUT)
            break;
}

static void *journal_main(void *arg)
{
    struct journal *journal = arg;
    pthread_mutex_lock(&journal->lock);
    for (;;) {
        lines_wait(journal);
        if (!journal->lines.size)
            break;
        struct buffer filled = journal->lines;
        uint64_t lost = journal->lost;
        journal->lines = journal->writing;
        journal->writing = filled;
        journal->lost = 0;
        pthread_mutex_unlock(&journal->lock);
        journal_flush(journal, lost);
        pthread_mutex_lock(&journal->lock);
    }
    pthread_mutex_unlock(&journal->lock);
    losses_tell(journal);
    return NULL;
}

static void journal_free(struct journal *journal)
{
    if (journal->path && journal->fd >= 0)
        close(journal->fd);
    buffer_free(&journal->lines);
    buffer_free(&journal->writing);
    free(journal->path);
    free(journal);
}

int journal_open(struct journal **out, const char *path, struct error *error)
{
    struct journal *journal = calloc(1, sizeof *journal);
    bool named = strcmp(path, "-") != 0;
    if (!journal || (named && !(journal->path = strdup(path)))) {
        free(journal);
        return error_set(error, ERROR_MEMORY, "no memory for %s", path);
    }
    journal->fd = named ? -1 : STDOUT_FILENO;
    if (named && file_open(journal) < 0) {
        journal->failing = errno == ENOSPC || errno == EDQUOT || errno == ENXIO;
        if (!journal->failing) {
            error_set_errno(error, errno, "cannot write to %s", path);
            goto failed;
        }
        failure_tell(path, errno);
    }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&journal->lock, NULL);
    pthread_cond_init(&journal->filled, &monotonic);
    pthread_condattr_destroy(&monotonic);
    int failed = pthread_create(&journal->thread, NULL, journal_main, journal);
    if (failed) {
        error_set_errno(error, failed, "cannot start the thread that writes %s", path);
        goto failed;
    }
    *out = journal;
    return 0;
failed:
    journal_free(journal);
    return -1;
}

void journal_close(struct journal *journal)
{
    if (!journal)
        return;
    pthread_mutex_lock(&journal->lock);
    journal->stopped = true;
    pthread_cond_signal(&journal->filled);
    pthread_mutex_unlock(&journal->lock);
    pthread_join(journal->thread, NULL);
    pthread_cond_destroy(&journal->filled);
    pthread_mutex_destroy(&journal->lock);
    journal_free(journal);
}

/* A second's text is made once; the milliseconds are put into it. */
static void now_write(struct journal *journal, char now[CLOCK_TEXT_BYTES])
{
    int64_t wall_ms = clock_wall_ms();
    int milliseconds = (int)(wall_ms % 1000);
    if (wall_ms / 1000 != journal->second)
        clock_text(wall_ms, journal->now);
    journal->second = wall_ms / 1000;
    memcpy(now, journal->now, CLOCK_TEXT_BYTES);
    char *digits = now + sizeof "2026-11-21T06:41:19." - 1;
    digits[0] = (char)('0' + milliseconds / 100);
    digits[1] = (char)('0' + milliseconds / 10 % 10);
    digits[2] = (char)('0' + milliseconds % 10);
}

struct buffer *journal_begin(struct journal *journal, char now[CLOCK_TEXT_BYTES])
{
    pthread_mutex_lock(&journal->lock);
    if (journal->lines.size > ROOM_BYTES) {
        journal->lost++;
        pthread_mutex_unlock(&journal->lock);
        return NULL;
    }
    now_write(journal, now);
    journal->line_at = journal->lines.size;
    return &journal->lines;
}

void journal_end(struct journal *journal)
{
    struct buffer *lines = &journal->lines;
    if (buffer_text(lines, "\n") < 0) { /* no memory, for this line */
        lines->size = journal->line_at;
        lines->failed = false;
        journal->lost++;
    }
    /* The writer is told of the first line, and again when it should not wait for more. */
    if (lines->size >= FLUSH_BYTES || !journal->line_at)
        pthread_cond_signal(&journal->filled);
    pthread_mutex_unlock(&journal->lock);
}
