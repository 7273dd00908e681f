/* The structs that the files of server/http share; nobody outside includes it.

   A peer is a connection, from its acceptance to its close; a request lives within one. A peer's phase, its wait, its
   suspension and the list of all peers are guarded by http->lock. libmicrohttpd calls back without any lock of its own
   that suspending or resuming takes, so both are done with http->lock held: a wake-up cannot be lost. */
#ifndef COALESCED_SERVER_HTTP_HTTP_STATE_H
#define COALESCED_SERVER_HTTP_HTTP_STATE_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "api/problem.h"
#include "base/buffer.h"
#include "server/http/completed.h"
#include "server/http/address_limit.h"
#include "server/http/worker_pool.h"
#include "server/http/route.h"
#include "server/auth/user.h"

enum { REPLY_HEADERS = 8, REQUEST_ID_BYTES = 40 };

enum peer_phase {
    PEER_ARRIVING,  /* no request is there whole: idle, or still sending one */
    PEER_ANSWERING, /* a handler runs on the connection's thread */
    PEER_SLOW,      /* suspended; its handler runs in the worker pool */
    PEER_WAITING,   /* suspended; nothing runs until it is woken */
    PEER_SENDING,   /* the reply is on its way */
};

enum peer_lists { PEERS_ALL, PEERS_OF_ADDRESS, PEER_LISTS };

/* Why a connection is one too many: it gets an answer about the service's health, and no other. */
enum peer_excess { PEER_WITHIN, PEER_BEYOND_ADDRESS, PEER_BEYOND_ALL };

struct peer {
    struct {
        struct peer *next, *previous; /* the one that was active last comes first */
    } in[PEER_LISTS];
    struct address_limit *address_limit; /* NULL: a Unix socket, or there was no memory */
    char remote[ADDRESS_NAME_BYTES];
    struct address_key address;
    enum peer_excess excess;
    struct MHD_Connection *connection;
    int socket;
    enum peer_phase phase;
    int64_t arriving_since_ns;
    uint64_t token; /* that its last request presented; 0: none */
    uint64_t
        client; /* a hash of where it comes from: its address's key, or its name where it has no address */
    bool local; /* came by a Unix socket */
    bool cut;   /* its socket was shut down: too slow, or idle when others wanted to connect */
    bool malformed; /* the target of the request that arrives cannot be decoded */
    bool uploading; /* while ARRIVING: a request's header is there, its body is not yet */
    /* of the request's present wait */
    bool woken, timed;
    bool gone;    /* the client has left, or its token was revoked */
    bool follows; /* its reply is a stream that goes on for ever */
    bool hurried; /* it is to end at once, because as many wait with its token as may */
    bool interim; /* HTTP/1.1: may be sent an interim response */
    bool probed;  /* was sent one, since it sends no more */
    int64_t wait_until_ns;
    int64_t send_until_ns; /* its present reply is to have left by then; 0: whenever the client reads it */
};

struct http {
    struct MHD_Daemon *daemon;
    struct acceptor *acceptor;
    int request_s;
    const struct route *const *routes;
    const struct origin_check *origin_check;
    struct log_writer *access_log, *audit_log;
    struct log_throttle *access_throttle, *audit_throttle; /* of each log; NULL as that is */
    void (*completed)(void *arg, const struct http_completed *completed);
    void *completed_arg;
    char id_prefix[16]; /* of the names that are made up for requests */
    atomic_ullong request_count;
    struct users *users;
    unsigned users_changes; /* that the peers were looked at for */
    struct worker_pool *worker_pool;
    struct live_streams *followers;
    struct document_cache *cache;
    char instance[64];
    void *context;
    pthread_t watcher;
    pthread_mutex_t lock;
    pthread_cond_t watch; /* wakes the watcher */
    pthread_cond_t calm;  /* a phase changed while ending */
    int64_t watch_until_ns;
    struct peer_list peers;
    struct address_limits address_limits;
    unsigned peer_count;                     /* without those that were cut off */
    unsigned peer_limit, address_peer_limit; /* beyond them, who is idle longest is closed for a new one */
    unsigned peer_spare;                     /* how many there may be beyond the limit */
    bool ending;                             /* no handler begins any more */
    bool closing;                            /* no stream is continued any more */
    bool stopped;                            /* the watcher returns */
};

/* What request_run() does next. */
enum request_stage { STAGE_CALL, STAGE_LEAVE, STAGE_RETURN, STAGE_SLEEP };

struct request {
    struct http *http;
    struct peer *peer;
    struct route_match match;
    struct user user;
    uint64_t token;     /* its number (users.h); 0: none was wanted */
    int authorizations; /* headers of that name */
    const char *target; /* the library's, for as long as the request lives, as all that follows: the path */
    const char *path, *method; /* or a whole address; decoded */
    const char *id;            /* X-Request-Id, see record.h */
    const char *host, *origin; /* NULL: not given */
    const char *shared_with;   /* the origin, when it is another one that is allowed; the origin check's */
    char id_made[REQUEST_ID_BYTES];
    const char *accept; /* all Accept fields as one; NULL: there is none */
    struct buffer accept_joined;
    struct buffer body;
    size_t body_seen; /* bytes, also those thrown away */
    int64_t began_ns; /* its header was there */
    bool head;        /* HEAD: a reply without its body */
    bool plain;       /* neither a query nor a preference: the path says all */
    bool gzip;        /* the client takes it */
    bool malformed;   /* its target cannot be decoded */
    bool begun;       /* the handler was called */
    bool rejected;    /* the answer was clear before the body: rejection */
    bool preflight;   /* rejected, and that is all a browser wants to know before the request proper */
    bool ambiguous;   /* where it ends is not certain: nothing after it can be a request */
    enum problem_type rejection;
    char rejection_text[256];
    enum request_stage stage;
    bool settled; /* see request_settle() */
    struct worker_task task;
    enum handled handled; /* what the handler returned that ran in the worker pool */
    double wait_s;        /* asked for by the present request_wait; negative: no limit */
    int64_t wait_until_ns;
    unsigned long document_cache_age; /* before its handler read anything */
    void *kept;
    void (*release)(void *kept);
    bool unchanged;   /* what was asked for was so already */
    const char *made; /* the id of what it made; NULL: nothing yet */
    int header_count;
    struct {
        const char *name;
        char *value;
    } headers[REPLY_HEADERS];
    /* the reply, until it is queued on the connection's thread */
    unsigned status;
    uint64_t bytes; /* of the reply's body; those that were sent, when it is a stream */
    struct MHD_Response *response;
    struct document *document; /* NULL: the response is the request's own */
    struct copy *copy;         /* the document's, whose response it is */
};

#endif
