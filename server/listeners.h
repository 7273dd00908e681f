/* Opens what the options name: the TCP port, the Unix socket, whose file's mode and group say who may
   connect, the check of hosts and origins, and the logs of requests; and announces where the service
   listens. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "server/http/http_config.h"

struct config;

struct listeners {
    const struct config *config; /* borrowed */
    struct http_config http;     /* its sockets, check of origins and logs, to be used by servers */
    struct origin_check *origin_check;
    int port; /* 0: none */
    bool announced;
    dev_t device; /* these two identify the Unix socket's file, so that no other one is removed */
    ino_t file;
};

/* True when that address (IPv4 or IPv6 in figures, or "localhost") can only be reached from this machine, and
   for "none", which is no address. */
bool listener_is_local(const char *address);

/* 0 for an IPv4 or IPv6 address in figures, "localhost" or "none"; else -1 with ERROR_INVALID. */
int listener_check_address(const char *address, struct error *error);

/* Binds and listens, without blocking; port 0 lets the system choose, and *port becomes the port. Clients
   wait until their connections are accepted. Returns the descriptor, or -1: ERROR_INVALID (the address),
   ERROR_CONFLICT (the port is taken), ERROR_SYSTEM. */
int listener_open(const char *address, int *port, struct error *error);

/* Fills *listeners, which is all zero. `tokens`: requests need a token. `config` is borrowed until
   listeners_close(), which is due also after a failure. 0, or -1 with ERROR_INVALID naming the option,
   ERROR_CONFLICT (also: a program listens on the Unix socket, or that file is no socket), ERROR_SYSTEM or
   ERROR_MEMORY. */
int listeners_open(struct listeners *listeners, const struct config *config, bool tokens,
                   struct error *error);

/* Tells where the service listens: writes the port to --port-file first, then a line of JSON to standard output for
   programs and a line to the log, and tells the service manager. Further calls do nothing. 0, or -1 with ERROR_SYSTEM (the
   file; nothing else was told) or ERROR_MEMORY. */
int listeners_announce(struct listeners *listeners, const char *instance, struct error *error);

/* Closes all, and removes the Unix socket's file unless another one has taken its place. */
void listeners_close(struct listeners *listeners);
