/* The exchange of one question: which messages are allowed, which limit is over. Times are of
   clock_monotonic_ns(). */
#include "server/devices/executor_question.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernels/experiment.h"

/* What two pipes may add to an experiment's time; and how long the creation of a context may take. */
static const double margin_s = 0.25, open_default_s = 60;
/* How long a run may wait for a lock: longer than the longest run may take. */
static const double locked_default_s = 2 * EXPERIMENT_TIMEOUT_MAX_S;
/* How often a run may wait for locks: before it begins, and before its transfers. */
enum { LOCK_WAITS_MAX = 2 };

/* One question while it is answered. */
struct exchange {
    struct executor_session *session;
    const struct executor_question *question;
    bool begun;       /* the executor sent a message about it */
    bool opening;     /* a context is being created */
    int lock_waits;   /* so far */
    int64_t until_ns; /* the end of the question's time, or of the present open or lock phase */
    int64_t left_ns;  /* of the question's time during such a phase; 0: its clock runs */
    double phase_s;   /* the limit of the phase */
    int64_t stop_ns;  /* the end of the service's grace; 0: it does not stop */
    struct executor_outcome *outcome;
    bool over;
    enum executor_session_end end; /* once it is over */
};

/* ---- ends ---- */

static void finish(struct exchange *exchange, enum executor_session_end end, int outcome)
{
    exchange->over = true;
    exchange->end = end == SESSION_GOES_ON && exchange->session->distrusted ? SESSION_CUT : end;
    exchange->outcome->end = outcome;
}

static void protocol_violation(struct exchange *exchange, const char *what)
{
    error_set(&exchange->outcome->failure, ERROR_CRASHED, "the executor broke the protocol: %s", what);
    finish(exchange, SESSION_CUT, OUTCOME_FAILED);
}

/* ---- messages ---- */

static void on_progress(struct exchange *exchange, const struct message *message)
{
    const struct executor_callbacks *callbacks = exchange->session->callbacks;
    bool open = strcmp(message->phase, PROTOCOL_PHASE_OPEN) == 0;
    bool locked = strcmp(message->phase, PROTOCOL_PHASE_LOCKED) == 0;
    exchange->begun = true;
    if (callbacks->progress)
        callbacks->progress(callbacks->arg, message->id, message->phase, message->sample_count);
    if (open && (exchange->opening || exchange->session->opened))
        protocol_violation(exchange, "it creates its context twice");
    if (locked && exchange->lock_waits++ == LOCK_WAITS_MAX)
        protocol_violation(exchange, "it waits for locks more than twice");
    exchange->session->opened |= exchange->opening;
    exchange->opening = open;
    if (open || locked) {
        /* The question's clock stops for a phase that is not its time and has a limit of its own. */
        const struct executor_config *config = exchange->session->config;
        double set_s = open ? config->open_s : config->locked_s;
        int64_t left_ns = exchange->until_ns - clock_monotonic_ns();
        if (!exchange->left_ns)
            exchange->left_ns = left_ns > 0 ? left_ns : 1;
        exchange->phase_s = set_s > 0 ? set_s : open ? open_default_s : locked_default_s;
        exchange->until_ns = clock_after_ns(exchange->phase_s);
    } else if (exchange->left_ns) {
        exchange->until_ns = clock_monotonic_ns() + exchange->left_ns;
        exchange->left_ns = 0;
    }
}

/* Takes what the message owns. */
static void on_answer(struct exchange *exchange, struct message *message)
{
    struct executor_outcome *outcome = exchange->outcome;
    enum error_kind kind = message->failure.kind;
    bool leaving = exchange->session->leaving || kind == ERROR_CUDA || kind == ERROR_DEVICE_LOST;
    if (kind == ERROR_CANCELLED || kind == ERROR_ABANDONED) {
        protocol_violation(exchange, "it tells an end that only the service decides on");
        return;
    }
    outcome->failure = message->failure;
    if (message->type == MESSAGE_RESULT && !message->verified && !message->unchecked)
        error_set(&outcome->failure, ERROR_INCORRECT, "the result says that the output is wrong");
    bool failed = message->type == MESSAGE_ERROR || outcome->failure.kind != ERROR_NONE;
    outcome->answer = *message;
    *message = (struct message){0};
    finish(exchange, leaving ? SESSION_LEAVING : SESSION_GOES_ON, failed ? OUTCOME_FAILED : OUTCOME_RESULT);
}

/* Too many heartbeats end the executor; the run is lost, and not failed. */
static void on_beat(struct exchange *exchange)
{
    if (executor_session_note_beat(exchange->session))
        return;
    error_set(&exchange->outcome->failure, ERROR_CRASHED,
              "the executor broke the protocol: it sends more heartbeats than it was asked for");
    finish(exchange, SESSION_CUT, OUTCOME_LOST);
}

/* With "done" there is no answer. An executor that sent nothing about the question had not begun it: the two
   messages crossed on their way. */
static void on_leaving(struct exchange *exchange, const struct message *message)
{
    executor_session_note_leaving(exchange->session, message);
    if (!message->done)
        return;
    error_set(&exchange->outcome->failure, ERROR_CRASHED, "the executor left: %s", exchange->session->why);
    finish(exchange, SESSION_LEAVING, exchange->begun ? OUTCOME_LOST : OUTCOME_UNTOUCHED);
}

/* About an earlier question: the executor is at fault, and not the experiment that runs now. */
static void on_other_id(struct exchange *exchange, const struct message *message)
{
    struct executor_session *session = exchange->session;
    for (int i = 0; i < EXECUTOR_SESSION_IDS && message->id[0]; i++)
        if (strcmp(message->id, session->earlier[i]) == 0) {
            if (!session->distrusted)
                log_warning("an executor answers %s again: it will be replaced", message->id);
            session->distrusted = true;
            return;
        }
    protocol_violation(exchange, "it speaks of an experiment that it was not given");
}

static void on_frame(struct exchange *exchange, const struct protocol_frame *frame)
{
    struct message message;
    struct error error = {0};
    if (protocol_parse(&message, frame, &error) < 0) {
        protocol_violation(exchange, error.text);
        return;
    }
    if (message.type == MESSAGE_LEAVING)
        on_leaving(exchange, &message);
    else if (message.type == MESSAGE_BEAT)
        on_beat(exchange);
    else if (strcmp(message.id, exchange->question->id) != 0)
        on_other_id(exchange, &message);
    else if (message.type == MESSAGE_PROGRESS)
        on_progress(exchange, &message);
    else if (message.type == exchange->question->answer || message.type == MESSAGE_ERROR)
        on_answer(exchange, &message);
    else
        protocol_violation(exchange, "it sends what it was not asked for");
    protocol_message_free(&message);
}

/* ---- limits ---- */

static void on_limit(struct exchange *exchange)
{
    struct error *failure = &exchange->outcome->failure;
    double limit_s = exchange->question->limit_s;
    if (exchange->opening)
        error_set(failure, ERROR_TIMED_OUT, "the device was not ready after %g s", exchange->phase_s);
    else if (exchange->left_ns)
        error_set(failure, ERROR_TIMED_OUT, "another process held the lock of the device or the bus for %g s",
                  exchange->phase_s);
    else if (exchange->question->answer == MESSAGE_COUNTS)
        error_set(failure, ERROR_TIMED_OUT, "not counted within %g s and ended", limit_s);
    else
        error_set(failure, ERROR_TIMED_OUT,
                  "ran past its timeout_s of %g s and was ended: less work, or a larger timeout_s, may do",
                  limit_s);
    finish(exchange, SESSION_CUT, OUTCOME_FAILED);
}

/* Cancellation, the service's stop, the question's limit. */
static void check_limits(struct exchange *exchange)
{
    const struct executor_question *question = exchange->question;
    enum interrupt interrupt = executor_session_interrupt(exchange->session->callbacks);
    bool experiment = question->answer == MESSAGE_RESULT && !question->own;
    if (interrupt == INTERRUPT_STOP && !exchange->stop_ns)
        exchange->stop_ns = clock_after_ns(experiment ? exchange->session->config->grace_s : 0);
    int64_t now = clock_monotonic_ns();
    if (interrupt == INTERRUPT_CANCEL && !question->own) {
        error_set(&exchange->outcome->failure, ERROR_CANCELLED, "cancelled while it ran");
        finish(exchange, SESSION_CUT, OUTCOME_FAILED);
    } else if (exchange->stop_ns && now >= exchange->stop_ns) {
        finish(exchange, SESSION_CUT, OUTCOME_UNTOUCHED);
    } else if (now >= exchange->until_ns) {
        on_limit(exchange);
    }
}

/* Called when all that came was read. */
static void check_lease(struct exchange *exchange)
{
    if (!executor_session_beat(exchange->session))
        return;
    error_set(&exchange->outcome->failure, ERROR_CRASHED, "nothing was heard of the executor for %g s",
              exchange->session->config->lost_s);
    finish(exchange, SESSION_LOST, OUTCOME_LOST);
}

static void answer_await(struct exchange *exchange)
{
    while (!exchange->over) {
        struct protocol_frame frame;
        bool stops_first = exchange->stop_ns && exchange->stop_ns < exchange->until_ns;
        int64_t until_ns = stops_first ? exchange->stop_ns : exchange->until_ns;
        enum child_event event = executor_session_wait(exchange->session, until_ns, &frame);
        if (event == CHILD_FRAME)
            on_frame(exchange, &frame);
        else if (event == CHILD_FLOOD)
            protocol_violation(exchange, "a message of more than 1 MiB, or a header of more than 64 KiB");
        else if (event == CHILD_ENDED)
            finish(exchange, SESSION_ENDED, OUTCOME_FAILED);
        else if (event == CHILD_QUIET)
            check_lease(exchange);
        if (!exchange->over)
            check_limits(exchange);
    }
}

enum executor_session_end executor_question_ask(struct executor_session *session,
                                                const struct executor_question *question,
                                                struct executor_outcome *outcome)
{
    struct exchange exchange = {.session = session,
                                .question = question,
                                .until_ns = clock_after_ns(question->limit_s + margin_s),
                                .outcome = outcome};
    *outcome = (struct executor_outcome){.end = OUTCOME_UNTOUCHED};
    if (question->frame->failed) {
        error_set(&outcome->failure, ERROR_MEMORY, "no memory for a message to an executor");
        outcome->end = OUTCOME_FAILED;
        return SESSION_GOES_ON;
    }
    /* An executor that ended before it had the question has not touched the experiment. */
    if (child_send(session->child, question->frame) < 0)
        return SESSION_ENDED;
    answer_await(&exchange);
    char *id = session->earlier[session->asked++ % EXECUTOR_SESSION_IDS];
    snprintf(id, sizeof session->earlier[0], "%s", question->id);
    return exchange.end;
}
