/* What the HTTP server is started with, and what it says of each request that is over. */
#pragma once

#include <stdint.h>

#include "server/http/route.h"

struct origin_check;
struct log_writer;
struct users;

/* A request that is over: its reply was sent, or its client has closed the connection. */
struct http_completed {
    const struct route *route; /* NULL: no route has that path and method */
    const char *method;
    unsigned code;   /* 0: the client closed before there was a reply */
    uint64_t bytes;  /* of the reply's body, as sent */
    int64_t took_ns; /* since the request's header was complete */
};

enum { HTTP_LISTENERS = 2 };

/* All pointers are borrowed and outlive the server. */
struct http_config {
    int listeners[HTTP_LISTENERS]; /* listening sockets that do not block; 0 or -1: none */
    int threads;                   /* that serve connections */
    int request_s; /* the time that a request may take to arrive, and a connection may be idle */
    const struct route *const *routes;
    int connections_per_address;               /* 0: no limit */
    struct users *users;                       /* NULL: everybody may do everything */
    const struct origin_check *origin_check;   /* NULL: every Host and no foreign Origin */
    struct log_writer *access_log, *audit_log; /* NULL: none */
    /* Called for each request, on a connection's thread or one of the worker pool; NULL: not called. */
    void (*completed)(void *arg, const struct http_completed *completed);
    void *completed_arg;
    double comment_s;     /* a live stream that sent nothing for so long sends a comment */
    const char *instance; /* sent with every reply */
    void *context;        /* for handlers: request_context() */
};
