/* A log that requests do not wait for: lines are collected in memory, and a thread ("log-writer") writes them
   ten times a second, or sooner when there are many. Lines that cannot be written (a full disk, a disk whose
   rest is reserved, a pipe that nobody reads) are lost, and the service's own log reports how many. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"

/* ---- the file, for one thread at a time ---- */

struct log_limits {
    int64_t bytes; /* a file that would exceed this is renamed to FILE.1, and FILE.1 to FILE.2; 0: no limit */
    int files;     /* FILE.1 to FILE.<files> are kept; FILE.0 exists while files are renamed */
    /* Returns how many bytes may be written to the file system of this open file; NULL: no limit. */
    int64_t (*budget)(const void *arg, int file);
    const void *budget_arg;
};

/* Whole lines are appended. The file is opened again when somebody renames or removes it, so that logrotate
   needs no signal, and renamed here when it reaches its limit. */
struct log_file {
    char *path; /* NULL: standard output, which is not opened, renamed or closed here */
    int fd;     /* -1: not open */
    struct log_limits limits;
    bool unrotated;          /* the last rotation failed, which was logged */
    atomic_bool interrupted; /* set by any thread: writes to a pipe do not wait for its reader any more */
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

/* ---- the writer ---- */

struct log_writer;

/* Opens the file and starts the thread; as log_file_open(), but what may work later is no error. */
int log_writer_open(struct log_writer **log_writer, const char *path, const struct log_limits *limits,
                    struct error *error);

/* Writes what is left and ends the thread. NULL is allowed. */
void log_writer_close(struct log_writer *log_writer);

/* Begins a line: append it to the buffer, then call log_writer_end(). A lock is held between the two, so take
   only microseconds. `now` is set to the present time as text. NULL: the line is lost and log_writer_end()
   must not be called. Any thread. */
struct buffer *log_writer_begin(struct log_writer *log_writer, char now[CLOCK_TEXT_BYTES]);
void log_writer_end(struct log_writer *log_writer);

/* True when log_writer_begin() would lose a line. Any thread. */
bool log_writer_is_full(struct log_writer *log_writer);
