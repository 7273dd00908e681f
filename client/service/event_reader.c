/* The stream is one libcurl request, whose body is parsed as it comes. */
#include "client/service/event_reader.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "client/terminal/interrupt.h"

/* The service sends a comment after 15 s without an event. The largest event is a sweep without its
   points. */
enum { SILENCE_MAX_S = 45, TYPE_BYTES = 64, EVENT_BYTES_MAX = 1 << 24 };

struct event_reader {
    CURL *curl;
    const struct event_reader_calls *calls;
    char *last_id, type[TYPE_BYTES];
    int64_t received_ns;       /* when the last byte came */
    struct buffer bytes, data; /* received and not parsed yet; of the event that is being parsed */
};

static long status_of(CURL *curl)
{
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* Parses one line, without its end; an empty one completes an event. False: the callback ended the stream. */
static bool parse_line(struct event_reader *stream, const char *line)
{
    const char *colon = strchr(line, ':');
    size_t length = colon ? (size_t)(colon - line) : strlen(line);
    const char *value = colon ? colon + 1 + (colon[1] == ' ') : "";
    if (length == 2 && strncmp(line, "id", 2) == 0)
        snprintf(stream->last_id, EVENT_READER_ID_BYTES, "%s", value);
    else if (length == 5 && strncmp(line, "event", 5) == 0)
        snprintf(stream->type, sizeof stream->type, "%s", value);
    else if (length == 4 && strncmp(line, "data", 4) == 0)
        buffer_text(&stream->data, value);
    if (*line || !stream->data.size)
        return true;
    bool more = stream->calls->event(stream->calls->data, stream->type, stream->data.data);
    stream->type[0] = '\0';
    buffer_consume(&stream->data, stream->data.size);
    return more;
}

static size_t on_bytes(char *bytes, size_t size, size_t count, void *data)
{
    struct event_reader *stream = data;
    stream->received_ns = clock_monotonic_ns();
    if (status_of(stream->curl) != 200)
        return size * count; /* a problem document: an ordinary request reports it */
    if (stream->bytes.size > EVENT_BYTES_MAX || buffer_append(&stream->bytes, bytes, size * count) != 0)
        return 0;
    size_t used = 0;
    bool more = true;
    for (char *end; more && (end = memchr(stream->bytes.data + used, '\n', stream->bytes.size - used));) {
        char *line = stream->bytes.data + used;
        *end = '\0';
        if (end > line && end[-1] == '\r')
            end[-1] = '\0';
        more = parse_line(stream, line);
        used = (size_t)(end - stream->bytes.data) + 1;
    }
    buffer_consume(&stream->bytes, used);
    return more ? size * count : 0;
}

static int on_progress(void *data, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct event_reader *stream = data;
    (void)a, (void)b, (void)c, (void)d;
    return interrupt_received() || clock_passed(stream->received_ns, SILENCE_MAX_S) ||
           !stream->calls->tick(stream->calls->data);
}

long event_reader_run(const struct http_client *service, const char *path,
                      char last_id[EVENT_READER_ID_BYTES], const struct event_reader_calls *calls)
{
    struct event_reader stream = {
        .curl = curl_easy_init(), .calls = calls, .last_id = last_id, .received_ns = clock_monotonic_ns()};
    const struct http_client_request request = {.method = "GET",
                                                .path = path,
                                                .accept = "text/event-stream",
                                                .last_event_id = *last_id ? last_id : NULL};
    struct curl_slist *headers = stream.curl ? http_client_prepare(service, stream.curl, &request) : NULL;
    long status = 0;
    if (headers) {
        curl_easy_setopt(stream.curl, CURLOPT_WRITEFUNCTION, on_bytes);
        curl_easy_setopt(stream.curl, CURLOPT_WRITEDATA, &stream);
        curl_easy_setopt(stream.curl, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(stream.curl, CURLOPT_XFERINFOFUNCTION, on_progress);
        curl_easy_setopt(stream.curl, CURLOPT_XFERINFODATA, &stream);
        curl_easy_perform(stream.curl);
        status = status_of(stream.curl);
    }
    curl_easy_cleanup(stream.curl);
    curl_slist_free_all(headers);
    buffer_free(&stream.bytes);
    buffer_free(&stream.data);
    return status;
}
