/* Was the device left alone, and did it stay as it was, while a kernel was timed? Looks are taken directly after
   work on the device, because the clocks of an idle one say nothing: when the kernel has been verified and the
   timer's floor is known, between the cold and the hot samples, and at the end. Never within a sample. */
#ifndef COALESCED_KERNELS_STABILITY_H
#define COALESCED_KERNELS_STABILITY_H

#include "kernels/live.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    STABILITY_LOOKS = 3,
    STABILITY_REASONS = 8,
    /* What a look reads. Power is left out: some drivers take milliseconds for it, and they average it over
       longer than a small experiment lasts. */
    STABILITY_LOOK = LIVE_BIT(LIVE_SM_CLOCK) | LIVE_BIT(LIVE_MEMORY_CLOCK) | LIVE_BIT(LIVE_THROTTLE),
    STABILITY_LOOK_BEGIN = STABILITY_LOOK | LIVE_BIT(LIVE_OTHERS),
    STABILITY_LOOK_END = STABILITY_LOOK_BEGIN | LIVE_BIT(LIVE_TEMPERATURE),
};

struct stability {
    struct live_reading look[STABILITY_LOOKS];
    int looks;
    double waited_s; /* for a quiet device, before anything was begun on it */
};

/* Takes one more look. `own` are no others: this process and its sibling, which counts and is idle meanwhile. */
void stability_look(struct stability *stability, struct live *live, unsigned wanted, struct live_own own);

/* One for each kind of reason, for programs; the names are on the wire. */
enum stability_code {
    STABILITY_SM_CLOCK,     /* it moved */
    STABILITY_MEMORY_CLOCK, /* it moved */
    STABILITY_THROTTLED,
    STABILITY_OTHERS, /* another process holds a context */
    STABILITY_NOISE,  /* above what was asked for */
    STABILITY_FEW,    /* too few samples to know their noise */
    STABILITY_UNTIMED,
    STABILITY_CODES
};

/* "sm_clock_moved" ...; static. */
const char *stability_code_name(enum stability_code code);

/* Sentences, each naming its figures. None: it is stable. */
struct stability_reasons {
    int count;
    enum stability_code code[STABILITY_REASONS];
    char text[STABILITY_REASONS][160];
};

/* What a result says of it, as the service understands it. */
struct stability_summary {
    unsigned codes;             /* a set of 1u << enum stability_code */
    struct live_reading latest; /* of its looks, the last; what it lacks is not known */
};

/* Appends what the looks tell. A clock moved when it differed by more than 1 %: one step of a GPU's clock (15 of
   1980 MHz) is less than the noise that is asked for by default. What was not to be read is no reason. */
void stability_judge(const struct stability *stability, struct stability_reasons *reasons);

void stability_reason(struct stability_reasons *reasons, enum stability_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Is it pointless to begin now: does another process compute (it has a context, and kernels ran within the last
   second), or is the device too hot? */
bool stability_busy(const struct live_reading *reading);

/* Waits until it is not, at most limit_s, looking every 50 ms. Returns the seconds that it waited; 0, without a
   look, for a limit of 0. say(arg, "quiet") is called once, before the first sleep. */
double stability_wait(struct live *live, struct live_own own, double limit_s,
                      void (*say)(void *arg, const char *phase), void *arg);

#ifdef __cplusplus
}
#endif
#endif
