/* What server and executor say to each other: one JSON object a line, in both directions.

   executor -> server, the first line, before any context exists:
     {"type":"hello","protocol":3,"newest":4,"build":"...","pid":4711,"counts":true,"devices":2,"device":{facts}}
   server -> executor:
     {"type":"welcome","protocol":4,"heartbeat_s":5,"lost_s":20}
     {"type":"run","id":"...","request":{experiment with every default filled in},"counters":{...},"calibration":{...},
      "sibling":4712}
     {"type":"count","id":"...","limit_s":30,"experiments":[{"id":"...","request":{...}}, ...]}
   executor -> server, while it works and at its end:
     {"type":"progress","id":"...","phase":"check"}
     {"type":"progress","id":"...","phase":"cold","samples":120}
     {"type":"result","id":"...","result":{...},"samples":{"cold":"...","hot":"..."}}
     {"type":"counts","id":"...","experiments":[{"id":"...","counters":{...},"no_room":false}, ...]}
     {"type":"error","id":"...","kind":"cuda_error","detail":"...","result":{...}}
   both ways, when nothing was said for heartbeat_s (server: each heartbeat_s):
     {"type":"beat","heard":17}
   executor -> server, because somebody wants it to end:
     {"type":"leaving","why":"SIGTERM","done":false}

   Versions: a hello names the oldest ("protocol") and the newest that the executor speaks; the newest that both know is
   spoken. 3 has neither welcome nor beat nor leaving; an executor that was not welcomed says none of them.

   Lease: where the welcome names times, an executor that the server cannot reach ends by itself. Each side counts the
   lines that it got, the hello being the first, and "heard" tells how many. The executor lives until lost_s after it sent
   the last line that the server says it heard, by its own clock. The server, which heard that line later than it was sent,
   waits lost_s after that, by its own clock, before it takes the executor for dead. No clock is compared with another, and a beat
   that is delayed prolongs nothing. `heard` of an executor's beat tells nothing: 0.

   Leaving: it takes nothing new and finishes what runs, if it can in time. "done": nothing runs there any more, and it
   ends.

   Each device has two executors, of which one at a time is asked something: one runs experiments, its sibling counts
   them. A count's id is that of its first experiment, which is about to run; the others run next and are counted in the
   same passes as far as that is possible: what the answer leaves out is asked for again. What was counted goes into the
   run of its experiment as "counters"; "sibling" is the process of the other executor when that may hold a context.
   "calibration", as calibration_write() writes it, has the constants that the device measured itself: the result's `time` is
   made of them. Without it, or where it lacks a constant that the executor's build knows, those that are shipped are taken.
   Samples come when they are to be kept, as samples_to_json() writes them.
   A result has only the members that result_to_json() writes, and says in correctness.verified whether its output is
   right. An error has a result only when there is one (a kernel whose output is wrong). The phase "open" says that a
   context is being created, which does not count as the experiment's time; the next phase ends it, and an executor
   creates one once. "turn" says that it waits until another process of the machine has had its turn on the device or the
   bus: no time of the experiment's either, at most twice, and ended by the next phase. Samples so far are told between samples, never within one. After an error whose kind leaves the context beyond repair (cuda_error, device_lost) the executor
   exits. The server closes the executor's standard input to end it, also in the middle of a run. */
#ifndef COALESCED_API_PROTOCOL_H
#define COALESCED_API_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/samples.h"
#include "base/error.h"
#include "kernels/facts.h"
#include "kernels/stability.h"

enum {
    PROTOCOL_OLDEST = 3, /* what this build speaks */
    PROTOCOL_NEWEST = 4,
    PROTOCOL_LEASE = 4, /* from here on there are welcome, beat and leaving */
    PROTOCOL_LOST_MOST_S = 86400,
    PROTOCOL_LINE_BYTES = 1 << 20,
    PROTOCOL_POINTS = 16,                 /* experiments in a count, at most */
    PROTOCOL_AHEAD = PROTOCOL_POINTS - 1, /* of them behind the first */
    PROTOCOL_AHEAD_BYTES = 256 << 10,     /* of their requests, all together */
};

/* An executor's exit statuses with a meaning. */
enum {
    EXECUTOR_OK = 0,
    EXECUTOR_FAILED = 1,
    EXECUTOR_USAGE = 2,
    EXECUTOR_DEADLINE = 3, /* past its own deadline */
    EXECUTOR_BROKEN = 4,   /* it, or the server, broke the protocol */
    EXECUTOR_LOST = 5,     /* its lease is over */
};

/* The phase of a progress while a context is being created. */
#define PROTOCOL_PHASE_OPEN "open"
/* The phase of a progress while another process of the machine has its turn on what this one needs alone. */
#define PROTOCOL_PHASE_TURN "turn"

enum message_type {
    MESSAGE_HELLO,
    MESSAGE_WELCOME,
    MESSAGE_BEAT,
    MESSAGE_LEAVING,
    MESSAGE_RUN,
    MESSAGE_COUNT,
    MESSAGE_PROGRESS,
    MESSAGE_RESULT,
    MESSAGE_COUNTS,
    MESSAGE_ERROR
};

/* Experiments, in the order in which they will run. Free with ahead_free(). */
struct ahead {
    int count;
    struct {
        char id[64];
        char *request; /* JSON object, owned */
    } at[PROTOCOL_POINTS];
};

void ahead_free(struct ahead *ahead);

/* What was counted. Free with counts_free(). */
struct counts {
    int count;
    struct {
        char id[64];
        char *counters; /* JSON object as counters_to_text() writes it, owned */
        bool no_room;   /* not counted, because the device's memory had no room for it */
    } at[PROTOCOL_POINTS];
};

void counts_free(struct counts *counts);

/* One line, understood. Free with message_free(). */
struct message {
    enum message_type type;
    char id[64];               /* of those that are about an experiment; else empty */
    char phase[32];            /* progress */
    int samples;               /* progress: of the phase so far; negative: not told */
    int protocol;              /* hello: the newest that both know; welcome */
    double heartbeat_s;        /* welcome: 0: no lease */
    double lost_s;             /* welcome: with heartbeat_s */
    int64_t heard;             /* beat */
    char why[64];              /* leaving */
    bool done;                 /* leaving: nothing runs any more */
    char build[64];            /* hello: the commit that the executor was built from */
    int devices;               /* hello: how many devices an executor of this kind sees */
    bool can_count;            /* hello: the device has hardware counters */
    int64_t pid;               /* hello: the executor's process, where it runs; run: the sibling's; 0: none */
    double limit_s;            /* count: so long may it take */
    struct device_facts facts; /* hello */
    struct error failure;      /* error */
    char *payload;             /* run: the request; result, error: the result or NULL. JSON text, owned */
    char *counters;            /* run: of counters_to_text(), or NULL; owned */
    char *calibration;         /* run: of calibration_write(), or NULL; owned */
    struct samples kept;       /* result: the samples that are to be kept; owned */
    bool verified;             /* result, error: the result says that its output was checked and is right */
    struct stability_told told; /* result, error: of the result's stability */
    struct ahead ahead;         /* count */
    struct counts counts;       /* counts */
};

/* Reads one line (`length` bytes, without the newline). 0, or -1 with nothing to free: ERROR_INVALID;
   ERROR_CONFLICT: a hello of protocol versions that this build does not know; ERROR_MEMORY. */
int message_parse(struct message *message, const char *line, size_t length, struct error *error);

void message_free(struct message *message);

/* As it stands in "type". Static. */
const char *message_type_name(enum message_type type);

/* Each writes one line, newline included, to be freed by the caller; NULL: no memory or an invalid payload.
   `samples` and an error's `result` may be NULL, pid 0. */
char *message_hello(int devices, bool can_count, int64_t pid, const struct device_facts *facts);
char *message_welcome(int protocol, double heartbeat_s, double lost_s);
char *message_beat(int64_t heard);
char *message_leaving(const char *why, bool done);
/* What goes with a request to the executor that times. */
struct run_along {
    const char *counters;    /* of counters_to_text(); NULL: nothing was counted */
    const char *calibration; /* of calibration_write(); NULL: the device has made none */
    int64_t sibling;         /* the process; 0: none */
};
/* A request's "device", which may leave the choice, is told as the number of the one that it runs on. along NULL: nothing. */
char *message_run(const char *id, int device, const char *request, const struct run_along *along);
char *message_count(const struct ahead *experiments, int device, double limit_s);
char *message_progress(const char *id, const char *phase, unsigned samples); /* samples 0: not told */
char *message_result(const char *id, const char *result, const struct samples *samples);
char *message_counts(const char *id, const struct counts *counts);
char *message_error(const char *id, const struct error *failure, const char *result);

#endif
