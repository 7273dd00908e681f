/* What server and executor say to each other: one JSON object a line, in both directions.

   executor -> server, the first line, before any context exists:
     {"type":"hello","protocol":3,"build":"...","pid":4711,"counts":true,"devices":2,"device":{facts}}
   server -> executor:
     {"type":"run","id":"...","request":{experiment with every default filled in},"counters":{...},"sibling":4712}
     {"type":"count","id":"...","limit_s":30,"experiments":[{"id":"...","request":{...}}, ...]}
   executor -> server, while it works and at its end:
     {"type":"progress","id":"...","phase":"check"}
     {"type":"result","id":"...","result":{...}}
     {"type":"counts","id":"...","experiments":[{"id":"...","counters":{...},"no_room":false}, ...]}
     {"type":"error","id":"...","kind":"cuda_error","detail":"...","result":{...}}

   Each device has two executors, of which one at a time is asked something: one runs experiments, its sibling counts
   them. A count's id is that of its first experiment, which is about to run; the others run next and are counted in the
   same passes as far as that is possible: what the answer leaves out is asked for again. What was counted goes into the
   run of its experiment as "counters"; "sibling" is the process of the other executor when that may hold a context.
   A result has only the members that result_to_json() writes, and says in correctness.verified whether its output is
   right. An error has a result only when there is one (a kernel whose output is wrong). The phase "open" says that a
   context is being created, which does not count as the experiment's time; the next phase ends it, and an executor
   creates one once. After an error whose kind leaves the context beyond repair (cuda_error, device_lost) the executor
   exits. The server closes the executor's standard input to end it, also in the middle of a run. */
#ifndef COALESCED_API_PROTOCOL_H
#define COALESCED_API_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/facts.h"
#include "kernels/stability.h"

enum {
    PROTOCOL_VERSION = 3,
    PROTOCOL_LINE_BYTES = 1 << 20,
    PROTOCOL_POINTS = 16,                 /* experiments in a count, at most */
    PROTOCOL_AHEAD = PROTOCOL_POINTS - 1, /* of them behind the first */
    PROTOCOL_AHEAD_BYTES = 256 << 10,     /* of their requests, all together */
};

/* The phase of a progress while a context is being created. */
#define PROTOCOL_PHASE_OPEN "open"

enum message_type {
    MESSAGE_HELLO,
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
    char id[64];               /* all but hello */
    char phase[32];            /* progress */
    char build[64];            /* hello: the commit that the executor was built from */
    int devices;               /* hello: how many devices an executor of this kind sees */
    bool can_count;            /* hello: the device has hardware counters */
    int64_t pid;               /* hello: the executor's process, where it runs; run: the sibling's; 0: none */
    double limit_s;            /* count: so long may it take */
    struct device_facts facts; /* hello */
    struct error failure;      /* error */
    char *payload;             /* run: the request; result, error: the result or NULL. JSON text, owned */
    char *counters;            /* run: of counters_to_text(), or NULL; owned */
    bool verified;             /* result, error: the result says that its output was checked and is right */
    struct stability_told told; /* result, error: of the result's stability */
    struct ahead ahead;         /* count */
    struct counts counts;       /* counts */
};

/* Reads one line (`length` bytes, without the newline). 0, or -1 with nothing to free: ERROR_INVALID;
   ERROR_CONFLICT: a hello of another protocol version; ERROR_MEMORY. */
int message_parse(struct message *message, const char *line, size_t length, struct error *error);

void message_free(struct message *message);

/* Each writes one line, newline included, to be freed by the caller; NULL: no memory or an invalid payload.
   `counters` and an error's `result` may be NULL, pid and sibling 0. */
char *message_hello(int devices, bool can_count, int64_t pid, const struct device_facts *facts);
char *message_run(const char *id, const char *request, const char *counters, int64_t sibling);
char *message_count(const struct ahead *experiments, double limit_s);
char *message_progress(const char *id, const char *phase);
char *message_result(const char *id, const char *result);
char *message_counts(const char *id, const struct counts *counts);
char *message_error(const char *id, const struct error *failure, const char *result);

#endif
