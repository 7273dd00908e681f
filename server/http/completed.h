/* A request that is over, for whoever counts them: its reply has left, or its client has. */
#ifndef COALESCED_SERVER_HTTP_COMPLETED_H
#define COALESCED_SERVER_HTTP_COMPLETED_H

#include <stdint.h>

#include "server/http/route.h"

struct http_completed {
    const struct route *route; /* NULL: none fits what was asked for */
    const char *method;
    unsigned code;   /* 0: the client left before there was an answer */
    uint64_t bytes;  /* of the answer's body, as sent */
    int64_t took_ns; /* since its header was there */
};

#endif
