/* What is decided about a request before an endpoint sees it. */
#ifndef COALESCED_SERVER_HTTP_ADMISSION_H
#define COALESCED_SERVER_HTTP_ADMISSION_H

#include "server/http/http_state.h"

/* Decides what can be decided without the body. `version`: "HTTP/1.1". */
void admission_check(struct request *request, const char *version);

/* Beyond that many bytes of a body the connection is closed. */
size_t admission_drain_max(const struct request *request);

/* Takes a piece of the body. -1: far too much, close the connection. */
int admission_body(struct request *request, const char *bytes, size_t count);

/* The reply to a request that was rejected. */
enum handled admission_reject(struct request *request);

#endif
