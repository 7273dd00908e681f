#include "server/devices/executor_session.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernels/experiment.h"
#include "server/devices/run_deadline.h"

/* What the way through two pipes may add to an experiment's time; and how long a context may take. */
static const double margin_s = 0.25, open_default_s = 60;
/* How long an experiment may wait for another's turn to end: longer than the longest may take; and how often, before it
   begins and before its transfers. */
static const double turn_default_s = 2 * EXPERIMENT_TIMEOUT_MAX_S;
enum { TURNS_MOST = 2 };

static enum interrupt interrupt_of(const struct executor_session_config *config)
{
    return config->interrupt ? config->interrupt(config->interrupt_arg) : INTERRUPT_NONE;
}

static double open_s(const struct executor_session_config *config)
{
    return config->open_s > 0 ? config->open_s : open_default_s;
}

static double turn_s(const struct executor_session_config *config)
{
    return config->turn_s > 0 ? config->turn_s : turn_default_s;
}

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* Waits for what comes first; CHILD_QUIET also when something is to be done meanwhile. */
static enum child_event wait_for_child(struct executor_session *executor_session,
                                       const struct executor_session_config *config, int64_t until_ns,
                                       struct protocol_frame *frame)
{
    int64_t due_ns = executor_lease_due_ns(&executor_session->lease);
    if (config->tick) {
        if (clock_monotonic_ns() >= executor_session->tick_ns) {
            config->tick(config->tick_arg);
            executor_session->tick_ns = deadline_after(config->tick_s);
        }
        due_ns = least(due_ns, executor_session->tick_ns);
    }
    due_ns = least(until_ns, due_ns);
    enum child_event event = child_next(executor_session->child, config->wake_fd, due_ns, frame);
    if (event == CHILD_FRAME)
        executor_lease_heard(&executor_session->lease);
    return event;
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->result);
    outcome->result = NULL;
    samples_free(&outcome->samples);
    protocol_counts_free(&outcome->counts);
}

int executor_session_hello(struct executor_session *executor_session,
                           const struct executor_session_config *config, struct message *hello,
                           struct error *error)
{
    int64_t until = deadline_after(config->hello_s);
    struct protocol_frame frame;
    struct error refused = {0}; /* the last message */
    for (;;) {
        enum child_event event = wait_for_child(executor_session, config, until, &frame);
        if (event == CHILD_FRAME) {
            refused = (struct error){0};
            int failed = protocol_parse(hello, &frame, &refused);
            if (!failed && hello->type == MESSAGE_HELLO) {
                char *text = config->hello ? strndup(frame.header, frame.header_bytes) : NULL;
                if (text)
                    config->hello(config->hello_arg, text);
                free(text);
                executor_lease_begin(&executor_session->lease, executor_session->child, hello->protocol,
                                     config->heartbeat_s, config->lost_s);
                return 0;
            }
            if (!failed)
                protocol_message_free(hello);
            else if (refused.kind == ERROR_CONFLICT)
                return error_set(error, ERROR_CONFLICT, "%s", refused.text);
        } else if (event == CHILD_ENDED) {
            return error_set(error, ERROR_CRASHED, "the executor ended before its hello");
        } else if (event == CHILD_FLOOD) {
            return error_set(error, ERROR_CRASHED, "the executor wrote a line without end before its hello");
        }
        enum interrupt interrupt = interrupt_of(config);
        if (interrupt != INTERRUPT_NONE) /* a cancel: of what this one was to be asked first */
            return error_set(error, ERROR_UNAVAILABLE, "%s",
                             interrupt == INTERRUPT_STOP ? "the service stops" : "nobody needs it any more");
        if (clock_monotonic_ns() >= until)
            return error_set(error, ERROR_TIMED_OUT, "the executor said no hello within %g s%s%s",
                             config->hello_s, refused.text[0] ? "; what it said was refused: " : "",
                             refused.text);
    }
}

/* One question while it is being answered. */
struct exchange {
    struct executor_session *executor_session;
    const struct executor_session_config *config;
    const struct question *question;
    bool begun;   /* the executor said something of it */
    bool opening; /* a context is being created */
    int turns;    /* how often it has waited for one */
    struct deadline deadline;
    int64_t stop_ns; /* when the service's grace is over; 0: it does not stop */
    struct outcome *outcome;
    bool over;
    enum executor_session_end end; /* once it is over */
};

static void finish(struct exchange *exchange, enum executor_session_end end, int outcome)
{
    exchange->over = true;
    exchange->end = end == DIALOGUE_GOES_ON && exchange->executor_session->distrusted ? DIALOGUE_CUT : end;
    exchange->outcome->end = outcome;
}

static void protocol_violation(struct exchange *exchange, const char *what)
{
    error_set(&exchange->outcome->failure, ERROR_CRASHED, "the executor broke the protocol: %s", what);
    finish(exchange, DIALOGUE_CUT, OUTCOME_FAILED);
}

/* A context is created once in an executor's life. */
static void on_progress(struct exchange *exchange, const struct message *message)
{
    const struct executor_session_config *config = exchange->config;
    exchange->begun = true;
    bool open = strcmp(message->phase, PROTOCOL_PHASE_OPEN) == 0;
    bool turn = strcmp(message->phase, PROTOCOL_PHASE_LOCKED) == 0;
    if (config->progress)
        config->progress(config->progress_arg, message->id, message->phase, message->sample_count);
    if (open && (exchange->opening || exchange->executor_session->opened)) {
        protocol_violation(exchange, "it creates its context twice");
        return;
    }
    if (turn && exchange->turns++ == TURNS_MOST) {
        protocol_violation(exchange, "it waits for its turn too often");
        return;
    }
    exchange->executor_session->opened |= exchange->opening;
    exchange->opening = open;
    if (open)
        deadline_stop(&exchange->deadline, open_s(config));
    else if (turn)
        deadline_stop(&exchange->deadline, turn_s(config));
    else
        deadline_go(&exchange->deadline);
}

/* Takes what the message owns. */
static void on_answer(struct exchange *exchange, struct message *message)
{
    struct outcome *outcome = exchange->outcome;
    const struct error *failure = &message->failure;
    bool leaving = failure->kind == ERROR_CUDA || failure->kind == ERROR_DEVICE_LOST;
    if (failure->kind == ERROR_CANCELLED || failure->kind == ERROR_ABANDONED) {
        protocol_violation(exchange, "it tells an end that only the service decides on");
        return;
    }
    outcome->result = message->result;
    outcome->samples = message->samples;
    message->samples = (struct samples){0};
    outcome->stability = message->stability;
    outcome->counts = message->counts;
    outcome->failure = *failure;
    message->result = NULL;
    message->counts.count = 0;
    bool failed = message->type == MESSAGE_ERROR;
    if (message->type == MESSAGE_RESULT && !message->verified)
        failed =
            error_set(&outcome->failure, ERROR_INCORRECT, "the result says that the output is wrong") < 0;
    leaving |= exchange->executor_session->leaving;
    finish(exchange, leaving ? DIALOGUE_LEAVING : DIALOGUE_GOES_ON, failed ? OUTCOME_FAILED : OUTCOME_RESULT);
}

/* An answer that comes twice or late is the executor's fault, not that of the experiment that runs now. */
static bool is_late(const struct exchange *exchange, const struct message *message)
{
    for (int i = 0; i < DIALOGUE_REMEMBERED; i++)
        if (message->id[0] && strcmp(message->id, exchange->executor_session->earlier[i]) == 0)
            return true;
    return false;
}

/* Too many heartbeats: ends the executor. The run is reported as lost. */
static void on_beat(struct exchange *exchange)
{
    if (executor_lease_beat(&exchange->executor_session->lease))
        return;
    error_set(&exchange->outcome->failure, ERROR_CRASHED,
              "the executor broke the protocol: it says more often than it was told to that it is there");
    finish(exchange, DIALOGUE_CUT, OUTCOME_LOST);
}

/* False: it said so before. */
static bool on_leaving(struct executor_session *executor_session, const struct message *message)
{
    bool news = !executor_session->leaving || (message->done && !executor_session->done);
    executor_session->leaving = true;
    executor_session->done |= message->done;
    memcpy(executor_session->why, message->why, sizeof executor_session->why);
    return news;
}

/* It gives no answer. What it said nothing of it had not begun: that line and ours met on the way. */
static void on_done(struct exchange *exchange)
{
    error_set(&exchange->outcome->failure, ERROR_CRASHED, "the executor left: %s",
              exchange->executor_session->why);
    finish(exchange, DIALOGUE_LEAVING, exchange->begun ? OUTCOME_LOST : OUTCOME_UNTOUCHED);
}

static void on_frame(struct exchange *exchange, const struct protocol_frame *frame)
{
    struct message message;
    struct error error = {0};
    if (protocol_parse(&message, frame, &error) < 0) {
        protocol_violation(exchange, error.text);
        return;
    }
    if (message.type == MESSAGE_LEAVING) {
        on_leaving(exchange->executor_session, &message);
        if (message.done)
            on_done(exchange);
    } else if (message.type == MESSAGE_BEAT) {
        on_beat(exchange);
    } else if (strcmp(message.id, exchange->question->id) == 0) {
        if (message.type == MESSAGE_PROGRESS)
            on_progress(exchange, &message);
        else if (message.type == exchange->question->answer || message.type == MESSAGE_ERROR)
            on_answer(exchange, &message);
        else
            protocol_violation(exchange, "it sends what it was not asked for");
    } else if (is_late(exchange, &message)) {
        if (!exchange->executor_session->distrusted)
            log_warning("an executor speaks of %s again, which it has answered: to be replaced", message.id);
        exchange->executor_session->distrusted = true;
    } else {
        protocol_violation(exchange, "it speaks of an experiment that it was not given");
    }
    protocol_message_free(&message);
}

static void on_limit(struct exchange *exchange)
{
    struct error *failure = &exchange->outcome->failure;
    if (exchange->opening)
        error_set(failure, ERROR_TIMED_OUT, "the device was not ready after %g s", open_s(exchange->config));
    else if (exchange->deadline.left_ns)
        error_set(failure, ERROR_TIMED_OUT, "another process had the device's or the bus's turn for %g s",
                  turn_s(exchange->config));
    else if (exchange->question->answer == MESSAGE_COUNTS)
        error_set(failure, ERROR_TIMED_OUT, "not counted within %g s and ended", exchange->question->limit_s);
    else
        error_set(failure, ERROR_TIMED_OUT, "ran past its timeout_s of %g s and was ended",
                  exchange->question->limit_s);
    finish(exchange, DIALOGUE_CUT, OUTCOME_FAILED);
}

/* What ends an exchange from our side. */
static void check_ends(struct exchange *exchange)
{
    const struct executor_session_config *config = exchange->config;
    enum interrupt interrupt = interrupt_of(config);
    if (interrupt == INTERRUPT_STOP && !exchange->stop_ns)
        exchange->stop_ns = deadline_after(config->grace_s);
    int64_t now = clock_monotonic_ns();
    if (interrupt == INTERRUPT_CANCEL && !exchange->question->own) {
        error_set(&exchange->outcome->failure, ERROR_CANCELLED, "cancelled while it ran");
        finish(exchange, DIALOGUE_CUT, OUTCOME_FAILED);
    } else if (exchange->stop_ns && now >= exchange->stop_ns) {
        finish(exchange, DIALOGUE_CUT, OUTCOME_UNTOUCHED);
    } else if (now >= exchange->deadline.until_ns) {
        on_limit(exchange);
    }
}

/* All that had come was read: was anything heard lately? */
static void check_lease(struct exchange *exchange)
{
    struct executor_session *executor_session = exchange->executor_session;
    if (!executor_lease_tend(&executor_session->lease, executor_session->child))
        return;
    error_set(&exchange->outcome->failure, ERROR_CRASHED, "nothing was heard of the executor for %g s",
              executor_session->lease.lost_s);
    finish(exchange, DIALOGUE_LOST, OUTCOME_LOST);
}

static void answer_await(struct exchange *exchange)
{
    while (!exchange->over) {
        struct protocol_frame frame;
        int64_t until_ns = exchange->stop_ns ? least(exchange->deadline.until_ns, exchange->stop_ns)
                                             : exchange->deadline.until_ns;
        switch (wait_for_child(exchange->executor_session, exchange->config, until_ns, &frame)) {
        case CHILD_FRAME:
            on_frame(exchange, &frame);
            break;
        case CHILD_FLOOD:
            protocol_violation(exchange, "a message of more than 1 MiB, or a header of more than 64 KiB");
            break;
        case CHILD_ENDED:
            finish(exchange, DIALOGUE_ENDED, OUTCOME_FAILED);
            break;
        case CHILD_QUIET:
            check_lease(exchange);
            break;
        case CHILD_WOKEN:
            break;
        }
        if (!exchange->over)
            check_ends(exchange);
    }
}

enum executor_session_end executor_session_ask(struct executor_session *executor_session,
                                               const struct executor_session_config *config,
                                               const struct question *question, struct outcome *outcome)
{
    struct exchange exchange = {.executor_session = executor_session,
                                .config = config,
                                .question = question,
                                .deadline.until_ns = deadline_after(question->limit_s + margin_s),
                                .outcome = outcome};
    *outcome = (struct outcome){.end = OUTCOME_UNTOUCHED};
    if (question->frame->failed) {
        error_set(&outcome->failure, ERROR_MEMORY, "no memory for a message to an executor");
        outcome->end = OUTCOME_FAILED;
        return DIALOGUE_GOES_ON;
    }
    if (child_send(executor_session->child, question->frame) < 0)
        /* it was gone before it had the question: that is not the experiment's doing */
        return DIALOGUE_ENDED;
    answer_await(&exchange);
    char *remembered = executor_session->earlier[executor_session->asked++ % DIALOGUE_REMEMBERED];
    snprintf(remembered, sizeof executor_session->earlier[0], "%s", question->id);
    return exchange.end;
}

/* What an executor without a question may say. True: that is all well. */
static bool hear(struct executor_session *executor_session, const struct protocol_frame *frame)
{
    struct message message;
    if (protocol_parse(&message, frame, NULL) < 0)
        return false;
    bool expected = message.type == MESSAGE_BEAT
                        ? executor_lease_beat(&executor_session->lease)
                        : message.type == MESSAGE_LEAVING && on_leaving(executor_session, &message);
    protocol_message_free(&message);
    return expected;
}

enum executor_session_end executor_session_listen(struct executor_session *executor_session)
{
    struct protocol_frame frame;
    for (;;) {
        enum child_event event = child_next(executor_session->child, -1, 0, &frame);
        if (event == CHILD_FRAME)
            executor_lease_heard(&executor_session->lease);
        if (event == CHILD_FRAME && hear(executor_session, &frame))
            continue;
        if (executor_session->leaving && event != CHILD_FRAME)
            return DIALOGUE_LEAVING;
        if (event == CHILD_ENDED)
            return DIALOGUE_ENDED;
        if (event != CHILD_QUIET)
            return DIALOGUE_CUT;
        return executor_lease_tend(&executor_session->lease, executor_session->child) ? DIALOGUE_LOST
                                                                                      : DIALOGUE_GOES_ON;
    }
}

void executor_session_pause(const struct executor_session_config *config, int64_t until_ns)
{
    uint64_t woken;
    for (;;) {
        int64_t next_ns = config->tick ? least(until_ns, deadline_after(config->tick_s)) : until_ns;
        int64_t left = next_ns - clock_monotonic_ns();
        if (clock_monotonic_ns() >= until_ns || interrupt_of(config) != INTERRUPT_NONE)
            return;
        struct pollfd polled = {.fd = config->wake_fd, .events = POLLIN};
        int ready = poll(&polled, 1, (int)(left / 1000000) + 1);
        if (ready > 0 && read(config->wake_fd, &woken, sizeof woken) < 0)
            return;
        if (ready == 0 && config->tick)
            config->tick(config->tick_arg);
    }
}
