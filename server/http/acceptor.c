/* The loop of the thread that accepts connections. */
#include "server/http/acceptor.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"

enum { ROUND = 64, FULL_MS = 2, FAILED_MS = 100 };

struct acceptor {
    struct http *http;
    unsigned limit;
    int stop;    /* an eventfd */
    bool scarce; /* the failure to accept was logged */
    pthread_t thread;
};

/* Accepts what waits, at most ROUND connections. Returns how long to pause before the next round, in
   milliseconds; 0: no pause. */
static int accept_some(struct acceptor *acceptor, int listener)
{
    struct http *http = acceptor->http;
    for (int i = 0; i < ROUND; i++) {
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        if (atomic_load(&http->accepted) >= acceptor->limit)
            return FULL_MS;
        int connection = accept4(listener, (struct sockaddr *)&address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (connection < 0) {
            bool scarce = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            if (scarce && !acceptor->scarce)
                log_warning("cannot accept connections at present: %s", strerror(errno));
            acceptor->scarce |= scarce;
            return scarce ? FAILED_MS : 0;
        }
        acceptor->scarce = false;
        atomic_fetch_add(&http->accepted, 1);
        /* libmicrohttpd closes the socket when it refuses the connection. */
        if (MHD_add_connection(http->daemon, connection, (struct sockaddr *)&address, size) != MHD_YES)
            atomic_fetch_sub(&http->accepted, 1);
    }
    return 0;
}

static void *accept_main(void *arg)
{
    struct acceptor *acceptor = arg;
    const int *listeners = acceptor->http->config.listeners;
    struct pollfd polled[HTTP_LISTENERS + 1] = {{.fd = acceptor->stop, .events = POLLIN}};
    int pause_ms = 0;
    /* A negative descriptor is ignored by poll(). */
    for (int i = 0; i < HTTP_LISTENERS; i++)
        polled[i + 1] = (struct pollfd){.fd = listeners[i] > 0 ? listeners[i] : -1, .events = POLLIN};
    for (;;) {
        if (poll(polled, pause_ms ? 1 : HTTP_LISTENERS + 1, pause_ms ? pause_ms : -1) < 0 && errno != EINTR)
            log_error("cannot wait for connections: %s", strerror(errno));
        if (polled[0].revents)
            return NULL;
        pause_ms = 0;
        for (int i = 1; i <= HTTP_LISTENERS; i++) {
            int wants_ms = polled[i].fd < 0 ? 0 : accept_some(acceptor, polled[i].fd);
            pause_ms = wants_ms > pause_ms ? wants_ms : pause_ms;
        }
    }
}

int acceptor_start(struct http *http, unsigned limit, struct error *error)
{
    struct acceptor *acceptor = http->acceptor = calloc(1, sizeof *acceptor);
    if (!acceptor)
        return error_set(error, ERROR_MEMORY, "no memory to accept connections");
    acceptor->http = http;
    acceptor->limit = limit;
    acceptor->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (acceptor->stop < 0)
        error_set_errno(error, errno, "cannot make what ends the acceptor");
    else if (thread_start(&acceptor->thread, "acceptor", accept_main, acceptor, error) == 0)
        return 0;
    else
        close(acceptor->stop);
    free(acceptor);
    http->acceptor = NULL;
    return -1;
}

void acceptor_stop(struct http *http)
{
    struct acceptor *acceptor = http->acceptor;
    if (!acceptor)
        return;
    eventfd_write(acceptor->stop, 1);
    pthread_join(acceptor->thread, NULL);
    close(acceptor->stop);
    free(acceptor);
    http->acceptor = NULL;
}
