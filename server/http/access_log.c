/* Writes the lines of the access log and of the audit log. */
#include "server/http/access_log.h"

#include <string.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "server/http/log_writer.h"
#include "server/http/log_throttle.h"

enum { ID_MAX = 128, TEXT_MAX = 200 };

int access_log_start(struct http *http)
{
    static const char *const access_nulls[] = {"bytes", "us", "whole", NULL};
    static const char *const audit_nulls[] = {"subject", NULL};
    struct log_writer *access = http->config.access_log, *audit = http->config.audit_log;
    bool failed = (access && !(http->access_throttle = log_throttle_new(access, access_nulls))) ||
                  (audit && !(http->audit_throttle = log_throttle_new(audit, audit_nulls)));
    return failed ? -1 : 0;
}

/* Makes an id that is unique for process and request: "5f3a9c21d07b-1c". */
static void name_make(struct http *http, char text[REQUEST_ID_BYTES])
{
    char digits[16], *at = digits + sizeof digits;
    uint64_t number = atomic_fetch_add(&http->request_count, 1);
    do
        *--at = "0123456789abcdef"[number % 16];
    while (number /= 16);
    size_t prefix = strlen(http->id_prefix), length = (size_t)(digits + sizeof digits - at);
    memcpy(text, http->id_prefix, prefix);
    memcpy(text + prefix, at, length);
    text[prefix + length] = '\0';
}

static bool name_sane(const char *text)
{
    static const bool sane[256] = {
        ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['-'] = true,
        ['.'] = true,         ['_'] = true,         ['~'] = true,         [':'] = true,
        ['/'] = true,         ['+'] = true,         ['='] = true,         ['@'] = true,
    };
    size_t length = 0;
    while (length <= ID_MAX && sane[(unsigned char)text[length]])
        length++;
    return length && length <= ID_MAX && !text[length];
}

void access_log_name(struct request *request, const char *given)
{
    request->id = given && name_sane(given) ? given : request->id_made;
    if (request->id == request->id_made)
        name_make(request->http, request->id_made);
}

/* Writes a path or a method, whose length the client decides: of a text longer than TEXT_MAX bytes the
   beginning, cut between two characters, and an ellipsis. So a text of more than TEXT_MAX bytes was cut. */
static void cut_write(struct json_writer *line, const char *key, const char *text)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    char cut[TEXT_MAX + sizeof ellipsis];
    size_t length = TEXT_MAX;
    if (strnlen(text, TEXT_MAX + 1) <= TEXT_MAX) {
        json_writer_string(line, key, text);
        return;
    }
    while (length > TEXT_MAX - 3 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    memcpy(cut, text, length);
    memcpy(cut + length, ellipsis, sizeof ellipsis);
    json_writer_string(line, key, cut);
}

/* Writes a line of the access log, or with `completed` NULL of the audit log. `whole` is as in
   access_log_request(). */
static void line_write(const struct request *request, struct log_writer *log_writer,
                       const struct http_completed *completed, bool whole)
{
    char now[CLOCK_TEXT_BYTES];
    const struct route *route = request->match.route;
    const char *param = request->match.param[0] ? request->match.param : NULL;
    struct json_writer line = {.out = log_writer_begin(log_writer, now)};
    if (!line.out)
        return;
    json_writer_begin_object(&line, NULL);
    json_writer_string(&line, "time", now);
    json_writer_string(&line, "id", request->id);
    json_writer_string(&line, "owner", request->user.name[0] ? request->user.name : NULL);
    if (!completed)
        json_writer_string(&line, "remote", request->peer->remote);
    cut_write(&line, "method", request->method);
    json_writer_string(&line, "route", route ? route->pattern : NULL);
    cut_write(&line, "path", request->path);
    json_writer_uint(&line, "code", request->status);
    if (completed) {
        json_writer_uint(&line, "bytes", completed->bytes);
        json_writer_int(&line, "us", completed->took_ns / 1000);
        json_writer_bool(&line, "whole", whole);
    } else {
        /* what the request made, or its path names */
        json_writer_string(&line, "subject", request->made ? request->made : param);
    }
    json_writer_end(&line);
    log_writer_end(log_writer);
}

static bool is_refused(const struct request *request)
{
    return request->status == 401 || request->status == 403 || request->status == 421;
}

static bool is_audited(const struct request *request)
{
    const struct route *route = request->match.route;
    bool reads = request->head || strcmp(request->method, MHD_HTTP_METHOD_GET) == 0 ||
                 strcmp(request->method, MHD_HTTP_METHOD_OPTIONS) == 0;
    /* A client that closes before the reply may have changed something too. */
    bool left = !request->status && request->begun && !request->rejected;
    bool done = left || (request->status >= 200 && request->status < 300);
    return !reads && (is_refused(request) || (done && route && !(route->flags & ROUTE_READ)));
}

/* True when the request is counted in the throttle and gets no line of its own. */
static bool is_counted(const struct request *request, struct log_throttle *throttle)
{
    const struct throttled throttled = {.address = &request->peer->address,
                                        .remote = request->peer->remote,
                                        .owner = request->user.name,
                                        .code = request->status};
    return !log_throttle_add(throttle, &throttled, clock_monotonic_ns());
}

void access_log_request(const struct request *request, bool whole)
{
    const struct http *http = request->http;
    bool bodyless = request->head || request->status == MHD_HTTP_NOT_MODIFIED;
    struct http_completed completed = {
        .route = request->match.route,
        .method = request->method,
        .code = request->status,
        .bytes = bodyless ? 0 : request->bytes,
        .took_ns = clock_monotonic_ns() - request->began_ns,
    };
    if (http->config.completed)
        http->config.completed(http->config.completed_arg, &completed);
    /* Without a known token, where tokens are required, or with one that does not permit it. */
    bool unauthorized = is_refused(request) || (http->config.users && !request->token);
    if (http->config.access_log && !(unauthorized && is_counted(request, http->access_throttle)))
        line_write(request, http->config.access_log, &completed, whole);
    bool repeatable = is_refused(request) || request->unchanged;
    if (http->config.audit_log && is_audited(request) &&
        !(repeatable && is_counted(request, http->audit_throttle)))
        line_write(request, http->config.audit_log, NULL, whole);
}
