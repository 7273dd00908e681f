/* Work on what users sent, each request in a process of its own behind a wall (executor/wall.h). The parent is warm: what
   the work needs is loaded once, and a request costs a fork. It reads requests from one descriptor and writes
   answers to another one (api/sandbox_protocol.h); it has one thread, and touches nothing that a user sent but to
   pass it on. */
#pragma once

#include <stddef.h>

#include "api/sandbox_protocol.h"
#include "base/buffer.h"
#include "base/error.h"
#include "executor/sandbox_kind.h"

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
