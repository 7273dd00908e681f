#include "server/http/log/journal.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"

enum { FLUSH_BYTES = 64 << 10, ROOM_BYTES = 4 << 20, KEPT_BYTES = 256 << 10, FLUSH_MS = 100 };

struct journal {
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
    struct log_file file;
    bool failing;
    struct buffer writing;
    uint64_t lost_while_failing;
};

static void failure_tell(struct journal *journal, const struct error *why)
{
    if (!journal->failing)
        log_warning("%s; lines are lost until it works", why->text);
    journal->failing = true;
}

static void losses_tell(struct journal *journal)
{
    if (journal->lost_while_failing)
        log_warning("%s: %llu lines were lost", log_file_name(&journal->file),
                    (unsigned long long)journal->lost_while_failing);
    journal->lost_while_failing = 0;
}

/* `lost`: lines for which there was no room in memory. */
static void journal_flush(struct journal *journal, uint64_t lost)
{
    struct buffer *lines = &journal->writing;
    struct error why = {0};
    size_t written = log_file_write(&journal->file, lines->data, lines->size, &why);
    journal->lost_while_failing += lost;
    if (written < lines->size) {
        for (size_t i = written; i < lines->size; i++)
            journal->lost_while_failing += lines->data[i] == '\n';
        failure_tell(journal, &why);
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
    log_file_close(&journal->file);
    buffer_free(&journal->lines);
    buffer_free(&journal->writing);
    free(journal);
}

int journal_open(struct journal **out, const char *path, const struct log_limits *limits, struct error *error)
{
    struct journal *journal = calloc(1, sizeof *journal);
    struct error why = {0};
    if (!journal)
        return error_set(error, ERROR_MEMORY, "no memory for %s", path);
    if (log_file_open(&journal->file, path, limits, &why) < 0) {
        if (why.kind != ERROR_UNAVAILABLE) {
            error_set(error, why.kind, "%s", why.text);
            goto failed;
        }
        failure_tell(journal, &why);
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
    log_file_interrupt(&journal->file);
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

bool journal_is_full(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    bool full = journal->lines.size > ROOM_BYTES;
    pthread_mutex_unlock(&journal->lock);
    return full;
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
