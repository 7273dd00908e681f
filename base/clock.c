/* Reads the clocks, and reads and writes moments as text. */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t clock_after_ns(double seconds)
{
    return clock_monotonic_ns() + (int64_t)(seconds * 1e9);
}

bool clock_passed(int64_t ns, double seconds)
{
    return clock_monotonic_ns() - ns >= (int64_t)(seconds * 1e9);
}

int64_t clock_boot_ns(void)
{
    return clock_ns(CLOCK_BOOTTIME);
}

int64_t clock_thread_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

int64_t clock_wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void clock_text(int64_t wall_ms, char text[CLOCK_TEXT_BYTES])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    size_t used = strftime(text, CLOCK_TEXT_BYTES, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + used, CLOCK_TEXT_BYTES - used, ".%03uZ", (unsigned)(wall_ms % 1000) % 1000u);
}

/* "Z", "+01:00" or "-05:30" to the text's end. A blank is a plus that a query was not encoded for. */
static bool zone_read(const char *text, long *seconds)
{
    unsigned hours, minutes;
    int used = 0;
    *seconds = 0;
    if ((*text == 'Z' || *text == 'z') && !text[1])
        return true;
    if ((*text != '+' && *text != '-' && *text != ' ') ||
        sscanf(text + 1, "%2u:%2u%n", &hours, &minutes, &used) != 2 || used != 5 || text[6] || hours > 23 ||
        minutes > 59)
        return false;
    *seconds = (long)(hours * 3600 + minutes * 60) * (*text == '-' ? -1 : 1);
    return true;
}

/* ".123": as many digits as there are, of which the first three count. */
static const char *fraction_read(const char *text, int *ms)
{
    *ms = 0;
    if (*text != '.')
        return text;
    for (int unit = 100; *++text >= '0' && *text <= '9'; unit /= 10)
        *ms += (*text - '0') * unit;
    return text;
}

int clock_read(const char *text, int64_t *wall_ms)
{
    struct tm parts = {0};
    int used = 0, ms = 0, day, month;
    long zone_s = 0;
    char separator;
    if (sscanf(text, "%4d-%2d-%2d%n", &parts.tm_year, &month, &day, &used) != 3 || used != 10)
        return -1;
    parts.tm_mday = day;
    parts.tm_mon = month - 1;
    parts.tm_year -= 1900;
    text += used;
    if (*text) {
        if (sscanf(text, "%c%2d:%2d:%2d%n", &separator, &parts.tm_hour, &parts.tm_min, &parts.tm_sec,
                   &used) != 4 ||
            used != 9 || (separator != 'T' && separator != 't') || parts.tm_hour > 23 || parts.tm_min > 59 ||
            parts.tm_sec > 60 || !zone_read(fraction_read(text + used, &ms), &zone_s))
            return -1;
    }
    *wall_ms = ((int64_t)timegm(&parts) - zone_s) * 1000 + ms;
    /* A day that there is not came out as another one. */
    bool day_is = month == parts.tm_mon + 1 && (day == parts.tm_mday || parts.tm_sec == 60);
    return day_is && *wall_ms > 0 ? 0 : -1;
}
