/* What is decided about a request before an endpoint sees it. */
#include "server/http/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/suggest.h"
#include "server/http/field.h"
#include "server/http/reply.h"
#include "server/http/tokens.h"

__attribute__((format(printf, 3, 4))) static bool refuse(struct request *request, enum problem_type type,
                                                         const char *format, ...)
{
    request->refused = true;
    request->refusal = type;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(request->refusal_text, sizeof request->refusal_text, format, arguments);
    va_end(arguments);
    return true;
}

/* odd: a name with a blank behind it, which others may take for the name; or a coding that is not chunked. */
struct framing {
    int hosts, lengths, encodings;
    bool odd;
};

static enum MHD_Result framing_one(void *arg, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    struct framing *framing = arg;
    bool encoding = strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    framing->odd |= strpbrk(name, " \t") || (encoding && strcasecmp(value ? value : "", "chunked") != 0);
    framing->hosts += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    framing->lengths += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    framing->encodings += encoding;
    return MHD_YES;
}

/* The library takes the first of several lengths and goes on; a proxy in front may take another, and then what
   one holds for a body is a request to the other (RFC 9112, 6.3 and 11.2). */
static bool refuse_framing(struct request *request, const char *version)
{
    struct framing framing = {0};
    MHD_get_connection_values(request->peer->connection, MHD_HEADER_KIND, framing_one, &framing);
    request->doubtful = framing.odd || framing.lengths + framing.encodings > 1;
    if (request->doubtful)
        return refuse(request, PROBLEM_MALFORMED,
                      "where the body ends is in doubt: send one Content-Length or \"Transfer-Encoding: "
                      "chunked\", and no blank before a colon");
    if (framing.hosts > 1 || (!framing.hosts && strcmp(version, MHD_HTTP_VERSION_1_1) == 0))
        return refuse(request, PROBLEM_MALFORMED, "one Host header is wanted, there are %d", framing.hosts);
    return false;
}

/* Where tokens are asked for, whoever has none is not told either which paths there are. */
static bool refuse_stranger(struct request *request)
{
    const struct route *route = request->match.route;
    if (!request->http->tokens || (route && route->flags & ROUTE_OPEN))
        return false;
    const char *field = request_header(request, MHD_HTTP_HEADER_AUTHORIZATION);
    const char *token = field ? field_bearer(field) : NULL;
    if (token && tokens_allow(request->http->tokens, token))
        return false;
    return refuse(request, PROBLEM_UNAUTHORIZED,
                  field ? "this token is not one of the service's"
                        : "this service wants a token: send \"Authorization: Bearer <token>\"");
}

static bool refuse_target(struct request *request)
{
    return request->misspelt &&
           refuse(request, PROBLEM_MALFORMED,
                  "the address has a %% without two hexadecimal digits, a %%00, or what is no UTF-8");
}

static bool refuse_path(struct request *request)
{
    if (!request->match.allow[0])
        return refuse(request, PROBLEM_NOT_FOUND,
                      "there is nothing at %.100s; GET /openapi.yaml tells what there is", request->path);
    if (!request->match.route)
        return refuse(request, PROBLEM_METHOD, "%.20s is not for this path; it takes %s", request->method,
                      request->match.allow);
    return false;
}

static bool refuse_media(struct request *request)
{
    const struct route *route = request->match.route;
    const char *accept = request->accept.data;
    if (!field_accepts(accept, route->type) && !(route->other && field_accepts(accept, route->other)))
        return refuse(request, PROBLEM_NOT_ACCEPTABLE,
                      "the answer is %s%s%s, which \"Accept: %.100s\" rules out", route->type,
                      route->other ? " or " : "", route->other ? route->other : "", accept);
    if (!(route->flags & ROUTE_JSON))
        return false;
    const char *type = request_header(request, MHD_HTTP_HEADER_CONTENT_TYPE);
    const char *coding = request_header(request, MHD_HTTP_HEADER_CONTENT_ENCODING);
    if (coding && strcasecmp(coding, "identity") != 0)
        return refuse(request, PROBLEM_MEDIA, "the body must come as it is, without Content-Encoding: %.60s",
                      coding);
    if (!type || !type[0])
        return refuse(request, PROBLEM_MEDIA, "say \"Content-Type: application/json\", as curl --json does");
    if (!field_is_type(type, "application/json"))
        return refuse(request, PROBLEM_MEDIA,
                      "the body must be application/json, not %.100s; curl --json says so", type);
    return false;
}

struct query_check {
    struct request *request;
    const char *seen[16];
    int count;
};

static void refuse_parameter(struct request *request, const char *name)
{
    struct suggestion meant;
    suggest_begin(&meant, name);
    for (const char *const *known = request->match.route->queries; known && *known; known++)
        suggest_consider(&meant, *known);
    refuse(request, PROBLEM_MALFORMED, "there is no query parameter \"%.60s\" here%s", name,
           meant.found ? suggest_text(&meant) : "");
}

static enum MHD_Result query_check_one(void *arg, enum MHD_ValueKind kind, const char *name,
                                       const char *value)
{
    (void)kind;
    (void)value;
    struct query_check *check = arg;
    const char *const *known = check->request->match.route->queries;
    while (known && *known && strcmp(*known, name) != 0)
        known++;
    if (!known || !*known) {
        refuse_parameter(check->request, name);
        return MHD_NO;
    }
    for (int i = 0; i < check->count; i++)
        if (check->seen[i] == *known) {
            refuse(check->request, PROBLEM_MALFORMED, "the query parameter \"%s\" is given more than once",
                   name);
            return MHD_NO;
        }
    if (check->count < 16)
        check->seen[check->count++] = *known;
    return MHD_YES;
}

static bool refuse_query(struct request *request)
{
    struct query_check check = {.request = request};
    MHD_get_connection_values(request->peer->connection, MHD_GET_ARGUMENT_KIND, query_check_one, &check);
    return request->refused;
}

static size_t body_max(const struct request *request)
{
    const struct route *route = request->match.route;
    return route && route->body_max ? route->body_max : BODY_MAX;
}

size_t request_drain_max(const struct request *request)
{
    return body_max(request) < BODY_DRAIN_MAX ? BODY_DRAIN_MAX : 2 * body_max(request);
}

static bool refuse_length(struct request *request)
{
    const char *length = request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (!length || strtoull(length, NULL, 10) <= body_max(request))
        return false;
    return refuse(request, PROBLEM_TOO_LARGE, "the body may have %zu bytes, this one has %.20s",
                  body_max(request), length);
}

void request_admit(struct request *request, const char *version)
{
    bool refused = refuse_framing(request, version) || refuse_stranger(request) || refuse_target(request) ||
                   refuse_path(request) || refuse_media(request) || refuse_query(request) ||
                   refuse_length(request);
    (void)refused;
}

int request_feed(struct request *request, const char *bytes, size_t count)
{
    request->body_seen += count;
    if (request->body_seen > request_drain_max(request))
        return -1;
    if (request->refused)
        return 0;
    if (request->body_seen > body_max(request)) {
        buffer_free(&request->body);
        refuse(request, PROBLEM_TOO_LARGE, "the body may have %zu bytes", body_max(request));
        return 0;
    }
    buffer_append(&request->body, bytes, count);
    return 0;
}

enum handled request_refuse(struct request *request)
{
    if (request->refusal == PROBLEM_UNAUTHORIZED)
        reply_header(request, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"coalesced\"");
    if (request->refusal == PROBLEM_METHOD)
        reply_header(request, MHD_HTTP_HEADER_ALLOW, request->match.allow);
    if (request->doubtful)
        reply_header(request, MHD_HTTP_HEADER_CONNECTION, "close");
    return reply_problem(request, request->refusal, "%s", request->refusal_text);
}
