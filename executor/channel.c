/* The reading thread and the writers of channel.h. */
#include "executor/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "executor/guard.h"

enum {
    MESSAGES_MAX = 8, /* that wait to be taken: the server asks one question at a time */
    CHUNK_BYTES = 16384,
    SENT_TIMES = 256,      /* of the last frames: more than can be on their way to the server */
    WRITE_NOW_TRIES = 100, /* a millisecond each, while another frame is being written */
};

struct channel {
    int in, out; /* descriptors */
    bool (*heard)(void *arg, const struct message *message);
    void *arg;
    pthread_mutex_t writing; /* held while a frame is written, which may wait */
    pthread_mutex_t lock;    /* guards what follows, and never waits */
    pthread_cond_t arrived;
    struct message *messages[MESSAGES_MAX]; /* those not taken yet, oldest first */
    int waiting;
    int64_t written; /* frames */
    int64_t sent_ns[SENT_TIMES];
};

static _Noreturn void give_up(const char *why)
{
    log_error("executor: %s", why);
    _exit(EXECUTOR_BROKEN);
}

static void channel_put(struct channel *channel, struct message *message)
{
    pthread_mutex_lock(&channel->lock);
    if (channel->waiting == MESSAGES_MAX)
        give_up("the server sends without waiting for answers");
    channel->messages[channel->waiting++] = message;
    pthread_cond_signal(&channel->arrived);
    pthread_mutex_unlock(&channel->lock);
}

static void take_frame(struct channel *channel, const struct protocol_frame *frame)
{
    struct error error = {0};
    struct message *message = malloc(sizeof *message);
    if (!message)
        give_up("no memory for a message");
    if (protocol_parse(message, frame, &error) < 0)
        give_up(error.text);
    if (!channel->heard(channel->arg, message)) {
        channel_put(channel, message);
        return;
    }
    protocol_message_free(message);
    free(message);
}

static void take_frames(struct channel *channel, struct buffer *in)
{
    struct protocol_frame frame;
    size_t done = 0;
    ssize_t bytes;
    for (; (bytes = protocol_frame_find(&frame, in->data + done, in->size - done)) > 0; done += (size_t)bytes)
        take_frame(channel, &frame);
    if (bytes < 0)
        give_up("the server's message is too long");
    buffer_consume(in, done);
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
            give_up("no memory for a message");
        take_frames(channel, &in);
    }
}

int channel_open(struct channel **out, bool (*heard)(void *arg, const struct message *message), void *arg,
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
    int number = thread_start(&reader, "channel", read_all, channel);
    if (number)
        return error_set_errno(error, number, "no thread that reads");
    pthread_detach(reader);
    return 0;
}

struct message *channel_read(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    while (!channel->waiting)
        pthread_cond_wait(&channel->arrived, &channel->lock);
    struct message *message = channel->messages[0];
    memmove(channel->messages, channel->messages + 1, (size_t)--channel->waiting * sizeof message);
    pthread_mutex_unlock(&channel->lock);
    return message;
}

/* The caller holds `writing`. The time is taken before the frame can be on its way. */
static void write_whole(struct channel *channel, const struct buffer *frame)
{
    pthread_mutex_lock(&channel->lock);
    channel->sent_ns[++channel->written % SENT_TIMES] = clock_boot_ns();
    pthread_mutex_unlock(&channel->lock);
    for (size_t done = 0; done < frame->size;) {
        ssize_t count = write(channel->out, frame->data + done, frame->size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            _exit(EXECUTOR_OK);
        done += (size_t)count;
    }
}

void channel_write(struct channel *channel, struct buffer frame)
{
    if (frame.failed)
        give_up("no memory for a message");
    pthread_mutex_lock(&channel->writing);
    write_whole(channel, &frame);
    pthread_mutex_unlock(&channel->writing);
    buffer_free(&frame);
}

void channel_write_now(struct channel *channel, struct buffer frame)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    struct pollfd polled = {.fd = channel->out, .events = POLLOUT};
    int tries = 0;
    while (pthread_mutex_trylock(&channel->writing) && ++tries < WRITE_NOW_TRIES)
        nanosleep(&moment, NULL);
    if (tries < WRITE_NOW_TRIES) {
        if (!frame.failed && poll(&polled, 1, 0) > 0) /* a pipe that is writable takes a page */
            write_whole(channel, &frame);
        pthread_mutex_unlock(&channel->writing);
    }
    buffer_free(&frame);
}

int64_t channel_sent_ns(struct channel *channel, int64_t frame)
{
    pthread_mutex_lock(&channel->lock);
    bool known = frame > 0 && frame <= channel->written && channel->written - frame < SENT_TIMES;
    int64_t sent_ns = known ? channel->sent_ns[frame % SENT_TIMES] : 0;
    pthread_mutex_unlock(&channel->lock);
    return sent_ns;
}

int64_t channel_last_ns(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    int64_t sent_ns = channel->sent_ns[channel->written % SENT_TIMES];
    pthread_mutex_unlock(&channel->lock);
    return sent_ns;
}
