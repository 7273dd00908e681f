#include "executor/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/protocol.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/log.h"
#include "executor/guard.h"

/* The server has one run on its way at a time. */
enum { LINES_MAX = 8, CHUNK_BYTES = 16384 };
/* Of so many of the last lines it is known when they were sent: more than can be on their way to the server. */
enum { SENT_KEPT = 256 };
/* Who must not wait waits so many milliseconds for another line that is being written. */
enum { MOMENTS = 100 };

struct line {
    char *text;
    size_t length;
};

struct channel {
    int in, out;
    bool (*heard)(void *arg, const char *line, size_t length);
    void *arg;
    pthread_mutex_t writing; /* held while a line is written, which may wait */
    pthread_mutex_t lock;    /* guards what follows, and never waits */
    pthread_cond_t arrived;
    struct line lines[LINES_MAX]; /* those not taken yet, oldest first */
    int waiting;
    int64_t written; /* lines */
    int64_t sent_ns[SENT_KEPT];
};

static _Noreturn void give_up(const char *why)
{
    log_error("executor: %s", why);
    _exit(EXECUTOR_BROKEN);
}

static void channel_put(struct channel *channel, const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        give_up("no memory for a line");
    memcpy(copy, text, length);
    copy[length] = '\0';
    pthread_mutex_lock(&channel->lock);
    if (channel->waiting == LINES_MAX)
        give_up("the server sends without waiting for answers");
    channel->lines[channel->waiting++] = (struct line){copy, length};
    pthread_cond_signal(&channel->arrived);
    pthread_mutex_unlock(&channel->lock);
}

static void take_lines(struct channel *channel, struct buffer *in)
{
    size_t done = 0;
    for (char *end; (end = memchr(in->data + done, '\n', in->size - done));
         done = (size_t)(end - in->data) + 1)
        if (!channel->heard(channel->arg, in->data + done, (size_t)(end - in->data) - done))
            channel_put(channel, in->data + done, (size_t)(end - in->data) - done);
    buffer_consume(in, done);
    if (in->size > PROTOCOL_LINE_BYTES)
        give_up("the server's line is too long");
}

static void *read_all(void *arg)
{
    struct channel *channel = arg;
    struct buffer in = {0};
    char chunk[CHUNK_BYTES];
    for (;;) {
        ssize_t count = read(channel->in, chunk, sizeof chunk);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            _exit(EXECUTOR_OK);
        if (buffer_append(&in, chunk, (size_t)count) < 0)
            give_up("no memory for a line");
        take_lines(channel, &in);
    }
}

int channel_open(struct channel **out, bool (*heard)(void *arg, const char *line, size_t length), void *arg,
                 struct error *error)
{
    struct channel *channel = calloc(1, sizeof *channel);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (!channel || null < 0)
        goto failed;
    channel->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    channel->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (channel->in < 0 || channel->out < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        goto failed;
    channel->heard = heard;
    channel->arg = arg;
    pthread_mutex_init(&channel->writing, NULL);
    pthread_mutex_init(&channel->lock, NULL);
    pthread_cond_init(&channel->arrived, NULL);
    close(null);
    *out = channel;
    return 0;
failed:
    error_set_errno(error, errno, "cannot take over standard input and output");
    free(channel);
    return -1;
}

int channel_listen(struct channel *channel, struct error *error)
{
    pthread_t reader;
    int number = pthread_create(&reader, NULL, read_all, channel);
    if (number)
        return error_set_errno(error, number, "no thread that reads");
    pthread_detach(reader);
    return 0;
}

char *channel_read(struct channel *channel, size_t *length)
{
    pthread_mutex_lock(&channel->lock);
    while (!channel->waiting)
        pthread_cond_wait(&channel->arrived, &channel->lock);
    struct line line = channel->lines[0];
    memmove(channel->lines, channel->lines + 1, (size_t)--channel->waiting * sizeof line);
    pthread_mutex_unlock(&channel->lock);
    *length = line.length;
    return line.text;
}

/* The caller holds `writing`. The time is taken before the line can be on its way. */
static void write_whole(struct channel *channel, const char *line)
{
    pthread_mutex_lock(&channel->lock);
    channel->sent_ns[++channel->written % SENT_KEPT] = clock_boot_ns();
    pthread_mutex_unlock(&channel->lock);
    for (size_t left = strlen(line); left > 0;) {
        ssize_t count = write(channel->out, line, left);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            _exit(EXECUTOR_OK);
        line += count;
        left -= (size_t)count;
    }
}

void channel_write(struct channel *channel, const char *line)
{
    pthread_mutex_lock(&channel->writing);
    write_whole(channel, line);
    pthread_mutex_unlock(&channel->writing);
}

void channel_write_now(struct channel *channel, const char *line)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    struct pollfd polled = {.fd = channel->out, .events = POLLOUT};
    for (int tries = 0; pthread_mutex_trylock(&channel->writing); nanosleep(&moment, NULL))
        if (++tries == MOMENTS)
            return;
    if (poll(&polled, 1, 0) > 0) /* a pipe that says so has room for a page */
        write_whole(channel, line);
    pthread_mutex_unlock(&channel->writing);
}

int64_t channel_sent_ns(struct channel *channel, int64_t line)
{
    pthread_mutex_lock(&channel->lock);
    bool kept = line > 0 && line <= channel->written && channel->written - line < SENT_KEPT;
    int64_t sent_ns = kept ? channel->sent_ns[line % SENT_KEPT] : 0;
    pthread_mutex_unlock(&channel->lock);
    return sent_ns;
}

int64_t channel_last_ns(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    int64_t sent_ns = channel->sent_ns[channel->written % SENT_KEPT];
    pthread_mutex_unlock(&channel->lock);
    return sent_ns;
}
