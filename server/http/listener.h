/* The socket that the service listens on. */
#ifndef COALESCED_SERVER_HTTP_LISTENER_H
#define COALESCED_SERVER_HTTP_LISTENER_H

#include <stdbool.h>

#include "base/error.h"

/* Can that address (IPv4 or IPv6 in figures, or "localhost") only be reached from this machine? "none", which is no
   address, is reached by nobody. */
bool listener_is_local(const char *address);

/* Binds and listens; port 0 lets the system choose, *port is what it became. Connections are kept waiting
   until somebody accepts. Returns the descriptor, or -1: ERROR_CONFLICT when the port is taken. */
int listener_open(const char *address, int *port, struct error *error);

#endif
