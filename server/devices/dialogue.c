#include "server/devices/dialogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* What the way through two pipes may add to an experiment's time; and how long a context may take. */
static const double margin_s = 0.25, open_s = 60;

static int64_t after(double seconds)
{
    return clock_monotonic_ns() + (int64_t)(seconds * 1e9);
}

static enum wish wish_of(const struct supervisor_config *config)
{
    return config->wish ? config->wish(config->wish_arg) : WISH_NOTHING;
}

int dialogue_hello(struct child *child, const struct supervisor_config *config, struct message *hello,
                   struct error *error)
{
    int64_t until = after(config->hello_s);
    const char *line;
    size_t length;
    struct error refused = {0};
    for (;;) {
        enum child_event event = child_next(child, config->wake_fd, until, &line, &length);
        if (event == CHILD_LINE && message_parse(hello, line, length, &refused) == 0) {
            if (hello->type == MESSAGE_HELLO)
                return 0;
            message_free(hello);
        } else if (event == CHILD_LINE && refused.kind == ERROR_CONFLICT) {
            return error_set(error, ERROR_CONFLICT, "%s", refused.text);
        } else if (event == CHILD_ENDED) {
            return error_set(error, ERROR_CRASHED, "the executor ended before its hello");
        } else if (event == CHILD_FLOOD) {
            return error_set(error, ERROR_CRASHED, "the executor wrote a line without end before its hello");
        }
        if (wish_of(config) == WISH_STOP)
            return error_set(error, ERROR_UNAVAILABLE, "the service stops");
        if (clock_monotonic_ns() >= until)
            return error_set(error, ERROR_TIMED_OUT, "the executor said no hello within %g s%s%s",
                             config->hello_s, refused.text[0] ? "; what it said was refused: " : "",
                             refused.text);
    }
}

/* One run while it lasts. */
struct run {
    struct child *child;
    const struct supervisor_config *config;
    const char *id;
    double timeout_s;
    bool opening;     /* a context is being created */
    bool asked;       /* for what is ahead: it counts */
    bool in_company;  /* other experiments are counted with it */
    int64_t until_ns; /* when its time is over */
    int64_t stop_ns;  /* when the service's grace is over; 0: it does not stop */
    struct outcome *outcome;
    bool over;
    enum dialogue_end end; /* once it is over */
};

static void finish(struct run *run, enum dialogue_end end, int outcome)
{
    bool counting = outcome == OUTCOME_FAILED && run->asked;
    bool doubtful = counting && run->in_company && run->outcome->failure.kind != ERROR_CANCELLED;
    run->over = true;
    /* It may have stopped within a profiler's pass: nothing more is timed there. */
    run->end = counting && end == DIALOGUE_GOES_ON ? DIALOGUE_CUT : end;
    run->outcome->end = doubtful ? OUTCOME_DOUBTFUL : outcome;
}

static void hear_progress(struct run *run, const struct message *message)
{
    bool opening = strcmp(message->phase, PROTOCOL_PHASE_OPEN) == 0;
    if (opening)
        run->until_ns = after(open_s);
    else if (run->opening)
        run->until_ns = after(run->timeout_s + margin_s);
    run->opening = opening;
}

/* Takes the message's payload. */
static void hear_answer(struct run *run, struct message *message)
{
    struct outcome *outcome = run->outcome;
    bool leaving = message->failure.kind == ERROR_CUDA || message->failure.kind == ERROR_DEVICE_LOST;
    outcome->result = message->payload;
    outcome->verified = message->verified;
    outcome->failure = message->failure;
    message->payload = NULL;
    finish(run, leaving ? DIALOGUE_LEAVING : DIALOGUE_GOES_ON,
           message->type == MESSAGE_RESULT ? OUTCOME_RESULT : OUTCOME_FAILED);
}

static void hear_rubbish(struct run *run, const char *what)
{
    error_set(&run->outcome->failure, ERROR_CRASHED, "the executor broke the protocol: %s", what);
    finish(run, DIALOGUE_CUT, OUTCOME_FAILED);
}

static void hear_ask(struct run *run)
{
    struct ahead ahead = {0};
    if (run->asked) {
        hear_rubbish(run, "it asks twice what is ahead");
        return;
    }
    if (run->config->look_ahead)
        run->config->look_ahead(run->config->wish_arg, &ahead);
    run->asked = true;
    run->in_company = ahead.count > 0;
    char *line = message_ahead(run->id, &ahead);
    ahead_free(&ahead);
    if (!line) {
        error_set(&run->outcome->failure, ERROR_MEMORY, "no memory for an executor's line");
        finish(run, DIALOGUE_CUT, OUTCOME_FAILED);
        return;
    }
    if (child_send(run->child, line, strlen(line)) < 0)
        finish(run, DIALOGUE_ENDED, OUTCOME_FAILED);
    free(line);
}

static void hear(struct run *run, const char *line, size_t length)
{
    struct message message;
    struct error error = {0};
    if (message_parse(&message, line, length, &error) < 0) {
        hear_rubbish(run, error.text);
        return;
    }
    if (strcmp(message.id, run->id) != 0)
        hear_rubbish(run, "it speaks of an experiment that it was not given");
    else if (message.type == MESSAGE_PROGRESS)
        hear_progress(run, &message);
    else if (message.type == MESSAGE_ASK)
        hear_ask(run);
    else if (message.type == MESSAGE_RESULT || message.type == MESSAGE_ERROR)
        hear_answer(run, &message);
    else
        hear_rubbish(run, "it sends what only the service may send");
    message_free(&message);
}

/* What ends a run from our side. */
static void look_around(struct run *run)
{
    const struct supervisor_config *config = run->config;
    struct error *failure = &run->outcome->failure;
    enum wish wish = wish_of(config);
    if (wish == WISH_STOP && !run->stop_ns)
        run->stop_ns = after(config->grace_s);
    int64_t now = clock_monotonic_ns();
    if (wish == WISH_CANCEL) {
        error_set(failure, ERROR_CANCELLED, "cancelled while it ran");
        finish(run, DIALOGUE_CUT, OUTCOME_FAILED);
    } else if (run->stop_ns && now >= run->stop_ns) {
        finish(run, DIALOGUE_CUT, OUTCOME_UNTOUCHED);
    } else if (now >= run->until_ns) {
        if (run->opening)
            error_set(failure, ERROR_TIMED_OUT, "the device was not ready after %g s", open_s);
        else
            error_set(failure, ERROR_TIMED_OUT, "ran past its timeout_s of %g s and was ended",
                      run->timeout_s);
        finish(run, DIALOGUE_CUT, OUTCOME_FAILED);
    }
}

static int64_t earlier(int64_t until_ns, int64_t stop_ns)
{
    return stop_ns && stop_ns < until_ns ? stop_ns : until_ns;
}

enum dialogue_end dialogue_run(struct child *child, const struct supervisor_config *config, const char *id,
                               const char *request, double timeout_s, struct outcome *outcome)
{
    struct run run = {.child = child,
                      .config = config,
                      .id = id,
                      .timeout_s = timeout_s,
                      .until_ns = after(timeout_s + margin_s),
                      .outcome = outcome};
    *outcome = (struct outcome){.end = OUTCOME_UNTOUCHED};
    char *sent = message_run(id, request);
    if (!sent) {
        error_set(&outcome->failure, ERROR_MEMORY, "no memory for an executor's line");
        outcome->end = OUTCOME_FAILED;
        return DIALOGUE_GOES_ON;
    }
    int unheard = child_send(child, sent, strlen(sent));
    free(sent);
    if (unheard)
        return DIALOGUE_ENDED; /* it was gone before it had the request: that is not the experiment's doing */
    while (!run.over) {
        const char *line;
        size_t length;
        switch (child_next(child, config->wake_fd, earlier(run.until_ns, run.stop_ns), &line, &length)) {
        case CHILD_LINE:
            hear(&run, line, length);
            break;
        case CHILD_FLOOD:
            hear_rubbish(&run, "a line of more than 1 MiB");
            break;
        case CHILD_ENDED:
            finish(&run, DIALOGUE_ENDED, OUTCOME_FAILED);
            break;
        case CHILD_WOKEN:
        case CHILD_QUIET:
            break;
        }
        if (!run.over)
            look_around(&run);
    }
    return run.end;
}
