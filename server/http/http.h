/* The service's face: libmicrohttpd, its threads, and everything that is decided about a request before an
   endpoint sees it. */
#ifndef COALESCED_SERVER_HTTP_HTTP_H
#define COALESCED_SERVER_HTTP_HTTP_H

#include <stdint.h>

#include "base/error.h"
#include "server/http/route.h"

struct http;
struct people;

/* A request that is over: its reply has left, or its client has. */
struct http_completed {
    const struct route *route; /* NULL: none */
    const char *method;
    unsigned code;   /* 0: no reply was made */
    int64_t took_ns; /* since its header was there */
};

struct http_config {
    int listener;  /* a bound, listening socket (listen.h); http owns it once http_start() succeeded */
    int threads;   /* of the pool */
    int request_s; /* a request that has not arrived whole in that time is cut off */
    const struct route *const *routes;
    struct people *people; /* NULL: everybody may do everything */
    const char *instance;  /* sent with every reply; copied */
    void *context;         /* for handlers: request_context() */
    /* Called once for each request, from any thread; it must not block. NULL: never. */
    void (*completed)(void *arg, const struct http_completed *completed);
    void *completed_arg;
};

/* Accepts from its return on. */
int http_start(struct http **http, const struct http_config *config, struct error *error);

/* What was kept of the answers to that path is not sent any more, nor what is being made now of what was read before.
   Any thread; does not block. */
void http_forget(struct http *http, const char *path);

/* The quiet end, first half: accepts no more, lets go of whoever waits and returns when the last request that
   had begun is answered, or when those that still are being sent have had their time. Replies after this are
   503. */
void http_quiesce(struct http *http);

/* The second half. NULL is allowed. */
void http_stop(struct http *http);

#endif
