/* One question to an executor, a run or a count: from its frame to its outcome, within its limits. */
#pragma once

#include "server/devices/executor_session.h"

struct executor_question {
    enum message_type answer; /* MESSAGE_RESULT: of a run; MESSAGE_COUNTS: of a count */
    const char *id;
    const struct buffer *frame; /* of protocol_write_run() or protocol_write_count() */
    double limit_s;             /* how long the answer may take, without open and lock phases */
    bool own;                   /* the service's own test: it cannot be cancelled */
};

/* How a question ended. Free `answer` with protocol_message_free(). */
struct executor_outcome {
    enum {
        OUTCOME_RESULT, /* `answer` has it */
        OUTCOME_FAILED, /* `failure` says how; perhaps with a result */
        /* the executor was killed, or is out of reach; `failure` says how. An attempt is spent */
        OUTCOME_LOST,
        /* not by the experiment's fault: it never began, or the service stops. To be asked again; `failure`
           may say why */
        OUTCOME_UNTOUCHED,
    } end;
    /* With a result or counts; all zero without. With OUTCOME_RESULT its output was checked and is right. */
    struct message answer;
    struct error failure;
};

/* Asks, waits for the answer and fills *outcome. With SESSION_ENDED the caller, who learns how the process
   ended, sets the failure's text. */
enum executor_session_end executor_question_ask(struct executor_session *session,
                                                const struct executor_question *question,
                                                struct executor_outcome *outcome);
