/* Kinds of work for a sandbox that try what a sealed process may not do, and what uses up its limits. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "executor/sandbox.h"

enum { SANDBOX_ATTEMPTS_KINDS = 24 };

/* Seen by all processes of a test, which maps it shared before it starts a sandbox. */
extern struct sandbox_attempts_shared {
    atomic_int at_work, most; /* of "meet" */
    atomic_int begun, pid;    /* of "hold", which ends when it is released */
    atomic_bool release;
    atomic_int warm; /* processes that warmed up for "echo" */
} * sandbox_attempts_shared;

/* An answer is the result of what was tried, or minus errno, a blank, and the request; but of "echo", "flood" and "fail_so". */
void sandbox_attempts_list(struct sandbox_kind kinds[SANDBOX_ATTEMPTS_KINDS]);
