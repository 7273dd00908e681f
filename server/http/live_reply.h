/* A body that the followers' thread sends: followers.h. */
#ifndef COALESCED_SERVER_HTTP_LIVE_REPLY_H
#define COALESCED_SERVER_HTTP_LIVE_REPLY_H

#include "server/http/live_streams.h"
#include "server/http/http_state.h"

/* A response that is sent so and closes its connection at its end. `release` frees arg, also after a failure. NULL: there is
   no memory. */
struct MHD_Response *live_reply_start(struct request *request, follow_more more, void *arg,
                                      void (*release)(void *arg));

#endif
