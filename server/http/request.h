/* What an endpoint sees of a request. Functions are for the handler's thread unless they say otherwise; texts
   are borrowed from the request and live as long as it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "server/http/route.h"

struct http;

struct http *request_http(const struct request *request); /* for http_invalidate() */
void *request_context(const struct request *request);     /* http_config.context */

/* The user whose token was presented; without tokens user_everybody. Never NULL. */
const struct user *request_user(const struct request *request);

/* A number that is equal for requests of one client, for limits: of the user, or without tokens of the
   address (of IPv6 its 64-bit network, of a Unix socket its user). */
uint64_t request_client(const struct request *request);

/* Has the worker pool run work(request), after which the request is woken. For a handler of a route without
   ROUTE_SLOW that changes something; it returns HANDLED_WAIT then. False: the server ends, and the work
   will not run. */
bool request_work(struct request *request, void (*work)(struct request *request));

const char *request_path(const struct request *request);  /* without the query */
const char *request_param(const struct request *request); /* what {...} in the route's pattern stands for */

/* The query parameter, "" when it has no value; NULL: not given. */
const char *request_query(const struct request *request, const char *name);

/* The first header field of that name, or NULL. */
const char *request_header(const struct request *request, const char *name);

/* Appends all header fields of that name as one list (RFC 9110, 5.3); nothing when there is none. */
void request_list(const struct request *request, const char *name, struct buffer *out);

/* The one of the route's media types that the client prefers; the first one when it prefers none. */
const char *request_type(const struct request *request);

/* Makes request_type() the route's first type, for a reply that exists in that type only. */
void request_type_first(struct request *request);

/* The body, `*length` bytes and a NUL. */
const char *request_body(const struct request *request, size_t *length);

/* What a handler reads that makes something. */
struct request_content {
    void *context;    /* as request_context() */
    const char *body; /* as request_body() */
    size_t length;
    const struct user *user; /* as request_user() */
    const char *key;         /* the first Idempotency-Key; NULL: none */
    bool keys_differ;        /* there are others */
    int wait_s;              /* as request_prefer_wait() */
};
void request_read(const struct request *request, struct request_content *content);

/* The seconds of `Prefer: wait=N` (RFC 7240), at most REQUEST_WAIT_MAX_S; 0: not asked for. */
int request_prefer_wait(const struct request *request);

int request_seconds(const struct request *request); /* --request-seconds */

/* ---- waiting: a handler does not block. It returns HANDLED_WAIT and is called again. ---- */

enum { REQUEST_WAIT_MAX_S = 60 };

/* Sets what the handler needs in its next call. `release` frees it once the reply is made (ROUTE_SLOW),
   otherwise with the request. */
void request_set_state(struct request *request, void *state, void (*release)(void *state));
void *request_state(const struct request *request);

/* HANDLED_WAIT: the handler is called again after request_wake(), which must be certain to come: neither a
   client that closes nor the end of the server ends this wait. So it is for what is over soon, as a commit.
   With ROUTE_SLOW only after request_wake(), to run behind the tasks of other clients: its connection may fail
   before it waits, which frees the state. */

/* Returns HANDLED_WAIT, for a wait that is also ended by `seconds` from the first such call of the request, by
   the end of the server, or by the client: when that has closed, the handler is not called again. Check
   request_over() in the next call. */
enum handled request_wait_until(struct request *request, double seconds);

/* True when the wait of request_wait_until() must not be continued: its time is over, the server ends, or too
   many connections wait with the client's token. */
bool request_over(const struct request *request);

bool request_ending(const struct request *request); /* the server ends */

/* Any thread; does not block. Further calls are harmless, but none may come after `release` of
   request_set_state(). */
void request_wake(struct request *request);

/* ---- facts about the request ---- */

/* For the audit log: the id of what the request made. Call it as soon as that is made, because the client may
   not wait for the reply. The text lives as long as the state of request_set_state(). */
void request_made(struct request *request, const char *id);

/* For the audit log, which counts such requests: it changed nothing. Any thread, before request_wake(). */
void request_unchanged(struct request *request);

/* Cuts the connection when the reply that follows is not read within so many seconds, for a reply that holds
   a resource. */
void request_send_within(struct request *request, int seconds);

/* ---- the target of a request (RFC 9112, 3.2); pure functions ---- */

/* Decodes %XX in place and returns the length. *valid becomes false for a % without two hexadecimal digits or
   a NUL, which are left as they are, and for bytes that are not UTF-8. */
size_t request_target_decode(char *text, bool *valid);

/* The path of an absolute URL, http://host/path; any other target is a path already. */
const char *request_target_path(const char *target);

/* True when an absolute URL is for that host, as in the Host field (NULL: none), and for any other target. */
bool request_target_is_of(const char *target, const char *host);

/* ---- for server/http ---- */

struct peer;

/* `path` and `method` must live as long as the request. NULL: no memory. */
struct request *request_new(struct peer *peer, const char *path, const char *method);
void request_free(struct request *request);
void request_release(struct request *request); /* frees the handler's state, if there is one */
