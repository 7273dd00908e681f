/* The HTTP server: libmicrohttpd, its threads, and all that is decided about a request before its endpoint
   sees it. */
#ifndef COALESCED_SERVER_HTTP_HTTP_H
#define COALESCED_SERVER_HTTP_HTTP_H

#include "base/error.h"
#include "server/http/route.h"

struct http;
struct origin_check;
struct log_writer;
struct users;

/* All pointers are borrowed and outlive the server, but for `instance`, which is copied. */
struct http_config {
    int listeners[2]; /* listening sockets that do not block; 0 or -1: none */
    int threads;      /* that serve connections */
    int request_s;    /* the time that a request may take to arrive, and a connection may be idle */
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

/* Accepts connections before it returns. 0, or -1 with ERROR_MEMORY or ERROR_SYSTEM. */
int http_start(struct http **http, const struct http_config *config, struct error *error);

/* Removes the cached replies of that path, and does not cache a reply that is being made now. Any thread;
   does not block. */
void http_invalidate(struct http *http, const char *path);

/* Makes live streams send what is new. Any thread; does not block. */
void http_wake(void *http);

/* First half of the end: accepts no more connections, ends waits and live streams, and returns when every
   request that had begun is answered, or when those that are still being sent have had two seconds. Later
   requests are answered 503. */
void http_quiesce(struct http *http);

/* Second half: closes all connections and frees. NULL is allowed. */
void http_stop(struct http *http);

#endif
