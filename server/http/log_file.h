/* The file of a log, to which whole lines are appended. It is opened again when somebody renames or removes
   it, so that logrotate needs no signal, and renamed here when it reaches its limit. For one thread at a
   time, except log_file_interrupt(). */
#ifndef COALESCED_SERVER_HTTP_LOG_FILE_H
#define COALESCED_SERVER_HTTP_LOG_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct log_limits {
    int64_t bytes; /* a file that would exceed this is renamed to FILE.1, and FILE.1 to FILE.2; 0: no limit */
    int files;     /* FILE.1 to FILE.<files> are kept; FILE.0 exists while files are renamed */
    /* Returns how many bytes may be written to the file system of this open file; NULL: no limit. */
    int64_t (*budget)(const void *arg, int file);
    const void *budget_arg;
};

struct log_file {
    char *path; /* NULL: standard output, which is not opened, renamed or closed here */
    int fd;     /* -1: not open */
    struct log_limits limits;
    bool unrotated; /* the last rotation failed, which was logged */
    atomic_bool interrupted;
};

/* Opens `path`; "-" is standard output. `limits` may be NULL. -1: ERROR_UNAVAILABLE (a full disk, or a named
   pipe that nobody reads: log_file_write() tries again), ERROR_SYSTEM, ERROR_MEMORY. log_file_close() is due
   in either case. */
int log_file_open(struct log_file *file, const char *path, const struct log_limits *limits,
                  struct error *error);
void log_file_close(struct log_file *file);

/* Appends lines, each ended by a newline. Returns how many bytes were written; if not all, *error says why. A
   file never contains a part of a line; a pipe may. */
size_t log_file_write(struct log_file *file, const char *lines, size_t size, struct error *error);

/* Any thread: writes to a pipe do not wait for its reader any more. */
void log_file_interrupt(struct log_file *file);

/* The path, or "standard output". */
const char *log_file_name(const struct log_file *file);

#endif
