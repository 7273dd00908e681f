/* A log that requests do not wait for: lines are collected in memory, and a thread ("log-writer") writes them
   ten times a second, or sooner when there are many. Lines that cannot be written (a full disk, a disk whose
   rest is reserved, a pipe that nobody reads) are lost, and the service's own log reports how many. */
#ifndef COALESCED_SERVER_HTTP_LOG_WRITER_H
#define COALESCED_SERVER_HTTP_LOG_WRITER_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "server/http/log_file.h"

struct log_writer;

/* Opens the file and starts the thread; "-" is standard output. A full disk or a pipe that nobody reads is no
   error and tried again with each line. `limits` may be NULL (log_file.h). -1: ERROR_SYSTEM or ERROR_MEMORY.
   */
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

#endif
