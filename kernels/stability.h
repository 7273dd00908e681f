/* Whether the device was undisturbed and steady while a kernel was timed. Looks (readings) are taken directly
   after work on the device, because the clocks of an idle one tell nothing: after the check of the kernel,
   between cold and hot samples, and at the end. Never within a sample. */
#pragma once

#include <sys/cdefs.h>

#include "kernels/live.h"

__BEGIN_DECLS

enum {
    STABILITY_LOOKS = 3,
    STABILITY_REASONS = 8,
    /* The quantities of a look. Power is left out: some drivers take milliseconds for it and average it over
       longer than a small experiment lasts. */
    STABILITY_LOOK = LIVE_BIT(LIVE_SM_CLOCK) | LIVE_BIT(LIVE_MEMORY_CLOCK) | LIVE_BIT(LIVE_THROTTLE),
    STABILITY_LOOK_BEGIN = STABILITY_LOOK | LIVE_BIT(LIVE_OTHERS),
    STABILITY_LOOK_END = STABILITY_LOOK_BEGIN | LIVE_BIT(LIVE_TEMPERATURE),
};

struct stability {
    struct live_reading look[STABILITY_LOOKS];
    int looks;
    double waited_s; /* waiting for a quiet device, before the experiment began */
};

/* Takes one more look. The processes of `own`, this one and the counting executor, which is idle
   meanwhile, do not count as others. */
void stability_look(struct stability *stability, struct live *live, unsigned wanted, struct live_own own);

/* A code for each kind of reason, for programs; the names are part of the API. */
enum stability_code {
    STABILITY_SM_CLOCK,     /* it moved */
    STABILITY_MEMORY_CLOCK, /* it moved */
    STABILITY_THROTTLED,
    STABILITY_OTHERS, /* another process holds a context */
    STABILITY_NOISE,  /* above the request's limit */
    STABILITY_FEW,    /* too few samples to know their noise */
    STABILITY_UNTIMED,
    STABILITY_CODES
};

/* "sm_clock_moved" ...; static. */
const char *stability_code_name(enum stability_code code);

/* Sentences with their figures. None: the device was stable. */
struct stability_reasons {
    int count;
    enum stability_code code[STABILITY_REASONS];
    char text[STABILITY_REASONS][160];
};

/* The stability of a result, as the server keeps it. */
struct stability_summary {
    unsigned codes;             /* a set of 1u << enum stability_code */
    struct live_reading latest; /* the last look; quantities may be unknown */
};

/* Appends the reasons that the looks show. A clock moved when it differed by more than 1 %: a step of a GPU's
   clock (15 of 1980 MHz) is less than the default noise limit. An unknown quantity is no reason. */
void stability_judge(const struct stability *stability, struct stability_reasons *reasons);

void stability_reason(struct stability_reasons *reasons, enum stability_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True when measuring now is pointless: another process computes (it has a context, and kernels ran within
   the last second), or the device is too hot. */
bool stability_busy(const struct live_reading *reading);

/* Waits until stability_busy() is false, at most limit_s, with a look every 50 ms. Returns the seconds
   that it waited; 0, without a look, for a limit of 0. say(arg, "quiet") is called once, before the first
   sleep. */
double stability_wait(struct live *live, struct live_own own, double limit_s,
                      void (*say)(void *arg, const char *phase), void *arg);

__END_DECLS
