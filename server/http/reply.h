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

/* Takes the body; its failed allocation becomes a 503. The type is request_type(). With status 304 the body is
   only measured, not sent. */
enum handled reply_body(struct request *request, unsigned status, struct buffer *body);

/* A 200 with a line of JSON, which is freed; NULL becomes a 503: no memory. */
enum handled reply_text(struct request *request, char *text);

/* A text that outlives the service. */
enum handled reply_static(struct request *request, const char *text);

/* A 200 that is written piece by piece: more(arg, out) appends some and returns 1, or 0 when that was the
   end, or -1 (the connection is closed, so that the client sees that it is not whole). `release` frees arg,
   also when nothing could be sent. */
enum handled reply_stream(struct request *request, int (*more)(void *arg, struct buffer *out), void *arg,
                          void (*release)(void *arg));

enum handled reply_problem(struct request *request, enum problem_type type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 422 with a pointer and a detail for each wrong field. */
enum handled reply_fields(struct request *request, const struct problems *fields);

/* As the error's kind says. */
enum handled reply_error(struct request *request, const struct error *error);

#endif
