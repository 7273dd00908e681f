/* The thread that accepts connections on all listening sockets and hands them to libmicrohttpd.
   libmicrohttpd's own threads each accept one connection in a round of their loop, and none at their limit;
   this thread accepts at once, and connection_limit.c closes idle connections for new ones. */
#ifndef COALESCED_SERVER_HTTP_ACCEPTOR_H
#define COALESCED_SERVER_HTTP_ACCEPTOR_H

#include <microhttpd.h>

#include "base/error.h"

enum { ACCEPTOR_LISTENERS = 2 };

struct acceptor;

/* `listeners`: listening sockets that do not block, borrowed; 0 or -1: none. At most `limit` connections are
   open at a time; accepting waits beyond that. *acceptor is set before a connection is accepted. 0, or -1 with
   ERROR_MEMORY or ERROR_SYSTEM. */
int acceptor_start(struct acceptor **acceptor, const int listeners[ACCEPTOR_LISTENERS], unsigned limit,
                   struct MHD_Daemon *daemon, struct error *error);

/* Call it when an accepted connection has ended. Any thread. */
void acceptor_release(struct acceptor *acceptor);

/* Ends the thread: no connection is accepted after this returns. Further calls do nothing. */
void acceptor_stop(struct acceptor *acceptor);

/* Stops and frees; NULL is allowed. */
void acceptor_free(struct acceptor *acceptor);

#endif
