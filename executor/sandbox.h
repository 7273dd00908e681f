/* Work on what users sent, each request in a process of its own behind a wall (executor/wall.h). The parent is warm: what
   the work needs is loaded once, and a request costs a fork. It reads requests from one descriptor and writes
   answers to another one (api/sandbox_protocol.h); it has one thread, and touches nothing that a user sent but to
   pass it on. */
#pragma once

#include <stddef.h>

#include "api/sandbox_protocol.h"
#include "base/buffer.h"
#include "base/error.h"
#include "executor/wall.h"

/* One kind of work. */
struct sandbox_kind {
    const char *name;    /* as a request says it */
    const char *subject; /* "the compiler": begins a sentence about how it ended */
    struct wall_limits limits;
    double wall_s; /* how long it may take by the clock */
    void *context; /* given to the functions */

    /* (optional) What must happen before the seal: starts a program behind a wall of its own. The limits are not set
       yet; descriptor 0 is taken, all others are closed. */
    int (*begin)(void *context, const char *request, size_t bytes, struct error *error);

    /* (optional) What a sealed process does while it waits for its request, so that code and memory are there when it comes. */
    void (*warm_up)(void *context);

    /* The work, in the sealed process. Appends the answer. 0; or -1: ERROR_INVALID: the request is at fault;
       ERROR_MEMORY; any other: the sandbox failed. */
    int (*work)(void *context, const char *request, size_t bytes, struct buffer *answer, struct error *error);
};

struct sandbox {
    const struct sandbox_kind *kinds;
    int kind_count;
    int children; /* how many requests are worked on at a time, 1 to SANDBOX_CHILDREN; others wait */
    int in, out;  /* requests and answers; stay open */
};

enum { SANDBOX_CHILDREN = 16 };

/* Serves until the end of `in`, then ends its children. SIGCHLD is blocked from then on, SIGPIPE ignored; no other
   code of this process may wait for children. 0; -1: `in` or `out` failed, or what came is no request. */
int sandbox_serve(const struct sandbox *sandbox, struct error *error);
