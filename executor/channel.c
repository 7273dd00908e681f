/* Two threads and the writers of channel.h: one reads messages, the other one watches lease and SIGTERM. */
#include "executor/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

enum {
    MESSAGES_MAX = 8, /* that wait to be taken: the server asks one question at a time */
    CHUNK_BYTES = 16384,
    SENT_TIMES = 256,      /* of the last frames: more than can be on their way to the server */
    WRITE_NOW_TRIES = 100, /* a millisecond each, while another frame is being written */
    WAKE_SIGNAL = SIGUSR1, /* to the thread that watches */
};

/* The locks are taken in this order: lease, writing, lock. */
struct channel {
    int in, out; /* descriptors */
    double leave_s;
    sigset_t signals;
    pthread_t watcher;
    int64_t tried_ns; /* when the watcher last tried to send a beat; its alone */

    pthread_mutex_t lease; /* guards what follows; times are of clock_boot_ns() */
    bool welcome, busy;
    int64_t heartbeat_ns, lost_ns; /* 0: no lease */
    int64_t lease_ns;              /* the end of the lease; 0: there is none */
    int64_t leave_ns; /* when a process that is leaving ends at the latest; 0: it is not leaving */

    pthread_mutex_t writing; /* held while a frame is written, which may wait */

    pthread_mutex_t lock; /* guards what follows, and never waits */
    pthread_cond_t arrived;
    struct message *messages[MESSAGES_MAX]; /* those not taken yet, oldest first */
    int waiting;
    int64_t written; /* frames */
    int64_t sent_ns[SENT_TIMES];
};

static int64_t ns_of(double seconds)
{
    return (int64_t)(seconds * 1e9);
}

static _Noreturn void give_up(const char *why)
{
    log_error("executor: %s", why);
    _exit(EXECUTOR_BROKEN);
}

/* ---- writing ---- */

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

/* Writes a short frame and frees it; drops it instead of waiting for longer than a tenth of a second. */
static void write_now(struct channel *channel, struct buffer frame)
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

/* When the writing of that frame (1: the first) began: clock_boot_ns(). 0: it was not written yet, or too long
   ago. */
static int64_t sent_ns_of(struct channel *channel, int64_t frame)
{
    pthread_mutex_lock(&channel->lock);
    bool known = frame > 0 && frame <= channel->written && channel->written - frame < SENT_TIMES;
    int64_t sent_ns = known ? channel->sent_ns[frame % SENT_TIMES] : 0;
    pthread_mutex_unlock(&channel->lock);
    return sent_ns;
}

static int64_t last_sent_ns(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    int64_t sent_ns = channel->sent_ns[channel->written % SENT_TIMES];
    pthread_mutex_unlock(&channel->lock);
    return sent_ns;
}

/* ---- ends of the process; called with `lease` held, which is never released ---- */

static _Noreturn void leave(struct channel *channel)
{
    write_now(channel, protocol_write_leaving("SIGTERM", true));
    log_info("executor: left because of SIGTERM");
    _exit(EXECUTOR_OK);
}

static void lease_check(const struct channel *channel)
{
    if (!channel->lease_ns || clock_boot_ns() < channel->lease_ns)
        return;
    log_error("executor: the lease is over: the server cannot be reached: ending");
    _exit(EXECUTOR_LOST);
}

/* ---- messages of the server ---- */

/* A welcome or a beat: each may prolong the lease, which begins with the hello. */
static void on_lease(struct channel *channel, const struct message *message)
{
    bool welcome = message->type == MESSAGE_WELCOME;
    /* Not from now on: how long the message was on its way is not known. */
    int64_t sent_ns = sent_ns_of(channel, welcome ? 1 : message->heard);
    pthread_mutex_lock(&channel->lease);
    if (welcome) {
        channel->welcome = true;
        channel->heartbeat_ns = ns_of(message->heartbeat_s);
        channel->lost_ns = ns_of(message->lost_s);
    }
    if (channel->lost_ns && sent_ns + channel->lost_ns > channel->lease_ns)
        channel->lease_ns = sent_ns + channel->lost_ns;
    pthread_mutex_unlock(&channel->lease);
    if (welcome)
        pthread_kill(channel->watcher, WAKE_SIGNAL);
}

/* ---- the thread that watches ---- */

/* Before the welcome no server waits for "leaving": the process ends by the signal. */
static _Noreturn void die(void)
{
    sigset_t term;
    signal(SIGTERM, SIG_DFL);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &term, NULL);
    raise(SIGTERM);
    _exit(128 + SIGTERM);
}

static void on_term(struct channel *channel)
{
    pthread_mutex_lock(&channel->lease);
    if (!channel->welcome)
        die();
    if (!channel->busy)
        leave(channel);
    if (!channel->leave_ns) {
        channel->leave_ns = clock_boot_ns() + ns_of(channel->leave_s);
        write_now(channel, protocol_write_leaving("SIGTERM", false));
    }
    pthread_mutex_unlock(&channel->lease);
}

static int64_t beat_due_ns(struct channel *channel)
{
    int64_t said_ns = last_sent_ns(channel);
    return (said_ns > channel->tried_ns ? said_ns : channel->tried_ns) + channel->heartbeat_ns;
}

/* Does what is due. Returns when the next thing is due; 0: nothing is until a signal comes. */
static int64_t do_due(struct channel *channel)
{
    int64_t next_ns = 0, now = clock_boot_ns();
    pthread_mutex_lock(&channel->lease);
    lease_check(channel);
    if (channel->leave_ns && now >= channel->leave_ns)
        leave(channel);
    if (channel->heartbeat_ns && now >= beat_due_ns(channel)) {
        channel->tried_ns = now;
        write_now(channel, protocol_write_beat(0));
    }
    if (channel->heartbeat_ns)
        next_ns = beat_due_ns(channel);
    if (channel->lease_ns && channel->lease_ns < next_ns)
        next_ns = channel->lease_ns;
    if (channel->leave_ns && (!next_ns || channel->leave_ns < next_ns))
        next_ns = channel->leave_ns;
    pthread_mutex_unlock(&channel->lease);
    return next_ns;
}

static void *watch_main(void *arg)
{
    struct channel *channel = arg;
    for (;;) {
        int64_t next_ns = do_due(channel), left_ns = next_ns - clock_boot_ns();
        struct timespec left = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
        if (next_ns && left_ns <= 0)
            continue;
        if (sigtimedwait(&channel->signals, NULL, next_ns ? &left : NULL) == SIGTERM)
            on_term(channel);
    }
    return NULL;
}

/* ---- the thread that reads ---- */

static void take_frame(struct channel *channel, const struct protocol_frame *frame)
{
    struct error error = {0};
    struct message *message = malloc(sizeof *message);
    if (!message || protocol_parse(message, frame, &error) < 0)
        give_up(message ? error.text : "no memory for a message");
    if (message->type != MESSAGE_WELCOME && message->type != MESSAGE_BEAT) {
        pthread_mutex_lock(&channel->lock);
        if (channel->waiting == MESSAGES_MAX)
            give_up("the server sends without waiting for answers");
        channel->messages[channel->waiting++] = message;
        pthread_cond_signal(&channel->arrived);
        pthread_mutex_unlock(&channel->lock);
        return;
    }
    on_lease(channel, message);
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

/* ---- called by the thread that answers ---- */

int channel_open(struct channel **out, double leave_s, struct error *error)
{
    struct channel *channel = calloc(1, sizeof *channel);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pthread_t reader;
    if (!channel || null < 0)
        goto failed;
    channel->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    channel->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (channel->in < 0 || channel->out < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        goto failed;
    close(null);
    channel->leave_s = leave_s;
    pthread_mutex_init(&channel->lease, NULL);
    pthread_mutex_init(&channel->writing, NULL);
    pthread_mutex_init(&channel->lock, NULL);
    pthread_cond_init(&channel->arrived, NULL);
    sigemptyset(&channel->signals);
    sigaddset(&channel->signals, SIGTERM);
    sigaddset(&channel->signals, WAKE_SIGNAL);
    pthread_sigmask(SIG_BLOCK, &channel->signals, NULL);
    if (thread_start(&channel->watcher, "watch", watch_main, channel, error) < 0 ||
        thread_start(&reader, "channel", read_all, channel, error) < 0)
        return -1;
    pthread_detach(channel->watcher);
    pthread_detach(reader);
    *out = channel;
    return 0;
failed:
    error_set_errno(error, errno, "cannot take over standard input and output");
    free(channel);
    return -1;
}

struct message *channel_read(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    while (!channel->waiting)
        pthread_cond_wait(&channel->arrived, &channel->lock);
    struct message *message = channel->messages[0];
    memmove(channel->messages, channel->messages + 1, (size_t)--channel->waiting * sizeof(struct message *));
    pthread_mutex_unlock(&channel->lock);
    pthread_mutex_lock(&channel->lease);
    lease_check(channel);
    channel->busy = true;
    pthread_mutex_unlock(&channel->lease);
    return message;
}

void channel_write(struct channel *channel, struct buffer frame)
{
    if (frame.failed)
        give_up("no memory for a message");
    pthread_mutex_lock(&channel->lease);
    lease_check(channel);
    pthread_mutex_unlock(&channel->lease);
    pthread_mutex_lock(&channel->writing);
    write_whole(channel, &frame);
    pthread_mutex_unlock(&channel->writing);
    buffer_free(&frame);
}

void channel_end(struct channel *channel)
{
    pthread_mutex_lock(&channel->lease);
    channel->busy = false;
    if (channel->leave_ns)
        leave(channel);
    pthread_mutex_unlock(&channel->lease);
}
