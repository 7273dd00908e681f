/* The file of a log. Whole lines are appended to it. It is opened anew when somebody renamed or removed it, so that logrotate
   needs no signal, and it is renamed here when it reaches its limit. One thread at a time, but for log_file_interrupt(). */
#ifndef COALESCED_SERVER_HTTP_LOG_FILE_H
#define COALESCED_SERVER_HTTP_LOG_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct log_limits {
    int64_t bytes; /* a file that would be larger is renamed to FILE.1, and FILE.1 to FILE.2; 0: never */
    int kept;      /* FILE.1 to FILE.<kept> stay; FILE.0 is there while names change */
    /* How many bytes may be written to the file system that this open file lies on; NULL: as many as it takes. */
    int64_t (*room)(const void *arg, int file);
    const void *room_arg;
};

struct log_file {
    char *path; /* NULL: standard output, which is not opened, renamed or closed here */
    int fd;     /* -1: not open yet */
    struct log_limits limits;
    bool unrotated; /* the last rename failed, and the service's log says so */
    atomic_bool interrupted;
};

/* Path "-" is standard output; `limits` may be NULL: none. -1: ERROR_UNAVAILABLE, a disk that is full or a named pipe that nobody
   reads, which each log_file_write() tries again; ERROR_SYSTEM; ERROR_MEMORY. Call log_file_close() in either case. */
int log_file_open(struct log_file *file, const char *path, const struct log_limits *limits,
                  struct error *error);
void log_file_close(struct log_file *file);

/* Appends lines, each of which ends with a newline. Returns how many bytes are in the file; where that is not all, *error
   says why, and no line but those of a pipe is there in part. */
size_t log_file_write(struct log_file *file, const char *lines, size_t size, struct error *error);

/* Any thread: from now on a pipe that nobody reads is not waited for. */
void log_file_interrupt(struct log_file *file);

/* For messages: the path, or "standard output". */
const char *log_file_name(const struct log_file *file);

#endif
