/* Makes libmicrohttpd's responses with the headers that all replies have. */
#include "server/http/reply.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "server/http/document_cache.h"
#include "server/http/header_field.h"
#include "server/http/http_state.h"
#include "version.h"

enum { RETRY_MAX_S = 3600 };

void reply_header(struct request *request, const char *name, const char *value)
{
    char *copy = request->header_count < REPLY_HEADERS ? strdup(value) : NULL;
    if (!copy) { /* the reply is complete without it */
        log_error("reply to %s: the header %s is left out", request->path, name);
        return;
    }
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

/* Browsers let a page of another origin read a reply only with these headers. */
static void share_headers(const struct request *request, struct MHD_Response *response)
{
    if (request->http->shared)
        MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ORIGIN);
    if (!request->shared_with)
        return;
    MHD_add_response_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, request->shared_with);
    MHD_add_response_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_EXPOSE_HEADERS,
                            "Location, ETag, Retry-After, Preference-Applied, Link, Allow, WWW-Authenticate, "
                            "Coalesced-Instance, X-Request-Id");
}

enum handled reply_send(struct request *request, unsigned status, const char *type,
                        struct MHD_Response *response, bool coded)
{
    if (!response)
        return HANDLED_FAILED;
    for (int i = 0; i < request->header_count; i++)
        MHD_add_response_header(response, request->headers[i].name, request->headers[i].value);
    if (type)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (coded)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    if (!MHD_get_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL))
        MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if ((status == 429 || status == 503) && !MHD_get_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER))
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    MHD_add_response_header(response, MHD_HTTP_HEADER_SERVER, "coalesced/" COALESCED_VERSION);
    MHD_add_response_header(response, "Coalesced-Instance", request->http->config.instance);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, REQUEST_ID_HEADER, request->id);
    if (request->ambiguous || request->peer->excess != PEER_WITHIN)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    share_headers(request, response);
    request->status = status;
    request->response = response;
    return HANDLED_REPLIED;
}

static struct MHD_Response *empty_response(void)
{
    return MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
}

/* Takes the buffer. NULL: no memory. */
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

enum handled reply_no_memory(struct request *request)
{
    return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for the answer");
}

enum handled reply_body(struct request *request, unsigned status, struct buffer *body)
{
    bool slow = request->match.route && request->match.route->flags & ROUTE_SLOW;
    bool coded = slow && reply_compress(request, body);
    if (slow)
        reply_header(request, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
    struct MHD_Response *response = response_of(request, body);
    return response ? reply_send(request, status, request->type, response, coded) : reply_no_memory(request);
}

enum handled reply_accepted(struct request *request, unsigned status, double eta_s, struct buffer *body)
{
    if (status == MHD_HTTP_ACCEPTED)
        reply_retry_after(request, eta_s);
    return reply_body(request, status, body);
}

enum handled reply_no_content(struct request *request)
{
    return reply_send(request, MHD_HTTP_NO_CONTENT, NULL, empty_response(), false);
}

enum handled reply_see_other(struct request *request, const char *where)
{
    reply_header(request, MHD_HTTP_HEADER_LOCATION, where);
    reply_header(request, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
    return reply_send(request, MHD_HTTP_SEE_OTHER, NULL, empty_response(), false);
}

enum handled reply_static(struct request *request, const char *text)
{
    request->bytes = strlen(text);
    return reply_send(
        request, MHD_HTTP_OK, request->type,
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT),
        false);
}

/* ---- replies that never change ---- */

static const char immutable_caching[] = "private, no-cache", immutable_vary[] = "Accept, Accept-Encoding";

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

/* The tag contains the commit, because another build may write the same thing in another way, and the coding.
   A build that is of no commit has tags of its own in each process. */
static void tag_write(char tag[CACHE_TAG_BYTES], const struct request *request, const char *name, bool coded)
{
    bool of_commit = !strstr(coalesced_commit, "-dirty") && strcmp(coalesced_commit, "unknown") != 0;
    snprintf(tag, CACHE_TAG_BYTES, "\"%.80s-%.64s%s\"", name,
             of_commit ? coalesced_commit : request->http->config.instance, coded ? "-gzip" : "");
}

bool reply_not_modified(struct request *request, const char *name, enum handled *handled)
{
    char tag[CACHE_TAG_BYTES];
    tag_write(tag, request, name, request->gzip);
    reply_header(request, MHD_HTTP_HEADER_ETAG, tag);
    reply_header(request, MHD_HTTP_HEADER_CACHE_CONTROL, immutable_caching);
    if (!tag_known(request, tag))
        return false;
    reply_header(request, MHD_HTTP_HEADER_VARY, immutable_vary);
    *handled = reply_send(request, MHD_HTTP_NOT_MODIFIED, request->type, empty_response(), false);
    return true;
}

/* Writes the key of the reply: the path and all that the reply's bytes depend on. False: it is too long, or
   depends on more. */
static bool key_write(const struct request *request, char key[CACHE_KEY_BYTES])
{
    int length =
        snprintf(key, CACHE_KEY_BYTES, "%s %s%s", request->path, request->type, request->gzip ? " gzip" : "");
    return request->plain && length < CACHE_KEY_BYTES;
}

/* Takes the caller's reference, which the response holds until it is destroyed. */
static enum handled document_send(struct request *request, struct document *document)
{
    bool known = tag_known(request, document->tag);
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        document->size, document->bytes, document_release, document);
    if (!response) {
        document_release(document);
        return HANDLED_FAILED;
    }
    request->bytes = document->size;
    MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, document->tag);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, immutable_caching);
    MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, immutable_vary);
    return reply_send(request, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, request->type, response,
                      document->coded);
}

bool reply_cached(struct request *request, enum handled *handled)
{
    char key[CACHE_KEY_BYTES];
    struct document *document =
        key_write(request, key) ? document_cache_get(request->http->cache, key) : NULL;
    if (document)
        *handled = document_send(request, document);
    return document != NULL;
}

enum handled reply_immutable(struct request *request, struct buffer *body, const char *name)
{
    char tag[CACHE_TAG_BYTES], key[CACHE_KEY_BYTES];
    bool cached =
        request->match.route->flags & ROUTE_CACHED && !request->header_count && key_write(request, key);
    bool coded = reply_compress(request, body);
    size_t size = body->size;
    char *bytes = buffer_take(body);
    if (!bytes)
        return reply_no_memory(request);
    tag_write(tag, request, name, coded);
    struct document *document = document_new(bytes, size, coded, tag);
    if (!document)
        return reply_no_memory(request);
    if (cached)
        document_cache_put(request->http->cache, key, document, request->cache_age);
    return document_send(request, document);
}

/* ---- problems ---- */

static enum handled problem_send(struct request *request, enum problem_type type, const char *detail,
                                 const struct problems *fields, const char *taken)
{
    struct buffer body = {0};
    bool chinese =
        header_field_prefers_language(request_header(request, MHD_HTTP_HEADER_ACCEPT_LANGUAGE), "zh", "en");
    problem_write(&body, type, detail, request->path, fields, taken,
                  chinese ? PROBLEM_CHINESE : PROBLEM_ENGLISH);
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
    return problem_send(request, type, detail, NULL, NULL);
}

enum handled reply_fields(struct request *request, const struct problems *fields)
{
    return reply_fields_as(request, PROBLEM_INVALID, fields, NULL);
}

enum handled reply_fields_as(struct request *request, enum problem_type type, const struct problems *fields,
                             const char *taken)
{
    char detail[400];
    const struct problem *first = &fields->at[0];
    if (problems_full(fields))
        snprintf(detail, sizeof detail,
                 "more than %d fields are wrong, %d of which are listed; the first is %s: %s",
                 EXPERIMENT_PROBLEMS, EXPERIMENT_PROBLEMS, first->pointer, first->detail);
    else if (fields->count == 1 && strcmp(first->pointer, "#") == 0)
        snprintf(detail, sizeof detail, "%s", first->detail); /* of the whole body, which needs no name */
    else if (fields->count == 1)
        snprintf(detail, sizeof detail, "%s: %s", first->pointer, first->detail);
    else
        snprintf(detail, sizeof detail, "%d fields are wrong; the first is %s: %s", fields->count,
                 first->pointer, first->detail);
    return problem_send(request, type, detail, fields, taken);
}

enum handled reply_error(struct request *request, const struct error *error)
{
    return problem_send(request, problem_type_of(error->kind), error->text, NULL, NULL);
}
