/* The thread that accepts, for all listening sockets, and hands connections to libmicrohttpd. The library's own threads
   would each accept one for a turn of their loop, and none at its limit; here a address that connects is taken off the
   kernel's hands at once, and room for it is made by closing who is idle. */
#ifndef COALESCED_SERVER_HTTP_ACCEPTOR_H
#define COALESCED_SERVER_HTTP_ACCEPTOR_H

#include <microhttpd.h>

#include "base/error.h"

enum { ACCEPTOR_LISTENERS = 2 };

struct acceptor;

/* `listeners`: bound, not blocking, and the caller's; 0 or -1: none. At most `limit` connections are open
   at once; beyond that, accepting waits for one to end. */
int acceptor_new(struct acceptor **acceptor, const int listeners[ACCEPTOR_LISTENERS], unsigned limit,
                 struct error *error);
int acceptor_begin(struct acceptor *acceptor, struct MHD_Daemon *daemon, struct error *error);

/* A connection that was accepted has ended. Any thread. */
void acceptor_release(struct acceptor *acceptor);

/* Accepts no more from its return on. More than once is harmless. */
void acceptor_stop(struct acceptor *acceptor);

/* NULL is allowed. */
void acceptor_free(struct acceptor *acceptor);

#endif
