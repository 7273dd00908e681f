#include "server/http/log/record.h"

#include <string.h>

#include "api/text.h"
#include "base/clock.h"
#include "server/http/log/journal.h"

enum { ID_MAX = 128 };

/* Of the process and of this very request, so that no two are alike: "5f3a9c21d07b-1c". */
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

void record_name(struct request *request, const char *given)
{
    request->id = given && name_sane(given) ? given : request->id_made;
    if (request->id == request->id_made)
        name_make(request->http, request->id_made);
}

/* A person's or a route's, in which nothing wants escaping; null when it is empty. */
static void name_write(struct buffer *line, const char *name)
{
    if (!name[0]) {
        buffer_text(line, "null");
        return;
    }
    buffer_text(line, "\"");
    buffer_text(line, name);
    buffer_text(line, "\"");
}

static void line_begin(struct buffer *line, const struct request *request, const char *now)
{
    buffer_text(line, "{\"time\":\"");
    buffer_text(line, now);
    buffer_text(line, "\",\"id\":\"");
    buffer_text(line, request->id);
    buffer_text(line, "\",\"owner\":");
    name_write(line, request->person.name);
}

static void line_request(struct buffer *line, const struct request *request)
{
    const struct route *route = request->match.route;
    buffer_text(line, ",\"method\":");
    text_string(line, request->method);
    buffer_text(line, ",\"route\":");
    name_write(line, route ? route->pattern : "");
    buffer_text(line, ",\"path\":");
    text_string(line, request->path);
    buffer_text(line, ",\"code\":");
    text_integer(line, request->status);
}

static void access_write(const struct request *request, const struct http_completed *completed, bool whole)
{
    char now[CLOCK_TEXT_BYTES];
    struct journal *journal = request->http->access_log;
    struct buffer *line = journal_begin(journal, now);
    if (!line)
        return;
    line_begin(line, request, now);
    line_request(line, request);
    buffer_text(line, ",\"bytes\":");
    text_integer(line, (int64_t)completed->bytes);
    buffer_text(line, ",\"us\":");
    text_integer(line, completed->took_ns / 1000);
    buffer_text(line, whole ? ",\"whole\":true}" : ",\"whole\":false}");
    journal_end(journal);
}

/* What was made, by the address that the reply gave for it, or what the path names; NULL: neither. */
static const char *request_subject(const struct request *request)
{
    for (int i = 0; i < request->header_count; i++)
        if (strcmp(request->headers[i].name, MHD_HTTP_HEADER_LOCATION) == 0) {
            const char *last = strrchr(request->headers[i].value, '/');
            return last ? last + 1 : request->headers[i].value;
        }
    return request->match.param[0] ? request->match.param : NULL;
}

static bool is_audited(const struct request *request)
{
    static const char *const reads[] = {"GET", "HEAD", "OPTIONS"};
    const struct route *route = request->match.route;
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        if (strcmp(request->method, reads[i]) == 0)
            return false;
    bool done = request->status >= 200 && request->status < 300;
    bool left = request->status == 0 && request->kept; /* without an answer; what it had begun may be done */
    bool barred = request->status == 401 || request->status == 403 || request->status == 421;
    return barred || ((done || left) && route && !(route->flags & ROUTE_READ));
}

static void audit_write(const struct request *request)
{
    char now[CLOCK_TEXT_BYTES];
    struct journal *journal = request->http->audit_log;
    struct buffer *line = journal_begin(journal, now);
    if (!line)
        return;
    line_begin(line, request, now);
    buffer_text(line, ",\"remote\":");
    text_string(line, request->peer->remote);
    line_request(line, request);
    buffer_text(line, ",\"subject\":");
    text_string(line, request_subject(request));
    buffer_text(line, "}");
    journal_end(journal);
}

void record_request(const struct request *request, bool whole)
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
    if (http->completed)
        http->completed(http->completed_arg, &completed);
    if (http->access_log)
        access_write(request, &completed, whole);
    if (http->audit_log && is_audited(request))
        audit_write(request);
}
