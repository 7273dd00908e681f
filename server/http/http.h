/* The service's face: libmicrohttpd, its threads, and everything that is decided about a request before an
   endpoint sees it. */
#ifndef COALESCED_SERVER_HTTP_HTTP_H
#define COALESCED_SERVER_HTTP_HTTP_H

#include "base/error.h"
#include "server/http/completed.h"
#include "server/http/route.h"

struct http;
struct origin_check;
struct log_writer;
struct users;

struct http_config {
    int listeners[2]; /* bound, listening sockets that do not block, the caller's; 0 or -1: none */
    int threads;      /* of the pool */
    int request_s;    /* a request that has not arrived whole in that time is cut off */
    const struct route *const *routes;
    int connections_per_address; /* 0: no limit */
    struct users *users;         /* NULL: everybody may do everything */
    const struct origin_check
        *origin_check; /* NULL: every Host and no foreign Origin; it outlives http, as the logs do */
    struct log_writer *access_log, *audit_log; /* NULL: none */
    /* Called on a connection's thread, or one of the worker pool's; NULL: nobody counts. */
    void (*completed)(void *arg, const struct http_completed *completed);
    void *completed_arg;
    double comment_s;     /* a stream of events that has sent nothing for so long sends a comment */
    const char *instance; /* sent with every reply; copied */
    void *context;        /* for handlers: request_context() */
};

/* Accepts from its return on. */
int http_start(struct http **http, const struct http_config *config, struct error *error);

/* What was kept of the answers to that path is not sent any more, nor what is being made now of what was read before.
   Any thread; does not block. */
void http_forget(struct http *http, const char *path);

/* There is something new for streams of events. Any thread; does not block. */
void http_wake(void *http);

/* The quiet end, first half: accepts no more, lets go of whoever waits or follows and returns when the last request that
   had begun is answered, or when those that still are being sent have had their time. Replies after this are
   503. */
void http_quiesce(struct http *http);

/* The second half. NULL is allowed. */
void http_stop(struct http *http);

#endif
