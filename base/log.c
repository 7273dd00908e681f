/* Writes log lines, each with one call, to standard error. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

static atomic_int level_limit = LOG_INFO;
static atomic_bool plain;
static pthread_once_t journal_once = PTHREAD_ONCE_INIT;
static bool to_journal;

/* systemd names the device and the inode of the stream that it gave; anything since may have been put in
   its place. */
static void journal_look(void)
{
    unsigned long long device, inode;
    struct stat status;
    const char *stream = getenv("JOURNAL_STREAM");
    to_journal = stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
                 fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

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
    static const int priorities[] = {3, 4, 6, 7}; /* syslog's */
    if ((int)level > atomic_load(&level_limit))
        return;
    char line[1024], now[CLOCK_TEXT_BYTES];
    int used = 0;
    pthread_once(&journal_once, journal_look);
    if (to_journal) {
        used = snprintf(line, sizeof line, "<%d>", priorities[level]);
    } else if (!atomic_load(&plain)) {
        clock_text(clock_wall_ms(), now);
        used = snprintf(line, sizeof line, "%s %-7s ", now, names[level]);
    }
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
    va_end(arguments);
    int available = (int)sizeof line - used - 2;
    int end = used + (wanted < 0 ? 0 : wanted < available ? wanted : available);
    /* A message may hold what a client or a driver said: it is one line, and moves no terminal's cursor. */
    for (; used < end; used++)
        if ((unsigned char)line[used] < ' ' || line[used] == 0x7f)
            line[used] = ' ';
    line[used++] = '\n';
    /* One write a line, so that lines of several threads and processes do not mix. */
    ssize_t written = write(STDERR_FILENO, line, (size_t)used);
    (void)written;
}
