/* A child process on three pipes: started, given and asked for frames, ended, reaped. No function waits
   without a limit, and no signal is sent to a process that was reaped. One thread uses a child, with SIGPIPE
   blocked or ignored; no other code of the process may wait for children. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/protocol.h"
#include "base/error.h"

struct child;

/* Starts argv (searched in PATH, ended by NULL, without a shell) in a process group of its own, with default
   signals and the three pipes as its only descriptors. `name` stands before lines of its standard error in
   the log. Descriptors 0 to 2 of this process must be open. `whole`: its end also ends descendants that left
   its group (descendants.h). 0, or -1: ERROR_SYSTEM, ERROR_MEMORY. */
int child_start(struct child **child, const char *name, const char *const *argv, bool whole,
                struct error *error);

/* A process that was not reaped is left as it is. NULL is allowed. */
void child_free(struct child *child);

pid_t child_pid(const struct child *child);

/* Sends a frame; what the pipe does not take at once goes out during child_next(). -1: the child reads no
   more, or there was no memory, now or for the frame. */
int child_send(struct child *child, const struct buffer *frame);

enum child_event {
    CHILD_FRAME, /* *frame is valid until the next call */
    CHILD_FLOOD, /* a frame longer than the protocol's limits: nothing that follows can be understood */
    CHILD_ENDED, /* it has ended, or closed its output; every whole frame was returned before */
    CHILD_WOKEN, /* wake_fd was readable and has been read empty */
    CHILD_QUIET, /* until_ns has passed */
};

/* Waits for what comes first. wake_fd: an eventfd, or -1. until_ns: on clock_monotonic_ns(); in the past:
   returns at once. */
enum child_event child_next(struct child *child, int wake_fd, int64_t until_ns, struct protocol_frame *frame);

/* Ends it with its process group: closes its input and waits patience_s for its end, then sends SIGTERM, then
   SIGKILL. 0: reaped; -1: it is not gone 5 s after SIGKILL; another call checks again and does not wait. */
int child_end(struct child *child, double patience_s);

/* How a child ended. */
struct child_exit {
    bool killed;    /* another process sent it SIGKILL or SIGTERM: the kernel short of memory, an operator */
    bool crashed;   /* by its own status or a launcher's (128 + the signal) */
    char text[512]; /* with the end of its standard error, in ASCII: "killed by SIGSEGV; it said: ..." */
};

/* After child_end() returned 0. */
void child_exit(const struct child *child, struct child_exit *ended);

enum { CHILD_SAID_BYTES = 301 };

/* The end of its standard error, in ASCII and newlines, without white space at the end. */
void child_last_said(const struct child *child, char said[CHILD_SAID_BYTES]);
