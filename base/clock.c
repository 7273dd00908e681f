#include "base/clock.h"

#include <stdio.h>
#include <time.h>

int64_t clock_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
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
