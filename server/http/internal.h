/* What the files of server/http share. Nobody else includes it.

   A peer is a connection, from its acceptance to its close; a request lives within one. A peer is ARRIVING
   until a request is there whole, ANSWERING while a handler is at work, WAITING while it is suspended in
   between, then SENDING until the reply has left. Its phase, its wait and the list of all peers are guarded
   by http->lock. libmicrohttpd calls back without any lock of its own that suspending or resuming takes, so
   both are done with http->lock held; that makes "woken before it slept" impossible to lose. */
#ifndef COALESCED_SERVER_HTTP_INTERNAL_H
#define COALESCED_SERVER_HTTP_INTERNAL_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdint.h>

#include "api/problem.h"
#include "base/buffer.h"
#include "server/http/http.h"

enum {
    BODY_MAX = 64 << 10, /* what an endpoint gets that asks for no more */
    BODY_DRAIN_MAX =
        1 << 20, /* what is read, and thrown away, to be able to answer 413; twice that for one that
                                 gets as much */
    CONNECTION_MEMORY = 8 << 10,
    CONNECTIONS_MAX = 4096,
    REPLY_HEADERS = 8,
};

enum peer_phase { PEER_ARRIVING, PEER_ANSWERING, PEER_WAITING, PEER_SENDING };

struct peer {
    struct peer *next, *previous;
    struct MHD_Connection *connection;
    int socket;
    enum peer_phase phase;
    int64_t arriving_since_ns;
    bool cut;      /* its socket was shut down for being too slow */
    bool misspelt; /* the target of the request that arrives cannot be meant */
    /* of the request's present wait */
    bool woken, timed, gone;
    int64_t wait_until_ns;
};

struct http {
    struct MHD_Daemon *daemon;
    int listener;
    int request_s;
    const struct route *const *routes;
    const struct tokens *tokens;
    char instance[64];
    void *context;
    pthread_t watcher;
    pthread_mutex_t lock;
    pthread_cond_t watch; /* wakes the watcher */
    pthread_cond_t calm;  /* a phase changed while ending */
    int64_t watch_until_ns;
    struct peer *peers;
    bool ending, stopped; /* ending: no handler is begun any more; stopped: the watcher returns */
};

struct request {
    struct http *http;
    struct peer *peer;
    struct route_match match;
    char *path, *method;
    struct buffer accept; /* all Accept fields as one; no data: there is none */
    struct buffer body;
    size_t body_seen; /* bytes, also those thrown away */
    bool misspelt;    /* its target cannot be meant: decoded as far as possible */
    bool begun;       /* the handler was called */
    bool refused;     /* the answer was clear before the body: refusal */
    bool doubtful;    /* where it ends is in doubt: nothing after it can be a request */
    enum problem_type refusal;
    char refusal_text[256];
    double wait_s; /* asked for by the present request_wait; negative: no limit */
    int64_t wait_until_ns;
    void *kept;
    void (*release)(void *kept);
    int header_count;
    struct {
        const char *name;
        char *value;
    } headers[REPLY_HEADERS];
};

/* ---- watch.c: peers, waits, deadlines ---- */

int watch_start(struct http *http, struct error *error);
void watch_stop(struct http *http);
void peer_notify(void *http, struct MHD_Connection *connection, void **peer,
                 enum MHD_ConnectionNotificationCode code);

/* The request is there whole: a handler may begin. False when the service is ending and none may. */
bool peer_begin(struct http *http, struct peer *peer);

/* Before each call of a handler: from here on a wake counts for its next wait. */
void peer_arm(struct http *http, struct peer *peer);

/* Suspends the connection and returns true, or false when it was woken already. until_ns 0: no limit and not
   to be interrupted. */
bool peer_wait(struct http *http, struct peer *peer, int64_t until_ns);
void peer_wake(struct http *http, struct peer *peer);

/* The reply is on its way; and it has left, or the connection is gone. */
void peer_send(struct http *http, struct peer *peer);
void peer_done(struct http *http, struct peer *peer);

/* From here on no handler begins; returns once none is at work, and what is being sent has had its time. */
void watch_end(struct http *http);

/* ---- request.c ---- */

/* NULL: no memory. */
struct request *request_new(struct http *http, struct peer *peer, const char *path, const char *method);
void request_free(struct request *request);

/* ---- admit.c ---- */

/* Decides what can be decided without the body. `version`: "HTTP/1.1". */
void request_admit(struct request *request, const char *version);

/* Beyond that many bytes of a body the connection is closed. */
size_t request_drain_max(const struct request *request);

/* Takes a piece of the body. -1: far too much, close the connection. */
int request_feed(struct request *request, const char *bytes, size_t count);

enum handled request_refuse(struct request *request);

#endif
