/* Threads that wait for answers read in turn: one of them reads for all, and hands that over when it has its own. */
#include "api/sandbox_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

enum { CHUNK_BYTES = 64 << 10 };

/* One call of sandbox_client_ask(), on its stack. */
struct sandbox_wait {
    LIST_ENTRY(sandbox_wait) next;
    int64_t id;
    bool done;
    enum sandbox_ended ended;
    char detail[512];
    struct buffer answer;
};

struct sandbox_client {
    int to, from;
    struct sandbox_hello hello;
    pthread_mutex_t writing; /* held for a whole frame */
    pthread_mutex_t lock;    /* guards what follows, but for `in`, which is the reading thread's */
    pthread_cond_t changed;
    bool greeted, reading, gone;
    int64_t last_id;
    LIST_HEAD(, sandbox_wait) waits;
    struct buffer in;
};

/* Waits until the descriptor is ready; 0, or -1 when that time of the monotonic clock has passed. */
static int wait_ready(int fd, short events, int64_t until_ns)
{
    for (;;) {
        int64_t left_ms = (until_ns - clock_monotonic_ns()) / 1000000;
        struct pollfd ready = {.fd = fd, .events = events};
        int count = poll(&ready, 1, left_ms > 0 ? (int)left_ms + 1 : 0);
        if (count > 0)
            return 0;
        if (count == 0 && left_ms <= 0)
            return -1;
    }
}

/* ---- reading, by one thread at a time, with the lock held but for the read ---- */

static void take_answer(struct sandbox_client *client, const struct sandbox_message *message)
{
    struct sandbox_wait *wait;
    LIST_FOREACH (wait, &client->waits, next) {
        if (wait->id != message->id)
            continue;
        wait->done = true;
        wait->ended = message->ended;
        memcpy(wait->detail, message->detail, sizeof wait->detail);
        buffer_append(&wait->answer, message->payload, message->payload_bytes);
        return;
    }
}

/* 0, or -1: what came cannot be understood. */
static int take_frames(struct sandbox_client *client)
{
    struct protocol_frame frame;
    size_t done = 0;
    ssize_t bytes;
    for (; (bytes = protocol_frame_find_within(&frame, client->in.data + done, client->in.size - done,
                                               SANDBOX_PAYLOAD_BYTES)) > 0;
         done += (size_t)bytes) {
        struct sandbox_message message;
        if (sandbox_protocol_read(&message, &frame, NULL) < 0 || message.type == SANDBOX_REQUEST)
            return -1;
        if (message.type == SANDBOX_ANSWER)
            take_answer(client, &message);
        else {
            client->hello = message.hello;
            client->greeted = true;
        }
    }
    buffer_consume(&client->in, done);
    return bytes < 0 ? -1 : 0;
}

/* Waits for bytes and hands out the answers in them. The lock is held, and released meanwhile. */
static void read_some(struct sandbox_client *client, int64_t until_ns)
{
    char chunk[CHUNK_BYTES];
    client->reading = true;
    pthread_mutex_unlock(&client->lock);
    ssize_t count = -1;
    bool late = wait_ready(client->from, POLLIN, until_ns) < 0;
    if (!late)
        count = read(client->from, chunk, sizeof chunk);
    bool nothing = late || (count < 0 && (errno == EINTR || errno == EAGAIN));
    pthread_mutex_lock(&client->lock);
    client->reading = false;
    if (!nothing &&
        (count <= 0 || buffer_append(&client->in, chunk, (size_t)count) < 0 || take_frames(client) < 0))
        client->gone = true;
    pthread_cond_broadcast(&client->changed);
}

/* Until *done, or until that time. The lock is held. */
static void wait_done(struct sandbox_client *client, const bool *done, int64_t until_ns)
{
    while (!*done && !client->gone && clock_monotonic_ns() < until_ns) {
        if (client->reading)
            thread_wait_until(&client->changed, &client->lock, until_ns);
        else
            read_some(client, until_ns);
    }
}

/* ---- writing ---- */

/* 0, or -1: the sandbox is gone, or does not read. */
static int write_whole(const struct sandbox_client *client, const struct buffer *frame, int64_t until_ns)
{
    size_t done = 0;
    while (done < frame->size) {
        ssize_t count = write(client->to, frame->data + done, frame->size - done);
        if (count >= 0)
            done += (size_t)count;
        else if (errno == EAGAIN && wait_ready(client->to, POLLOUT, until_ns) < 0)
            return -1;
        else if (errno != EAGAIN && errno != EINTR)
            return -1;
    }
    return 0;
}

/* 0, or -1: a frame that was begun and not ended makes the sandbox useless. */
static int send_frame(struct sandbox_client *client, const struct buffer *frame, int64_t until_ns)
{
    pthread_mutex_lock(&client->writing);
    int status = write_whole(client, frame, until_ns);
    pthread_mutex_unlock(&client->writing);
    if (status < 0) {
        pthread_mutex_lock(&client->lock);
        client->gone = true;
        pthread_cond_broadcast(&client->changed);
        pthread_mutex_unlock(&client->lock);
    }
    return status;
}

/* ---- the public part ---- */

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

int sandbox_client_new(struct sandbox_client **out, int to, int from, double wait_s, struct error *error)
{
    struct sandbox_client *client = calloc(1, sizeof *client);
    if (!client) {
        close(to);
        close(from);
        return error_set(error, ERROR_MEMORY, "no memory for a sandbox");
    }
    *client = (struct sandbox_client){.to = to, .from = from};
    pthread_mutex_init(&client->writing, NULL);
    pthread_mutex_init(&client->lock, NULL);
    thread_condition_init(&client->changed);
    bool ready = set_nonblocking(to) == 0 && set_nonblocking(from) == 0;
    pthread_mutex_lock(&client->lock);
    if (ready)
        wait_done(client, &client->greeted, clock_after_ns(wait_s));
    pthread_mutex_unlock(&client->lock);
    if (!client->greeted) {
        error_set(error, ERROR_UNAVAILABLE,
                  client->gone ? "the sandbox did not start" : "the sandbox says nothing");
        sandbox_client_free(client);
        return -1;
    }
    *out = client;
    return 0;
}

void sandbox_client_free(struct sandbox_client *client)
{
    if (!client)
        return;
    close(client->to);
    close(client->from);
    buffer_free(&client->in);
    pthread_cond_destroy(&client->changed);
    pthread_mutex_destroy(&client->lock);
    pthread_mutex_destroy(&client->writing);
    free(client);
}

const struct sandbox_hello *sandbox_client_hello(const struct sandbox_client *client)
{
    return &client->hello;
}

int sandbox_client_ask(struct sandbox_client *client, const char *kind, const char *request, size_t bytes,
                       double wait_s, struct buffer *answer, struct error *error)
{
    int64_t until_ns = clock_after_ns(wait_s);
    struct sandbox_wait wait = {0};
    if (bytes > SANDBOX_PAYLOAD_BYTES)
        return error_set(error, ERROR_INVALID, "a request of more than %d MiB", SANDBOX_PAYLOAD_BYTES >> 20);
    pthread_mutex_lock(&client->lock);
    wait.id = ++client->last_id;
    LIST_INSERT_HEAD(&client->waits, &wait, next);
    pthread_mutex_unlock(&client->lock);

    struct buffer frame = sandbox_protocol_write_request(wait.id, kind, request, bytes);
    bool no_memory = frame.failed;
    int sent = no_memory ? -1 : send_frame(client, &frame, until_ns);
    buffer_free(&frame);
    pthread_mutex_lock(&client->lock);
    if (sent == 0)
        wait_done(client, &wait.done, until_ns);
    LIST_REMOVE(&wait, next);
    bool gone = client->gone;
    pthread_mutex_unlock(&client->lock);

    bool answered = wait.done && wait.ended == SANDBOX_ANSWERED;
    if (answered && !wait.answer.failed) {
        *answer = wait.answer;
        return 0;
    }
    buffer_free(&wait.answer);
    if (answered || no_memory)
        return error_set(error, ERROR_MEMORY, "no memory for what the sandbox is asked");
    if (wait.done)
        return error_set(error, wait.ended == SANDBOX_STOPPED ? ERROR_INVALID : ERROR_UNAVAILABLE, "%s",
                         wait.detail);
    return gone ? error_set(error, ERROR_UNAVAILABLE, "the sandbox has ended")
                : error_set(error, ERROR_TIMED_OUT, "the sandbox has not answered for %g s", wait_s);
}
