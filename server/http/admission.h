/* Checks a request before its endpoint sees it: framing, host, origin, limits, token, path, role, media
   types, query and length. */
#pragma once

#include "server/http/http_state.h"

/* Checks all that needs no body. A failure sets request->rejected. `version`: of HTTP, as "HTTP/1.1". */
void admission_check(struct request *request, const char *version);

/* The connection is closed when a body has more bytes than this. */
size_t admission_drain_max(const struct request *request);

/* Takes a piece of the body. -1: the body is too long, close the connection. */
int admission_body(struct request *request, const char *bytes, size_t count);

/* Answers a request that was rejected. */
enum handled admission_reject(struct request *request);
