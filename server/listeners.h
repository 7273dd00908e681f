/* The ways in, as the options say: the port, the Unix socket, who may come by them, and what is written down about it. */
#ifndef COALESCED_SERVER_LISTENERS_H
#define COALESCED_SERVER_LISTENERS_H

#include <stdbool.h>

#include "base/error.h"
#include "server/http/unix_socket.h"

struct config;
struct origin_check;
struct http_config;
struct log_writer;

struct listeners {
    int listener; /* -1: none */
    int port;     /* 0: none */
    struct unix_socket socket;
    struct origin_check *origin_check;
    struct log_writer *access_log, *audit_log;
};

/* `tokens`: they are asked for. Connections wait until somebody accepts. -1 with *error; listeners_close() is due in either
   case. The options must live as long. */
int listeners_open(struct listeners *listeners, const struct config *config, bool tokens,
                   struct error *error);

/* Lets HTTP use them; they must outlive it. */
void listeners_use(const struct listeners *listeners, struct http_config *config);

void listeners_close(struct listeners *listeners);

#endif
