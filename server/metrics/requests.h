/* HTTP requests by route, method and code. Any thread. */
#ifndef COALESCED_SERVER_METRICS_REQUESTS_H
#define COALESCED_SERVER_METRICS_REQUESTS_H

#include "base/buffer.h"

/* As metrics_request(). */
void requests_note(const char *route, const char *method, unsigned code, double seconds);
void requests_write(struct buffer *out);

#endif
