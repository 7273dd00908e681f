/* The executor's end of the protocol: lines in, lines out, on descriptors that no library's print can reach.
   A thread of its own reads, so that the input's closing ends the process at once, in the middle of a kernel.
 */
#ifndef COALESCED_EXECUTOR_CHANNEL_H
#define COALESCED_EXECUTOR_CHANNEL_H

#include <stddef.h>

#include "base/error.h"

struct channel;

/* Takes descriptors 0 and 1 over: input becomes /dev/null, output standard error. Starts the reader. It lives
   until the process ends. Returns 0 or -1. */
int channel_open(struct channel **channel, struct error *error);

/* The next line, to be freed by the caller, without its newline; waits for it. When there are no more the
   process has ended. */
char *channel_read(struct channel *channel, size_t *length);

/* Writes a line whole. Ends the process when nobody reads any more. */
void channel_write(struct channel *channel, const char *line);

#endif
