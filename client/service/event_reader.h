/* Reads a stream of server-sent events on a connection of its own, so that other requests may be sent from
   within its callbacks. */
#pragma once

#include "client/service/http_client.h"

enum { EVENT_READER_ID_BYTES = 64 };

struct event_reader_calls {
    bool (*event)(void *data, const char *type, const char *text); /* false ends the stream */
    bool (*tick)(void *data); /* called about once a second, and after events; false ends the stream */
    void *data;
};

/* Reads until the stream is closed, lost, refused, without a byte for longer than comments are apart, ended
   by a callback or by a signal. last_id: of the event after which it resumes, "": from now on; afterwards
   that of the last event that had one. Returns the HTTP status of the response, 0 without one. */
long event_reader_run(const struct http_client *service, const char *path,
                      char last_id[EVENT_READER_ID_BYTES], const struct event_reader_calls *calls);
