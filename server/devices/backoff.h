/* Pauses between tries of something that fails: each is twice as long as the one before, and each new reason
   is logged once. One thread uses it. */
#ifndef COALESCED_SERVER_DEVICES_BACKOFF_H
#define COALESCED_SERVER_DEVICES_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/* All zero but `most_s` and `jitter` before the first failure. */
struct backoff {
    double most_s; /* the longest pause */
    bool jitter; /* pauses differ by a quarter, so that devices that failed together are not tried together */
    double pause_s;   /* the present pause; 0: all is well */
    int64_t until_ns; /* its end, on clock_monotonic_ns() */
    char logged[256]; /* the reason that was logged last */
};

/* It failed: the pause begins, 1 s the first time. `name` stands before the reason in the log. Reasons that
   differ in their numbers alone are the same. */
void backoff_fail(struct backoff *backoff, const char *name, const char *reason);

/* It works. */
void backoff_works(struct backoff *backoff, const char *name);

/* True during a pause. */
bool backoff_lasts(const struct backoff *backoff);

#endif
