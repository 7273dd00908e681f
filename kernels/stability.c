/* Looks at the device, and the reasons that they give. */
#include "kernels/stability.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

static const double clock_tolerance = 0.01, wait_look_s = 0.05;

/* The bits that reduce clocks because of a limit. The others are settings, or mean that the device is
   idle. */
static const struct {
    enum live_throttle bit;
    const char *name;
} throttles[] = {
    {LIVE_SW_POWER_CAP, "SW power cap"},     {LIVE_HW_SLOWDOWN, "HW slowdown"},
    {LIVE_SW_THERMAL, "SW thermal"},         {LIVE_HW_THERMAL, "HW thermal"},
    {LIVE_HW_POWER_BRAKE, "HW power brake"},
};

void stability_look(struct stability *stability, struct live *live, unsigned wanted, struct live_own own)
{
    if (stability->looks < STABILITY_LOOKS)
        live_read(live, wanted, own, &stability->look[stability->looks++]);
}

const char *stability_code_name(enum stability_code code)
{
    static const char *const names[STABILITY_CODES] = {
        [STABILITY_SM_CLOCK] = "sm_clock_moved",
        [STABILITY_MEMORY_CLOCK] = "memory_clock_moved",
        [STABILITY_THROTTLED] = "throttled",
        [STABILITY_OTHERS] = "other_processes",
        [STABILITY_NOISE] = "noise",
        [STABILITY_FEW] = "few_samples",
        [STABILITY_UNTIMED] = "not_timed",
    };
    return names[code];
}

void stability_reason(struct stability_reasons *reasons, enum stability_code code, const char *format, ...)
{
    if (reasons->count == STABILITY_REASONS)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reasons->text[reasons->count], sizeof reasons->text[0], format, arguments);
    va_end(arguments);
    reasons->code[reasons->count++] = code;
}

/* The difference between the first look and the one that differs most from it. */
static void judge_clock(const struct stability *s, enum live_quantity clock, const char *name,
                        enum stability_code code, struct stability_reasons *reasons)
{
    double from = s->look[0].of[clock].value, to = from;
    if (!s->look[0].of[clock].known)
        return;
    for (int i = 1; i < s->looks; i++) {
        const struct live_value *value = &s->look[i].of[clock];
        if (value->known && fabs(value->value - from) > fabs(to - from))
            to = value->value;
    }
    if (fabs(to - from) > clock_tolerance * fmax(from, to))
        stability_reason(reasons, code, "%s clock moved from %.0f to %.0f MHz while timing", name, from, to);
}

static void judge_throttle(const struct stability *s, struct stability_reasons *reasons)
{
    char names[120] = "";
    for (size_t t = 0; t < sizeof throttles / sizeof *throttles; t++)
        for (int i = 0; i < s->looks; i++) {
            const struct live_value *value = &s->look[i].of[LIVE_THROTTLE];
            if (!value->known || !((unsigned long long)value->value & throttles[t].bit))
                continue;
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", throttles[t].name);
            break;
        }
    if (names[0])
        stability_reason(reasons, STABILITY_THROTTLED, "throttled: %s", names);
}

static void judge_others(const struct stability *s, struct stability_reasons *reasons)
{
    double most = 0;
    for (int i = 0; i < s->looks; i++)
        if (s->look[i].of[LIVE_OTHERS].known)
            most = fmax(most, s->look[i].of[LIVE_OTHERS].value);
    if (most > 0)
        stability_reason(reasons, STABILITY_OTHERS,
                         "another process holds a context on this device (%.0f other%s)", most,
                         most > 1 ? "s" : "");
}

void stability_judge(const struct stability *stability, struct stability_reasons *reasons)
{
    judge_clock(stability, LIVE_SM_CLOCK, "SM", STABILITY_SM_CLOCK, reasons);
    judge_clock(stability, LIVE_MEMORY_CLOCK, "memory", STABILITY_MEMORY_CLOCK, reasons);
    judge_throttle(stability, reasons);
    judge_others(stability, reasons);
}

bool stability_busy(const struct live_reading *reading)
{
    const struct live_value *of = reading->of;
    bool computed = of[LIVE_OTHERS].known && of[LIVE_OTHERS].value > 0 &&
                    !(of[LIVE_UTILISATION].known && of[LIVE_UTILISATION].value == 0);
    bool hot = of[LIVE_THROTTLE].known &&
               (unsigned long long)of[LIVE_THROTTLE].value & (LIVE_SW_THERMAL | LIVE_HW_THERMAL);
    return computed || hot;
}

double stability_wait(struct live *live, struct live_own own, double limit_s,
                      void (*say)(void *arg, const char *phase), void *arg)
{
    const unsigned wanted = LIVE_BIT(LIVE_OTHERS) | LIVE_BIT(LIVE_UTILISATION) | LIVE_BIT(LIVE_THROTTLE);
    int64_t begin = clock_monotonic_ns();
    for (bool reported = false;; reported = true) {
        struct live_reading reading;
        double waited_s = (double)(clock_monotonic_ns() - begin) / 1e9;
        if (!(waited_s < limit_s))
            return reported ? waited_s : 0;
        live_read(live, wanted, own, &reading);
        if (!stability_busy(&reading))
            return reported ? waited_s : 0;
        if (!reported)
            say(arg, "quiet");
        double nap_s = fmin(wait_look_s, limit_s - waited_s);
        nanosleep(&(struct timespec){.tv_nsec = (long)(nap_s * 1e9)}, NULL);
    }
}
