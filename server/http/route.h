/* An endpoint: its method, its path, what it needs, and its handler. server/routes/ has a table of them for
   each resource. */
#pragma once

#include <stddef.h>

#include "server/auth/users.h"

struct request;

/* What a handler returns; it comes from a reply_...() function or request_wait_until(), or is HANDLED_WAIT
   (request.h). */
enum handled { HANDLED_REPLIED, HANDLED_WAIT, HANDLED_FAILED };

enum route_flags {
    ROUTE_OPEN = 1, /* needs no token */
    ROUTE_JSON = 2, /* has a body of application/json */
    /* the handler may take more than a millisecond, so it runs in the worker pool (worker_pool.h) */
    ROUTE_SLOW = 4,
    ROUTE_CACHED = 8,   /* a reply_immutable() of the handler is cached */
    ROUTE_METRICS = 16, /* the role metrics suffices */
    ROUTE_READ = 32,    /* changes nothing, whatever its method: the role read suffices */
    ROUTE_ADMIN = 64,   /* only for the role admin */
    ROUTE_HEALTH = 128, /* answered also on connections beyond a limit */
    ROUTE_QUERY = 256,  /* any query is allowed; the client reads it, not the service */
};

/* Called when the whole body has arrived, and again after each wait. */
typedef enum handled route_handler(struct request *request);

struct route {
    const char *method;  /* GET includes HEAD */
    const char *pattern; /* "/v1/experiments/{id}": {...} stands for one segment, up to a dot */
    const char *type;    /* media type of the reply to a good request */
    const char *other;   /* another type that the client may prefer, see request_type(); NULL: none */
    unsigned flags;
    size_t body_max;            /* bytes; 0: 64 KiB */
    const char *const *queries; /* names of the query parameters, ended by NULL; NULL: none */
    route_handler *handle;
};

/* The route of a path. */
struct route_match {
    const struct route *route; /* NULL: no route has that path and method */
    char param[64];            /* what {...} stands for; empty: no {...} */
    char allow[64];            /* the path's methods, for the Allow header; empty: no route has that path */
};

/* The lowest role that may use the route: read for a GET, run for other methods, unless its flags say
   otherwise. */
enum role route_role(const struct route *route);

/* `tables` ends with NULL; each table ends with an empty route. */
void route_find(const struct route *const *tables, const char *method, const char *path,
                struct route_match *match);
