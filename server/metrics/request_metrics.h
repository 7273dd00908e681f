/* HTTP requests by route, method and code. Any thread. */
#ifndef COALESCED_SERVER_METRICS_REQUEST_METRICS_H
#define COALESCED_SERVER_METRICS_REQUEST_METRICS_H

#include "base/buffer.h"

/* As metrics_request(). */
void request_metrics_note(const char *route, const char *method, unsigned code, double seconds);
void request_metrics_write(struct buffer *out);

#endif
