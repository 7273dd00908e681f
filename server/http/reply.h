/* Every reply leaves through here. Each function returns what the handler returns. */
#ifndef COALESCED_SERVER_HTTP_REPLY_H
#define COALESCED_SERVER_HTTP_REPLY_H

#include "api/problem.h"
#include "base/buffer.h"
#include "base/error.h"
#include "server/http/request.h"

/* To be sent with the reply that follows; the name must be static, the value is copied. */
void reply_header(struct request *request, const char *name, const char *value);

/* Retry-After, rounded up to whole seconds, 1 to 3600; 1 when nothing is known (negative). */
void reply_retry_after(struct request *request, double seconds);

/* Says that the preferred wait, if there was one, was honoured. */
void reply_preference_applied(struct request *request);

/* Takes the body; its failed allocation becomes a 503. The type is request_type(). */
enum handled reply_body(struct request *request, unsigned status, struct buffer *body);

/* A 200 with a line of JSON, which is freed; NULL becomes a 503: no memory. */
enum handled reply_text(struct request *request, char *text);

/* 204 */
enum handled reply_no_content(struct request *request);

/* 303: what was asked for is there, an address relative to the one that was asked. */
enum handled reply_see_other(struct request *request, const char *where);

/* A text that outlives the service. */
enum handled reply_static(struct request *request, const char *text);

/* A 200 that is made piece by piece in the worker pool, each when the one before has been sent: more() appends some and returns
   1, or 0 when that was the end, or -1 with *error. A failure of the first piece is answered as reply_error()
   does; later the connection is closed, so that the client sees that it is not whole. `release` frees arg, also when
   nothing could be sent. */
enum handled reply_stream(struct request *request,
                          int (*more)(void *arg, struct buffer *out, struct error *error), void *arg,
                          void (*release)(void *arg));

/* A 200 that goes on as long as there is something to tell: followers.h. Never compressed. `release` frees arg, in any
   case. */
enum handled reply_live(struct request *request,
                        int (*more)(void *arg, struct buffer *out, struct error *error), void *arg,
                        void (*release)(void *arg));

/* A 200 that never changes while this program runs: with an entity tag of that name (at most 50 characters, unique to
   what was asked for in this representation), and a 304 for who has it. Takes the body. A route with ROUTE_CACHED is not
   called again for it as long as the cache has room. */
enum handled reply_immutable(struct request *request, struct buffer *body, const char *name);

/* The same with a line of JSON, which is freed; NULL becomes a 503: no memory. */
enum handled reply_immutable_text(struct request *request, char *text, const char *name);

/* The same for a body that is not made at once: call it first. True: the client has it already, *handled is the 304. */
bool reply_not_modified(struct request *request, const char *name, enum handled *handled);

/* For server/http: answers from the cache; false: what was asked for is not there. */
bool reply_cached(struct request *request, enum handled *handled);

enum handled reply_problem(struct request *request, enum problem_type type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 422 with a pointer and a detail for each wrong field. */
enum handled reply_fields(struct request *request, const struct problems *fields);

/* The same with the status of that problem. */
enum handled reply_fields_as(struct request *request, enum problem_type type, const struct problems *fields);

/* As the error's kind says. */
enum handled reply_error(struct request *request, const struct error *error);

#endif
