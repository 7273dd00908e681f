/* Connections: their phases, waits and deadlines. All functions take http->lock. */
#pragma once

#include "base/error.h"
#include "server/http/http_state.h"

/* libmicrohttpd's MHD_NotifyConnectionCallback; `http` is the struct http. */
void peer_notify(void *http, struct MHD_Connection *connection, void **peer,
                 enum MHD_ConnectionNotificationCode code);

/* ---- the connection's thread, in the order of a request ---- */

/* The header of a request has arrived. `token`: of the request, 0 for none; the connection is cut when that
   is revoked. */
void peer_arrive(struct peer *peer, uint64_t token);

/* The body has arrived too. False: the server ends, so no handler may be called. */
bool peer_begin(struct peer *peer);

/* Called before each call of the handler: a wake-up from here on ends the next wait. False: the client has
   closed or its token was revoked, so the handler is not called. */
bool peer_arm(struct peer *peer);

/* Suspends the connection until peer_wake() or that time (0: no limit, and only peer_wake() ends it). False:
   not suspended, because it was woken already. */
bool peer_wait(struct peer *peer, int64_t until_ns);

/* Suspends the connection in that phase until peer_resume(): while the worker pool runs the task, or for NULL
   while the thread of live streams sends on its socket. False: the server ends, and nothing was done. */
bool peer_suspend(struct peer *peer, enum peer_phase phase, struct worker_task *task);

/* The reply will be a stream, `live` or made in pieces. False: too many connections are, of its token, and
   live ones of its address or all (connection_limit.h). */
bool peer_begin_stream(struct peer *peer, bool live);

/* Cuts the connection when the reply that follows is not sent within so many seconds. */
void peer_send_within(struct peer *peer, int seconds);

/* The reply is being sent. */
void peer_send(struct peer *peer);

/* The reply was sent, or the connection has failed. */
void peer_done(struct peer *peer);

/* ---- any thread ---- */

void peer_wake(struct peer *peer);

/* Ends peer_suspend(). In the phase PEER_SENDING the peer may be freed as soon as this is called. */
void peer_resume(struct peer *peer, enum peer_phase phase);

/* ---- all connections ---- */

/* Has the worker pool run a task that belongs to no connection. False: the server ends, and the task will not
   run. */
bool peers_run(struct http *http, struct worker_task *task);

/* Makes http->lock, and starts the periodic job that looks at all connections. */
void peers_init(struct http *http);
int peers_watch(struct http *http, struct error *error);

/* Ends the job, if it was started, and destroys the lock. */
void peers_stop(struct http *http);

/* Lets no handler begin; returns when none runs or waits and replies are sent, or have had two seconds. */
void peers_end(struct http *http);

/* Lets no stream go on: the worker pool gets no further task. */
void peers_stop_streams(struct http *http);
