/* The loop of the thread that accepts connections. */
#include "server/http/acceptor.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"

enum { ROUND = 64, FULL_MS = 2, FAILED_MS = 100 };

struct acceptor {
    struct MHD_Daemon *daemon;
    int listeners[ACCEPTOR_LISTENERS];
    int stop; /* an eventfd */
    unsigned limit;
    atomic_uint open;
    bool running;
    bool scarce; /* the failure to accept was logged */
    pthread_t thread;
};

void acceptor_release(struct acceptor *acceptor)
{
    atomic_fetch_sub(&acceptor->open, 1);
}

/* Accepts what waits, at most ROUND connections. Returns how long to pause before the next round, in
   milliseconds; 0: no pause. */
static int accept_some(struct acceptor *acceptor, int listener)
{
    for (int i = 0; i < ROUND; i++) {
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        if (atomic_load(&acceptor->open) >= acceptor->limit)
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
        atomic_fetch_add(&acceptor->open, 1);
        /* libmicrohttpd closes the socket when it refuses the connection. */
        if (MHD_add_connection(acceptor->daemon, connection, (struct sockaddr *)&address, size) != MHD_YES)
            acceptor_release(acceptor);
    }
    return 0;
}

static void *accept_main(void *arg)
{
    struct acceptor *acceptor = arg;
    struct pollfd polled[ACCEPTOR_LISTENERS + 1] = {{.fd = acceptor->stop, .events = POLLIN}};
    int pause_ms = 0;
    for (;;) {
        for (int i = 0; i < ACCEPTOR_LISTENERS; i++)
            polled[i + 1] = (struct pollfd){.fd = acceptor->listeners[i], .events = POLLIN};
        if (poll(polled, pause_ms ? 1 : ACCEPTOR_LISTENERS + 1, pause_ms ? pause_ms : -1) < 0 &&
            errno != EINTR)
            log_error("cannot wait for connections: %s", strerror(errno));
        if (polled[0].revents)
            return NULL;
        pause_ms = 0;
        for (int i = 0; i < ACCEPTOR_LISTENERS; i++) {
            int wants_ms = acceptor->listeners[i] < 0 ? 0 : accept_some(acceptor, acceptor->listeners[i]);
            pause_ms = wants_ms > pause_ms ? wants_ms : pause_ms;
        }
    }
}

int acceptor_start(struct acceptor **out, const int listeners[ACCEPTOR_LISTENERS], unsigned limit,
                   struct MHD_Daemon *daemon, struct error *error)
{
    struct acceptor *acceptor = calloc(1, sizeof *acceptor);
    if (!acceptor)
        return error_set(error, ERROR_MEMORY, "no memory to accept connections");
    for (int i = 0; i < ACCEPTOR_LISTENERS; i++)
        acceptor->listeners[i] = listeners[i] > 0 ? listeners[i] : -1;
    acceptor->daemon = daemon;
    acceptor->limit = limit;
    acceptor->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    *out = acceptor;
    int failed =
        acceptor->stop < 0 ? errno : thread_start(&acceptor->thread, "acceptor", accept_main, acceptor);
    acceptor->running = !failed;
    return failed ? error_set_errno(error, failed, "cannot start the thread that accepts connections") : 0;
}

void acceptor_stop(struct acceptor *acceptor)
{
    if (!acceptor->running)
        return;
    eventfd_write(acceptor->stop, 1);
    pthread_join(acceptor->thread, NULL);
    acceptor->running = false;
}

void acceptor_free(struct acceptor *acceptor)
{
    if (!acceptor)
        return;
    acceptor_stop(acceptor);
    if (acceptor->stop >= 0)
        close(acceptor->stop);
    free(acceptor);
}
