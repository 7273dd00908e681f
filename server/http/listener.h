/* Sockets to listen on: TCP, and Unix sockets, whose file's mode and group say who may connect. */
#ifndef COALESCED_SERVER_HTTP_LISTENER_H
#define COALESCED_SERVER_HTTP_LISTENER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* True when that address (IPv4 or IPv6 in figures, or "localhost") can only be reached from this machine, and
   for "none", which is no address. */
bool listener_is_local(const char *address);

/* Binds and listens, without blocking; port 0 lets the system choose, and *port becomes the port. Clients
   wait until their connections are accepted. Returns the descriptor, or -1: ERROR_INVALID (the address),
   ERROR_CONFLICT (the port is taken), ERROR_SYSTEM. */
int listener_open(const char *address, int *port, struct error *error);

struct unix_listener {
    int listener; /* -1: none */
    char path[108];
    dev_t device; /* these two identify the file, so that no other one is removed */
    ino_t file;
};

/* Binds and listens; replaces a socket file on which no program listens. `mode`: octal figures, as "0660";
   "": 0600, or 0660 when a group is given. `group`: a name or a number; "": the process's. 0, or -1:
   ERROR_CONFLICT (a program listens there, or the file is not a socket), ERROR_INVALID naming the option,
   ERROR_SYSTEM. */
int listener_unix_open(struct unix_listener *unix_listener, const char *path, const char *mode,
                       const char *group, struct error *error);

/* Closes the socket and removes the file, unless another file has taken its place. */
void listener_unix_close(struct unix_listener *unix_listener);

#endif
