/* What server and executor say to each other: one JSON object a line, in both directions.

   executor -> server, the first line, before any context exists:
     {"type":"hello","protocol":2,"build":"...","devices":2,"device":{facts}}
   server -> executor:
     {"type":"run","id":"...","request":{experiment with every default filled in}}
   executor -> server, while it runs and at its end:
     {"type":"progress","id":"...","phase":"check"}
     {"type":"result","id":"...","result":{...}}
     {"type":"error","id":"...","kind":"cuda_error","detail":"...","result":{...}}
   executor -> server, in a run that it is about to count, and the server's answer to that:
     {"type":"ask","id":"..."}
     {"type":"ahead","id":"...","experiments":[{"id":"...","request":{...}}, ...]}

   What is ahead are the experiments of the same sweep that will run next, perhaps none. The executor may count some of
   them in the same passes and keeps what it found for their own runs.
   An error has a result only when there is one (a kernel whose output is wrong). The phase "open" says that a
   context is being created, which does not count as the experiment's time; the next one ends it. After an
   error whose kind leaves the context beyond repair (cuda_error, device_lost) the executor exits. The server
   closes the executor's standard input to end it, also in the middle of a run. */
#ifndef COALESCED_API_PROTOCOL_H
#define COALESCED_API_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "kernels/facts.h"

enum {
    PROTOCOL_VERSION = 2,
    PROTOCOL_LINE_BYTES = 1 << 20,
    PROTOCOL_AHEAD = 15,              /* experiments in an answer to "ask", at most */
    PROTOCOL_AHEAD_BYTES = 256 << 10, /* of their requests, all together */
};

/* The phase of a progress while a context is being created. */
#define PROTOCOL_PHASE_OPEN "open"

enum message_type {
    MESSAGE_HELLO,
    MESSAGE_RUN,
    MESSAGE_PROGRESS,
    MESSAGE_RESULT,
    MESSAGE_ERROR,
    MESSAGE_ASK,
    MESSAGE_AHEAD
};

/* Experiments that will run next. Free with ahead_free(). */
struct ahead {
    int count;
    struct {
        char id[64];
        char *request; /* JSON object, owned */
    } at[PROTOCOL_AHEAD];
};

void ahead_free(struct ahead *ahead);

/* One line, understood. Free with message_free(). */
struct message {
    enum message_type type;
    char id[64];               /* all but hello */
    char phase[32];            /* progress */
    char build[64];            /* hello: the commit that the executor was built from */
    int devices;               /* hello: how many devices an executor of this kind sees */
    struct device_facts facts; /* hello */
    struct error failure;      /* error */
    char *payload;             /* run: the request; result, error: the result or NULL. JSON text, owned */
    bool verified;             /* result, error: the result says that its output was checked and is right */
    struct ahead ahead;        /* ahead */
};

/* Reads one line (`length` bytes, without the newline). 0, or -1 with nothing to free: ERROR_INVALID;
   ERROR_CONFLICT: a hello of another protocol version; ERROR_MEMORY. */
int message_parse(struct message *message, const char *line, size_t length, struct error *error);

void message_free(struct message *message);

/* Each writes one line, newline included, to be freed by the caller; NULL: no memory or an invalid payload.
   `result` may be NULL for an error. */
char *message_hello(int devices, const struct device_facts *facts);
char *message_run(const char *id, const char *request);
char *message_progress(const char *id, const char *phase);
char *message_result(const char *id, const char *result);
char *message_error(const char *id, const struct error *failure, const char *result);
char *message_ask(const char *id);
char *message_ahead(const char *id, const struct ahead *ahead);

#endif
