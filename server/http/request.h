/* What an endpoint sees of a request. All functions are for the handler's thread unless they say otherwise;
   texts are borrowed from the request and live as long as it does. */
#ifndef COALESCED_SERVER_HTTP_REQUEST_H
#define COALESCED_SERVER_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "server/http/route.h"

struct http;

/* What serves it, for http_forget(). */
struct http *request_http(const struct request *request);

/* What http_start() was given for handlers to work with. */
void *request_context(const struct request *request);

struct user; /* server/auth/user.h */

/* Who asks; never NULL. */
const struct user *request_user(const struct request *request);

/* Equal for requests of one client, for limits: the user, or where there are no tokens the address that it comes from (of
   IPv6 its network of 64 bits; of a Unix socket its user). */
uint64_t request_client(const struct request *request);

/* The path, without the query. */
const char *request_path(const struct request *request);

/* What {...} of the route's pattern stood for. */
const char *request_param(const struct request *request);

/* NULL: it was not given. Given without a value: "". */
const char *request_query(const struct request *request, const char *name);

/* The first header of that name, or NULL. */
const char *request_header(const struct request *request, const char *name);

/* Appends all headers of that name as the one list that they are (RFC 9110, 5.3); nothing when there is none. */
void request_list(const struct request *request, const char *name, struct buffer *out);

/* Which of the route's media types the client would rather have: the first unless it prefers the other. */
const char *request_type(const struct request *request);

/* From here on it is the route's first one, whatever the client prefers: for a reply that there is in that alone. */
void request_type_first(struct request *request);

/* Hands the request to another route: its handler is called from the next time on, and its media types are meant. */
void request_pass(struct request *request, const struct route *route);

/* The gathered body; always ended by a NUL beyond `*length`. */
const char *request_body(const struct request *request, size_t *length);

/* `Prefer: wait=N` (RFC 7240), no more than the limit on waits; 0: not asked for. */
int request_prefer_wait(const struct request *request);

/* ---- waiting: never block in a handler, return request_wait() and be called again ---- */

enum { REQUEST_WAIT_MAX_S = 60 };

/* What a handler keeps between its calls; `release` frees it when the reply is made (ROUTE_SLOW), else together with the
   request. */
void request_keep(struct request *request, void *state, void (*release)(void *state));
void *request_kept(const struct request *request);

/* The id of what it made, for the audit log: told as soon as it is made, because the client may not wait for the reply. The
   text must live as long as what request_keep() keeps. */
void request_made(struct request *request, const char *id);

/* It changed nothing: what was asked for was so already. The audit log counts such requests. Any thread, before
   request_wake(). */
void request_unchanged(struct request *request);

/* Returns to the library; the handler is called again after request_wake(). At least one call of
   request_wake() must be certain to come: neither the client's going nor the service's end cut this wait
   short, so it is for what is over soon, as a commit is. */
enum handled request_wait(struct request *request);

/* The same, for `seconds` from the request's first such call at most; also ended by the client's going (the
   handler is not called any more) and by the service's end. Check request_over() when called again. */
enum handled request_wait_until(struct request *request, double seconds);

/* The time of request_wait_until() is over, or as many wait with the client's token as may: answer with what there is. */
bool request_over(const struct request *request);

/* --request-seconds: how long a client has to send a request. */
int request_seconds(const struct request *request);

/* The connection is closed when its reply, which is about to be sent, is not read within so many seconds: for what holds
   something that others wait for. */
void request_send_within(struct request *request, int seconds);

/* The service is about to end: what is not there now will not come. */
bool request_ending(const struct request *request);

/* Any thread; does not block. Calls beyond the first are harmless, calls after the request's release are not:
   `release` must make sure that none comes. */
void request_wake(struct request *request);

/* ---- for server/http ---- */

struct peer;

/* `path` and `method` must last as long as the request. NULL: no memory. */
struct request *request_new(struct http *http, struct peer *peer, const char *path, const char *method);
void request_free(struct request *request);

/* Lets go of what the handler kept, if anything. */
void request_release(struct request *request);

#endif
