/* What the endpoints of experiments and of sweeps have in common: both are listed, read, waited for, cancelled
   and removed in the same way (server/routes/removal_routes.c restores). The request's path says which of both it is. */
#pragma once

#include "server/routes/service.h"

/* Names of the query parameters of resource_delete(), for the route. */
extern const char *const resource_delete_queries[];

/* DELETE of one: cancels what has not ended, or with ?remove=true removes what has; answered after the commit.
   Another user's may be ended and removed by an admin alone. */
route_handler resource_delete;

/* GET of all: newest first, a page at a time; as a table (experiments alone) all of them, unless a page is
   asked for. */
route_handler resource_list;

/* GET of one: its state or its result, or a page of its points; with wait=N once it has ended, or after N
   seconds. */
route_handler resource_show;

/* True: the path is a sweep's, or the one of all sweeps; else of experiments. */
bool resource_is_sweep(const struct request *request);

/* The one that the path names, as the store has it. */
struct stored_resource {
    bool ended;
    const char *state, *owner; /* owner: empty: it was submitted without a token */
    struct job *job;           /* NULL: a sweep */
    struct sweep_row row;      /* of a sweep */
};

/* Reads it. 0, then to be cleared; or -1: *handled is the reply, 404 when there is none of that id. */
int resource_read(struct request *request, struct stored_resource *found, enum handled *handled);

/* True: the user who asks may end, remove and restore what is this owner's (empty: it was submitted without a
   token). Else *handled is the reply, which says who may do the deed, as "restore it". */
bool resource_allowed(struct request *request, const char *owner, const char *deed, enum handled *handled);

void resource_clear(struct stored_resource *found);
