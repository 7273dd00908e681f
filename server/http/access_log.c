/* Writes the lines of the access log and of the audit log, and counts what is repeated in a small table of
   buckets, one for each address, owner and code of the last minute. */
#include "server/http/access_log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "server/http/connection_limit.h"
#include "server/http/log_writer.h"

/* ---- the throttle ---- */

static const int64_t minute_ns = 60 * 1000000000LL;

struct bucket {
    struct address_key address;
    char owner[USER_NAME_BYTES];
    char network[ADDRESS_NAME_BYTES]; /* empty in the bucket of all others */
    unsigned code;
    int64_t began_ns;
    char began[CLOCK_TEXT_BYTES];
    uint64_t count; /* requests, without the one that has its own line */
};

struct log_throttle {
    struct log_writer *log_writer;
    const char *const *nulls;
    pthread_mutex_t lock; /* guards what follows */
    int used, unknown;    /* `unknown`: buckets without an owner */
    struct bucket buckets[LOG_THROTTLE_BUCKETS];
    /* counts the requests for which there is no bucket; not in use while its count is 0 */
    struct bucket overflow;
};

struct log_throttle *access_log_throttle_new(struct log_writer *log_writer, const char *const *nulls)
{
    struct log_throttle *throttle = calloc(1, sizeof *throttle);
    if (!throttle)
        return NULL;
    throttle->log_writer = log_writer;
    throttle->nulls = nulls;
    pthread_mutex_init(&throttle->lock, NULL);
    return throttle;
}

/* Writes a line with the count. It has the members of the log's other lines, null where they describe a
   single request. False: the log writer is full. */
static bool bucket_write(const struct log_throttle *throttle, const struct bucket *bucket)
{
    char now[CLOCK_TEXT_BYTES];
    if (!bucket->count)
        return true;
    struct json_writer line = {
        .out = log_writer_is_full(throttle->log_writer) ? NULL : log_writer_begin(throttle->log_writer, now)};
    if (!line.out)
        return false;
    json_writer_begin_object(&line, NULL);
    json_writer_string(&line, "time", now);
    json_writer_null(&line, "id");
    json_writer_name(&line, "owner", bucket->owner);
    json_writer_name(&line, "remote", bucket->network);
    json_writer_null(&line, "method");
    json_writer_null(&line, "route");
    json_writer_null(&line, "path");
    json_writer_known_int(&line, "code", bucket->network[0], bucket->code);
    for (const char *const *name = throttle->nulls; *name; name++)
        json_writer_null(&line, *name);
    json_writer_uint(&line, "count", bucket->count);
    json_writer_string(&line, "since", bucket->began);
    json_writer_end(&line);
    log_writer_end(throttle->log_writer);
    return true;
}

/* Called with the lock held. NULL: the request has none. */
static struct bucket *bucket_find(struct log_throttle *throttle, const struct throttled *request)
{
    for (int i = 0; i < throttle->used; i++) {
        struct bucket *bucket = &throttle->buckets[i];
        if (memcmp(&bucket->address, request->address, sizeof bucket->address) == 0 &&
            bucket->code == request->code && strcmp(bucket->owner, request->owner) == 0)
            return bucket;
    }
    return NULL;
}

static void bucket_begin(struct bucket *bucket, int64_t now_ns)
{
    *bucket = (struct bucket){.began_ns = now_ns};
    clock_text(clock_wall_ms(), bucket->began);
}

bool access_log_throttle_add(struct log_throttle *throttle, const struct throttled *request, int64_t now_ns)
{
    pthread_mutex_lock(&throttle->lock);
    struct bucket *bucket = bucket_find(throttle, request);
    bool first = !bucket && throttle->used < LOG_THROTTLE_BUCKETS &&
                 (request->owner[0] || throttle->unknown < LOG_THROTTLE_UNKNOWN);
    if (first) {
        bucket = &throttle->buckets[throttle->used++];
        throttle->unknown += !request->owner[0];
        bucket_begin(bucket, now_ns);
        bucket->address = *request->address;
        bucket->code = request->code;
        strncpy(bucket->owner, request->owner, sizeof bucket->owner - 1);
        connection_network_name(request->remote, bucket->network);
    } else {
        bucket = bucket ? bucket : &throttle->overflow;
        if (bucket == &throttle->overflow && !bucket->count)
            bucket_begin(bucket, now_ns);
        bucket->count++;
    }
    pthread_mutex_unlock(&throttle->lock);
    return first;
}

void access_log_throttle_write(struct log_throttle *throttle, int64_t now_ns)
{
    int used = 0, unknown = 0;
    if (!throttle)
        return;
    pthread_mutex_lock(&throttle->lock);
    for (int i = 0; i < throttle->used; i++) {
        const struct bucket *bucket = &throttle->buckets[i];
        if (now_ns - bucket->began_ns >= minute_ns && bucket_write(throttle, bucket))
            continue;
        unknown += !bucket->owner[0];
        throttle->buckets[used++] = *bucket;
    }
    throttle->used = used;
    throttle->unknown = unknown;
    if (now_ns - throttle->overflow.began_ns >= minute_ns && bucket_write(throttle, &throttle->overflow))
        throttle->overflow.count = 0;
    pthread_mutex_unlock(&throttle->lock);
}

void access_log_throttle_free(struct log_throttle *throttle)
{
    if (!throttle)
        return;
    access_log_throttle_write(throttle, INT64_MAX);
    pthread_mutex_destroy(&throttle->lock);
    free(throttle);
}

/* ---- the lines of requests ---- */

enum { ID_MAX = 128, TEXT_MAX = 200 };

int access_log_start(struct http *http)
{
    static const char *const access_nulls[] = {"bytes", "us", "whole", NULL};
    static const char *const audit_nulls[] = {"subject", NULL};
    struct log_writer *access = http->config.access_log, *audit = http->config.audit_log;
    bool failed = (access && !(http->access_throttle = access_log_throttle_new(access, access_nulls))) ||
                  (audit && !(http->audit_throttle = access_log_throttle_new(audit, audit_nulls)));
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
    struct json_writer line = {.out = log_writer_begin(log_writer, now)};
    if (!line.out)
        return;
    json_writer_begin_object(&line, NULL);
    json_writer_string(&line, "time", now);
    json_writer_string(&line, "id", request->id);
    json_writer_name(&line, "owner", request->user.name);
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
        json_writer_name(&line, "subject", request->made ? request->made : request->match.param);
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
    return !access_log_throttle_add(throttle, &throttled, clock_monotonic_ns());
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
