/* Opens what the options name: the TCP port, the Unix socket, the check of hosts and origins, and the logs of
   requests; and announces where the service listens. */
#ifndef COALESCED_SERVER_LISTENERS_H
#define COALESCED_SERVER_LISTENERS_H

#include <stdbool.h>

#include "base/error.h"
#include "server/http/listener.h"

struct config;
struct origin_check;
struct http_config;
struct log_writer;

struct listeners {
    int tcp;  /* -1: none */
    int port; /* 0: none */
    struct unix_listener unix_listener;
    struct origin_check *origin_check;
    struct log_writer *access_log, *audit_log; /* NULL: none; both may be the same */
};

/* `tokens`: requests need a token. `config` is borrowed until listeners_close(), which is due also after a
   failure. 0, or -1 with ERROR_INVALID naming the option, ERROR_CONFLICT, ERROR_SYSTEM or ERROR_MEMORY. */
int listeners_open(struct listeners *listeners, const struct config *config, bool tokens,
                   struct error *error);

/* Sets the members of *config that are borrowed from the listeners. */
void listeners_use(const struct listeners *listeners, struct http_config *config);

/* Tells where the service listens: a line of JSON on standard output for programs, a line of the log, the
   service manager, and the port in --port-file. 0, or -1 with ERROR_SYSTEM (the file) or ERROR_MEMORY. */
int listeners_announce(const struct listeners *listeners, const struct config *config, const char *instance,
                       struct error *error);

void listeners_close(struct listeners *listeners);

#endif
