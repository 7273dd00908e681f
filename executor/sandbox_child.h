/* A child of the sandbox, seen from its parent: a process that is sealed, waits for one request, works on it, answers and
   ends. It is forked before the request is there, so that a request waits for its work alone. */
#pragma once

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "api/sandbox_protocol.h"
#include "executor/sandbox_kind.h"

struct sandbox_child {
    pid_t pid;  /* 0: there is none */
    int socket; /* -1: read to its end */
    const struct sandbox_kind *kind;
    bool asked; /* false: it waits for its request */
    int64_t id, until_ns;
    struct buffer request, said; /* request: what is not sent yet */
    bool late, flooded, answered, ended;
    int status; /* of wait4(), where it has ended */
    struct rusage usage;
};

/* In the parent, once: makes room in its heap that its children find mapped. */
void sandbox_child_prepare(void);

/* Forks one that can be asked. `waits`: not at once. 0; or -1: *why is a sentence, static. */
int sandbox_child_fork(struct sandbox_child *child, const struct sandbox_kind *kind, bool waits,
                       const char **why);

/* Gives it its request. */
void sandbox_child_ask(struct sandbox_child *child, const struct sandbox_message *request);

/* Sends and reads without waiting, as far as it goes. */
void sandbox_child_write(struct sandbox_child *child);
void sandbox_child_read(struct sandbox_child *child);

/* True: its answer is whole, whatever becomes of it. */
bool sandbox_child_said_all(const struct sandbox_child *child);

/* True: it has ended and is reaped. */
bool sandbox_child_ended(struct sandbox_child *child);

/* The frame to send, of one that has said all or has ended; to be freed. */
struct buffer sandbox_child_answer(const struct sandbox_child *child);

/* Ends it where it runs, and frees what it holds. */
void sandbox_child_clear(struct sandbox_child *child);
