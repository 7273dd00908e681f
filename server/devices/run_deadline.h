/* When a question's time is over. Its clock stands still while the executor does what is not the experiment's; that has a limit of
   its own. Times are of clock_monotonic_ns(). */
#ifndef COALESCED_SERVER_DEVICES_RUN_DEADLINE_H
#define COALESCED_SERVER_DEVICES_RUN_DEADLINE_H

#include <stdint.h>

#include "base/clock.h"

struct deadline {
    int64_t until_ns; /* of the question, or of what is done meanwhile */
    int64_t left_ns;  /* of the question's time, while its clock stands still; 0: it runs */
};

static inline int64_t deadline_after(double seconds)
{
    return clock_monotonic_ns() + (int64_t)(seconds * 1e9);
}

/* What comes now may take so long. */
static inline void deadline_stop(struct deadline *deadline, double most_s)
{
    int64_t left_ns = deadline->until_ns - clock_monotonic_ns();
    if (!deadline->left_ns)
        deadline->left_ns = left_ns > 0 ? left_ns : 1;
    deadline->until_ns = deadline_after(most_s);
}

static inline void deadline_go(struct deadline *deadline)
{
    if (deadline->left_ns)
        deadline->until_ns = clock_monotonic_ns() + deadline->left_ns;
    deadline->left_ns = 0;
}

#endif
