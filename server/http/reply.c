#include "server/http/reply.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "server/http/internal.h"
#include "version.h"

enum { STREAM_BLOCK = 4 << 10, RETRY_MAX_S = 3600 };

void reply_header(struct request *request, const char *name, const char *value)
{
    if (request->header_count == REPLY_HEADERS) {
        log_error("reply to %s: no room for the header %s", request->path, name);
        return;
    }
    char *copy = strdup(value);
    if (!copy)
        return; /* the reply is still true without it */
    request->headers[request->header_count].name = name;
    request->headers[request->header_count++].value = copy;
}

void reply_retry_after(struct request *request, double seconds)
{
    double whole = seconds > 1 ? ceil(seconds) : 1;
    char text[16];
    snprintf(text, sizeof text, "%d", whole > RETRY_MAX_S ? RETRY_MAX_S : (int)whole);
    reply_header(request, MHD_HTTP_HEADER_RETRY_AFTER, text);
}

void reply_preference_applied(struct request *request)
{
    char applied[32];
    int wait_s = request_prefer_wait(request);
    if (!wait_s)
        return;
    snprintf(applied, sizeof applied, "wait=%d", wait_s);
    reply_header(request, "Preference-Applied", applied);
}

static bool header_given(const struct request *request, const char *name)
{
    for (int i = 0; i < request->header_count; i++)
        if (strcmp(request->headers[i].name, name) == 0)
            return true;
    return false;
}

/* All replies pass here. Takes the response (NULL: there was no memory for it). */
static enum handled reply_send(struct request *request, unsigned status, const char *type,
                               struct MHD_Response *response)
{
    if (!response)
        return HANDLED_FAILED;
    if ((status == 429 || status == 503) && !header_given(request, MHD_HTTP_HEADER_RETRY_AFTER))
        reply_retry_after(request, -1);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (!header_given(request, MHD_HTTP_HEADER_CACHE_CONTROL))
        MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    for (int i = 0; i < request->header_count; i++)
        MHD_add_response_header(response, request->headers[i].name, request->headers[i].value);
    MHD_add_response_header(response, MHD_HTTP_HEADER_SERVER, "coalesced/" COALESCED_VERSION);
    MHD_add_response_header(response, "Coalesced-Instance", request->http->instance);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    enum MHD_Result queued = MHD_queue_response(request->peer->connection, status, response);
    MHD_destroy_response(response);
    return queued == MHD_YES ? HANDLED_REPLIED : HANDLED_FAILED;
}

/* Takes the buffer. */
static struct MHD_Response *response_of(struct buffer *body)
{
    size_t size = body->size;
    char *bytes = buffer_take(body);
    if (!bytes)
        return NULL;
    struct MHD_Response *response = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
    if (!response)
        free(bytes);
    return response;
}

enum handled reply_body(struct request *request, unsigned status, struct buffer *body)
{
    struct MHD_Response *response = response_of(body);
    if (!response)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for the answer");
    return reply_send(request, status, request_type(request), response);
}

enum handled reply_text(struct request *request, char *text)
{
    struct buffer body = {0};
    if (!text)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for the answer");
    buffer_text(&body, text);
    buffer_text(&body, "\n");
    free(text);
    return reply_body(request, 200, &body);
}

enum handled reply_static(struct request *request, const char *text)
{
    return reply_send(
        request, MHD_HTTP_OK, request_type(request),
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT));
}

/* ---- streams ---- */

struct stream {
    int (*more)(void *arg, struct buffer *out);
    void *arg;
    void (*release)(void *arg);
    struct buffer piece;
    size_t sent; /* of the piece */
    bool ended;
};

static void stream_free(void *arg)
{
    struct stream *stream = arg;
    stream->release(stream->arg);
    buffer_free(&stream->piece);
    free(stream);
}

static int stream_more(struct stream *stream)
{
    stream->sent = stream->piece.size = 0;
    int more = stream->more(stream->arg, &stream->piece);
    stream->ended = more == 0;
    return more < 0 || stream->piece.failed ? -1 : 0;
}

/* Never returns 0, which would be asked again at once. */
static ssize_t stream_read(void *arg, uint64_t position, char *room, size_t size)
{
    (void)position;
    struct stream *stream = arg;
    while (stream->sent == stream->piece.size) {
        if (stream->ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (stream_more(stream) < 0)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t count = stream->piece.size - stream->sent;
    count = count < size ? count : size;
    memcpy(room, stream->piece.data + stream->sent, count);
    stream->sent += count;
    return (ssize_t)count;
}

enum handled reply_stream(struct request *request, int (*more)(void *arg, struct buffer *out), void *arg,
                          void (*release)(void *arg))
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        release(arg);
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for the answer");
    }
    *stream = (struct stream){.more = more, .arg = arg, .release = release};
    if (stream_more(stream) < 0) {
        stream_free(stream);
        return reply_problem(request, PROBLEM_UNAVAILABLE, "what was asked for cannot be read now");
    }
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, stream_read, stream, stream_free);
    if (!response)
        stream_free(stream);
    return reply_send(request, MHD_HTTP_OK, request_type(request), response);
}

/* ---- what is wrong ---- */

static enum handled problem_send(struct request *request, enum problem_type type, const char *detail,
                                 const struct problems *fields)
{
    struct buffer body = {0};
    problem_write(&body, type, detail, request->path, fields);
    if (problem_status(type) >= 500)
        log_debug("%s %s: %u, %s", request->method, request->path, problem_status(type), detail);
    return reply_send(request, problem_status(type), PROBLEM_MEDIA_TYPE, response_of(&body));
}

enum handled reply_problem(struct request *request, enum problem_type type, const char *format, ...)
{
    char detail[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return problem_send(request, type, detail, NULL);
}

enum handled reply_fields(struct request *request, const struct problems *fields)
{
    char detail[400];
    const struct problem *first = &fields->at[0];
    char listed[40] = "";
    int count = fields->count;
    if (problems_full(fields)) {
        count = EXPERIMENT_PROBLEMS;
        snprintf(listed, sizeof listed, ", %d of which are listed", EXPERIMENT_PROBLEMS);
    }
    if (count == 1)
        snprintf(detail, sizeof detail, "%s: %s", first->pointer, first->detail);
    else
        snprintf(detail, sizeof detail, "%s%d fields are wrong%s; the first is %s: %s",
                 problems_full(fields) ? "more than " : "", count, listed, first->pointer, first->detail);
    return problem_send(request, PROBLEM_INVALID, detail, fields);
}

enum handled reply_error(struct request *request, const struct error *error)
{
    return problem_send(request, problem_type_of(error->kind), error->text, NULL);
}
