/* The server's side of an exchange with an executor that is alive: its hello, and one question from its line to its
   answer. What becomes of the executor afterwards is for its supervisor to decide. */
#ifndef COALESCED_SERVER_DEVICES_EXECUTOR_SESSION_H
#define COALESCED_SERVER_DEVICES_EXECUTOR_SESSION_H

#include <stdbool.h>

#include "api/protocol.h"
#include "base/error.h"
#include "server/devices/child.h"
#include "server/devices/executor_lease.h"

/* What a caller that waits may be asked for meanwhile. */
enum interrupt {
    INTERRUPT_NONE,
    INTERRUPT_CANCEL,   /* of a question: end it now, and the executor with it */
    INTERRUPT_STOP,     /* give up waiting; a question may go on for grace_s */
    INTERRUPT_NEEDLESS, /* of a start: nobody needs the executor any more */
};

struct executor_session_config {
    double hello_s;             /* how long an executor may take to say hello */
    double heartbeat_s, lost_s; /* its lease (lease.h); 0: none */
    double open_s,
        turn_s; /* how long the creation of a context may take, and a wait for a turn; 0: 60 s, two hours */
    double grace_s;                         /* how long a question may go on after INTERRUPT_STOP */
    int wake_fd;                            /* an eventfd that says: ask `interrupt` again; -1: none */
    enum interrupt (*interrupt)(void *arg); /* NULL: never */
    void *interrupt_arg;
    /* What a question's executor does, for whoever watches; samples negative: not told. NULL: nobody does. */
    void (*progress)(void *arg, const char *id, const char *phase, int samples);
    void *progress_arg;
    /* Is called about every tick_s while something is waited for, to tend what else there is. NULL: nobody is. */
    void (*tick)(void *arg);
    void *tick_arg;
    double tick_s;
    /* A hello, as it came. NULL: nobody is told. */
    void (*hello)(void *arg, const char *line);
    void *hello_arg;
};

enum { DIALOGUE_REMEMBERED = 8 };

/* What is known of one executor from exchange to exchange. All zero but `child` at its start. */
struct executor_session {
    struct child *child;
    struct executor_lease lease;
    int64_t tick_ns; /* when the next tick is due */
    bool leaving;    /* it said that it takes nothing new, because of `why` */
    bool done;       /* and that nothing runs there any more */
    char why[64];
    bool opened;                           /* it has created its context */
    char earlier[DIALOGUE_REMEMBERED][64]; /* ids of the last questions, in a ring */
    unsigned asked;
    bool distrusted; /* it answered twice or late: to be replaced when its present answer is there */
};

struct question {
    enum message_type answer; /* MESSAGE_RESULT: of a run; MESSAGE_COUNTS: of a count */
    const char *id;
    const struct buffer *frame; /* of protocol_write_run() or protocol_write_count() */
    double limit_s;             /* so long may the answer take, the creation of a context apart */
    bool own;                   /* the service's own: nobody can cancel it */
};

/* How one question ended. Free with outcome_free(). */
struct outcome {
    enum {
        OUTCOME_RESULT, /* `result` or `counts` */
        OUTCOME_FAILED, /* `failure` says how; `result` perhaps */
        /* the executor was killed, or is out of reach; `failure` says how. An attempt is spent */
        OUTCOME_LOST,
        OUTCOME_UNTOUCHED, /* not of its own doing: never begun, or the service stops. To be asked another time;
                              `failure` may say why */
    } end;
    char *result; /* JSON object or NULL; its output was checked and is right if `end` is OUTCOME_RESULT */
    struct samples samples;             /* with a result that is to keep them */
    struct stability_summary stability; /* with a result */
    struct counts counts;
    struct error failure;
};

void outcome_free(struct outcome *outcome);

/* Waits for the first line; whatever comes before it is ignored. 0, or -1: ERROR_CRASHED (it ended or wrote a
   line without end), ERROR_TIMED_OUT, ERROR_CONFLICT (another protocol), ERROR_UNAVAILABLE (any interrupt). Welcomes an executor that knows of it. */
int executor_session_hello(struct executor_session *executor_session,
                           const struct executor_session_config *config, struct message *hello,
                           struct error *error);

enum executor_session_end {
    DIALOGUE_GOES_ON, /* the executor waits for the next question */
    DIALOGUE_LEAVING, /* it ends by itself now; it gave its answer, or said that it gives none */
    DIALOGUE_ENDED,   /* it ended, or closed its output, without an answer */
    DIALOGUE_LOST,    /* nothing was heard of it for lost_s */
    /* it must be ended: past its time, cancelled, stopped, it broke the protocol or is distrusted */
    DIALOGUE_CUT,
};

/* Fills *outcome; for DIALOGUE_ENDED the failure is for the caller to tell, who learns how it ended. */
enum executor_session_end executor_session_ask(struct executor_session *executor_session,
                                               const struct executor_session_config *config,
                                               const struct question *question, struct outcome *outcome);

/* Between questions: reads what came, beats when that is due. DIALOGUE_GOES_ON: all is well. */
enum executor_session_end executor_session_listen(struct executor_session *executor_session);

/* Sleeps until then (clock_monotonic_ns()), or until an interrupt. */
void executor_session_pause(const struct executor_session_config *config, int64_t until_ns);

#endif
