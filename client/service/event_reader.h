/* Reads a stream of server-sent events. It has a connection of its own and is read when its next event is
   asked for, so that other requests may be sent between two events. */
#ifndef COALESCED_CLIENT_SERVICE_EVENT_READER_H
#define COALESCED_CLIENT_SERVICE_EVENT_READER_H

#include "client/service/http_client.h"

struct event_reader;

enum event_reader_state {
    EVENT_READER_EVENT,  /* there is an event */
    EVENT_READER_IDLE,   /* none came within the time, or a signal did */
    EVENT_READER_CLOSED, /* closed, lost, refused, or without any byte for longer than comments are apart */
};

struct event_reader_event {
    const char *type, *data; /* valid until the next call */
};

/* last_id: of the event after which the stream resumes; NULL or "": from now on. Sends nothing yet. NULL:
   no memory. */
struct event_reader *event_reader_open(const struct http_client *service, const char *path,
                                       const char *last_id);
void event_reader_close(struct event_reader *stream); /* NULL is allowed */

/* Waits up to wait_ms for the next event. */
enum event_reader_state event_reader_next(struct event_reader *stream, int wait_ms,
                                          struct event_reader_event *event);

/* The id of the last event that had one; "": none had. */
const char *event_reader_last_id(const struct event_reader *stream);

/* The HTTP status of the response; 0: there is none. */
long event_reader_status(const struct event_reader *stream);

#endif
