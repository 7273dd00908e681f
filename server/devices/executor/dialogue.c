#include "server/devices/executor/dialogue.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

/* What the way through two pipes may add to an experiment's time; and how long a context may take. */
static const double margin_s = 0.25, open_s = 60;

static int64_t after(double seconds)
{
    return clock_monotonic_ns() + (int64_t)(seconds * 1e9);
}

static enum interrupt interrupt_of(const struct dialogue_config *config)
{
    return config->interrupt ? config->interrupt(config->interrupt_arg) : INTERRUPT_NONE;
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->result);
    outcome->result = NULL;
    counts_free(&outcome->counts);
}

int dialogue_hello(struct dialogue *dialogue, const struct dialogue_config *config, struct message *hello,
                   struct error *error)
{
    int64_t until = after(config->hello_s);
    const char *line;
    size_t length;
    struct error refused = {0}; /* of the last line */
    for (;;) {
        enum child_event event = child_next(dialogue->child, config->wake_fd, until, &line, &length);
        if (event == CHILD_LINE) {
            refused = (struct error){0};
            int failed = message_parse(hello, line, length, &refused);
            if (!failed && hello->type == MESSAGE_HELLO)
                return 0;
            if (!failed)
                message_free(hello);
            else if (refused.kind == ERROR_CONFLICT)
                return error_set(error, ERROR_CONFLICT, "%s", refused.text);
        } else if (event == CHILD_ENDED) {
            return error_set(error, ERROR_CRASHED, "the executor ended before its hello");
        } else if (event == CHILD_FLOOD) {
            return error_set(error, ERROR_CRASHED, "the executor wrote a line without end before its hello");
        }
        if (interrupt_of(config) == INTERRUPT_STOP)
            return error_set(error, ERROR_UNAVAILABLE, "the service stops");
        if (clock_monotonic_ns() >= until)
            return error_set(error, ERROR_TIMED_OUT, "the executor said no hello within %g s%s%s",
                             config->hello_s, refused.text[0] ? "; what it said was refused: " : "",
                             refused.text);
    }
}

/* One question while it is being answered. */
struct exchange {
    struct dialogue *dialogue;
    const struct dialogue_config *config;
    const struct question *question;
    bool opening;     /* a context is being created */
    int64_t until_ns; /* when its time is over */
    int64_t stop_ns;  /* when the service's grace is over; 0: it does not stop */
    struct outcome *outcome;
    bool over;
    enum dialogue_end end; /* once it is over */
};

static void finish(struct exchange *exchange, enum dialogue_end end, int outcome)
{
    exchange->over = true;
    exchange->end = end == DIALOGUE_GOES_ON && exchange->dialogue->distrusted ? DIALOGUE_CUT : end;
    exchange->outcome->end = outcome;
}

static void protocol_violation(struct exchange *exchange, const char *what)
{
    error_set(&exchange->outcome->failure, ERROR_CRASHED, "the executor broke the protocol: %s", what);
    finish(exchange, DIALOGUE_CUT, OUTCOME_FAILED);
}

/* A context is created once in an executor's life, which stops the clock once. */
static void on_progress(struct exchange *exchange, const struct message *message)
{
    if (strcmp(message->phase, PROTOCOL_PHASE_OPEN) != 0) {
        if (exchange->opening)
            exchange->until_ns = after(exchange->question->limit_s + margin_s);
        exchange->dialogue->opened |= exchange->opening;
        exchange->opening = false;
    } else if (exchange->opening || exchange->dialogue->opened) {
        protocol_violation(exchange, "it creates its context twice");
    } else {
        exchange->opening = true;
        exchange->until_ns = after(open_s);
    }
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
    outcome->result = message->payload;
    outcome->told = message->told;
    outcome->counts = message->counts;
    outcome->failure = *failure;
    message->payload = NULL;
    message->counts.count = 0;
    bool failed = message->type == MESSAGE_ERROR;
    if (message->type == MESSAGE_RESULT && !message->verified)
        failed =
            error_set(&outcome->failure, ERROR_INCORRECT, "the result says that the output is wrong") < 0;
    finish(exchange, leaving ? DIALOGUE_LEAVING : DIALOGUE_GOES_ON, failed ? OUTCOME_FAILED : OUTCOME_RESULT);
}

/* An answer that comes twice or late is the executor's fault, not that of the experiment that runs now. */
static bool is_late(const struct exchange *exchange, const struct message *message)
{
    for (int i = 0; i < DIALOGUE_REMEMBERED; i++)
        if (message->id[0] && strcmp(message->id, exchange->dialogue->earlier[i]) == 0)
            return true;
    return false;
}

static void on_line(struct exchange *exchange, const char *line, size_t length)
{
    struct message message;
    struct error error = {0};
    if (message_parse(&message, line, length, &error) < 0) {
        protocol_violation(exchange, error.text);
        return;
    }
    if (strcmp(message.id, exchange->question->id) == 0) {
        if (message.type == MESSAGE_PROGRESS)
            on_progress(exchange, &message);
        else if (message.type == exchange->question->answer || message.type == MESSAGE_ERROR)
            on_answer(exchange, &message);
        else
            protocol_violation(exchange, "it sends what it was not asked for");
    } else if (is_late(exchange, &message)) {
        log_warning("an executor speaks of experiment %s again, which it has answered: to be replaced",
                    message.id);
        exchange->dialogue->distrusted = true;
    } else {
        protocol_violation(exchange, "it speaks of an experiment that it was not given");
    }
    message_free(&message);
}

static void on_limit(struct exchange *exchange)
{
    struct error *failure = &exchange->outcome->failure;
    if (exchange->opening)
        error_set(failure, ERROR_TIMED_OUT, "the device was not ready after %g s", open_s);
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
    const struct dialogue_config *config = exchange->config;
    enum interrupt interrupt = interrupt_of(config);
    if (interrupt == INTERRUPT_STOP && !exchange->stop_ns)
        exchange->stop_ns = after(config->grace_s);
    int64_t now = clock_monotonic_ns();
    if (interrupt == INTERRUPT_CANCEL && !exchange->question->own) {
        error_set(&exchange->outcome->failure, ERROR_CANCELLED, "cancelled while it ran");
        finish(exchange, DIALOGUE_CUT, OUTCOME_FAILED);
    } else if (exchange->stop_ns && now >= exchange->stop_ns) {
        finish(exchange, DIALOGUE_CUT, OUTCOME_UNTOUCHED);
    } else if (now >= exchange->until_ns) {
        on_limit(exchange);
    }
}

static int64_t earlier(int64_t until_ns, int64_t stop_ns)
{
    return stop_ns && stop_ns < until_ns ? stop_ns : until_ns;
}

static void answer_await(struct exchange *exchange)
{
    while (!exchange->over) {
        const char *line;
        size_t length;
        switch (child_next(exchange->dialogue->child, exchange->config->wake_fd,
                           earlier(exchange->until_ns, exchange->stop_ns), &line, &length)) {
        case CHILD_LINE:
            on_line(exchange, line, length);
            break;
        case CHILD_FLOOD:
            protocol_violation(exchange, "a line of more than 1 MiB");
            break;
        case CHILD_ENDED:
            finish(exchange, DIALOGUE_ENDED, OUTCOME_FAILED);
            break;
        case CHILD_WOKEN:
        case CHILD_QUIET:
            break;
        }
        if (!exchange->over)
            check_ends(exchange);
    }
}

enum dialogue_end dialogue_ask(struct dialogue *dialogue, const struct dialogue_config *config,
                               const struct question *question, struct outcome *outcome)
{
    struct exchange exchange = {.dialogue = dialogue,
                                .config = config,
                                .question = question,
                                .until_ns = after(question->limit_s + margin_s),
                                .outcome = outcome};
    *outcome = (struct outcome){.end = OUTCOME_UNTOUCHED};
    if (!question->line) {
        error_set(&outcome->failure, ERROR_MEMORY, "no memory for an executor's line");
        outcome->end = OUTCOME_FAILED;
        return DIALOGUE_GOES_ON;
    }
    if (child_send(dialogue->child, question->line, strlen(question->line)) < 0)
        return DIALOGUE_ENDED; /* it was gone before it had the question: that is not the experiment's doing */
    answer_await(&exchange);
    char *remembered = dialogue->earlier[dialogue->asked++ % DIALOGUE_REMEMBERED];
    snprintf(remembered, sizeof dialogue->earlier[0], "%s", question->id);
    return exchange.end;
}

const char *dialogue_end_why(enum dialogue_end end, const struct outcome *outcome, bool killed)
{
    if (end == DIALOGUE_ENDED)
        return killed ? "killed" : "crashed";
    if (end == DIALOGUE_LEAVING)
        return "device_error";
    if (outcome->end == OUTCOME_UNTOUCHED)
        return "stopped";
    bool ours = outcome->failure.kind == ERROR_TIMED_OUT || outcome->failure.kind == ERROR_CANCELLED;
    return outcome->end == OUTCOME_FAILED && ours ? error_kind_name(outcome->failure.kind) : "protocol";
}

void dialogue_pause(const struct dialogue_config *config, int64_t until_ns)
{
    uint64_t woken;
    for (;;) {
        int64_t left = until_ns - clock_monotonic_ns();
        if (left <= 0 || interrupt_of(config) == INTERRUPT_STOP)
            return;
        struct pollfd polled = {.fd = config->wake_fd, .events = POLLIN};
        if (poll(&polled, 1, (int)(left / 1000000) + 1) > 0 &&
            read(config->wake_fd, &woken, sizeof woken) < 0)
            return;
    }
}
