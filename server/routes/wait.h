/* Waiting within a handler without blocking its thread: for a write to be on the disk, and for the end of
   an experiment or of a sweep. The handler returns what these functions give it and is called again. */
#pragma once

#include <stdatomic.h>

#include "server/routes/service.h"

/* The first member of the handler's state. */
struct commit_wait {
    struct request *request;
    atomic_bool done;
    /* true from the beginning; false before the end: nothing changed, which the audit log counts */
    bool changed;
    struct error failed; /* why it was not written */
};

/* Allocates the request's state of `size` bytes, all zero but for the commit_wait in front, and sets it
   with request_set_state(); `release` frees it (free() where it owns nothing). NULL: no memory, and
   *handled is the reply. */
void *wait_commit_new(struct request *request, size_t size, void (*release)(void *state),
                      enum handled *handled);

/* What the write calls when it is committed (NULL) or given up. `state` begins with a commit_wait. Any
   thread; the state may be gone on return. */
void wait_commit_done(void *state, const struct error *failed);

/* True: it is committed. False: the handler returns *handled, as it is not yet, or has failed and is
   answered. */
bool wait_commit_over(struct commit_wait *wait, enum handled *handled);

struct end_wait;

/* Wakes the request when that experiment or sweep has ended, from now on until wait_end_free(). To be
   called before its state is read, so that an end in between is not missed. NULL: no memory. */
struct end_wait *wait_end_new(struct request *request, const char *id);
void wait_end_free(void *end_wait); /* NULL is allowed */
