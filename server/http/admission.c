/* The checks of a request, in their order in admission_check(). */
#include "server/http/admission.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/suggest.h"
#include "server/auth/tokens.h"
#include "server/auth/users.h"
#include "server/http/access_log.h"
#include "server/http/header_field.h"
#include "server/http/origin_check.h"
#include "server/http/reply.h"

enum {
    BODY_MAX = 64 << 10, /* of an endpoint that sets no limit */
    /* Bytes of a body that are read and dropped, so that a 413 can be answered; twice the limit of an
       endpoint that allows as many. */
    BODY_DRAIN_MAX = 1 << 20
};

__attribute__((format(printf, 3, 4))) static bool reject(struct request *request, enum problem_type type,
                                                         const char *format, ...)
{
    request->rejected = true;
    request->rejection = type;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(request->rejection_text, sizeof request->rejection_text, format, arguments);
    va_end(arguments);
    return true;
}

/* What one pass over the header finds: how the body is framed, and the fields that most endpoints read. */
struct framing {
    struct request *request;
    int hosts, lengths, encodings, accepts, origins;
    const char *id;
    bool unclear;
};

/* A name by RFC 9110, 5.6.2. Others may read a name with any other character (a blank, a colon, a CR) as two
   fields. */
static bool name_valid(const char *name)
{
    static const char taken[] =
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return *name && !name[strspn(name, taken)];
}

/* libmicrohttpd appends a folded line to its field and moves the field's name for that. A field that was not
   folded has its name directly before its value, with a colon and blanks between them. */
static bool field_folded(const char *name, const char *value)
{
    const char *between = name + strlen(name) + 1;
    while (between < value && (*between == ' ' || *between == '\t'))
        between++;
    return between != value;
}

static enum MHD_Result framing_one(void *arg, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    struct framing *framing = arg;
    struct request *request = framing->request;
    bool encoding = strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    framing->unclear |= !name_valid(name) || (value && field_folded(name, value)) ||
                        (encoding && strcasecmp(value ? value : "", "chunked") != 0);
    framing->lengths += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    framing->encodings += encoding;
    request->authorizations += strcasecmp(name, MHD_HTTP_HEADER_AUTHORIZATION) == 0;
    if (strcasecmp(name, MHD_HTTP_HEADER_ACCEPT) == 0 && !framing->accepts++)
        request->accept = value ? value : "";
    else if (strcasecmp(name, MHD_HTTP_HEADER_ACCEPT_ENCODING) == 0 && value)
        request->gzip = header_field_names_coding(value, "gzip");
    else if (strcasecmp(name, "Prefer") == 0)
        request->plain = false;
    else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0 && !framing->hosts++)
        request->host = value ? value : "";
    else if (strcasecmp(name, MHD_HTTP_HEADER_ORIGIN) == 0 && !framing->origins++)
        request->origin = value ? value : "";
    else if (strcasecmp(name, REQUEST_ID_HEADER) == 0)
        framing->id = value;
    return MHD_YES;
}

/* libmicrohttpd uses the first of several lengths. A proxy in front may use another one, and what one takes
   for a body is then a request to the other (RFC 9112, 6.3 and 11.2). */
static bool reject_framing(struct request *request, const char *version)
{
    struct framing framing = {.request = request};
    bool modern = strcmp(version, MHD_HTTP_VERSION_1_0) > 0;
    request->plain = true;
    request->peer->interim = modern;
    MHD_get_connection_values(request->peer->connection, MHD_HEADER_KIND, framing_one, &framing);
    access_log_name(request, framing.id);
    if (framing.accepts > 1) {
        request_list(request, MHD_HTTP_HEADER_ACCEPT, &request->accept_joined);
        request->accept = request->accept_joined.data;
    }
    request->ambiguous =
        framing.unclear || framing.lengths + framing.encodings > 1 || (framing.encodings && !modern);
    if (request->ambiguous)
        return reject(request, PROBLEM_MALFORMED,
                      "a header can be read in two ways: send each on one line, without a blank before its "
                      "colon, and one Content-Length or \"Transfer-Encoding: chunked\" (HTTP/1.1)");
    if (framing.hosts > 1 || (!framing.hosts && strcmp(version, MHD_HTTP_VERSION_1_1) == 0))
        return reject(request, PROBLEM_MALFORMED, "one Host header is wanted, there are %d", framing.hosts);
    if (request->host && !request->host[strspn(request->host, " \t")])
        return reject(
            request, PROBLEM_MALFORMED,
            "the Host header is empty: it must name the host that is asked, as \"Host: localhost\"");
    if (framing.origins > 1)
        return reject(request, PROBLEM_MALFORMED, "one Origin header at most is wanted, there are %d",
                      framing.origins);
    return false;
}

/* A connection beyond a limit gets a 503 and is closed; only questions about the service's health are
   answered. */
static bool reject_excess(struct request *request)
{
    const struct route *route = request->match.route;
    if (request->peer->excess == PEER_WITHIN || (route && route->flags & ROUTE_HEALTH))
        return false;
    if (request->peer->excess == PEER_BEYOND_ALL)
        return reject(request, PROBLEM_UNAVAILABLE,
                      "%u connections are open and being answered, which is as many as there may be",
                      request->http->peer_limit);
    return reject(request, PROBLEM_UNAVAILABLE,
                  "%s has %u connections open and being answered, which is as many as one address may have "
                  "(--connections-per-address): use some of them again",
                  request->peer->remote, request->http->address_peer_limit);
}

/* A foreign page can give this machine a name of its own; it is then same-origin for the browser, and only
   the Host field shows it. Browsers do not use Unix sockets. */
static bool reject_host(struct request *request)
{
    const struct origin_check *origin_check = request->http->config.origin_check;
    bool answered =
        !origin_check || request->peer->local || origin_check_answers(origin_check, request->host);
    if (answered && !request_target_is_of(request->target, request->host))
        return reject(request, PROBLEM_MALFORMED,
                      "the first line is for \"%.80s\" and the Host for \"%.80s\": they must be the same",
                      request->target, request->host ? request->host : "");
    return !answered &&
           reject(request, PROBLEM_MISDIRECTED,
                  "this service answers to %.110s, not to \"Host: %.70s\"; --allow-host adds a name",
                  origin_check_names(origin_check), request->host);
}

static bool reject_origin(struct request *request)
{
    const struct origin_check *origin_check = request->http->config.origin_check;
    if (!request->origin || origin_check_same(request->origin, request->host))
        return false;
    request->shared_with = origin_check ? origin_check_allows(origin_check, request->origin) : NULL;
    if (request->shared_with)
        return false;
    return reject(request, PROBLEM_ORIGIN,
                  "pages of the origin \"%.100s\" may not use this service; whoever runs it lets them with "
                  "--allow-origin, which takes a page's scheme, host and port",
                  request->origin);
}

/* Browsers send a preflight request first, without the page's token. */
static bool answer_preflight(struct request *request)
{
    request->preflight = request->shared_with && strcmp(request->method, MHD_HTTP_METHOD_OPTIONS) == 0 &&
                         request_header(request, MHD_HTTP_HEADER_ACCESS_CONTROL_REQUEST_METHOD);
    return request->preflight;
}

/* Addresses are written to logs and histories. The hint does not repeat the token that stands in one. */
static const char *query_explain(const struct request *request)
{
    static const char *const names[] = {"access_token", "token", "api_key"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (request_query(request, names[i]))
            return ", not in the address, which others may see in a log";
    return "";
}

/* The one token in the Authorization field; NULL: rejected, with a reason that repeats nothing of the field,
   which may be a secret in the wrong place. */
static const char *token_presented(struct request *request)
{
    const char *field = request_header(request, MHD_HTTP_HEADER_AUTHORIZATION);
    const char *token = field ? header_field_bearer(field) : NULL;
    if (!field)
        reject(request, PROBLEM_UNAUTHORIZED,
               "this service wants a token: send \"Authorization: Bearer TOKEN\"%s", query_explain(request));
    else if (request->authorizations > 1)
        reject(request, PROBLEM_UNAUTHORIZED, "one Authorization header is wanted, there are %d",
               request->authorizations);
    else if (!token)
        reject(request, PROBLEM_UNAUTHORIZED,
               "the Authorization header must be \"Bearer TOKEN\": the word, a blank, a token");
    else if (!token[0])
        reject(request, PROBLEM_UNAUTHORIZED, "there is no token after \"Bearer\"");
    return request->rejected ? NULL : token;
}

/* Without a valid token the reply does not even say which paths exist. A token that is not in the file is
   malformed or was revoked. */
static bool reject_unauthorized(struct request *request)
{
    struct users *users = request->http->config.users;
    const struct route *route = request->match.route;
    struct error error = {0};
    if (!users || (route && route->flags & ROUTE_OPEN))
        return false;
    const char *token = token_presented(request);
    if (!token || users_find(users, token, &request->user, &request->token))
        return request->rejected;
    if (token_secret_check(token, &error) < 0)
        return reject(request, PROBLEM_UNAUTHORIZED, "%s", error.text);
    return reject(request, PROBLEM_UNAUTHORIZED,
                  "this token is not known here, or was revoked: whoever runs the service can make another "
                  "one (coalesced token add)");
}

static bool reject_role(struct request *request)
{
    enum role needed = route_role(request->match.route);
    return request->token && request->user.role < needed &&
           reject(request, PROBLEM_FORBIDDEN, "this wants the role %s, and the token of %s has %s",
                  role_name(needed), request->user.name, role_name(request->user.role));
}

static bool reject_path(struct request *request)
{
    if (request->peer->malformed)
        return reject(request, PROBLEM_MALFORMED,
                      "the address has a %% without two hexadecimal digits, a %%00, or what is no UTF-8");
    if (!request->match.allow[0])
        return reject(request, PROBLEM_NOT_FOUND,
                      "there is nothing at %.100s; GET /openapi.yaml tells what there is", request->path);
    if (!request->match.route)
        return reject(request, PROBLEM_METHOD, "%.20s is not for this path; it takes %s", request->method,
                      request->match.allow);
    return false;
}

static bool reject_media(struct request *request)
{
    const struct route *route = request->match.route;
    const char *accept = request->accept;
    if (strcmp(route->pattern, "*") == 0)
        return false; /* every reply of this route is a problem, in its own type */
    double quality = header_field_quality(accept, route->type);
    double other = route->other ? header_field_quality(accept, route->other) : 0;
    request->type = other > quality ? route->other : route->type;
    if (!(quality > 0 || other > 0)) /* either may be NaN */
        return reject(request, PROBLEM_NOT_ACCEPTABLE,
                      "the answer is %s%s%s, which \"Accept: %.100s\" rules out", route->type,
                      route->other ? " or " : "", route->other ? route->other : "", accept);
    if (!(route->flags & ROUTE_JSON))
        return false;
    const char *type = request_header(request, MHD_HTTP_HEADER_CONTENT_TYPE);
    const char *coding = request_header(request, MHD_HTTP_HEADER_CONTENT_ENCODING);
    if (coding && strcasecmp(coding, "identity") != 0)
        return reject(request, PROBLEM_MEDIA, "the body must come as it is, without Content-Encoding: %.60s",
                      coding);
    if (!type || !type[0])
        return reject(request, PROBLEM_MEDIA, "say \"Content-Type: application/json\", as curl --json does");
    if (!header_field_is_type(type, "application/json"))
        return reject(request, PROBLEM_MEDIA,
                      "the body must be application/json, not %.100s; curl --json says so", type);
    return false;
}

struct query_check {
    struct request *request;
    uint64_t seen; /* bit i: the route's parameter i */
};

static void reject_parameter(struct request *request, const char *name)
{
    struct suggestion meant;
    char all[400] = "";
    suggest_begin(&meant, name);
    for (const char *const *known = request->match.route->queries; known && *known; known++) {
        suggest_consider(&meant, *known);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", all[0] ? ", " : "", *known);
    }
    if (all[0] && !meant.found)
        reject(request, PROBLEM_MALFORMED, "there is no query parameter \"%.60s\" here; there are: %s", name,
               all);
    else
        reject(request, PROBLEM_MALFORMED, "there is no query parameter \"%.60s\" here%s", name,
               meant.found ? suggest_text(&meant) : "");
}

static enum MHD_Result query_check_one(void *arg, enum MHD_ValueKind kind, const char *name,
                                       const char *value)
{
    (void)kind;
    (void)value;
    struct query_check *check = arg;
    const char *const *known = check->request->match.route->queries;
    uint64_t bit = 1;
    for (; known && *known && strcmp(*known, name) != 0; known++)
        bit <<= 1;
    if (!known || !*known)
        reject_parameter(check->request, name);
    else if (check->seen & bit)
        reject(check->request, PROBLEM_MALFORMED, "the query parameter \"%s\" is given more than once", name);
    check->seen |= bit;
    return check->request->rejected ? MHD_NO : MHD_YES;
}

static bool reject_query(struct request *request)
{
    if (request->match.route->flags & ROUTE_QUERY)
        return false;
    struct query_check check = {.request = request};
    if (MHD_get_connection_values(request->peer->connection, MHD_GET_ARGUMENT_KIND, query_check_one, &check) >
        0)
        request->plain = false;
    return request->rejected;
}

static size_t body_max(const struct request *request)
{
    const struct route *route = request->match.route;
    return route && route->body_max ? route->body_max : BODY_MAX;
}

size_t admission_drain_max(const struct request *request)
{
    return body_max(request) < BODY_DRAIN_MAX ? BODY_DRAIN_MAX : 2 * body_max(request);
}

static bool reject_length(struct request *request)
{
    const char *length = request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (!length || strtoull(length, NULL, 10) <= body_max(request))
        return false;
    return reject(request, PROBLEM_TOO_LARGE, "the body may have %zu bytes, this one has %.20s",
                  body_max(request), length);
}

void admission_check(struct request *request, const char *version)
{
    request->rejected = reject_framing(request, version) || reject_host(request) || reject_origin(request) ||
                        reject_excess(request) || answer_preflight(request) || reject_unauthorized(request) ||
                        reject_path(request) || reject_role(request) || reject_media(request) ||
                        reject_query(request) || reject_length(request);
}

int admission_body(struct request *request, const char *bytes, size_t count)
{
    request->body_seen += count;
    if (request->body_seen > admission_drain_max(request))
        return -1;
    if (request->rejected)
        return 0;
    if (request->body_seen > body_max(request)) {
        buffer_free(&request->body);
        reject(request, PROBLEM_TOO_LARGE, "the body may have %zu bytes", body_max(request));
        return 0;
    }
    if (buffer_append(&request->body, bytes, count) < 0) {
        buffer_free(&request->body);
        reject(request, PROBLEM_UNAVAILABLE, "there is no memory for the body");
    }
    return 0;
}

/* Also for a path that does not exist, so that the page sees the 404 and not a refusal by its browser. */
static enum handled reply_preflight(struct request *request)
{
    const char *allow = request->match.allow;
    reply_header(request, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_METHODS,
                 allow[0] ? allow : "GET, HEAD, POST, DELETE");
    reply_header(
        request, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_HEADERS,
        "Authorization, Content-Type, Prefer, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-Id");
    reply_header(request, MHD_HTTP_HEADER_ACCESS_CONTROL_MAX_AGE, "3600");
    if (request_header(request, "Access-Control-Request-Private-Network"))
        reply_header(request, "Access-Control-Allow-Private-Network", "true");
    return reply_no_content(request);
}

enum handled admission_reject(struct request *request)
{
    if (request->preflight)
        return reply_preflight(request);
    if (request->rejection == PROBLEM_UNAUTHORIZED)
        reply_header(request, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"coalesced\"");
    if (request->rejection == PROBLEM_METHOD)
        reply_header(request, MHD_HTTP_HEADER_ALLOW, request->match.allow);
    return reply_problem(request, request->rejection, "%s", request->rejection_text);
}
