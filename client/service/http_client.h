/* HTTP requests to the service, with retries. What goes wrong is reported on standard error, once, and
   becomes an exit status. */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "client/terminal/screen.h"

struct http_client {
    void *curl; /* libcurl's handle; one connection that stays open */
    struct screen *screen;
    char *url;                /* without a slash at its end */
    char *unix_path;          /* of a socket; NULL: TCP */
    char *authorization;      /* the header; NULL: no token */
    const char *certificates; /* a file of certificate authorities, borrowed; NULL: libcurl's own */
    double retry_s;           /* how long a request is retried */
    double limit_s;           /* how long a request may take beyond its wait_s; 0: 60 */
    bool reached;             /* it has answered once */
    bool lost_reported;       /* a lost connection was reported since the last response */
    bool busy_reported;       /* so was a 429 or 503 */
    bool silent;              /* nothing is reported or retried: for completions */
};

struct http_client_request {
    const char *method, *path;   /* "GET" and "/v1/..." */
    const char *body;            /* JSON; NULL: none */
    const char *accept;          /* NULL: JSON */
    const char *idempotency_key; /* see http_client_key(); NULL: none */
    const char *last_event_id;   /* NULL: none */
    bool repeatable;             /* a POST that changes nothing, so that it may be sent again */
    long accept_status;          /* this status is a response too, as 404: EXIT_FINE with it; 0: none */
    int wait_s;                  /* how long the service may hold its response */
    char *const *arguments;      /* of the command line, to mark the one that is wrong; NULL: none */
    int argument_count;
};

struct http_client_response {
    long status;
    struct buffer body; /* freed by http_client_response_free() */
};

enum { HTTP_CLIENT_KEY_BYTES = 40 };

/* url NULL: COALESCED_URL, or http://127.0.0.1:8080. Reads the token of COALESCED_TOKEN_FILE. 0, or -1:
   the address is not valid (ERROR_INVALID), the file cannot be read or holds no token (ERROR_SYSTEM,
   ERROR_INVALID). */
int http_client_open(struct http_client *service, struct screen *screen, const char *url, double retry_s,
                     struct error *error);
void http_client_close(struct http_client *service);

/* An idempotency key for a submission, of random numbers. */
void http_client_key(char key[HTTP_CLIENT_KEY_BYTES]);

/* Sends the request, and again for up to retry_s: on 429 and 503 after Retry-After; on a lost connection
   when the service has answered before and a second request does no harm. EXIT_FINE: a status below 300
   and the body; else EXIT_REFUSED, EXIT_UNREACHABLE or EXIT_INTERRUPTED, and the response is empty. */
int http_client_send(struct http_client *service, const struct http_client_request *request,
                     struct http_client_response *response);

/* http_client_send() of a GET for JSON. */
int http_client_get(struct http_client *service, const char *path, struct http_client_response *response);
void http_client_response_free(struct http_client_response *response);

struct curl_slist;

/* Sets a libcurl handle up for a request: address, headers, body, socket. The headers are freed by the
   caller with curl_slist_free_all() once the handle is not used any more; NULL: no memory. */
struct curl_slist *http_client_prepare(const struct http_client *service, void *curl,
                                       const struct http_client_request *request);

/* Appends the value, escaped, to an address: as its query parameter `name`, or as it is where name is NULL.
   NULL appends nothing. */
void http_client_escape(struct http_client *service, struct buffer *path, const char *name,
                        const char *value);
