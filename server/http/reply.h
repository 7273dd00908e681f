/* All replies are made here. Each function returns what the handler returns. */
#pragma once

#include "api/problem.h"
#include "base/buffer.h"
#include "base/error.h"
#include "server/http/request.h"

/* Adds a header to the reply that follows. The name must be static; the value is copied. */
void reply_header(struct request *request, const char *name, const char *value);

/* Adds Retry-After, rounded up to whole seconds, 1 to 3600; 1 when `seconds` is negative, not known. */
void reply_retry_after(struct request *request, double seconds);

/* Adds Preference-Applied, if the request preferred to wait. */
void reply_preference_applied(struct request *request);

/* Sends the body, which is taken, with the type request_type(). A buffer whose allocation failed becomes a
   503. */
enum handled reply_body(struct request *request, unsigned status, struct buffer *body);

/* The same for what goes on; a 202 has Retry-After, as of reply_retry_after(). */
enum handled reply_accepted(struct request *request, unsigned status, double eta_s, struct buffer *body);

enum handled reply_no_content(struct request *request); /* 204 */

/* 303 to an address that is relative to the request's. */
enum handled reply_see_other(struct request *request, const char *where);

/* 200 with a text that outlives the server. */
enum handled reply_static(struct request *request, const char *text);

/* Appends a piece and returns 1, 0 at the end, or -1 with *error. */
typedef int reply_more(void *arg, struct buffer *out, struct error *error);

/* 200 with a body that is made piece by piece in the worker pool. An error of the first piece is answered as
   by reply_error(); a later one closes the connection, so that the client sees that the body is incomplete.
   `release` frees arg in any case. */
enum handled reply_stream(struct request *request, reply_more *more, void *arg, void (*release)(void *arg));

/* 200 with a live stream (live_streams.h), never compressed. `release` frees arg in any case. */
enum handled reply_live(struct request *request, reply_more *more, void *arg, void (*release)(void *arg));

/* 200 with a body that never changes while this program runs, with an entity tag; 304 if the client has it
   already. `name`, of at most 50 characters, is unique for the path and the type. Takes the body. With
   ROUTE_CACHED the body is cached, and the handler is not called again while it is in the cache. */
enum handled reply_immutable(struct request *request, struct buffer *body, const char *name);

/* For an immutable body that is a stream: call it first. True: *handled is a 304. False: the reply will have
   the entity tag. */
bool reply_not_modified(struct request *request, const char *name, enum handled *handled);

enum handled reply_problem(struct request *request, enum problem_type type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 422, or the status of that problem, with a pointer and a detail for each wrong field. `taken`: problem_write(). */
enum handled reply_fields(struct request *request, const struct problems *fields);
enum handled reply_fields_as(struct request *request, enum problem_type type, const struct problems *fields,
                             const char *taken);

/* The problem that belongs to the error's kind. */
enum handled reply_error(struct request *request, const struct error *error);

/* ---- for server/http ---- */

struct MHD_Response;

/* Adds the headers of every reply to the response, which is taken: http.c queues it, as only the
   connection's thread may. `type` is NULL for a reply without a body, `response` where there was no memory
   for it; `coded`: it is compressed. */
enum handled reply_send(struct request *request, unsigned status, const char *type,
                        struct MHD_Response *response, bool coded);

enum handled reply_no_memory(struct request *request); /* 503 */

/* Compresses the body if the client accepts that, the body is large enough and there is memory: true. */
bool reply_compress(const struct request *request, struct buffer *body);

/* Answers from the cache; false: not in the cache. */
bool reply_cached(struct request *request, enum handled *handled);
