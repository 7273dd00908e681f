/* A body that is made piece by piece in the worker pool, each piece after the one before was sent. A client
   that does not read costs one piece of memory and no thread. */
#ifndef COALESCED_SERVER_HTTP_REPLY_STREAM_H
#define COALESCED_SERVER_HTTP_REPLY_STREAM_H

#include "base/buffer.h"
#include "base/error.h"
#include "server/http/http_state.h"

/* Appends some bytes. Returns 1, 0 at the end, or -1 with *error. */
typedef int (*reply_stream_more)(void *arg, struct buffer *out, struct error *error);

/* Makes the first piece and a response that sends the body, compressed when request->gzip is set. `release`
   frees arg, also after a failure. NULL with *error: nothing can be sent. */
struct MHD_Response *reply_stream_start(struct request *request, reply_stream_more more, void *arg,
                                        void (*release)(void *arg), struct error *error);

#endif
