/* The server's end of the connection to one executor that is alive: its hello, its lease (api/protocol.h),
   messages between questions, waits. One question from its frame to its answer is executor_question.h. What
   becomes of the executor afterwards is its supervisor's decision.

   The supervisor's thread uses a session. No function waits without a limit. Times that end with _ns are of
   clock_monotonic_ns(). */
#pragma once

#include "api/device_list.h"
#include "api/protocol.h"
#include "server/devices/child.h"
#include "server/devices/devices.h"

/* A device of the list, with all defaults filled in: how its executors are started and ended. */
struct executor_config {
    int number; /* in devices.h; -1: none is free */
    struct device_listing listing;
    char spec[DEVICE_LIST_SPEC]; /* which device: "auto:0", "cuda:1", "cpu" */
    const char *const *command;  /* argv, ended by NULL; "--device SPEC" and what follows is appended */
    const char *const *why;      /* argv of a command whose first line says what a start waits for; NULL */
    const char *lock_dir;        /* passed on as "--lock-dir DIR"; NULL: the executor's own choice */
    double heartbeat_s;          /* 0: no lease, as for executors that are this program */
    double lost_s;               /* an executor is lost after so long without a message */
    double grace_s;              /* how long a run may go on after INTERRUPT_STOP */
    double count_s, open_s, locked_s; /* limits of phases (executor_question.h); 0: the defaults */
    char *config_key; /* all that a worker depends on, as one text: equal keys need no other worker */
    int users;        /* the roster and a worker; the pool's thread alone */
};

/* What may interrupt a wait. */
enum interrupt {
    INTERRUPT_NONE,
    INTERRUPT_CANCEL,   /* of a question: end it now, and the executor with it */
    INTERRUPT_STOP,     /* give up waiting; a run may go on for grace_s */
    INTERRUPT_NEEDLESS, /* of a start: the executor is not needed any more */
};

/* Called by the thread that uses the session, must not block, and may be NULL. */
struct executor_callbacks {
    void *arg;
    enum interrupt (*interrupt)(void *arg);
    int wake_fd; /* an eventfd that becomes readable when `interrupt` has news; -1: none */
    /* The progress of a question; samples negative: not said. */
    void (*progress)(void *arg, const char *id, const char *phase, int samples);
    void (*tick)(void *arg); /* about every tick_s during a wait, to serve what else there is */
    double tick_s;
    void (*hello)(void *arg, const char *header); /* as it came */
    /* How soon the device could begin work has changed. */
    void (*readiness)(void *arg, enum device_readiness readiness, bool context);
};

enum { EXECUTOR_SESSION_IDS = 8 };

/* One executor. All zero but the first three at its start. */
struct executor_session {
    const struct executor_config *config;
    const struct executor_callbacks *callbacks;
    struct child *child; /* NULL: there is none */
    int64_t tick_ns;     /* when the next tick is due */

    int64_t hello_ns;    /* when the hello was received; 0: not yet, and there is no lease */
    int64_t received_ns; /* when the last frame was received */
    int64_t frames;      /* received; the hello is the first */
    int64_t beats;       /* received */
    int64_t beat_ns;     /* when the last beat was sent */

    bool leaving; /* it said that it takes no new work, because of `why` */
    bool done;    /* and that nothing runs there any more */
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

/* Waits within_s for the hello, ignores what comes before it, and sends the welcome. 0 with *hello to be
   freed; or -1: ERROR_CRASHED (it ended or wrote a header without end), ERROR_TIMED_OUT, ERROR_CONFLICT (no
   common version), ERROR_UNAVAILABLE (any interrupt). */
int executor_session_hello(struct executor_session *session, double within_s, struct message *hello,
                           struct error *error);

/* Waits for the executor's next frame, or until until_ns. CHILD_QUIET also when something else is due; calls
   `tick`. */
enum child_event executor_session_wait(struct executor_session *session, int64_t until_ns,
                                       struct protocol_frame *frame);

enum interrupt executor_session_interrupt(const struct executor_callbacks *callbacks);

/* Notes that the executor leaves. */
void executor_session_note_leaving(struct executor_session *session, const struct message *message);

/* Notes a beat. False: it sends more of them than its lease allows; without a lease it sends none. */
bool executor_session_note_beat(struct executor_session *session);

/* Sends a beat when one is due. True: the executor is lost, because nothing was received for lost_s; to be
   called when all that had come was read. */
bool executor_session_beat(struct executor_session *session);

/* Between questions: reads what came, sends a beat when it is due. Returns at once. SESSION_GOES_ON: all is
   well. */
enum executor_session_end executor_session_listen(struct executor_session *session);

/* Sleeps until then, or until an interrupt. */
void executor_session_pause(const struct executor_callbacks *callbacks, int64_t until_ns);

/* So many seconds after its last frame an executor with that lost_s has certainly ended; and when this one
   has (0: there is no lease to end it). */
double executor_session_outlives_s(double lost_s);
int64_t executor_session_over_ns(const struct executor_session *session);
