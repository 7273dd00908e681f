#include "client/service/event_reader.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "client/terminal/interrupt.h"

/* The service sends a comment after 15 s without an event. An event is as large as a sweep without its points. */
enum { DEAF_S = 45, LOOK_MS = 200, NAME_BYTES = 64, EVENT_MOST = 1 << 24 };

struct event_reader {
    CURLM *multi;
    CURL *curl;
    struct curl_slist *headers;
    struct buffer bytes; /* what came and was not looked at */
    char kind[NAME_BYTES], last[NAME_BYTES];
    struct buffer data;
    bool told, over; /* told: the event in kind and data was handed out */
    int64_t heard_ns;
};

static size_t take_bytes(char *bytes, size_t size, size_t count, void *data)
{
    struct event_reader *stream = data;
    stream->heard_ns = clock_monotonic_ns();
    if (event_reader_status(stream) != 200)
        return size * count; /* a problem in words: whoever asks otherwise is told it */
    if (stream->bytes.size > EVENT_MOST)
        return 0;
    return buffer_append(&stream->bytes, bytes, size * count) == 0 ? size * count : 0;
}

struct event_reader *event_reader_open(const struct http_client *service, const char *path, const char *last)
{
    struct event_reader *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    snprintf(stream->last, sizeof stream->last, "%s", last ? last : "");
    stream->multi = curl_multi_init();
    stream->curl = curl_easy_init();
    stream->heard_ns = clock_monotonic_ns();
    const struct question question = {.method = "GET",
                                      .path = path,
                                      .accept = "text/event-stream",
                                      .resume = *stream->last ? stream->last : NULL};
    if (stream->multi && stream->curl)
        stream->headers = http_client_prepare(service, stream->curl, &question);
    if (!stream->headers) {
        event_reader_close(stream);
        return NULL;
    }
    curl_easy_setopt(stream->curl, CURLOPT_WRITEFUNCTION, take_bytes);
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

/* One line without its end; true when an event is whole with it. */
static bool take_line(struct event_reader *stream, const char *line)
{
    if (!*line)
        return stream->data.size > 0;
    const char *colon = strchr(line, ':');
    size_t length = colon ? (size_t)(colon - line) : strlen(line);
    const char *value = colon ? colon + 1 + (colon[1] == ' ') : "";
    if (length == 2 && strncmp(line, "id", 2) == 0)
        snprintf(stream->last, sizeof stream->last, "%s", value);
    else if (length == 5 && strncmp(line, "event", 5) == 0)
        snprintf(stream->kind, sizeof stream->kind, "%s", value);
    else if (length == 4 && strncmp(line, "data", 4) == 0)
        buffer_text(&stream->data, value);
    return false;
}

/* An event of which all lines have come. */
static bool take_event(struct event_reader *stream, struct stream_event *event)
{
    if (stream->told) {
        stream->told = false;
        stream->kind[0] = '\0';
        buffer_consume(&stream->data, stream->data.size);
    }
    size_t used = 0;
    while (!stream->told && used < stream->bytes.size) {
        char *line = stream->bytes.data + used;
        char *end = memchr(line, '\n', stream->bytes.size - used);
        if (!end)
            break;
        *end = '\0';
        if (end > line && end[-1] == '\r')
            end[-1] = '\0';
        used = (size_t)(end - stream->bytes.data) + 1;
        stream->told = take_line(stream, line);
    }
    if (used)
        buffer_consume(&stream->bytes, used);
    *event = (struct stream_event){stream->kind, stream->data.data};
    return stream->told;
}

enum stream_state event_reader_next(struct event_reader *stream, int wait_ms, struct stream_event *event)
{
    int64_t until_ns = clock_monotonic_ns() + (int64_t)wait_ms * 1000000;
    for (;;) {
        int running = 0;
        if (take_event(stream, event))
            return STREAM_EVENT;
        if (stream->over)
            return STREAM_OVER;
        bool fine = curl_multi_perform(stream->multi, &running) == CURLM_OK;
        int64_t now_ns = clock_monotonic_ns();
        stream->over = !fine || !running || now_ns - stream->heard_ns > (int64_t)DEAF_S * 1000000000;
        if (stream->over || (stream->bytes.size && memchr(stream->bytes.data, '\n', stream->bytes.size)))
            continue;
        if (now_ns >= until_ns || interrupt_came())
            return STREAM_QUIET;
        int left_ms = (int)((until_ns - now_ns) / 1000000) + 1;
        curl_multi_poll(stream->multi, NULL, 0, left_ms < LOOK_MS ? left_ms : LOOK_MS, NULL);
    }
}

const char *event_reader_last(const struct event_reader *stream)
{
    return stream->last;
}

long event_reader_status(const struct event_reader *stream)
{
    long status = 0;
    curl_easy_getinfo(stream->curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
