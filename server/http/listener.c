#include "server/http/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 4096 }; /* the library accepts one for each turn of its loop */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Bytes of the address, 0 when the text is none. */
static socklen_t address_parse(const char *text, int port, union address *address)
{
    memset(address, 0, sizeof *address);
    if (strcmp(text, "localhost") == 0)
        text = "127.0.0.1";
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons((uint16_t)port);
        return sizeof address->v4;
    }
    if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) == 1) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons((uint16_t)port);
        return sizeof address->v6;
    }
    return 0;
}

bool listener_is_local(const char *text)
{
    union address address;
    if (strcmp(text, "none") == 0)
        return true;
    if (!address_parse(text, 0, &address))
        return false;
    if (address.any.sa_family == AF_INET)
        return ntohl(address.v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
}

static int bound_port(int listener, struct error *error)
{
    union address address = {0};
    socklen_t size = sizeof address;
    if (getsockname(listener, &address.any, &size) < 0)
        return error_set_errno(error, errno, "getsockname");
    return ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

int listener_open(const char *text, int *port, struct error *error)
{
    union address address;
    socklen_t size = address_parse(text, *port, &address);
    if (!size)
        return error_set(error, ERROR_INVALID,
                         "%s is not an address to listen on: an IPv4 or IPv6 address in figures is wanted",
                         text);
    int listener = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return error_set_errno(error, errno, "socket");
    /* Only so that connections of an earlier service that linger do not keep the port; two listeners on one
       port are not possible with it. */
    int yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, &address.any, size) < 0 || listen(listener, BACKLOG) < 0) {
        if (errno == EADDRINUSE)
            error_set(error, ERROR_CONFLICT,
                      "port %d of %s is taken by another program; choose one with --port (0: any free one)",
                      *port, text);
        else
            error_set_errno(error, errno, "cannot listen on %s port %d", text, *port);
        goto failed;
    }
    if ((*port = bound_port(listener, error)) < 0)
        goto failed;
    return listener;
failed:
    close(listener);
    return -1;
}
