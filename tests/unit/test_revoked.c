/* A token that is revoked while a handler runs for it: server/http with an endpoint of its own, over a
   real connection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "server/http/http.h"
#include "server/listeners.h"
#include "server/http/request.h"
#include "server/auth/users.h"
#include "server/auth/token_command.h"
#include "tests/unit/support/scratch.h"

/* Relaxed, so that the thread sanitizer takes neither for a lock: what the handler's thread and the thread
   that revokes share has to be ordered by the server itself. */
static atomic_int calls;
static atomic_bool may_return;

static enum handled handle(struct request *request)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    while (!atomic_load_explicit(&may_return, memory_order_relaxed))
        nanosleep(&pause, NULL);
    return request_wait_until(request, 60);
}

static const struct route held[] = {
    {.method = "GET", .pattern = "/held", .type = "text/plain", .handle = handle},
    {.method = "POST", .pattern = "/held", .type = "text/plain", .handle = handle},
    {0},
};
static const struct route *const table[] = {held, NULL};

static int ask(int port, const char *method)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct buffer request = {0};
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    buffer_format(&request,
                  "%s /held HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer the-secret-of-ada-1\r\n"
                  "Content-Length: 0\r\n\r\n",
                  method);
    assert_int_equal(send(client, request.data, request.size, MSG_NOSIGNAL), request.size);
    buffer_free(&request);
    return client;
}

static void a_handler_is_not_called_again_for_a_token_that_was_revoked(const char *method)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const struct user ada = {"ada", ROLE_RUN}, eve = {"eve", ROLE_RUN};
    char folder[SCRATCH_BYTES], path[SCRATCH_BYTES + 16], rest[64];
    struct error error = {0};
    struct users *users;
    struct http *http;
    int port = 0;
    atomic_store(&calls, 0);
    atomic_store(&may_return, false);
    scratch_make(folder);
    snprintf(path, sizeof path, "%s/tokens", folder);
    assert_int_equal(token_file_add(path, &ada, "the-secret-of-ada-1", &error), 0);
    assert_int_equal(token_file_add(path, &eve, "the-secret-of-eve-1", &error), 0);
    assert_int_equal(users_start(&users, path, &error), 0);
    struct http_config config = {.threads = 2,
                                 .request_s = 30,
                                 .routes = table,
                                 .users = users,
                                 .instance = "test",
                                 .listeners = {listener_open("127.0.0.1", &port, &error)}};
    assert_int_equal(http_start(&http, &config, &error), 0);

    int client = ask(port, method);
    while (!atomic_load_explicit(&calls, memory_order_relaxed))
        nanosleep(&pause, NULL);
    assert_int_equal(token_file_revoke(path, "ada", &error), 1);
    assert_int_equal(recv(client, rest, sizeof rest, 0), 0); /* the connection was cut: nothing comes */
    atomic_store_explicit(&may_return, true, memory_order_relaxed);
    http_quiesce(http);
    http_stop(http);
    assert_int_equal(atomic_load(&calls), 1);

    close(client);
    users_stop(users);
    scratch_remove(folder);
}

static void a_read_is_not_answered_for_a_token_that_was_revoked(void **state)
{
    (void)state;
    a_handler_is_not_called_again_for_a_token_that_was_revoked("GET");
}

static void a_change_is_not_answered_for_a_token_that_was_revoked(void **state)
{
    (void)state;
    a_handler_is_not_called_again_for_a_token_that_was_revoked("POST");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_is_not_answered_for_a_token_that_was_revoked),
        cmocka_unit_test(a_change_is_not_answered_for_a_token_that_was_revoked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
