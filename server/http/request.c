/* Decodes the target of a request, and reads and writes the members of struct request for endpoints. */
#include "server/http/request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "server/http/header_field.h"
#include "server/http/peer.h"
#include "server/http/http_state.h"

/* ---- the target ---- */

/* Returns the byte of an escape; -1: it is malformed, or a NUL, which would end the text. */
static int escape_value(const char *at)
{
    if (!isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2]))
        return -1;
    int value = (int)strtol((const char[]){at[1], at[2], '\0'}, NULL, 16);
    return value ? value : -1;
}

size_t request_target_decode(char *text, bool *valid)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        int value = *from == '%' ? escape_value(from) : (unsigned char)*from;
        if (value < 0) {
            *valid = false;
            value = '%';
        } else if (*from == '%') {
            from += 2;
        }
        *to++ = (char)value;
    }
    *to = '\0';
    *valid = *valid && json_writer_is_utf8(text);
    return (size_t)(to - text);
}

/* Returns what follows the scheme of an absolute URL; NULL: the target is a path. */
static const char *authority_of(const char *target)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncasecmp(target, schemes[i], strlen(schemes[i])) == 0)
            return target + strlen(schemes[i]);
    return NULL;
}

const char *request_target_path(const char *target)
{
    const char *authority = authority_of(target);
    const char *path = authority ? strchr(authority, '/') : target;
    return path ? path : "/";
}

bool request_target_is_of(const char *target, const char *host)
{
    const char *authority = authority_of(target);
    size_t length = authority ? strcspn(authority, "/") : 0;
    return !authority || (host && strlen(host) == length && strncasecmp(authority, host, length) == 0);
}

/* ---- the begin and end of a request ---- */

struct request *request_new(struct peer *peer, const char *path, const char *method)
{
    struct request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    request->http = peer->http;
    request->peer = peer;
    request->user = user_everybody;
    request->target = path;
    request->path = request_target_path(path);
    request->method = method;
    request->began_ns = clock_monotonic_ns();
    request->head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    route_find(peer->http->config.routes, method, request->path, &request->match);
    return request;
}

void request_release(struct request *request)
{
    if (request->state_free)
        request->state_free(request->state);
    request_set_state(request, NULL, NULL);
}

void request_free(struct request *request)
{
    if (!request)
        return;
    request_release(request);
    for (int i = 0; i < request->header_count; i++)
        free(request->headers[i].value);
    buffer_free(&request->body);
    buffer_free(&request->accept_joined);
    if (request->response)
        MHD_destroy_response(request->response);
    free(request);
}

/* ---- what endpoints ask and say ---- */

struct http *request_http(const struct request *request)
{
    return request->http;
}

void *request_context(const struct request *request)
{
    return request->http->config.context;
}

const struct user *request_user(const struct request *request)
{
    return &request->user;
}

uint64_t request_client(const struct request *request)
{
    const char *name = request->user.name;
    const struct address_key *address = &request->peer->address;
    return name[0] ? hash_bytes(name, strlen(name)) : hash_bytes(address, sizeof *address);
}

const char *request_path(const struct request *request)
{
    return request->path;
}

const char *request_param(const struct request *request)
{
    return request->match.param;
}

const char *request_query(const struct request *request, const char *name)
{
    const char *value = NULL;
    bool given = MHD_lookup_connection_value_n(request->peer->connection, MHD_GET_ARGUMENT_KIND, name,
                                               strlen(name), &value, NULL) == MHD_YES;
    return given && !value ? "" : value;
}

const char *request_header(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->peer->connection, MHD_HEADER_KIND, name);
}

const char *request_type(const struct request *request)
{
    return request->type;
}

void request_type_first(struct request *request)
{
    request->type = request->match.route->type;
}

const char *request_body(const struct request *request, size_t *length)
{
    *length = request->body.size;
    return request->body.data ? request->body.data : "";
}

struct list {
    const char *name;
    struct buffer *out;
};

static enum MHD_Result list_one(void *arg, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    struct list *list = arg;
    if (strcasecmp(name, list->name) == 0)
        buffer_format(list->out, "%s%s", list->out->size ? ", " : "", value ? value : "");
    return MHD_YES;
}

void request_list(const struct request *request, const char *name, struct buffer *out)
{
    struct list list = {name, out};
    MHD_get_connection_values(request->peer->connection, MHD_HEADER_KIND, list_one, &list);
}

int request_prefer_wait(const struct request *request)
{
    struct buffer prefer = {0};
    request_list(request, "Prefer", &prefer);
    int wait = prefer.data ? header_field_prefer_wait(prefer.data) : -1;
    buffer_free(&prefer);
    return wait < 0 ? 0 : wait > REQUEST_WAIT_MAX_S ? REQUEST_WAIT_MAX_S : wait;
}

void request_read(const struct request *request, struct request_content *content)
{
    struct buffer keys = {0};
    content->context = request_context(request);
    content->body = request_body(request, &content->length);
    content->user = &request->user;
    content->key = request_header(request, "Idempotency-Key");
    content->wait_s = request_prefer_wait(request);
    request_list(request, "Idempotency-Key", &keys);
    content->keys_differ = content->key && keys.data && strcmp(keys.data, content->key) != 0;
    buffer_free(&keys);
}

void request_set_state(struct request *request, void *state, void (*release)(void *state))
{
    request->state = state;
    request->state_free = release;
}

void *request_state(const struct request *request)
{
    return request->state;
}

void request_made(struct request *request, const char *id)
{
    request->made = id;
}

int request_seconds(const struct request *request)
{
    return request->http->config.request_s;
}

void request_send_within(struct request *request, int seconds)
{
    peer_send_within(request->peer, seconds);
}

void request_unchanged(struct request *request)
{
    request->unchanged = true;
}

enum handled request_wait_until(struct request *request, double seconds)
{
    request->timed = true;
    if (!request->wait_until_ns)
        request->wait_until_ns = clock_after_ns(seconds);
    return HANDLED_WAIT;
}

bool request_over(const struct request *request)
{
    pthread_mutex_lock(&request->http->lock);
    bool over = request->peer->wait_refused || request->http->ending;
    pthread_mutex_unlock(&request->http->lock);
    return over || (request->wait_until_ns && clock_monotonic_ns() >= request->wait_until_ns);
}

bool request_ending(const struct request *request)
{
    pthread_mutex_lock(&request->http->lock);
    bool ending = request->http->ending;
    pthread_mutex_unlock(&request->http->lock);
    return ending;
}

void request_wake(struct request *request)
{
    peer_wake(request->peer);
}

static void work_run(struct worker_task *task)
{
    struct request *request = (struct request *)((char *)task - offsetof(struct request, task));
    request->work(request);
    request_wake(request);
}

bool request_work(struct request *request, void (*work)(struct request *request))
{
    request->work = work;
    request->task.run = work_run;
    request->task.client = request_client(request);
    return peers_run(request->http, &request->task);
}
