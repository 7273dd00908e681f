/* The service over HTTP: where it is, who asks, what was answered. What goes wrong is told on standard error, once, and
   becomes an exit status. */
#ifndef COALESCED_CLIENT_SERVICE_HTTP_CLIENT_H
#define COALESCED_CLIENT_SERVICE_HTTP_CLIENT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "client/terminal/screen.h"

struct http_client {
    void *curl; /* of libcurl; one connection, kept open */
    struct screen *screen;
    char *url;                /* without a slash at its end */
    char *unix_path;          /* of a socket; NULL: TCP */
    char *authorization;      /* the header; NULL: no token */
    double patience_s;        /* how long to try again */
    double limit_s;           /* how long a request may take beyond its wait; 0: 30 */
    bool reached;             /* it has answered once */
    bool lost;                /* that has been told since it last answered */
    bool told_busy;           /* likewise that it can take nothing now */
    bool silent;              /* nothing is told and nothing is tried again: for completions */
    void (*tick)(void *data); /* called about once a second while waiting; NULL: not */
    void *tick_data;
};

struct question {
    const char *method, *path; /* "GET" and "/v1/..." */
    const char *body;          /* JSON; NULL: none */
    const char *accept;        /* NULL: JSON */
    const char *key;           /* Idempotency-Key, see http_client_key(); NULL: none */
    const char *resume;        /* Last-Event-ID; NULL: none */
    bool harmless;             /* a POST that changes nothing, so that it may be sent again */
    bool may_miss;             /* 404 is an answer too: EXIT_FINE with that status */
    int wait_s;                /* how long the answer may take because the service waits for something */
    char *const *arguments;    /* of the command line and their count, to mark what is wrong; NULL: none */
    int argument_count;
};

struct answer {
    long status;
    struct buffer body; /* to be freed with answer_free */
};

enum { SERVICE_KEY_BYTES = 40 };

/* url NULL: COALESCED_URL, or http://127.0.0.1:8080. Reads the token of COALESCED_TOKEN_FILE. 0, or -1: the address makes
   no sense (ERROR_INVALID), the file cannot be read or holds no token (ERROR_SYSTEM, ERROR_INVALID). */
int http_client_open(struct http_client *service, struct screen *screen, const char *url, double patience_s,
                     struct error *error);
void http_client_close(struct http_client *service);

/* A name for a submission, made of random numbers. */
void http_client_key(char key[SERVICE_KEY_BYTES]);

/* Asks, and tries again within the patience: on 429 and 503 after Retry-After; on a connection that was lost when the
   service had answered before and sending twice does no harm. EXIT_FINE: a status below 300 and the body; else
   EXIT_REFUSED, EXIT_UNREACHABLE or EXIT_INTERRUPTED, and the answer is empty. */
int http_client_ask(struct http_client *service, const struct question *question, struct answer *answer);
void answer_free(struct answer *answer);

struct curl_slist;

/* Sets a libcurl handle up for a question: address, header, body, the way there. The header is to be freed with
   curl_slist_free_all once the handle is not used any more; NULL when memory is gone. */
struct curl_slist *http_client_prepare(const struct http_client *service, void *curl,
                                       const struct question *question);

/* A text as a part of an address, to be freed; NULL when memory is gone. */
char *http_client_escape(struct http_client *service, const char *text);

#endif
