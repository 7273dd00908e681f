/* Hellos, messages between questions, and waits: executor_session.h. */
#include "server/devices/executor_session.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum interrupt executor_session_interrupt(const struct executor_session_config *config)
{
    return config->interrupt ? config->interrupt(config->interrupt_arg) : INTERRUPT_NONE;
}

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

enum child_event executor_session_wait(struct executor_session *session,
                                       const struct executor_session_config *config, int64_t until_ns,
                                       struct protocol_frame *frame)
{
    int64_t due_ns = executor_lease_due_ns(&session->lease);
    if (config->tick) {
        if (clock_monotonic_ns() >= session->tick_ns) {
            config->tick(config->tick_arg);
            session->tick_ns = clock_after_ns(config->tick_s);
        }
        due_ns = least(due_ns, session->tick_ns);
    }
    enum child_event event = child_next(session->child, config->wake_fd, least(until_ns, due_ns), frame);
    if (event == CHILD_FRAME)
        executor_lease_heard(&session->lease);
    return event;
}

/* ---- the hello ---- */

/* 1: it was the hello; 0: another message, to be ignored; -1: a hello without a common version. *refused: why
   the message was not understood. */
static int on_first_frame(struct executor_session *session, const struct executor_session_config *config,
                          const struct protocol_frame *frame, struct message *hello, struct error *refused)
{
    *refused = (struct error){0};
    if (protocol_parse(hello, frame, refused) < 0)
        return refused->kind == ERROR_CONFLICT ? -1 : 0;
    if (hello->type != MESSAGE_HELLO) {
        protocol_message_free(hello);
        return 0;
    }
    char *header = config->hello ? strndup(frame->header, frame->header_bytes) : NULL;
    if (header)
        config->hello(config->hello_arg, header);
    free(header);
    executor_lease_begin(&session->lease, session->child, hello->protocol, config->heartbeat_s,
                         config->lost_s);
    return 1;
}

int executor_session_hello(struct executor_session *session, const struct executor_session_config *config,
                           struct message *hello, struct error *error)
{
    int64_t until_ns = clock_after_ns(config->hello_s);
    struct protocol_frame frame;
    struct error refused = {0};
    for (;;) {
        enum child_event event = executor_session_wait(session, config, until_ns, &frame);
        int said = event == CHILD_FRAME ? on_first_frame(session, config, &frame, hello, &refused) : 0;
        if (said > 0)
            return 0;
        if (said < 0)
            return error_set(error, ERROR_CONFLICT, "%s", refused.text);
        if (event == CHILD_ENDED)
            return error_set(error, ERROR_CRASHED, "the executor ended before its hello");
        if (event == CHILD_FLOOD)
            return error_set(error, ERROR_CRASHED, "the executor wrote a line without end before its hello");
        enum interrupt interrupt = executor_session_interrupt(config);
        if (interrupt != INTERRUPT_NONE) /* a cancel too: of the question for which it was started */
            return error_set(error, ERROR_UNAVAILABLE, "%s",
                             interrupt == INTERRUPT_STOP ? "the service stops" : "nobody needs it any more");
        if (clock_monotonic_ns() >= until_ns)
            return error_set(error, ERROR_TIMED_OUT, "the executor said no hello within %g s%s%s",
                             config->hello_s, refused.text[0] ? "; what it said was refused: " : "",
                             refused.text);
    }
}

/* ---- between questions ---- */

bool executor_session_note_leaving(struct executor_session *session, const struct message *message)
{
    bool news = !session->leaving || (message->done && !session->done);
    session->leaving = true;
    session->done |= message->done;
    memcpy(session->why, message->why, sizeof session->why);
    return news;
}

/* True for what an executor without a question may say: beats, and that it leaves. */
static bool is_expected(struct executor_session *session, const struct protocol_frame *frame)
{
    struct message message;
    if (protocol_parse(&message, frame, NULL) < 0)
        return false;
    bool expected = message.type == MESSAGE_BEAT
                        ? executor_lease_beat(&session->lease)
                        : message.type == MESSAGE_LEAVING && executor_session_note_leaving(session, &message);
    protocol_message_free(&message);
    return expected;
}

enum executor_session_end executor_session_listen(struct executor_session *session)
{
    struct protocol_frame frame;
    for (;;) {
        enum child_event event = child_next(session->child, -1, 0, &frame);
        if (event == CHILD_FRAME)
            executor_lease_heard(&session->lease);
        if (event == CHILD_FRAME && is_expected(session, &frame))
            continue;
        if (session->leaving && event != CHILD_FRAME)
            return SESSION_LEAVING;
        if (event == CHILD_ENDED)
            return SESSION_ENDED;
        if (event != CHILD_QUIET)
            return SESSION_CUT;
        return executor_lease_tend(&session->lease, session->child) ? SESSION_LOST : SESSION_GOES_ON;
    }
}

void executor_session_pause(const struct executor_session_config *config, int64_t until_ns)
{
    uint64_t woken;
    for (;;) {
        int64_t next_ns = config->tick ? least(until_ns, clock_after_ns(config->tick_s)) : until_ns;
        int64_t left_ns = next_ns - clock_monotonic_ns();
        if (clock_monotonic_ns() >= until_ns || executor_session_interrupt(config) != INTERRUPT_NONE)
            return;
        struct pollfd polled = {.fd = config->wake_fd, .events = POLLIN};
        int ready = poll(&polled, 1, (int)(left_ns / 1000000) + 1);
        if (ready > 0 && read(config->wake_fd, &woken, sizeof woken) < 0)
            return;
        if (ready == 0 && config->tick)
            config->tick(config->tick_arg);
    }
}
