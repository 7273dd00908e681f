/* Connections: their phases, their waits, their deadlines. */
#ifndef COALESCED_SERVER_HTTP_PEER_H
#define COALESCED_SERVER_HTTP_PEER_H

#include "base/error.h"
#include "server/http/http_state.h"

/* libmicrohttpd's MHD_NotifyConnectionCallback; arg is the struct http. */
void peer_notify(void *http, struct MHD_Connection *connection, void **peer,
                 enum MHD_ConnectionNotificationCode code);

/* The request is there whole: a handler may begin. False when the service is ending and none may. */
bool peer_begin(struct http *http, struct peer *peer);

/* Before a handler is called (again): from here on a wake-up counts for its next wait. False: the client has left, or its token
   was revoked; the handler is not to be called. */
bool peer_arm(struct http *http, struct peer *peer);

/* Suspends the connection and returns true, or false when it was woken already. until_ns 0: no limit and not
   to be interrupted. */
bool peer_wait(struct http *http, struct peer *peer, int64_t until_ns);
void peer_wake(struct http *http, struct peer *peer);

/* Does its token's user hold so many connections that this one should not become a stream (room.h)? */
bool peer_is_one_too_many(struct http *http, struct peer *peer);

/* Suspends the connection while its handler runs in the worker pool, and resumes it. */
void peer_leave(struct http *http, struct peer *peer);
void peer_return(struct http *http, struct peer *peer);

/* The same while its reply is sent and the worker pool runs that task, which makes the next piece. False: the service closes,
   send no more. */
bool peer_produce(struct http *http, struct peer *peer, struct worker_task *task);
void peer_produced(struct http *http, struct peer *peer);

/* Has the worker pool run a task that belongs to no connection. False: the service closes, and it will not run. */
bool peers_run_unattached(struct http *http, struct worker_task *task);

/* Suspends the connection while its reply is sent by somebody else; peer_produced() resumes it. */
void peer_pause(struct http *http, struct peer *peer);

/* Its reply will be a stream that goes on for ever. False: as many follow, with its token, from its address or in all, as
   may (room.h). */
bool peer_follows(struct http *http, struct peer *peer);

/* A request's header is there: it is not idle any more. `token`: that it came with, 0 for none. When that is revoked the
   connection is cut, whatever it does. */
void peer_arrive(struct http *http, struct peer *peer, uint64_t token);

/* The reply is on its way; and it has left, or the connection is gone. */
void peer_send(struct http *http, struct peer *peer);

/* Its reply, which is about to be sent, must have left within so many seconds, or it is cut off. */
void peer_send_within(struct http *http, struct peer *peer, int seconds);

void peer_done(struct http *http, struct peer *peer);

/* Starts the thread that watches all of them. */
int peers_start(struct http *http, struct error *error);
void peers_stop(struct http *http);

/* From here on no handler begins; returns once none is at work, and what is being sent has had its time. */
void peers_end(struct http *http);

/* From here on no stream is continued. */
void peers_close(struct http *http);

#endif
