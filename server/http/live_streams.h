/* Streams without an end, of events. The connection is suspended, which costs libmicrohttpd nothing, and one
   thread ("live-streams") writes to all of their sockets without waiting for any. It uses at most a tenth of
   a processor: with many streams each receives an event a little later. */
#ifndef COALESCED_SERVER_HTTP_LIVE_STREAMS_H
#define COALESCED_SERVER_HTTP_LIVE_STREAMS_H

#include "base/buffer.h"
#include "base/error.h"
#include "server/http/http_state.h"

struct live_streams;

/* Appends what is to be sent now, perhaps nothing. Returns 1, 0 at the end of the stream, or -1 with *error
   to close it. Called by the thread of live streams alone. */
typedef int (*live_stream_more)(void *arg, struct buffer *out, struct error *error);

/* A stream that has sent nothing for `comment_s` seconds sends a comment; one whose client reads nothing for
   READ_TIMEOUT_S is closed. 0, or -1 with ERROR_MEMORY or ERROR_SYSTEM. */
enum { READ_TIMEOUT_S = 30 };
int live_streams_start(struct live_streams **streams, struct http *http, double comment_s,
                       struct error *error);

/* Makes a response that is sent as a live stream and closes its connection at the end. `release` frees arg,
   also after a failure. NULL: no memory. */
struct MHD_Response *live_streams_response(struct request *request, live_stream_more more, void *arg,
                                           void (*release)(void *arg));

/* There is something new to send. Any thread; does not block, and costs nothing while there is no stream.
   NULL is allowed. */
void live_streams_wake(struct live_streams *streams);

/* Closes all streams; none is added any more. NULL and a second call are allowed. */
void live_streams_end(struct live_streams *streams);
void live_streams_free(struct live_streams *streams);

#endif
