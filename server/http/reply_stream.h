/* A body that is made piece by piece, each when the one before has been sent: a client that does not read costs one
   piece of memory and no thread. The worker pool makes them. */
#ifndef COALESCED_SERVER_HTTP_REPLY_STREAM_H
#define COALESCED_SERVER_HTTP_REPLY_STREAM_H

#include "base/buffer.h"
#include "base/error.h"
#include "server/http/http_state.h"

/* Appends some and returns 1, or 0 when that was the end, or -1 with *error. */
typedef int (*stream_more)(void *arg, struct buffer *out, struct error *error);

/* A response that is sent so, its first piece made at once; compressed when request->gzip says so. `release` frees arg,
   also after a failure. NULL, with *error set: there is nothing that could be sent. */
struct MHD_Response *reply_stream_start(struct request *request, stream_more more, void *arg,
                                        void (*release)(void *arg), struct error *error);

#endif
