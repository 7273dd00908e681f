/* The executor's end of the protocol: reads and writes messages on descriptors that no library's printf() can
   reach, and holds the lease (api/protocol.h) for a server on another machine. One thread reads, so that the
   process ends as soon as its input closes, also in the middle of a kernel. Another one sends beats, ends the
   process when the lease is over, and handles SIGTERM, by which a scheduler takes the device back. */
#pragma once

#include "api/protocol.h"
#include "base/buffer.h"
#include "base/error.h"

struct channel;

/* Takes over descriptors 0 and 1 (standard input becomes /dev/null, output standard error), and starts both
   threads; all of it lives until the process ends. SIGTERM is blocked in the calling thread and in those that
   it starts later. leave_s: how long a question may go on after SIGTERM. 0 or -1. */
int channel_open(struct channel **channel, double leave_s, struct error *error);

/* Waits for the next question, to be freed with protocol_message_free() and free(); channel_end() is to follow
   its answer. The process ends at the end of the input, after a message that cannot be understood, when it is
   leaving, and when its lease is over. */
struct message *channel_read(struct channel *channel);

/* After the answer was written. Does not return when the process is leaving. */
void channel_end(struct channel *channel);

/* Writes a frame whole and frees it. Ends the process when its lease is over, when the server has closed the
   pipe, or when there was no memory for the frame. Any thread. */
void channel_write(struct channel *channel, struct buffer frame);
