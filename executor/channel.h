/* The executor's end of the protocol: reads and writes messages on descriptors that no library's printf() can
   reach. A thread of its own reads, so that the process ends as soon as its input closes, also in the middle
   of a kernel. */
#ifndef COALESCED_EXECUTOR_CHANNEL_H
#define COALESCED_EXECUTOR_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/protocol.h"
#include "base/error.h"

struct channel;

/* Takes over descriptors 0 and 1: standard input becomes /dev/null, output standard error. Lives until the
   process ends. `heard` gets each message first, from the thread that reads; the messages for which it
   returns true are handled, and channel_read() does not return them. Returns 0 or -1. */
int channel_open(struct channel **channel, bool (*heard)(void *arg, const struct message *message), void *arg,
                 struct error *error);

/* Starts the thread that reads. Returns 0 or -1. */
int channel_listen(struct channel *channel, struct error *error);

/* Waits for the next message, to be freed with protocol_message_free() and free(). At the end of the input,
   and after a message that cannot be understood, the process ends. */
struct message *channel_read(struct channel *channel);

/* Writes a frame whole and frees it. Ends the process when the server has closed the pipe, or when there was
   no memory for the frame. Any thread. */
void channel_write(struct channel *channel, struct buffer frame);

/* The same of a short frame; drops it instead of waiting for longer than a tenth of a second. */
void channel_write_now(struct channel *channel, struct buffer frame);

/* When the writing of that frame (1: the first) began, and of the last one: clock_boot_ns(). 0: it was not
   written yet, or too long ago. Any thread; neither waits. */
int64_t channel_sent_ns(struct channel *channel, int64_t frame);
int64_t channel_last_ns(struct channel *channel);

#endif
