/* libmicrohttpd's callbacks, the stages of a request, and the start and end of the server. */
#include "server/http/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/http/acceptor.h"
#include "server/http/access_log.h"
#include "server/http/admission.h"
#include "server/http/document_cache.h"
#include "server/http/http_state.h"
#include "server/http/live_streams.h"
#include "server/http/origin_check.h"
#include "server/http/peer.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/worker_pool.h"

enum {
    OTHER_FILES = 1536, /* descriptors that are no connections: the store, and nine of each of 128 devices */
    CONNECTION_MEMORY = 8 << 10,
    CONNECTIONS_MAX = 8192,
    CONNECTIONS_SPARE = 16, /* a sixteenth of the connections stays free, by closing idle ones */
    WORKER_THREADS = 4,     /* they use at most half of the store's readers */
    CACHE_BYTES = 8 << 20,
};

static const char stopping[] = "the service is stopping";

/* ---- a request's way through its stages ---- */

/* Runs a ROUTE_SLOW handler in the worker pool, while the connection is suspended. While the server ends,
   handlers that are still queued are not run: there may be many. */
static void request_run_slow(struct worker_task *task)
{
    struct request *request = (struct request *)((char *)task - offsetof(struct request, task));
    request->handled = request_ending(request) ? reply_problem(request, PROBLEM_UNAVAILABLE, stopping)
                                               : request->match.route->handle(request);
    if (request->handled == HANDLED_REPLIED)
        request_release(request); /* there may be much to free, and the connection's thread serves others */
    peer_resume(request->peer, PEER_ANSWERING);
}

/* libmicrohttpd goes on reading a suspended connection from which it expects a body, and closes it when the
   client has closed its sending side. Returning from on_request() once without a reply ends that;
   libmicrohttpd then calls again at once, or frees the request if the connection has failed. So this comes
   before a handler starts work that will wake the request. True: it was done before; false: return now. */
static bool request_settle(struct request *request)
{
    bool settled = request->settled;
    request->settled = true;
    return settled;
}

static enum MHD_Result request_send(struct request *request, enum handled handled)
{
    peer_send(request->peer);
    if (handled != HANDLED_REPLIED || !request->response)
        return MHD_NO;
    return MHD_queue_response(request->peer->connection, request->status, request->response);
}

/* True for a handler that starts work on the connection's thread: only one that changes something does. A GET
   waits for events, which can be cancelled at any time, or runs in the worker pool. */
static bool request_starts_work(const struct request *request)
{
    return strcmp(request->match.route->method, MHD_HTTP_METHOD_GET) != 0 &&
           !(request->match.route->flags & ROUTE_SLOW);
}

static enum handled request_call(struct request *request)
{
    const struct route *route = request->match.route;
    enum handled handled;
    if (route->flags & ROUTE_CACHED && reply_cached(request, &handled))
        return handled;
    request->cache_age = route->flags & ROUTE_CACHED ? document_cache_age(request->http->cache) : 0;
    request->timed = false;
    if (!(route->flags & ROUTE_SLOW))
        return route->handle(request);
    request->stage = STAGE_TO_POOL;
    return HANDLED_WAIT;
}

/* Goes from stage to stage until there is a reply or the connection is suspended. */
static enum MHD_Result request_run(struct request *request)
{
    struct peer *peer = request->peer;
    for (;;) {
        enum handled handled;
        switch (request->stage) {
        case STAGE_CALL:
            if (request_starts_work(request) && !request_settle(request))
                return MHD_YES;
            /* The first call of a GET is not checked: its reply to a client that has closed does no harm. */
            if (request->settled && !peer_arm(peer))
                return MHD_NO;
            handled = request_call(request);
            if (request->stage == STAGE_TO_POOL)
                continue;
            break;
        case STAGE_TO_POOL:
            if (!request_settle(request))
                return MHD_YES;
            request->stage = STAGE_FROM_POOL;
            request->task.run = request_run_slow;
            request->task.client = request_client(request);
            return peer_suspend(peer, PEER_SLOW, &request->task) ? MHD_YES : MHD_NO;
        case STAGE_FROM_POOL:
            handled = request->handled;
            break;
        default: /* STAGE_WAIT */
            if (!request_settle(request))
                return MHD_YES;
            request->stage = STAGE_CALL;
            if (peer_wait(peer, request->timed ? request->wait_until_ns : 0))
                return MHD_YES;
            continue;
        }
        if (handled != HANDLED_WAIT)
            return request_send(request, handled);
        request->stage = STAGE_WAIT;
    }
}

/* Called when the whole body has arrived, and again after each resumption. */
static enum MHD_Result request_answer(struct request *request)
{
    if (!request->begun) {
        if (!peer_begin(request->peer))
            return request_send(request, reply_problem(request, PROBLEM_UNAVAILABLE, stopping));
        request->begun = true;
        if (request->rejected)
            return request_send(request, admission_reject(request));
    }
    return request_run(request);
}

/* The body of a rejected request is usually read to its end first, since a client that still sends does not
   see the reply. True: the reply is sent before, because the client waits for "100 Continue", the body's end
   is not certain, or the body is so long that the connection is closed. */
static bool answer_is_early(const struct request *request)
{
    if (!request->rejected || request->ambiguous)
        return request->rejected;
    const char *expect = request_header(request, MHD_HTTP_HEADER_EXPECT);
    const char *length = request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return (expect && strcasecmp(expect, "100-continue") == 0) ||
           (length && strtoull(length, NULL, 10) > admission_drain_max(request));
}

/* ---- libmicrohttpd's callbacks ---- */

/* NULL: there was no memory for one. */
static struct peer *peer_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **slot)
{
    (void)arg;
    struct request *request = *slot;
    if (!request) {
        struct peer *peer = peer_of(connection);
        if (!peer || !(*slot = request = request_new(peer, path, method)))
            return MHD_NO;
        admission_check(request, version);
        peer_arrive(peer, request->token);
        return answer_is_early(request) ? request_answer(request) : MHD_YES;
    }
    if (*upload_size) {
        if (admission_body(request, upload, *upload_size) < 0)
            return MHD_NO;
        *upload_size = 0;
        return MHD_YES;
    }
    return request_answer(request);
}

/* Decodes the path and each name and value of the query, before there is a request. libmicrohttpd's own
   function leaves what is malformed as it is and lets %00 end a text. */
static size_t on_unescape(void *arg, struct MHD_Connection *connection, char *text)
{
    (void)arg;
    bool valid = true;
    size_t length = request_target_decode(text, &valid);
    struct peer *peer = valid ? NULL : peer_of(connection);
    if (peer)
        peer->malformed = true;
    return length;
}

/* The one place where a request is freed. */
static void on_completed(void *arg, struct MHD_Connection *connection, void **slot,
                         enum MHD_RequestTerminationCode code)
{
    (void)arg;
    (void)connection;
    struct request *request = *slot;
    if (!request)
        return;
    access_log_request(request, code == MHD_REQUEST_TERMINATED_COMPLETED_OK && request->status);
    struct peer *peer = request->peer;
    request_free(request);
    *slot = NULL;
    peer_done(peer);
}

/* libmicrohttpd's messages are about clients that have closed and the like, hence the level. */
__attribute__((format(printf, 2, 0))) static void on_log(void *arg, const char *format, va_list arguments)
{
    (void)arg;
    char line[256];
    vsnprintf(line, sizeof line, format, arguments);
    line[strcspn(line, "\n")] = '\0';
    log_debug("libmicrohttpd: %s", line);
}

/* Raises the limit on open files as far as it is useful, and returns how many connections there may be. */
static unsigned connections_allowed(void)
{
    struct rlimit files;
    const rlim_t useful = CONNECTIONS_MAX + OTHER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return CONNECTIONS_MAX / 8;
    if (files.rlim_cur < useful) {
        files.rlim_cur = files.rlim_max < useful ? files.rlim_max : useful;
        setrlimit(RLIMIT_NOFILE, &files);
        getrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur >= useful)
        return CONNECTIONS_MAX;
    unsigned half = (unsigned)files.rlim_cur / 2, limit = half > OTHER_FILES ? 2 * half - OTHER_FILES : half;
    log_warning("the limit on open files is %llu: at most %u connections", (unsigned long long)files.rlim_cur,
                limit);
    return limit;
}

static int daemon_start(struct http *http, struct error *error)
{
    const struct http_config *config = &http->config;
    unsigned connections = connections_allowed();
    http->peer_limit = connections - connections / CONNECTIONS_SPARE;
    http->peer_spare = connections / CONNECTIONS_SPARE / 2; /* the rest: connections that are being closed */
    http->address_peer_limit = (unsigned)config->connections_per_address;
    /* Each thread gets its part of libmicrohttpd's limit and closes what is beyond that without a reply, so
       that limit is set out of reach: connection_limit.c decides (docs/decisions.md). */
    unsigned out_of_reach = connections * (unsigned)config->threads;
    /* poll, because with epoll libmicrohttpd 0.9.75 does not serve 128 connections that become ready at
       once. */
    unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
                     MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC;
    http->daemon =
        MHD_start_daemon(flags, 0, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
                         MHD_OPTION_THREAD_POOL_SIZE, (unsigned)config->threads, MHD_OPTION_CONNECTION_LIMIT,
                         out_of_reach, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)config->request_s,
                         MHD_OPTION_NOTIFY_COMPLETED, on_completed, http, MHD_OPTION_NOTIFY_CONNECTION,
                         peer_notify, http, MHD_OPTION_UNESCAPE_CALLBACK, on_unescape, NULL, MHD_OPTION_END);
    if (!http->daemon)
        return error_set_errno(error, errno, "libmicrohttpd does not start");
    return acceptor_start(http, connections, error);
}

int http_start(struct http **out, const struct http_config *config, struct error *error)
{
    uint64_t prefix = 0;
    struct http *http = calloc(1, sizeof *http);
    if (!http)
        return error_set(error, ERROR_MEMORY, "no memory for the HTTP server");
    http->config = *config;
    /* A random prefix, so that the id of a request is unique in the logs of all processes. */
    if (getrandom(&prefix, sizeof prefix, GRND_NONBLOCK) < 0)
        prefix = (uint64_t)clock_wall_ms();
    snprintf(http->id_prefix, sizeof http->id_prefix, "%012llx-",
             (unsigned long long)prefix & 0xffffffffffff);
    http->shared = config->origin_check && origin_check_shares(config->origin_check);
    peers_init(http);
    if (!(http->cache = document_cache_new(CACHE_BYTES)) || access_log_start(http) < 0)
        error_set(error, ERROR_MEMORY, "no memory for the HTTP server");
    else if (worker_pool_start(&http->worker_pool, WORKER_THREADS, error) == 0 &&
             live_streams_start(&http->live_streams, config->comment_s, error) == 0 &&
             peers_watch(http, error) == 0 && daemon_start(http, error) == 0) {
        *out = http;
        return 0;
    }
    http_stop(http);
    return -1;
}

void http_invalidate(struct http *http, const char *path)
{
    document_cache_invalidate(http->cache, path);
}

void http_wake(void *arg)
{
    struct http *http = arg;
    live_streams_wake(http->live_streams);
}

void http_quiesce(struct http *http)
{
    acceptor_stop(http);
    live_streams_end(http->live_streams);
    peers_end(http);
}

void http_stop(struct http *http)
{
    if (!http)
        return;
    acceptor_stop(http);
    /* MHD_stop_daemon() requires that no connection is suspended. */
    peers_stop_streams(http);
    live_streams_end(http->live_streams);
    worker_pool_stop(http->worker_pool);
    if (http->daemon)
        MHD_stop_daemon(http->daemon);
    peers_stop(http);
    live_streams_free(http->live_streams);
    document_cache_free(http->cache);
    access_log_throttle_free(http->access_throttle);
    access_log_throttle_free(http->audit_throttle);
    free(http);
}
