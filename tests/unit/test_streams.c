/* Replies that are made piece by piece, over real connections: server/http with endpoints of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "server/http/http.h"
#include "server/listeners.h"
#include "server/http/reply.h"

static atomic_int pieces, begun, released;

static void release(void *arg)
{
    free(arg);
    atomic_fetch_add(&released, 1);
}

/* What a path's stream does: how often it was called is in *arg. */
static int fails(void *arg, struct buffer *out, struct error *error)
{
    (void)arg;
    buffer_text(out, "half a row");
    return error_set(error, ERROR_STORE, "the disk is on fire");
}

static int breaks(void *arg, struct buffer *out, struct error *error)
{
    buffer_text(out, "rows, ");
    if ((*(int *)arg)++ < 20000)
        return 1;
    return error_set(error, ERROR_STORE, "the disk is on fire");
}

static int pauses(void *arg, struct buffer *out, struct error *error)
{
    (void)error;
    struct timespec pause = {.tv_nsec = 6000000}; /* longer than a piece may take, so that it stays empty */
    nanosleep(&pause, NULL);
    if ((*(int *)arg)++ < 5)
        return 1;
    buffer_text(out, "at last");
    return 0;
}

static int never_ends(void *arg, struct buffer *out, struct error *error)
{
    static const char row[8192] = {[0 ... 8190] = 'x'};
    (void)arg;
    (void)error;
    atomic_fetch_add(&pieces, 1);
    buffer_text(out, row);
    return 1;
}

static int is_short(void *arg, struct buffer *out, struct error *error)
{
    (void)arg;
    (void)error;
    buffer_text(out, "all of it");
    return 0;
}

static atomic_int blocked;
static atomic_bool gate_open;

static int blocks(void *arg, struct buffer *out, struct error *error)
{
    (void)arg;
    (void)error;
    atomic_fetch_add(&blocked, 1);
    while (!atomic_load(&gate_open)) {
        struct timespec pause = {.tv_nsec = 1000000};
        nanosleep(&pause, NULL);
    }
    buffer_text(out, "at last");
    return 0;
}

static enum handled handle(struct request *request)
{
    static const struct {
        const char *path;
        int (*more)(void *, struct buffer *, struct error *);
    } streams[] = {{"/fails", fails},        {"/breaks", breaks},  {"/pauses", pauses},
                   {"/endless", never_ends}, {"/short", is_short}, {"/blocks", blocks}};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (strcmp(streams[i].path, request_path(request)) == 0) {
            atomic_fetch_add(&begun, 1);
            return reply_stream(request, streams[i].more, calloc(1, sizeof(int)), release);
        }
    return HANDLED_FAILED;
}

#define STREAM(name)                                                                                         \
    {                                                                                                        \
        .method = "GET", .pattern = "/" name, .type = "text/plain", .flags = ROUTE_SLOW, .handle = handle    \
    }
static const struct route all[] = {STREAM("fails"),
                                   STREAM("breaks"),
                                   STREAM("pauses"),
                                   STREAM("endless"),
                                   STREAM("short"),
                                   STREAM("blocks"),
                                   {0}};
static const struct route *const table[] = {all, NULL};

struct server {
    struct http *http;
    int port;
};

static int server_start(void **state)
{
    static struct server server;
    struct error error = {0};
    server.port = 0;
    struct http_config config = {.threads = 2,
                                 .request_s = 30,
                                 .routes = table,
                                 .instance = "test",
                                 .listeners = {listener_open("127.0.0.1", &server.port, &error)}};
    *state = &server;
    return http_start(&server.http, &config, &error);
}

static int server_stop(void **state)
{
    struct server *server = *state;
    http_quiesce(server->http);
    http_stop(server->http);
    return 0;
}

/* A connection from 127.0.0.`host` that has asked. */
static int ask_from(const struct server *server, unsigned host, const char *path)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)server->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct buffer request = {0};
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host)};
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(client, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    buffer_format(&request, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
    assert_int_equal(send(client, request.data, request.size, MSG_NOSIGNAL), request.size);
    buffer_free(&request);
    return client;
}

static int ask(const struct server *server, const char *path)
{
    return ask_from(server, 1, path);
}

/* All that comes until the end; to be freed with buffer_free(). */
static struct buffer answer(int client)
{
    struct buffer all_of_it = {0};
    char bytes[4096];
    for (ssize_t count; (count = recv(client, bytes, sizeof bytes, 0)) > 0;)
        buffer_append(&all_of_it, bytes, (size_t)count);
    close(client);
    assert_non_null(all_of_it.data);
    return all_of_it;
}

static bool ends_with(const struct buffer *text, const char *end)
{
    return text->size >= strlen(end) && strcmp(text->data + text->size - strlen(end), end) == 0;
}

static void a_first_piece_that_fails_is_told(void **state)
{
    struct buffer text = answer(ask(*state, "/fails"));
    assert_memory_equal(text.data, "HTTP/1.1 503 ", 13);
    assert_non_null(strstr(text.data, "the disk is on fire"));
    assert_null(strstr(text.data, "half a row"));
    buffer_free(&text);
}

static void a_later_failure_leaves_the_reply_without_an_end(void **state)
{
    struct buffer text = answer(ask(*state, "/breaks"));
    assert_memory_equal(text.data, "HTTP/1.1 200 ", 13);
    assert_false(ends_with(&text, "0\r\n\r\n"));
    buffer_free(&text);
}

static void an_empty_piece_is_no_end(void **state)
{
    struct buffer text = answer(ask(*state, "/pauses"));
    assert_true(ends_with(&text, "at last\r\n0\r\n\r\n"));
    buffer_free(&text);
}

static void pause_ms(long ms)
{
    struct timespec left = {.tv_nsec = ms * 1000000};
    nanosleep(&left, NULL);
}

static void who_does_not_read_holds_no_thread(void **state)
{
    int clients[16], before = -1, begin = atomic_load(&pieces);
    for (int i = 0; i < 16; i++)
        clients[i] = ask(*state, "/endless");
    /* Until the sockets' buffers are full and nothing is made any more. */
    while (before != atomic_load(&pieces) || before == 0) {
        before = atomic_load(&pieces);
        pause_ms(300);
    }
    assert_in_range((before - begin) * 8192 / 16, 1, 1 << 20); /* nor much of the system's memory */
    struct buffer text = answer(ask(*state, "/short"));
    assert_true(ends_with(&text, "all of it\r\n0\r\n\r\n"));
    assert_int_equal(before, atomic_load(&pieces));
    buffer_free(&text);
    for (int i = 0; i < 16; i++)
        close(clients[i]);
}

static void slow_requests_of_one_address_leave_threads_for_another(void **state)
{
    int clients[8];
    for (int i = 0; i < 8; i++)
        clients[i] = ask_from(*state, 2, "/blocks");
    while (atomic_load(&blocked) < 2)
        pause_ms(1);
    for (int i = 0; i < 20; i++) {
        struct buffer text = answer(ask(*state, "/short"));
        assert_true(ends_with(&text, "all of it\r\n0\r\n\r\n"));
        buffer_free(&text);
    }
    assert_int_equal(atomic_load(&blocked), 2);
    atomic_store(&gate_open, true);
    for (int i = 0; i < 8; i++) {
        struct buffer text = answer(clients[i]);
        assert_true(ends_with(&text, "at last\r\n0\r\n\r\n"));
        buffer_free(&text);
    }
}

/* Leaves them open: server_stop() is what is tried. */
static void the_end_does_not_wait_for_endless_streams(void **state)
{
    int before = atomic_load(&begun);
    for (int i = 0; i < 8; i++)
        ask(*state, "/endless");
    while (atomic_load(&begun) < before + 8)
        pause_ms(1);
}

static void what_a_stream_held_is_released(void **state)
{
    (void)state;
    assert_int_equal(atomic_load(&begun), 3 + 16 + 1 + 8 + 20 + 8);
    assert_int_equal(atomic_load(&released), atomic_load(&begun));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_first_piece_that_fails_is_told, server_start, server_stop),
        cmocka_unit_test_setup_teardown(a_later_failure_leaves_the_reply_without_an_end, server_start,
                                        server_stop),
        cmocka_unit_test_setup_teardown(an_empty_piece_is_no_end, server_start, server_stop),
        cmocka_unit_test_setup_teardown(who_does_not_read_holds_no_thread, server_start, server_stop),
        cmocka_unit_test_setup_teardown(slow_requests_of_one_address_leave_threads_for_another, server_start,
                                        server_stop),
        cmocka_unit_test_setup_teardown(the_end_does_not_wait_for_endless_streams, server_start, server_stop),
        cmocka_unit_test(what_a_stream_held_is_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
