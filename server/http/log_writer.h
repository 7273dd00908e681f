/* A log that no request waits for: lines are gathered in memory, and a thread writes them out ten times a second, or sooner
   when many came. What cannot be written, because the disk is full, or what is left of it is not for logs, or nobody reads
   the pipe, is lost, and the service's own log says how many lines that were. */
#ifndef COALESCED_SERVER_HTTP_LOG_WRITER_H
#define COALESCED_SERVER_HTTP_LOG_WRITER_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "server/http/log_file.h"

struct log_writer;

/* "-" is standard output. A disk that is full, or a named pipe that nobody reads, is tried again with each line; `limits` may be
   NULL (log_file.h). -1: ERROR_SYSTEM, the file cannot be opened; ERROR_MEMORY. */
int log_writer_open(struct log_writer **log_writer, const char *path, const struct log_limits *limits,
                    struct error *error);

/* Writes what is left. NULL is allowed. */
void log_writer_close(struct log_writer *log_writer);

/* One line: whatever is appended to the buffer between the two, in a few microseconds, because others wait. NULL: the line
   is lost, there is no room; then log_writer_end() is not called. `now`: the present time as text. Any thread. */
struct buffer *log_writer_begin(struct log_writer *log_writer, char now[CLOCK_TEXT_BYTES]);
void log_writer_end(struct log_writer *log_writer);

/* True: log_writer_begin() would lose a line now. Any thread. */
bool log_writer_is_full(struct log_writer *log_writer);

#endif
