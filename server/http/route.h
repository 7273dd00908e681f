/* An endpoint: one file in server/routes/ defines one `struct route route_<file's name>`; the build gathers
   them in routes[]. */
#ifndef COALESCED_SERVER_HTTP_ROUTE_H
#define COALESCED_SERVER_HTTP_ROUTE_H

#include <stddef.h>
#include <stdint.h>

#include "server/auth/user.h"

struct request;

/* What a handler returns: whatever a reply_...() or request_wait() gave it. */
enum handled { HANDLED_REPLIED, HANDLED_WAIT, HANDLED_FAILED };

enum route_flags {
    ROUTE_OPEN = 1, /* asks for no token */
    ROUTE_JSON = 2, /* takes a body of application/json */
    ROUTE_SLOW =
        4, /* its handler may take more than a millisecond: it is called in the worker pool (worker pool.h) */
    ROUTE_CACHED = 8,   /* what reply_immutable() sent is kept, and sent again without calling the handler */
    ROUTE_METRICS = 16, /* for the role metrics already */
    ROUTE_READ = 32,    /* changes nothing, whatever its method: for the role read */
    ROUTE_ADMIN = 64,   /* for the role admin alone */
    ROUTE_HEALTH = 128, /* answered on connections that are too many, too */
    ROUTE_QUERY = 256,  /* whatever the query says: it is for who reads the answer */
};

struct route {
    const char *method; /* a GET answers HEAD as well */
    const char
        *pattern;     /* "/v1/experiments/{id}": {...} stands for one segment, or for what of it has no dot */
    const char *type; /* media type of what it answers when all is well */
    const char *other; /* another one that Accept may prefer, see request_type(); NULL: none */
    unsigned flags;
    size_t body_max;            /* bytes; 0: 64 KiB */
    const char *const *queries; /* names of the query parameters that it takes, ended by NULL; NULL: none */
    /* Called once the body is there, and again after each request_wait(). */
    enum handled (*handle)(struct request *request);
};

/* Ended by NULL. */
extern const struct route *const routes[];

/* What a path leads to. */
struct route_match {
    const struct route *route; /* NULL: no such path, or not with that method */
    char param[64];            /* what {...} stood for; empty: nothing */
    char allow[64];            /* methods of that path, as for the Allow header; empty: no such path */
};

/* The least role that may use it: one that is for GET asks for read, another for run, unless its flags say else. */
enum role route_role(const struct route *route);

void route_find(const struct route *const *table, const char *method, const char *path,
                struct route_match *match);

/* A request that is over: its reply was sent, or its client has closed the connection. */
struct http_completed {
    const struct route *route; /* NULL: no route has that path and method */
    const char *method;
    unsigned code;   /* 0: the client closed before there was a reply */
    uint64_t bytes;  /* of the reply's body, as sent */
    int64_t took_ns; /* since the request's header was complete */
};

#endif
