/* A Unix socket to listen on: a file whose mode and group say who may come in. */
#ifndef COALESCED_SERVER_HTTP_UNIX_SOCKET_H
#define COALESCED_SERVER_HTTP_UNIX_SOCKET_H

#include <sys/types.h>

#include "base/error.h"

struct unix_socket {
    int listener; /* -1: none */
    char path[108];
    dev_t device; /* the file, to remove no other one */
    ino_t file;
};

/* Binds and listens. A socket file that nobody answers on is replaced. `mode`: octal figures, as "0660"; empty: 0600, or
   0660 when a group is given. `group`: a name or a number; empty: the process's. 0, or -1: ERROR_CONFLICT when a program
   answers there, or the file is no socket; ERROR_INVALID naming the option. */
int unix_socket_open(struct unix_socket *unix_socket, const char *path, const char *mode, const char *group,
                     struct error *error);

/* Closes, and removes the file unless another one has taken its place. */
void unix_socket_close(struct unix_socket *unix_socket);

#endif
