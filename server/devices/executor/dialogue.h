/* The server's side of an exchange with an executor that is alive: its hello, and one question from its line to its
   answer. What becomes of the executor afterwards is for its supervisor to decide. */
#ifndef COALESCED_SERVER_DEVICES_EXECUTOR_DIALOGUE_H
#define COALESCED_SERVER_DEVICES_EXECUTOR_DIALOGUE_H

#include <stdbool.h>

#include "api/protocol.h"
#include "base/error.h"
#include "server/devices/executor/child.h"

/* What a caller that waits may be asked for meanwhile. */
enum interrupt {
    INTERRUPT_NONE,
    INTERRUPT_CANCEL, /* of a question: end it now, and the executor with it */
    INTERRUPT_STOP,   /* give up waiting; a question may go on for grace_s */
};

struct dialogue_config {
    double hello_s;                         /* how long an executor may take to say hello */
    double grace_s;                         /* how long a question may go on after INTERRUPT_STOP */
    int wake_fd;                            /* an eventfd that says: ask `interrupt` again; -1: none */
    enum interrupt (*interrupt)(void *arg); /* NULL: never */
    void *interrupt_arg;
};

enum { DIALOGUE_REMEMBERED = 8 };

/* What is known of one executor from exchange to exchange. All zero but `child` at its start. */
struct dialogue {
    struct child *child;
    bool opened;                           /* it has created its context */
    char earlier[DIALOGUE_REMEMBERED][64]; /* ids of the last questions, in a ring */
    unsigned asked;
    bool distrusted; /* it answered twice or late: to be replaced when its present answer is there */
};

struct question {
    enum message_type answer; /* MESSAGE_RESULT: of a run; MESSAGE_COUNTS: of a count */
    const char *id;
    const char *line; /* as message_run() or message_count() made it; NULL: there was no memory */
    double limit_s;   /* so long may the answer take, the creation of a context apart */
    bool own;         /* the service's own: nobody can cancel it */
};

/* How one question ended. Free with outcome_free(). */
struct outcome {
    enum {
        OUTCOME_RESULT, /* `result` or `counts` */
        OUTCOME_FAILED, /* `failure` says how; `result` perhaps */
        OUTCOME_LOST, /* the executor was killed by somebody else; `failure` says how. An attempt is spent */
        OUTCOME_UNTOUCHED, /* not of its own doing: never begun, or the service stops. To be asked another time */
    } end;
    char *result; /* JSON object or NULL; its output was checked and is right if `end` is OUTCOME_RESULT */
    struct stability_told told; /* with a result */
    struct counts counts;
    struct error failure;
};

void outcome_free(struct outcome *outcome);

/* Waits for the first line; whatever comes before it is ignored. 0, or -1: ERROR_CRASHED (it ended or wrote a
   line without end), ERROR_TIMED_OUT, ERROR_CONFLICT (another protocol), ERROR_UNAVAILABLE (INTERRUPT_STOP). */
int dialogue_hello(struct dialogue *dialogue, const struct dialogue_config *config, struct message *hello,
                   struct error *error);

enum dialogue_end {
    DIALOGUE_GOES_ON, /* the executor waits for the next question */
    DIALOGUE_LEAVING, /* it gave its answer and ends by itself now */
    DIALOGUE_ENDED,   /* it ended, or closed its output, without an answer */
    DIALOGUE_CUT, /* it must be ended: past its time, cancelled, stopped, it broke the protocol or is distrusted */
};

/* Fills *outcome; for DIALOGUE_ENDED the failure is for the caller to tell, who learns how it ended. */
enum dialogue_end dialogue_ask(struct dialogue *dialogue, const struct dialogue_config *config,
                               const struct question *question, struct outcome *outcome);

/* Sleeps until then (clock_monotonic_ns()), or until INTERRUPT_STOP. */
void dialogue_pause(const struct dialogue_config *config, int64_t until_ns);

/* Why an executor is no more after an exchange that does not go on, as EVENT_RESTART of metrics.h takes it. `killed`: by
   somebody else. Static. */
const char *dialogue_end_why(enum dialogue_end end, const struct outcome *outcome, bool killed);

#endif
