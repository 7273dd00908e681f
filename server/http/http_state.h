/* The structs behind server/http, for its own files; no file outside includes this header.

   struct http is the server, struct peer a connection from its acceptance to its close, struct request one
   request on it. The files on connections (peer.c, connection_limit.c, acceptor.c) work on the first two,
   those on requests (admission.c, request.c, reply.c, access_log.c) on the last.

   http->lock guards what is marked below. libmicrohttpd calls back without any lock that suspending or
   resuming takes, so MHD_suspend_connection() and MHD_resume_connection() are called with http->lock held: no
   wake-up is lost. Of a request only one thread knows at a time: the connection's, or while the connection is
   suspended one of the worker pool. */
#pragma once

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

#include "api/problem.h"
#include "base/buffer.h"
#include "server/auth/users.h"
#include "server/http/http_config.h"
#include "server/http/worker_pool.h"
#include "server/periodic.h"

#define REQUEST_ID_HEADER "X-Request-Id"

enum { REPLY_HEADERS = 8, REQUEST_ID_BYTES = 40, ADDRESS_NAME_BYTES = 48 };

/* An IPv4 address, the 64-bit network of an IPv6 address (a machine may use all of its addresses), or of a
   Unix socket the beginning of its name. */
struct address_key {
    uint8_t bytes[16];
};

/* Ordered by activity: the peer that was active last comes first. */
TAILQ_HEAD(peer_list, peer);

/* The connections of one address (connection_limit.c). */
struct address_limit {
    struct address_key key; /* first: the tree of addresses compares it */
    struct peer_list peers;
    unsigned members; /* connections, with those that were cut */
    unsigned open;    /* connections without those */
};

enum peer_phase {
    PEER_ARRIVING,  /* no whole request: idle, or its client still sends one */
    PEER_ANSWERING, /* a handler runs on the connection's thread */
    PEER_SLOW,      /* suspended; a handler runs in the worker pool */
    PEER_WAITING,   /* suspended until request_wake() or its deadline */
    PEER_SENDING,   /* the reply is being sent */
};

/* The lists that hold a peer: of all connections, and of those from its address. */
enum peer_lists { PEERS_ALL, PEERS_OF_ADDRESS, PEER_LISTS };

/* Which limit a connection exceeds. Beyond one, only requests about the service's health are answered. */
enum peer_excess { PEER_WITHIN, PEER_BEYOND_ADDRESS, PEER_BEYOND_ALL };

struct peer {
    /* set when the connection is accepted */
    struct http *http;
    struct MHD_Connection *connection;
    int socket;
    bool local; /* from a Unix socket */
    char remote[ADDRESS_NAME_BYTES];
    struct address_key address;

    /* used by the connection's thread */
    bool malformed; /* the target of its request cannot be decoded */
    bool interim;   /* HTTP/1.1: an interim response may be sent */

    /* guarded by http->lock */
    TAILQ_ENTRY(peer) in[PEER_LISTS];
    struct address_limit *address_limit; /* NULL: a Unix socket, or there was no memory */
    enum peer_excess excess;             /* set once */
    enum peer_phase phase;
    int64_t arriving_since_ns;
    uint64_t token;        /* of its last request; 0: none */
    bool cut;              /* its socket was shut down, and it does not count as open */
    bool uploading;        /* while ARRIVING: the header of a request has arrived, its body has not */
    bool live;             /* its reply is a live stream */
    int64_t send_until_ns; /* the deadline of its reply; 0: none */
    /* of the present wait */
    bool woken, timed;
    bool gone;         /* the client has closed, or its token was revoked */
    bool wait_refused; /* too many connections wait with its token, so that the wait ends at once */
    bool probed;       /* was sent an interim response to learn whether the client is there */
    int64_t wait_until_ns;
};

struct http {
    struct http_config config;
    struct MHD_Daemon *daemon;
    struct acceptor *acceptor;
    struct worker_pool *worker_pool;
    struct live_streams *live_streams;
    struct document_cache *cache;
    struct log_throttle *access_throttle, *audit_throttle; /* NULL where that log is NULL */
    char id_prefix[16];                                    /* of the ids that are made for requests */
    atomic_ullong request_count;
    bool shared;          /* pages of some other origins may use the service */
    atomic_uint accepted; /* connections that are open, with those that were cut */

    struct periodic_job watch; /* looks at all peers */
    int64_t look_at_ns;        /* of that job: when it looks at sockets and tokens again */
    unsigned users_changes;    /* of that job: users_changes() at the last look */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t phase_changed;
    struct peer_list peers;
    void *addresses;     /* of struct address_limit, for tsearch() */
    unsigned peer_count; /* open connections, without those that were cut */
    /* beyond these the longest idle connection is closed for a new one */
    unsigned peer_limit, address_peer_limit;
    unsigned peer_spare; /* connections beyond peer_limit that are answered about health */
    bool ending;         /* no handler is started any more */
    bool closing;        /* nothing is added to the worker pool any more */
};

/* What request_run() does next. */
enum request_stage { STAGE_CALL, STAGE_TO_POOL, STAGE_FROM_POOL, STAGE_WAIT };

struct request {
    struct http *http;
    struct peer *peer;
    /* what was asked; the texts are libmicrohttpd's and live as long as the request */
    const char *target;        /* a path or an absolute URL, decoded */
    const char *path, *method; /* the path without an absolute URL's host */
    const char *id;            /* of X-Request-Id, or id_made */
    char id_made[REQUEST_ID_BYTES];
    const char *host, *origin; /* NULL: not given */
    const char *accept;        /* all Accept fields as one; NULL: none */
    const char *type;          /* request_type(); NULL: rejected before */
    struct buffer accept_joined;
    int authorizations;      /* how many Authorization fields there are */
    const char *shared_with; /* the origin, when it is another one and allowed; owned by the origin check */
    bool head;               /* HEAD: the reply has no body */
    bool plain;              /* neither a query nor a preference: the path decides the reply */
    bool gzip;               /* the client accepts it */
    struct buffer body;
    size_t body_seen; /* bytes, with those that were dropped */
    int64_t began_ns; /* when its header was complete */

    /* what was decided */
    struct route_match match;
    struct user user;
    uint64_t token; /* the token's number (users.h); 0: none was needed */
    bool rejected;  /* before its body was read, for the reason `rejection` */
    bool preflight; /* rejected, because a browser only asks what it may send */
    bool ambiguous; /* its end is not certain, so nothing behind it can be read as a request */
    enum problem_type rejection;
    char rejection_text[256];

    /* the handler */
    enum request_stage stage;
    bool begun;                            /* the handler was called */
    bool settled;                          /* see request_settle() */
    void (*work)(struct request *request); /* of request_work(); else NULL */
    struct worker_task task;
    enum handled handled; /* what the handler returned in the worker pool */
    bool timed;           /* the present wait ends at wait_until_ns */
    int64_t wait_until_ns;
    unsigned long cache_age; /* document_cache_age() before the handler read anything */
    void *state;             /* the handler's, between its calls */
    void (*state_free)(void *state);
    bool unchanged;   /* the request changed nothing */
    const char *made; /* the id of what the request made; NULL: nothing */

    /* the reply, until the connection's thread queues it */
    int header_count;
    struct {
        const char *name;
        char *value;
    } headers[REPLY_HEADERS];
    unsigned status;
    uint64_t bytes; /* of its body; of a stream those that were sent */
    struct MHD_Response *response;
};
