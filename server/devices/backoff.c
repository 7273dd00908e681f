/* Doubling pauses with jitter: backoff.h. */
#include "server/devices/backoff.h"

#include <ctype.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"

static const double first_s = 1;

/* Numbers of jobs and processes differ each time. */
static bool same_but_for_numbers(const char *one, const char *other)
{
    for (;;) {
        while (isdigit((unsigned char)*one))
            one++;
        while (isdigit((unsigned char)*other))
            other++;
        if (*one != *other)
            return false;
        if (!*one)
            return true;
        one++;
        other++;
    }
}

/* 0.75 to 1.25, from the clock: enough to separate devices that fail together. */
static double jitter(void)
{
    return 0.75 + 0.5 * (double)(clock_monotonic_ns() / 1000 % 1000) / 1000;
}

void backoff_fail(struct backoff *backoff, const char *name, const char *reason)
{
    backoff->pause_s = backoff->pause_s == 0 ? first_s : backoff->pause_s * 2;
    if (backoff->pause_s > backoff->most_s)
        backoff->pause_s = backoff->most_s;
    double pause_s = backoff->pause_s * (backoff->jitter ? jitter() : 1);
    backoff->until_ns = clock_after_ns(pause_s);
    if (!same_but_for_numbers(backoff->logged, reason))
        log_error("%s: %s; tried again until it works", name, reason);
    else
        log_debug("%s: %s; next try in %g s", name, reason, pause_s);
    snprintf(backoff->logged, sizeof backoff->logged, "%s", reason);
}

void backoff_works(struct backoff *backoff, const char *name)
{
    if (backoff->logged[0])
        log_info("%s: works again", name);
    backoff->logged[0] = '\0';
    backoff->pause_s = 0;
}

bool backoff_lasts(const struct backoff *backoff)
{
    return backoff->pause_s > 0 && clock_monotonic_ns() < backoff->until_ns;
}
