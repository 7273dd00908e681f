/* The stream is a libcurl easy handle in a multi handle, driven by event_reader_next(). */
#include "client/service/event_reader.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "client/terminal/interrupt.h"

/* The service sends a comment after 15 s without an event. The largest event is a sweep without its
   points. */
enum { SILENCE_MAX_S = 45, POLL_MS = 200, NAME_BYTES = 64, EVENT_BYTES_MAX = 1 << 24 };

struct event_reader {
    CURLM *multi;
    CURL *curl;
    struct curl_slist *headers;
    struct buffer bytes; /* received and not parsed yet */
    char type[NAME_BYTES], last_id[NAME_BYTES];
    struct buffer data;
    bool delivered; /* the caller has the event in `type` and `data` */
    bool closed;
    int64_t received_ns;
};

static size_t append_bytes(char *bytes, size_t size, size_t count, void *data)
{
    struct event_reader *stream = data;
    stream->received_ns = clock_monotonic_ns();
    if (event_reader_status(stream) != 200)
        return size * count; /* a problem document: an ordinary request reports it */
    if (stream->bytes.size > EVENT_BYTES_MAX)
        return 0;
    return buffer_append(&stream->bytes, bytes, size * count) == 0 ? size * count : 0;
}

struct event_reader *event_reader_open(const struct http_client *service, const char *path,
                                       const char *last_id)
{
    struct event_reader *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    snprintf(stream->last_id, sizeof stream->last_id, "%s", last_id ? last_id : "");
    stream->multi = curl_multi_init();
    stream->curl = curl_easy_init();
    stream->received_ns = clock_monotonic_ns();
    const struct http_client_request request = {.method = "GET",
                                                .path = path,
                                                .accept = "text/event-stream",

                                                .last_event_id = *stream->last_id ? stream->last_id : NULL};
    if (stream->multi && stream->curl)
        stream->headers = http_client_prepare(service, stream->curl, &request);
    if (!stream->headers) {
        event_reader_close(stream);
        return NULL;
    }
    curl_easy_setopt(stream->curl, CURLOPT_WRITEFUNCTION, append_bytes);
    curl_easy_setopt(stream->curl, CURLOPT_WRITEDATA, stream);
    curl_multi_add_handle(stream->multi, stream->curl);
    return stream;
}

void event_reader_close(struct event_reader *stream)
{
    if (!stream)
        return;
    if (stream->multi && stream->curl)
        curl_multi_remove_handle(stream->multi, stream->curl);
    curl_easy_cleanup(stream->curl);
    curl_multi_cleanup(stream->multi);
    curl_slist_free_all(stream->headers);
    buffer_free(&stream->bytes);
    buffer_free(&stream->data);
    free(stream);
}

/* Parses one line, without its end. True when it completes an event. */
static bool parse_line(struct event_reader *stream, const char *line)
{
    if (!*line)
        return stream->data.size > 0;
    const char *colon = strchr(line, ':');
    size_t length = colon ? (size_t)(colon - line) : strlen(line);
    const char *value = colon ? colon + 1 + (colon[1] == ' ') : "";
    if (length == 2 && strncmp(line, "id", 2) == 0)
        snprintf(stream->last_id, sizeof stream->last_id, "%s", value);
    else if (length == 5 && strncmp(line, "event", 5) == 0)
        snprintf(stream->type, sizeof stream->type, "%s", value);
    else if (length == 4 && strncmp(line, "data", 4) == 0)
        buffer_text(&stream->data, value);
    return false;
}

/* Parses what was received up to the end of an event. False: it is not complete. */
static bool parse_event(struct event_reader *stream, struct event_reader_event *event)
{
    if (stream->delivered) {
        stream->delivered = false;
        stream->type[0] = '\0';
        buffer_consume(&stream->data, stream->data.size);
    }
    size_t used = 0;
    while (!stream->delivered && used < stream->bytes.size) {
        char *line = stream->bytes.data + used;
        char *end = memchr(line, '\n', stream->bytes.size - used);
        if (!end)
            break;
        *end = '\0';
        if (end > line && end[-1] == '\r')
            end[-1] = '\0';
        used = (size_t)(end - stream->bytes.data) + 1;
        stream->delivered = parse_line(stream, line);
    }
    if (used)
        buffer_consume(&stream->bytes, used);
    *event = (struct event_reader_event){stream->type, stream->data.data};
    return stream->delivered;
}

enum event_reader_state event_reader_next(struct event_reader *stream, int wait_ms,
                                          struct event_reader_event *event)
{
    int64_t until_ns = clock_monotonic_ns() + (int64_t)wait_ms * 1000000;
    for (;;) {
        int running = 0;
        if (parse_event(stream, event))
            return EVENT_READER_EVENT;
        if (stream->closed)
            return EVENT_READER_CLOSED;
        bool performed = curl_multi_perform(stream->multi, &running) == CURLM_OK;
        int64_t now_ns = clock_monotonic_ns();
        stream->closed =
            !performed || !running || now_ns - stream->received_ns > (int64_t)SILENCE_MAX_S * 1000000000;
        if (stream->closed || (stream->bytes.size && memchr(stream->bytes.data, '\n', stream->bytes.size)))
            continue;
        if (now_ns >= until_ns || interrupt_received())
            return EVENT_READER_IDLE;
        int left_ms = (int)((until_ns - now_ns) / 1000000) + 1;
        curl_multi_poll(stream->multi, NULL, 0, left_ms < POLL_MS ? left_ms : POLL_MS, NULL);
    }
}

const char *event_reader_last_id(const struct event_reader *stream)
{
    return stream->last_id;
}

long event_reader_status(const struct event_reader *stream)
{
    long status = 0;
    curl_easy_getinfo(stream->curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
