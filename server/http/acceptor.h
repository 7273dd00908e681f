/* The thread that accepts connections on all listening sockets and hands them to libmicrohttpd.
   libmicrohttpd's own threads each accept one connection in a round of their loop, and none at their limit;
   this thread accepts at once, and connection_limit.c closes idle connections for new ones. */
#pragma once

#include "base/error.h"
#include "server/http/http_state.h"

/* Accepts on http->config.listeners for http->daemon and sets http->acceptor. At most `limit` connections are
   open at a time; accepting waits beyond that. 0, or -1 with ERROR_MEMORY or ERROR_SYSTEM. */
int acceptor_start(struct http *http, unsigned limit, struct error *error);

/* Ends the thread: no connection is accepted after this returns. Further calls do nothing. */
void acceptor_stop(struct http *http);
