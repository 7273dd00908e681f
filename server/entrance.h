/* The ways in, as the options say: the port, the Unix socket, who may come by them, and what is written down about it. */
#ifndef COALESCED_SERVER_ENTRANCE_H
#define COALESCED_SERVER_ENTRANCE_H

#include <stdbool.h>

#include "base/error.h"
#include "server/http/listening/unix.h"

struct config;
struct door;
struct http_config;
struct journal;

struct entrance {
    int listener; /* -1: none */
    int port;     /* 0: none */
    struct unix_socket socket;
    struct door *door;
    struct journal *access_log, *audit_log;
};

/* `tokens`: they are asked for. Connections wait until somebody accepts. -1 with *error; entrance_close() is due in either
   case. The options must live as long. */
int entrance_open(struct entrance *entrance, const struct config *config, bool tokens, struct error *error);

/* Lets HTTP use them; they must outlive it. */
void entrance_use(const struct entrance *entrance, struct http_config *config);

void entrance_close(struct entrance *entrance);

#endif
