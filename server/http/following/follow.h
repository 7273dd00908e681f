/* A body that the followers' thread sends: followers.h. */
#ifndef COALESCED_SERVER_HTTP_FOLLOWING_FOLLOW_H
#define COALESCED_SERVER_HTTP_FOLLOWING_FOLLOW_H

#include "server/http/following/followers.h"
#include "server/http/state.h"

/* A response that is sent so and closes its connection at its end. `release` frees arg, also after a failure. NULL: there is
   no memory. */
struct MHD_Response *follow_start(struct request *request, follow_more more, void *arg,
                                  void (*release)(void *arg));

#endif
