#include "server/http/reply.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "server/http/document_cache.h"
#include "server/http/gzip.h"
#include "server/http/reply_stream.h"
#include "server/http/live_reply.h"
#include "server/http/peer.h"
#include "server/http/origin_check.h"
#include "server/http/header_field.h"
#include "server/http/http_state.h"
#include "version.h"

enum { RETRY_MAX_S = 3600 };

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

/* What a browser asks for before it lets a page of another origin see the reply. */
static void share_headers(const struct request *request, struct MHD_Response *response)
{
    if (request->http->origin_check && origin_check_shares(request->http->origin_check))
        MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ORIGIN);
    if (!request->shared_with)
        return;
    MHD_add_response_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, request->shared_with);
    MHD_add_response_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_EXPOSE_HEADERS,
                            "Location, ETag, Retry-After, Preference-Applied, Link, Allow, WWW-Authenticate, "
                            "Coalesced-Instance, X-Request-Id");
}

static void headers_add(struct request *request, struct MHD_Response *response, const char *type, bool coded)
{
    if (type)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (coded)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    if (!header_given(request, MHD_HTTP_HEADER_CACHE_CONTROL))
        MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    for (int i = 0; i < request->header_count; i++)
        MHD_add_response_header(response, request->headers[i].name, request->headers[i].value);
    MHD_add_response_header(response, MHD_HTTP_HEADER_SERVER, "coalesced/" COALESCED_VERSION);
    MHD_add_response_header(response, "Coalesced-Instance", request->http->instance);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (request->ambiguous || request->peer->excess != PEER_WITHIN)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    share_headers(request, response);
}

/* All replies pass here; without a type, those without a body. Takes the response (NULL: there was no memory for it), which request_run() queues: only the
   connection's thread may. */
static enum handled reply_send(struct request *request, unsigned status, const char *type,
                               struct MHD_Response *response, bool coded)
{
    if (!response)
        return HANDLED_FAILED;
    if ((status == 429 || status == 503) && !header_given(request, MHD_HTTP_HEADER_RETRY_AFTER))
        reply_retry_after(request, -1);
    headers_add(request, response, type, coded);
    MHD_add_response_header(response, REQUEST_ID_HEADER, request->id);
    request->status = status;
    request->response = response;
    return HANDLED_REPLIED;
}

/* Takes the buffer. */
static struct MHD_Response *response_of(struct request *request, struct buffer *body)
{
    size_t size = body->size;
    request->bytes = size;
    char *bytes = buffer_take(body);
    if (!bytes)
        return NULL;
    struct MHD_Response *response = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
    if (!response)
        free(bytes);
    return response;
}

/* Compresses a body that is worth it where the client takes that: true. */
static bool body_code(const struct request *request, struct buffer *body)
{
    struct buffer coded = {0};
    if (!request->gzip || body->failed || body->size < GZIP_MIN_BYTES)
        return false;
    bool kept = request->match.route && request->match.route->flags & ROUTE_CACHED;
    if (gzip_whole(body, kept, &coded) < 0) {
        buffer_free(&coded);
        return false; /* it is as true uncompressed */
    }
    buffer_free(body);
    *body = coded;
    return true;
}

static enum handled no_memory(struct request *request)
{
    return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for the answer");
}

enum handled reply_body(struct request *request, unsigned status, struct buffer *body)
{
    bool apart = request->match.route && request->match.route->flags & ROUTE_SLOW;
    bool coded = apart && body_code(request, body);
    if (apart)
        reply_header(request, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
    struct MHD_Response *response = response_of(request, body);
    return response ? reply_send(request, status, request_type(request), response, coded)
                    : no_memory(request);
}

/* Takes the text. */
static struct buffer line_of(char *text)
{
    struct buffer body = {0};
    buffer_text(&body, text ? text : "");
    buffer_text(&body, "\n");
    body.failed |= !text;
    free(text);
    return body;
}

enum handled reply_text(struct request *request, char *text)
{
    struct buffer body = line_of(text);
    return reply_body(request, 200, &body);
}

enum handled reply_nothing(struct request *request)
{
    return reply_send(request, MHD_HTTP_NO_CONTENT, NULL,
                      MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT), false);
}

enum handled reply_elsewhere(struct request *request, const char *where)
{
    reply_header(request, MHD_HTTP_HEADER_LOCATION, where);
    reply_header(request, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
    return reply_send(request, MHD_HTTP_SEE_OTHER, NULL,
                      MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT), false);
}

enum handled reply_static(struct request *request, const char *text)
{
    request->bytes = strlen(text);
    return reply_send(
        request, MHD_HTTP_OK, request_type(request),
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT),
        false);
}

enum handled reply_stream(struct request *request,
                          int (*more)(void *arg, struct buffer *out, struct error *error), void *arg,
                          void (*release)(void *arg))
{
    if (peer_is_one_too_many(request->http, request->peer)) {
        release(arg);
        return reply_problem(
            request, PROBLEM_UNAVAILABLE,
            "a quarter of the connections that your address may have wait, or are being sent "
            "something, with this token: read those first");
    }
    struct error error = {0};
    struct MHD_Response *response = reply_stream_start(request, more, arg, release, &error);
    if (!response)
        return reply_error(request, &error);
    request->bytes = 0;
    reply_header(request, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
    return reply_send(request, MHD_HTTP_OK, request_type(request), response, request->gzip);
}

enum handled reply_follow(struct request *request,
                          int (*more)(void *arg, struct buffer *out, struct error *error), void *arg,
                          void (*release)(void *arg))
{
    if (!peer_follows(request->http, request->peer)) {
        release(arg);
        return reply_problem(request, PROBLEM_UNAVAILABLE,
                             "as many streams of events are open as may be, with this token or from your "
                             "address: close some of them");
    }
    struct MHD_Response *response = live_reply_start(request, more, arg, release);
    request->bytes = 0;
    reply_header(request, "X-Accel-Buffering", "no");
    return response ? reply_send(request, MHD_HTTP_OK, request_type(request), response, false)
                    : no_memory(request);
}

/* ---- what does not change any more ---- */

static bool tag_known(const struct request *request, const char *tag)
{
    bool reads = request->head || strcmp(request->method, MHD_HTTP_METHOD_GET) == 0;
    if (!reads || !request_header(request, MHD_HTTP_HEADER_IF_NONE_MATCH))
        return false;
    struct buffer known = {0};
    request_list(request, MHD_HTTP_HEADER_IF_NONE_MATCH, &known);
    bool same = known.data && header_field_names_tag(known.data, tag);
    buffer_free(&known);
    return same;
}

/* Another build may show the same thing otherwise, and each coding has bytes of its own. */
static void tag_write(char tag[CACHE_TAG_BYTES], const struct request *request, const char *name, bool coded)
{
    /* Builds that are not of a commit differ in what no name tells: there each process has tags of its own. */
    bool of_commit = !strstr(coalesced_commit, "-dirty") && strcmp(coalesced_commit, "unknown") != 0;
    snprintf(tag, CACHE_TAG_BYTES, "\"%.80s-%.64s%s\"", name,
             of_commit ? coalesced_commit : request->http->instance, coded ? "-gzip" : "");
}

bool reply_unchanged(struct request *request, const char *name, enum handled *handled)
{
    char tag[CACHE_TAG_BYTES];
    tag_write(tag, request, name, request->gzip);
    reply_header(request, MHD_HTTP_HEADER_ETAG, tag);
    reply_header(request, MHD_HTTP_HEADER_CACHE_CONTROL, "private, no-cache");
    if (!tag_known(request, tag))
        return false;
    reply_header(request, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
    *handled = reply_send(request, MHD_HTTP_NOT_MODIFIED, request_type(request),
                          MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT), false);
    return true;
}

/* A client that takes gzip, or would rather have the route's other type, or a page of another origin is another one to the
   cache. */
static bool key_write(const struct request *request, char key[CACHE_KEY_BYTES])
{
    const char *const parts[] = {request->path, " ", request_type(request), request->gzip ? " gzip " : " ",
                                 request->shared_with ? request->shared_with : ""};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t length = strlen(parts[i]);
        if (used + length >= CACHE_KEY_BYTES)
            return false;
        memcpy(key + used, parts[i], length + 1);
        used += length;
    }
    return request->plain;
}

static void lasting_headers(struct request *request, const char *tag)
{
    reply_header(request, MHD_HTTP_HEADER_ETAG, tag);
    reply_header(request, MHD_HTTP_HEADER_CACHE_CONTROL, "private, no-cache");
    reply_header(request, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
}

/* Of requests that are the same to the cache any may make the copy that others use later. */
static struct copy *document_copy(struct request *request, const struct document *document)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(document->size, document->bytes, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return NULL;
    lasting_headers(request, document->tag);
    headers_add(request, response, request_type(request), document->coded);
    return copy_new(response);
}

/* Takes the caller's reference. */
static enum handled document_send(struct request *request, struct document *document)
{
    request->document = document;
    request->copy = document_take(document);
    if (!request->copy && !(request->copy = document_copy(request, document)))
        return HANDLED_FAILED;
    copy_name(request->copy, request->id);
    request->response = request->copy->response;
    request->bytes = document->size;
    request->status = tag_known(request, document->tag) ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK;
    return HANDLED_REPLIED;
}

bool reply_cached(struct request *request, enum handled *handled)
{
    char key[CACHE_KEY_BYTES];
    bool fits = request->peer->excess == PEER_WITHIN && key_write(request, key);
    struct document *document = fits ? document_cache_get(request->http->cache, key) : NULL;
    if (document)
        *handled = document_send(request, document);
    return document != NULL;
}

enum handled reply_lasting(struct request *request, struct buffer *body, const char *name)
{
    char tag[CACHE_TAG_BYTES], key[CACHE_KEY_BYTES];
    bool kept =
        request->match.route->flags & ROUTE_CACHED && !request->header_count && key_write(request, key);
    bool coded = body_code(request, body);
    size_t size = body->size;
    char *bytes = buffer_take(body);
    if (!bytes)
        return no_memory(request);
    tag_write(tag, request, name, coded);
    struct document *document = document_new(bytes, size, coded, tag);
    if (!document)
        return no_memory(request);
    if (kept)
        document_cache_put(request->http->cache, key, document, request->document_cache_age);
    return document_send(request, document);
}

enum handled reply_lasting_text(struct request *request, char *text, const char *name)
{
    struct buffer body = line_of(text);
    return reply_lasting(request, &body, name);
}

/* ---- what is wrong ---- */

static enum handled problem_send(struct request *request, enum problem_type type, const char *detail,
                                 const struct problems *fields)
{
    struct buffer body = {0};
    bool chinese =
        header_field_prefers_language(request_header(request, MHD_HTTP_HEADER_ACCEPT_LANGUAGE), "zh", "en");
    problem_write(&body, type, detail, request->path, fields, chinese ? PROBLEM_CHINESE : PROBLEM_ENGLISH);
    reply_header(request, MHD_HTTP_HEADER_CONTENT_LANGUAGE, chinese ? "zh" : "en");
    reply_header(request, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_LANGUAGE);
    if (problem_status(type) >= 500)
        log_debug("%s %s: %u, %s", request->method, request->path, problem_status(type), detail);
    return reply_send(request, problem_status(type), PROBLEM_MEDIA_TYPE, response_of(request, &body), false);
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
    return reply_fields_as(request, PROBLEM_INVALID, fields);
}

enum handled reply_fields_as(struct request *request, enum problem_type type, const struct problems *fields)
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
    return problem_send(request, type, detail, fields);
}

enum handled reply_error(struct request *request, const struct error *error)
{
    return problem_send(request, problem_type_of(error->kind), error->text, NULL);
}
