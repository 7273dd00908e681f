/* Streams that go on for ever: the connection is suspended, which costs libmicrohttpd nothing, and one thread of our own
   writes to all of their sockets, without ever waiting for one. It takes no more than a tenth of a processor for what
   many follow: then all of them hear it a little later. */
#ifndef COALESCED_SERVER_HTTP_LIVE_STREAMS_H
#define COALESCED_SERVER_HTTP_LIVE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct http;
struct peer;
struct live_streams;

/* Appends what is to be sent now, perhaps nothing, and returns 1; 0: that was the end; -1 with *error: cut it off. From the
   one thread of the followers alone. */
typedef int (*follow_more)(void *arg, struct buffer *out, struct error *error);

/* One of them. The thread's, from live_streams_add() until its connection is resumed: then it is to be closed. */
struct live_stream {
    struct peer *peer;
    follow_more more;
    void *arg;
    uint64_t *sent_bytes; /* of all that was sent; the request's */

    /* The thread's. */
    struct live_stream *next, *previous;
    int socket;
    bool ends, failed;
    struct buffer rest; /* that its client has not taken yet */
    int64_t sent_ns;    /* when it took something last */
};

/* A comment is sent to who has been sent nothing for `comment_s` seconds; who takes nothing for FOLLOWERS_PATIENCE_S is cut
   off. 0 or -1. */
enum { FOLLOWERS_PATIENCE_S = 30 };
int live_streams_start(struct live_streams **followers, struct http *http, double comment_s,
                       struct error *error);

/* Suspends its connection and sends to it from here on; on the connection's thread, in a content reader. False: the service
   ends, and nothing was done. */
bool live_streams_add(struct live_streams *followers, struct live_stream *follower);

/* There is something new. Any thread; does not block, and costs nothing while nobody follows. NULL is allowed. */
void live_streams_wake(struct live_streams *followers);

/* All are let go, and none is added any more. NULL is allowed, and a second call. */
void live_streams_end(struct live_streams *followers);
void live_streams_free(struct live_streams *followers);

#endif
