#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

static atomic_int level_limit = LOG_INFO;
static atomic_bool plain;

void log_set_level(enum log_level level)
{
    atomic_store(&level_limit, (int)level);
}

void log_set_plain(void)
{
    atomic_store(&plain, true);
}

void log_line(enum log_level level, const char *format, ...)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    if ((int)level > atomic_load(&level_limit))
        return;
    char line[1024], now[CLOCK_TEXT_BYTES];
    int used = 0;
    if (!atomic_load(&plain)) {
        clock_text(clock_wall_ms(), now);
        used = snprintf(line, sizeof line, "%s %-7s ", now, names[level]);
    }
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
    va_end(arguments);
    int room = (int)sizeof line - used - 2;
    used += wanted < 0 ? 0 : wanted < room ? wanted : room;
    line[used++] = '\n';
    /* One write a line, so that lines of several threads and processes do not mix. */
    ssize_t written = write(STDERR_FILENO, line, (size_t)used);
    (void)written;
}
