/* Hellos, leases, messages between questions, and waits: executor_session.h. */
#include "server/devices/executor_session.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Of the end of a lease: for clocks of different speed, and for the end of a process. */
static const double margin_s = 1, margin_part = 0.05;
/* Beats that are allowed beyond those due by the server's clock: the executor's may be faster, and the server
   may have been suspended. */
static const double beats_factor = 2, beats_extra = 16;

static int64_t ns_of(double seconds)
{
    return (int64_t)(seconds * 1e9);
}

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

enum interrupt executor_session_interrupt(const struct executor_callbacks *callbacks)
{
    return callbacks->interrupt ? callbacks->interrupt(callbacks->arg) : INTERRUPT_NONE;
}

/* ---- the lease ---- */

static bool has_lease(const struct executor_session *session)
{
    return session->hello_ns && session->config->heartbeat_s > 0;
}

/* Takes over the frame. A failure is noticed later, by the executor's silence. */
static void send(struct child *child, struct buffer frame)
{
    child_send(child, &frame);
    buffer_free(&frame);
}

bool executor_session_note_beat(struct executor_session *session)
{
    const struct executor_config *config = session->config;
    double since_s = (double)(clock_monotonic_ns() - session->hello_ns) / 1e9;
    return has_lease(session) &&
           (double)++session->beats * config->heartbeat_s <=
               beats_factor * since_s + config->lost_s + beats_extra * config->heartbeat_s;
}

bool executor_session_beat(struct executor_session *session)
{
    int64_t now = clock_monotonic_ns();
    if (!has_lease(session))
        return false;
    if (now >= session->beat_ns + ns_of(session->config->heartbeat_s)) {
        session->beat_ns = now;
        send(session->child, protocol_write_beat(session->frames));
    }
    return now >= session->received_ns + ns_of(session->config->lost_s);
}

double executor_session_outlives_s(double lost_s)
{
    return lost_s * (1 + margin_part) + margin_s;
}

int64_t executor_session_over_ns(const struct executor_session *session)
{
    double lost_s = session->config->lost_s;
    return has_lease(session) ? session->received_ns + ns_of(executor_session_outlives_s(lost_s)) : 0;
}

/* ---- waits ---- */

enum child_event executor_session_wait(struct executor_session *session, int64_t until_ns,
                                       struct protocol_frame *frame)
{
    const struct executor_callbacks *callbacks = session->callbacks;
    if (has_lease(session))
        until_ns = least(until_ns, least(session->beat_ns + ns_of(session->config->heartbeat_s),
                                         session->received_ns + ns_of(session->config->lost_s)));
    if (callbacks->tick) {
        if (clock_monotonic_ns() >= session->tick_ns) {
            callbacks->tick(callbacks->arg);
            session->tick_ns = clock_after_ns(callbacks->tick_s);
        }
        until_ns = least(until_ns, session->tick_ns);
    }
    enum child_event event = child_next(session->child, callbacks->wake_fd, until_ns, frame);
    if (event == CHILD_FRAME) {
        session->frames++;
        session->received_ns = clock_monotonic_ns();
    }
    return event;
}

void executor_session_pause(const struct executor_callbacks *callbacks, int64_t until_ns)
{
    uint64_t woken;
    while (clock_monotonic_ns() < until_ns && executor_session_interrupt(callbacks) == INTERRUPT_NONE) {
        int64_t next_ns = callbacks->tick ? least(until_ns, clock_after_ns(callbacks->tick_s)) : until_ns;
        struct pollfd polled = {.fd = callbacks->wake_fd, .events = POLLIN};
        int64_t left_ns = next_ns - clock_monotonic_ns(); /* the interrupt may have waited for a lock */
        int ready = poll(&polled, 1, left_ns > 0 ? (int)(left_ns / 1000000) + 1 : 0);
        if (ready > 0 && read(callbacks->wake_fd, &woken, sizeof woken) < 0)
            return;
        if (ready == 0 && callbacks->tick)
            callbacks->tick(callbacks->arg);
    }
}

/* ---- the hello ---- */

/* 1: it was the hello; 0: another message, to be ignored; -1: a hello without a common version. *refused: why
   the message was not understood. */
static int on_first_frame(struct executor_session *session, const struct protocol_frame *frame,
                          struct message *hello, struct error *refused)
{
    *refused = (struct error){0};
    if (protocol_parse(hello, frame, refused) < 0)
        return refused->kind == ERROR_CONFLICT ? -1 : 0;
    if (hello->type != MESSAGE_HELLO) {
        protocol_message_free(hello);
        return 0;
    }
    const struct executor_callbacks *callbacks = session->callbacks;
    char *header = callbacks->hello ? strndup(frame->header, frame->header_bytes) : NULL;
    if (header)
        callbacks->hello(callbacks->arg, header);
    free(header);
    session->frames = 1;
    session->hello_ns = session->received_ns = session->beat_ns = clock_monotonic_ns();
    double heartbeat_s = session->config->heartbeat_s;
    double lost_s = heartbeat_s > 0 ? session->config->lost_s : 0;
    send(session->child, protocol_write_welcome(hello->protocol, heartbeat_s, lost_s));
    return 1;
}

int executor_session_hello(struct executor_session *session, double within_s, struct message *hello,
                           struct error *error)
{
    int64_t until_ns = clock_after_ns(within_s);
    struct protocol_frame frame;
    struct error refused = {0};
    for (;;) {
        enum child_event event = executor_session_wait(session, until_ns, &frame);
        int said = event == CHILD_FRAME ? on_first_frame(session, &frame, hello, &refused) : 0;
        if (said > 0)
            return 0;
        if (said < 0)
            return error_set(error, ERROR_CONFLICT, "%s", refused.text);
        if (event == CHILD_ENDED)
            return error_set(error, ERROR_CRASHED, "the executor ended before its hello");
        if (event == CHILD_FLOOD)
            return error_set(error, ERROR_CRASHED, "the executor wrote a line without end before its hello");
        enum interrupt interrupt = executor_session_interrupt(session->callbacks);
        if (interrupt != INTERRUPT_NONE) /* a cancel too: of the question for which it was started */
            return error_set(error, ERROR_UNAVAILABLE, "%s",
                             interrupt == INTERRUPT_STOP ? "the service stops" : "nobody needs it any more");
        if (clock_monotonic_ns() >= until_ns)
            return error_set(error, ERROR_TIMED_OUT, "the executor said no hello within %g s%s%s", within_s,
                             refused.text[0] ? "; what it said was refused: " : "", refused.text);
    }
}

/* ---- between questions ---- */

void executor_session_note_leaving(struct executor_session *session, const struct message *message)
{
    session->leaving = true;
    session->done |= message->done;
    memcpy(session->why, message->why, sizeof session->why);
}

/* True for what an executor without a question may say: beats, and, once in each form, that it leaves. */
static bool is_expected(struct executor_session *session, const struct protocol_frame *frame)
{
    struct message message;
    if (protocol_parse(&message, frame, NULL) < 0)
        return false;
    bool expected =
        message.type == MESSAGE_BEAT
            ? executor_session_note_beat(session)
            : message.type == MESSAGE_LEAVING && (!session->leaving || (message.done && !session->done));
    if (message.type == MESSAGE_LEAVING)
        executor_session_note_leaving(session, &message);
    protocol_message_free(&message);
    return expected;
}

enum executor_session_end executor_session_listen(struct executor_session *session)
{
    struct protocol_frame frame;
    for (;;) {
        enum child_event event = child_next(session->child, -1, 0, &frame);
        if (event == CHILD_FRAME) {
            session->frames++;
            session->received_ns = clock_monotonic_ns();
            if (is_expected(session, &frame))
                continue;
            return SESSION_CUT;
        }
        if (session->leaving)
            return SESSION_LEAVING;
        if (event == CHILD_ENDED)
            return SESSION_ENDED;
        if (event != CHILD_QUIET)
            return SESSION_CUT;
        return executor_session_beat(session) ? SESSION_LOST : SESSION_GOES_ON;
    }
}
