/* A kind of work that a sandbox does: what is done behind the wall, and within which limits. */
#pragma once

#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "executor/wall.h"

struct sandbox_kind {
    const char *name;    /* as a request says it */
    const char *subject; /* "the compiler": begins a sentence about how it ended */
    const char *hint;    /* what may be the cause where a limit ended it, as ": ..."; NULL: nothing */
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
