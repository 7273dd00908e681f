/* A stream of server-sent events. It is read when its next event is asked for, on a connection of its own, so that other
   questions may be asked between two events. */
#ifndef COALESCED_CLIENT_SERVICE_EVENT_READER_H
#define COALESCED_CLIENT_SERVICE_EVENT_READER_H

#include "client/service/http_client.h"

struct event_reader;

enum stream_state {
    STREAM_EVENT, /* there is one */
    STREAM_QUIET, /* none came in that time, or a signal did */
    STREAM_OVER,  /* closed, lost, refused, or nothing at all was heard for longer than comments are apart */
};

struct stream_event {
    const char *kind, *data; /* valid until the stream is asked again */
};

/* last: the id to resume behind; NULL or "": from now on. NULL: no memory. Nothing is sent yet. */
struct event_reader *event_reader_open(const struct http_client *service, const char *path, const char *last);
void event_reader_close(struct event_reader *stream); /* NULL is allowed */

/* The next event, waited for up to so many milliseconds. */
enum stream_state event_reader_next(struct event_reader *stream, int wait_ms, struct stream_event *event);

/* The id of the last event that had one; "" before. */
const char *event_reader_last(const struct event_reader *stream);

/* The status of the answer; 0: none came. */
long event_reader_status(const struct event_reader *stream);

#endif
