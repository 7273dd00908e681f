/* Streams without an end, of events. The connection is suspended, which costs libmicrohttpd nothing, and one
   thread ("live-streams") writes to all of their sockets without waiting for any. It uses at most a tenth of
   a processor: with many streams each receives an event a little later. */
#pragma once

#include "base/error.h"

struct live_streams;

/* Starts the thread for the streams of reply_live(). A stream that has sent nothing for `comment_s` seconds
   sends a comment; one whose client reads nothing for 30 s is closed. 0, or -1 with ERROR_MEMORY or
   ERROR_SYSTEM. */
int live_streams_start(struct live_streams **streams, double comment_s, struct error *error);

/* There is something new to send. Any thread; does not block, and costs nothing while there is no stream.
   NULL is allowed. */
void live_streams_wake(struct live_streams *streams);

/* Closes all streams; none is added any more. NULL and a second call are allowed. */
void live_streams_end(struct live_streams *streams);
void live_streams_free(struct live_streams *streams);
