/* One libcurl handle. A wait is cut into about a second each by libcurl's progress function, in which the caller's tick
   runs and an interrupt is seen. A POST that makes something is sent again only with its key, so that nothing runs
   twice. */
#include "client/service/http_client.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "client/exit.h"
#include "client/service/service_address.h"
#include "client/service/problem_text.h"
#include "client/terminal/interrupt.h"

enum { CONNECT_S = 5, ANSWER_S = 30 };

int http_client_open(struct http_client *service, struct screen *screen, const char *url, double patience_s,
                     struct error *error)
{
    *service = (struct http_client){.screen = screen, .patience_s = patience_s};
    const char *given = url ? url : getenv("COALESCED_URL"), *tokens = getenv("COALESCED_TOKEN_FILE");
    if (service_address_read(given && *given ? given : "http://127.0.0.1:8080", &service->url,
                             &service->unix_path, error) != 0)
        return -1;
    if (tokens && *tokens && !(service->authorization = service_address_authorization(tokens, screen, error)))
        return -1;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0 || !(service->curl = curl_easy_init()))
        return error_set(error, ERROR_SYSTEM, "libcurl does not start");
    return 0;
}

void http_client_close(struct http_client *service)
{
    curl_easy_cleanup(service->curl);
    free(service->url);
    free(service->unix_path);
    if (service->authorization)
        explicit_bzero(service->authorization, strlen(service->authorization));
    free(service->authorization);
    *service = (struct http_client){0};
    curl_global_cleanup();
}

void http_client_key(char key[SERVICE_KEY_BYTES])
{
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random) {
        random[0] = (uint64_t)clock_wall_ms();
        random[1] = (uint64_t)clock_monotonic_ns();
    }
    snprintf(key, SERVICE_KEY_BYTES, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
}

void answer_free(struct answer *answer)
{
    buffer_free(&answer->body);
    answer->status = 0;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *data)
{
    return buffer_append(data, bytes, size * count) == 0 ? size * count : 0;
}

static int look_around(void *data, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)a, (void)b, (void)c, (void)d;
    struct http_client *service = data;
    if (service->tick)
        service->tick(service->tick_data);
    return interrupt_came();
}

static bool add_header(struct curl_slist **headers, const char *name, const char *value)
{
    char line[1024];
    snprintf(line, sizeof line, "%s%s", name, value);
    struct curl_slist *more = curl_slist_append(*headers, line);
    if (more)
        *headers = more;
    return more != NULL;
}

static struct curl_slist *make_headers(const struct http_client *service, const struct question *question)
{
    struct curl_slist *headers = NULL;
    bool fine = add_header(&headers, "Accept: ", question->accept ? question->accept : "application/json");
    if (question->body)
        fine = fine && add_header(&headers, "Content-Type: ", "application/json");
    if (question->key)
        fine = fine && add_header(&headers, "Idempotency-Key: ", question->key);
    if (question->resume)
        fine = fine && add_header(&headers, "Last-Event-ID: ", question->resume);
    if (service->authorization) {
        struct curl_slist *more = curl_slist_append(headers, service->authorization);
        headers = more ? more : headers;
        fine = fine && more;
    }
    if (!fine) {
        curl_slist_free_all(headers);
        headers = NULL;
    }
    return headers;
}

struct curl_slist *http_client_prepare(const struct http_client *service, void *curl,
                                       const struct question *question)
{
    char *address = NULL;
    struct curl_slist *headers = make_headers(service, question);
    if (!headers || asprintf(&address, "%s%s", service->url, question->path) < 0) {
        curl_slist_free_all(headers);
        return NULL;
    }
    curl_easy_setopt(curl, CURLOPT_URL, address);
    free(address);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, question->method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "coalesce");
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, service->silent ? 300L : CONNECT_S * 1000L);
    if (service->unix_path)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, service->unix_path);
    if (question->body)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, question->body);
    return headers;
}

/* One exchange. *retry_s: what Retry-After says, 0 without. */
static CURLcode exchange(struct http_client *service, const struct question *question, struct answer *answer,
                         double *retry_s)
{
    curl_off_t retry = 0;
    CURL *curl = service->curl;
    curl_easy_reset(curl);
    struct curl_slist *headers = http_client_prepare(service, curl, question);
    if (!headers)
        return CURLE_OUT_OF_MEMORY;
    double limit_s = (service->limit_s > 0 ? service->limit_s : ANSWER_S) + question->wait_s;
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(limit_s * 1000));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer->body);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_around);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, service);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry);
    *retry_s = (double)retry;
    curl_slist_free_all(headers);
    return code;
}

/* Until that time or an interrupt. */
static void pause_until(struct http_client *service, int64_t until_ns)
{
    while (!interrupt_came() && clock_monotonic_ns() < until_ns) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        if (service->tick)
            service->tick(service->tick_data);
    }
}

/* Whether what was lost may be sent again: it does no harm, and there is a service. One that was never reached is not
   waited for; but a submission that may have arrived is asked for again under its key. */
static bool worth_repeating(const struct http_client *service, const struct question *question, CURLcode code)
{
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || !question->key)
        return service->reached &&
               (question->key || question->harmless || strcmp(question->method, "POST") != 0);
    return code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
           code == CURLE_PARTIAL_FILE || code == CURLE_OPERATION_TIMEDOUT;
}

/* EXIT_FINE when it is worth another try, after having waited; else the exit status, told. */
static int after_trouble(struct http_client *service, const struct question *question,
                         const struct answer *answer, CURLcode code, double retry_s, int64_t began_ns)
{
    bool lost = code != CURLE_OK;
    bool may =
        lost ? worth_repeating(service, question, code) : answer->status == 429 || answer->status == 503;
    double used_s = (double)(clock_monotonic_ns() - began_ns) / 1e9, pause_s = retry_s > 0 ? retry_s : 1;
    if (may && !service->silent && used_s + pause_s <= service->patience_s) {
        if (lost && !service->lost)
            screen_remark(service->screen, "connection lost (%s), trying again for up to %.0f s",
                          curl_easy_strerror(code), service->patience_s);
        service->lost = service->lost || lost;
        if (!lost && !service->told_busy)
            problem_text_remark(service->screen, answer->status, answer->body.data, service->patience_s);
        service->told_busy |= !lost;
        pause_until(service, clock_monotonic_ns() + (int64_t)(pause_s * 1e9));
        return interrupt_came() ? EXIT_INTERRUPTED : EXIT_FINE;
    }
    if (service->silent)
        return lost ? EXIT_UNREACHABLE : EXIT_REFUSED;
    if (lost) {
        screen_say(service->screen, "cannot reach the service at %s%s: %s",
                   service->unix_path ? "unix:" : service->url, service->unix_path ? service->unix_path : "",
                   curl_easy_strerror(code));
        return EXIT_UNREACHABLE;
    }
    problem_text_tell(service->screen, answer->status, answer->body.data, question->arguments,
                      question->argument_count);
    if (retry_s > 0)
        screen_say(service->screen, "it says to try again in %.0f s", retry_s);
    return EXIT_REFUSED;
}

int http_client_ask(struct http_client *service, const struct question *question, struct answer *answer)
{
    int64_t began_ns = clock_monotonic_ns();
    *answer = (struct answer){0};
    for (;;) {
        double retry_s = 0;
        CURLcode code = exchange(service, question, answer, &retry_s);
        if (interrupt_came() && code != CURLE_OK) {
            answer_free(answer);
            return EXIT_INTERRUPTED;
        }
        bool missed = question->may_miss && answer->status == 404;
        if (code == CURLE_OK && (missed || (answer->status >= 200 && answer->status < 300))) {
            service->reached = true;
            service->lost = false;
            service->told_busy = false;
            if (!answer->body.data)
                buffer_text(&answer->body, "");
            return EXIT_FINE;
        }
        service->reached = service->reached || code == CURLE_OK;
        int status = after_trouble(service, question, answer, code, retry_s, began_ns);
        answer_free(answer);
        if (status != EXIT_FINE)
            return status;
    }
}

char *http_client_escape(struct http_client *service, const char *text)
{
    char *escaped = curl_easy_escape(service->curl, text, 0), *own = escaped ? strdup(escaped) : NULL;
    curl_free(escaped);
    return own;
}
