/* How long to leave something alone that does not work: the pause doubles, and the log is told of each new reason once. One
   thread uses it. */
#ifndef COALESCED_SERVER_DEVICES_BACKOFF_H
#define COALESCED_SERVER_DEVICES_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/* All zero but `most_s` and `jitter` when nothing has failed yet. */
struct backoff {
    double most_s;  /* no pause is longer */
    bool jitter;    /* a quarter more or less, so that those that failed together do not come back together */
    double pause_s; /* the present one; 0: all is well */
    int64_t until_ns; /* when it is over: clock_monotonic_ns() */
    char logged[256]; /* the reason that the log has last */
};

/* It failed: the pause begins, 1 s the first time. `name` stands before the reason in the log. Reasons that differ only in
   their numbers are one. */
void backoff_fail(struct backoff *backoff, const char *name, const char *reason);

/* It works. */
void backoff_works(struct backoff *backoff, const char *name);

/* Does the pause last? */
bool backoff_lasts(const struct backoff *backoff);

#endif
