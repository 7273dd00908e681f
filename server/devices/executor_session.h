/* The server's end of the connection to one executor that is alive: its hello, messages between questions,
   waits. One question from its frame to its answer is executor_question.h. What becomes of the executor
   afterwards is its supervisor's decision.

   The supervisor's thread uses a session. No function waits without a limit. */
#ifndef COALESCED_SERVER_DEVICES_EXECUTOR_SESSION_H
#define COALESCED_SERVER_DEVICES_EXECUTOR_SESSION_H

#include <stdbool.h>

#include "api/protocol.h"
#include "base/error.h"
#include "server/devices/child.h"
#include "server/devices/executor_lease.h"

/* What may interrupt a wait. */
enum interrupt {
    INTERRUPT_NONE,
    INTERRUPT_CANCEL,   /* of a question: end it now, and the executor with it */
    INTERRUPT_STOP,     /* give up waiting; a question may go on for grace_s */
    INTERRUPT_NEEDLESS, /* of a start: the executor is not needed any more */
};

/* All callbacks are called by the thread that uses the session, must not block, and may be NULL. */
struct executor_session_config {
    double hello_s;             /* how long an executor may take to send its hello */
    double heartbeat_s, lost_s; /* its lease (executor_lease.h); 0: none */
    double open_s;              /* how long the creation of a context may take; 0: 60 s */
    double locked_s;            /* how long a run may wait for a lock of its machine; 0: two hours */
    double grace_s;             /* how long a question may go on after INTERRUPT_STOP */
    int wake_fd;                /* an eventfd that becomes readable when `interrupt` has news; -1: none */
    enum interrupt (*interrupt)(void *arg);
    void *interrupt_arg;
    /* The progress of a question; samples negative: not said. */
    void (*progress)(void *arg, const char *id, const char *phase, int samples);
    void *progress_arg;
    /* Called about every tick_s during a wait, to serve what else there is. */
    void (*tick)(void *arg);
    void *tick_arg;
    double tick_s;
    /* A hello, as it came. */
    void (*hello)(void *arg, const char *header);
    void *hello_arg;
};

enum { EXECUTOR_SESSION_IDS = 8 };

/* One executor. All zero but `child` at its start. */
struct executor_session {
    struct child *child; /* NULL: there is none */
    struct executor_lease lease;
    int64_t tick_ns; /* when the next tick is due */
    bool leaving;    /* it said that it takes no new work, because of `why` */
    bool done;       /* and that nothing runs there any more */
    char why[64];
    bool opened;                            /* it has created its context */
    char earlier[EXECUTOR_SESSION_IDS][64]; /* ids of the last questions, in a ring */
    unsigned asked;                         /* questions so far */
    bool distrusted; /* it answered twice or late: to be replaced after its present answer */
};

enum executor_session_end {
    SESSION_GOES_ON, /* the executor waits for the next question */
    SESSION_LEAVING, /* it ends by itself now; it gave its answer, or said that it gives none */
    SESSION_ENDED,   /* it ended, or closed its output, without an answer */
    SESSION_LOST,    /* nothing was received from it for lost_s */
    /* it must be ended: past its limit, cancelled, stopped, it broke the protocol or is distrusted */
    SESSION_CUT,
};

/* Waits for the hello, ignores what comes before it, and sends the welcome. 0 with *hello to be freed; or -1:
   ERROR_CRASHED (it ended or wrote a header without end), ERROR_TIMED_OUT, ERROR_CONFLICT (no common
   version), ERROR_UNAVAILABLE (any interrupt). */
int executor_session_hello(struct executor_session *session, const struct executor_session_config *config,
                           struct message *hello, struct error *error);

/* Waits for the executor's next frame, or until until_ns (clock_monotonic_ns()). CHILD_QUIET also when
   something else is due; calls `tick`. */
enum child_event executor_session_wait(struct executor_session *session,
                                       const struct executor_session_config *config, int64_t until_ns,
                                       struct protocol_frame *frame);

enum interrupt executor_session_interrupt(const struct executor_session_config *config);

/* Notes that the executor leaves. False: it said the same before. */
bool executor_session_note_leaving(struct executor_session *session, const struct message *message);

/* Between questions: reads what came, sends a beat when it is due. Returns at once. SESSION_GOES_ON: all is
   well. */
enum executor_session_end executor_session_listen(struct executor_session *session);

/* Sleeps until then (clock_monotonic_ns()), or until an interrupt. */
void executor_session_pause(const struct executor_session_config *config, int64_t until_ns);

#endif
