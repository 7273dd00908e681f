/* The executor's end of the protocol: lines in, lines out, on descriptors that no library's print can reach.
   A thread of its own reads, so that the input's closing ends the process at once, in the middle of a kernel.
 */
#ifndef COALESCED_EXECUTOR_CHANNEL_H
#define COALESCED_EXECUTOR_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct channel;

/* Takes descriptors 0 and 1 over: input becomes /dev/null, output standard error. It lives until the process ends.
   `heard` is shown each line first, by the thread that reads, and returns true of those that it keeps from
   channel_read(). Returns 0 or -1. */
int channel_open(struct channel **channel, bool (*heard)(void *arg, const char *line, size_t length),
                 void *arg, struct error *error);

/* Starts the thread that reads. Returns 0 or -1. */
int channel_listen(struct channel *channel, struct error *error);

/* The next line, to be freed by the caller, without its newline; waits for it. When there are no more the
   process has ended. */
char *channel_read(struct channel *channel, size_t *length);

/* Writes a line whole. Ends the process when nobody reads any more. Any thread. */
void channel_write(struct channel *channel, const char *line);

/* The same, of a short line; but not when it would have to wait for longer than a tenth of a second. */
void channel_write_now(struct channel *channel, const char *line);

/* When the writing of that line (1: the first) began, and of the last one: clock_boot_ns(). 0: it was not written yet, or
   too long ago. Any thread; neither waits. */
int64_t channel_sent_ns(struct channel *channel, int64_t line);
int64_t channel_last_ns(struct channel *channel);

#endif
