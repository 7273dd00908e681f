/* The HTTP server: libmicrohttpd, its threads, and all that is decided about a request before its endpoint
   sees it. */
#pragma once

#include "base/error.h"
#include "server/http/http_config.h"

struct http;

/* Accepts connections before it returns. 0, or -1 with ERROR_MEMORY or ERROR_SYSTEM. */
int http_start(struct http **http, const struct http_config *config, struct error *error);

/* Removes the cached replies of that path, and does not cache a reply that is being made now. Any thread;
   does not block. */
void http_invalidate(struct http *http, const char *path);

/* Makes live streams send what is new. Any thread; does not block. */
void http_wake(void *http);

/* First half of the end: accepts no more connections, ends waits and live streams, and returns when every
   request that had begun is answered, or when those that are still being sent have had two seconds. Later
   requests are answered 503. */
void http_quiesce(struct http *http);

/* Second half: closes all connections and frees. NULL is allowed. */
void http_stop(struct http *http);
