/* One libcurl handle. libcurl's progress function is called about once a second during a wait: it sees an
   interrupt. A POST that makes something is sent again only with its idempotency
   key, so that nothing runs twice. */
#include "client/service/http_client.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "client/manual/command_table.h"
#include "client/service/problem_text.h"
#include "client/terminal/interrupt.h"
#include "client/terminal/language.h"

enum { CONNECT_S = 5, RESPONSE_S = 60, TOKEN_MAX = 1024 };

static bool is_url(const char *text)
{
    CURLU *parts = curl_url();
    bool is = parts && curl_url_set(parts, CURLUPART_URL, text, 0) == CURLUE_OK;
    curl_url_cleanup(parts);
    return is;
}

/* "http://host:port", "host:port" or "unix:/path": *url without a slash at its end, *unix_path of a socket
   or NULL. */
static int read_address(const char *text, char **url, char **unix_path, struct error *error)
{
    *url = *unix_path = NULL;
    if (strncmp(text, "unix:", 5) == 0) {
        const char *path = text + 5;
        if (*path != '/')
            return error_set(error, ERROR_INVALID,
                             language_text("\"%s\" is no address: a socket is unix:/its/path"), text);
        *unix_path = strdup(path);
        *url = strdup("http://localhost");
    } else {
        bool whole = strstr(text, "://") != NULL;
        bool http = !whole || strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
        if (asprintf(url, "%s%s", whole ? "" : "http://", text) < 0) {
            *url = NULL;
            return error_set(error, ERROR_MEMORY, language_text("no memory"));
        }
        if (!http || !is_url(*url)) {
            free(*url);
            *url = NULL;
            return error_set(
                error, ERROR_INVALID,
                language_text("\"%s\" is no address: http://host:port, https://host or unix:/path"), text);
        }
        size_t end = strlen(*url);
        while (end > 0 && (*url)[end - 1] == '/')
            end--;
        if (end > 3 &&
            strncmp(*url + end - 3, "/ui", 3) == 0) /* the page's address: the service's is before it */
            end -= 3;
        (*url)[end] = '\0';
    }
    if (*url && (strncmp(text, "unix:", 5) != 0 || *unix_path))
        return 0;
    return error_set(error, ERROR_MEMORY, language_text("no memory"));
}

/* The header "Authorization: Bearer ..." from the first line of a file; NULL: an error. Warns when other
   users can read the file. */
static char *read_authorization(const char *path, struct screen *screen, struct error *error)
{
    char line[TOKEN_MAX + 2], *header = NULL;
    struct stat about;
    FILE *file = fopen(path, "re");
    if (!file && errno == ENOENT && strlen(path) >= 40 &&
        strncmp(path, "coal_", 5) == 0) { /* the secret itself, which is not repeated */
        error_set(error, ERROR_INVALID,
                  language_text("COALESCED_TOKEN_FILE is the name of a file that has the token, not the "
                                "token itself"));
        return NULL;
    }
    if (!file) {
        error_set(error, ERROR_SYSTEM, language_text("the token file %s: %s"), path,
                  language_system(strerror(errno)));
        return NULL;
    }
    if (fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & (S_IRWXG | S_IRWXO)))
        screen_remark(screen, language_text("others may read the token file %s: chmod 600 it"), path);
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line || line[strcspn(line, " \t")] || strlen(line) > TOKEN_MAX)
        error_set(error, ERROR_INVALID, language_text("the first line of the token file %s is no token"),
                  path);
    else if (asprintf(&header, "Authorization: Bearer %s", line) < 0)
        error_set(error, ERROR_MEMORY, language_text("no memory"));
    explicit_bzero(line, sizeof line);
    return header;
}

int http_client_open(struct http_client *service, struct screen *screen, const char *url, double retry_s,
                     struct error *error)
{
    *service = (struct http_client){.screen = screen, .retry_s = retry_s};
    const char *given = url ? url : getenv("COALESCED_URL"), *tokens = getenv("COALESCED_TOKEN_FILE"),
               *certificates = getenv("CURL_CA_BUNDLE");
    service->certificates = certificates && *certificates ? certificates : NULL;
    if (read_address(given && *given ? given : "http://127.0.0.1:8080", &service->url, &service->unix_path,
                     error) != 0)
        return -1;
    if (tokens && *tokens && !(service->authorization = read_authorization(tokens, screen, error)))
        return -1;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0 || !(service->curl = curl_easy_init()))
        return error_set(error, ERROR_SYSTEM, language_text("libcurl does not start"));
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

void http_client_key(char key[HTTP_CLIENT_KEY_BYTES])
{
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random) {
        random[0] = (uint64_t)clock_wall_ms();
        random[1] = (uint64_t)clock_monotonic_ns();
    }
    snprintf(key, HTTP_CLIENT_KEY_BYTES, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
}

void http_client_response_free(struct http_client_response *response)
{
    buffer_free(&response->body);
    response->status = 0;
}

static size_t append_body(char *bytes, size_t size, size_t count, void *data)
{
    return buffer_append(data, bytes, size * count) == 0 ? size * count : 0;
}

static int on_progress(void *data, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)data, (void)a, (void)b, (void)c, (void)d;
    return interrupt_received();
}

/* NULL: no memory. */
static struct curl_slist *make_headers(const struct http_client *service,
                                       const struct http_client_request *request)
{
    const char *const rows[][2] = {{"Accept: ", request->accept ? request->accept : "application/json"},
                                   {"Content-Type: ", request->body ? "application/json" : NULL},
                                   {"Accept-Language: ", language_is_chinese() ? "zh" : NULL},
                                   {"Idempotency-Key: ", request->idempotency_key},
                                   {"Last-Event-ID: ", request->last_event_id},
                                   {"", service->authorization}};
    struct curl_slist *headers = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[TOKEN_MAX + 64];
        snprintf(line, sizeof line, "%s%s", rows[i][0], rows[i][1] ? rows[i][1] : "");
        struct curl_slist *appended = rows[i][1] ? curl_slist_append(headers, line) : headers;
        explicit_bzero(line, sizeof line);
        if (!appended) {
            curl_slist_free_all(headers);
            return NULL;
        }
        headers = appended;
    }
    return headers;
}

struct curl_slist *http_client_prepare(const struct http_client *service, void *curl,
                                       const struct http_client_request *request)
{
    char *address = NULL;
    struct curl_slist *headers = make_headers(service, request);
    if (!headers || asprintf(&address, "%s%s", service->url, request->path) < 0) {
        curl_slist_free_all(headers);
        return NULL;
    }
    curl_easy_setopt(curl, CURLOPT_URL, address);
    free(address);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "coalesce");
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    if (service->certificates)
        curl_easy_setopt(curl, CURLOPT_CAINFO, service->certificates);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, service->silent ? 300L : CONNECT_S * 1000L);
    if (service->unix_path)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, service->unix_path);
    if (request->body)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    return headers;
}

/* Sends the request once. *retry_after_s: the value of Retry-After, 0 without one. */
static CURLcode exchange(struct http_client *service, const struct http_client_request *request,
                         struct http_client_response *response, double *retry_after_s)
{
    curl_off_t retry = 0;
    CURL *curl = service->curl;
    curl_easy_reset(curl);
    struct curl_slist *headers = http_client_prepare(service, curl, request);
    if (!headers)
        return CURLE_OUT_OF_MEMORY;
    double limit_s = (service->limit_s > 0 ? service->limit_s : RESPONSE_S) + request->wait_s;
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(limit_s * 1000));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response->body);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response->status);
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry);
    *retry_after_s = (double)retry;
    curl_slist_free_all(headers);
    return code;
}

/* After a lost connection: true when the service is there and a second request does no harm. A service
   that was never reached is not waited for; a submission that may have arrived is repeated with its
   idempotency key. */
static bool may_repeat(const struct http_client *service, const struct http_client_request *request,
                       CURLcode code)
{
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || !request->idempotency_key)
        return service->reached &&
               (request->idempotency_key || request->repeatable || strcmp(request->method, "POST") != 0);
    return code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
           code == CURLE_PARTIAL_FILE || code == CURLE_OPERATION_TIMEDOUT;
}

/* EXIT_FINE: the request is to be sent again, the pause before that is over. Else the exit status,
   reported. */
static int retry_or_report(struct http_client *service, const struct http_client_request *request,
                           const struct http_client_response *response, CURLcode code, double retry_after_s,
                           int64_t began_ns)
{
    bool lost = code != CURLE_OK;
    bool may = lost ? may_repeat(service, request, code) : response->status == 429 || response->status == 503;
    double used_s = (double)(clock_monotonic_ns() - began_ns) / 1e9,
           pause_s = retry_after_s > 0 ? retry_after_s : 1;
    if (may && !service->silent && used_s + pause_s <= service->retry_s) {
        if (lost && !service->lost_reported)
            screen_remark(service->screen,
                          language_text("connection lost (%s), trying again for up to %.0f s"),
                          language_system(curl_easy_strerror(code)), service->retry_s);
        service->lost_reported = service->lost_reported || lost;
        if (!lost && !service->busy_reported)
            problem_text_remark(service->screen, response->status, response->body.data, service->retry_s);
        service->busy_reported |= !lost;
        for (int64_t until_ns = clock_after_ns(pause_s); clock_monotonic_ns() < until_ns;) {
            if (interrupt_received())
                return EXIT_INTERRUPTED;
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        }
        return interrupt_received() ? EXIT_INTERRUPTED : EXIT_FINE;
    }
    if (service->silent)
        return lost ? EXIT_UNREACHABLE : EXIT_REFUSED;
    curl_off_t connected_us = 0;
    if (code == CURLE_OPERATION_TIMEDOUT)
        (void)curl_easy_getinfo(service->curl, CURLINFO_CONNECT_TIME_T, &connected_us);
    if (connected_us > 0) {
        screen_say(service->screen, language_text("the service at %s%s did not answer in time"),
                   service->unix_path ? "unix:" : service->url, service->unix_path ? service->unix_path : "");
        return EXIT_UNREACHABLE;
    }
    if (lost && response->status) {
        screen_say(service->screen, language_text("the answer of the service at %s%s broke off: %s"),
                   service->unix_path ? "unix:" : service->url, service->unix_path ? service->unix_path : "",
                   language_system(curl_easy_strerror(code)));
        return EXIT_UNREACHABLE;
    }
    if (lost) {
        screen_say(service->screen, language_text("cannot reach the service at %s%s: %s"),
                   service->unix_path ? "unix:" : service->url, service->unix_path ? service->unix_path : "",
                   language_system(curl_easy_strerror(code)));
        fputs(language_text(
                  "  Start it with `coalesced`, or name another one in COALESCED_URL or with --url.\n"),
              stderr);
        return EXIT_UNREACHABLE;
    }
    problem_text_print(service->screen, response->status, response->body.data, request->arguments,
                       request->argument_count);
    if (retry_after_s > 0)
        screen_say(service->screen, language_text("it says to try again in %.0f s"), retry_after_s);
    return EXIT_REFUSED;
}

int http_client_send(struct http_client *service, const struct http_client_request *request,
                     struct http_client_response *response)
{
    int64_t began_ns = clock_monotonic_ns();
    *response = (struct http_client_response){0};
    for (;;) {
        double retry_after_s = 0;
        CURLcode code = exchange(service, request, response, &retry_after_s);
        if (interrupt_received() && code != CURLE_OK) {
            http_client_response_free(response);
            return EXIT_INTERRUPTED;
        }
        bool accepted = response->status == request->accept_status;
        if (code == CURLE_OK && (accepted || (response->status >= 200 && response->status < 300))) {
            service->reached = true;
            service->lost_reported = false;
            service->busy_reported = false;
            if (!response->body.data)
                buffer_text(&response->body, "");
            return EXIT_FINE;
        }
        service->reached = service->reached || code == CURLE_OK;
        int status = retry_or_report(service, request, response, code, retry_after_s, began_ns);
        http_client_response_free(response);
        if (status != EXIT_FINE)
            return status;
    }
}

int http_client_get(struct http_client *service, const char *path, struct http_client_response *response)
{
    return http_client_send(service, &(struct http_client_request){.method = "GET", .path = path}, response);
}

void http_client_escape(struct http_client *service, struct buffer *path, const char *name, const char *value)
{
    char *escaped = value ? curl_easy_escape(service->curl, value, 0) : NULL;
    if (escaped && name)
        buffer_format(path, "%c%s=", path->data && strchr(path->data, '?') ? '&' : '?', name);
    if (escaped)
        buffer_text(path, escaped);
    curl_free(escaped);
}
