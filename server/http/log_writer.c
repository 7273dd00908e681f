/* Two buffers, one that requests fill and one that the thread writes. */
#include "server/http/log_writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/thread.h"

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
    bool stopped;
    /* used by the thread alone */
    struct log_file file;
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
    while (!log_writer->stopped && !log_writer->lines.size)
        pthread_cond_wait(&log_writer->filled, &log_writer->lock);
    int64_t until_ns = clock_monotonic_ns() + FLUSH_MS * 1000000LL;
    while (!log_writer->stopped && log_writer->lines.size < FLUSH_BYTES)
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
    if (log_file_open(&log_writer->file, path, limits, &why) < 0) {
        if (why.kind != ERROR_UNAVAILABLE) {
            error_set(error, why.kind, "%s", why.text);
            goto failed;
        }
        failure_log(log_writer, &why);
    }
    pthread_mutex_init(&log_writer->lock, NULL);
    thread_condition_init(&log_writer->filled);
    int failed = thread_start(&log_writer->thread, "log-writer", log_writer_main, log_writer);
    if (failed) {
        error_set_errno(error, failed, "cannot start the thread that writes %s", path);
        goto failed;
    }
    *out = log_writer;
    return 0;
failed:
    log_writer_free(log_writer);
    return -1;
}

void log_writer_close(struct log_writer *log_writer)
{
    if (!log_writer)
        return;
    pthread_mutex_lock(&log_writer->lock);
    log_writer->stopped = true;
    log_file_interrupt(&log_writer->file);
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
    int milliseconds = (int)(wall_ms % 1000);
    if (wall_ms / 1000 != log_writer->second)
        clock_text(wall_ms, log_writer->now);
    log_writer->second = wall_ms / 1000;
    memcpy(now, log_writer->now, CLOCK_TEXT_BYTES);
    char *digits = now + sizeof "2026-11-21T06:41:19." - 1;
    digits[0] = (char)('0' + milliseconds / 100);
    digits[1] = (char)('0' + milliseconds / 10 % 10);
    digits[2] = (char)('0' + milliseconds % 10);
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
