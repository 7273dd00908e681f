/* A series for each route and method that was ever asked for, in a table that only grows: whoever reads it needs no
   lock, whoever adds to it has one. */
#include "server/metrics/request_metrics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "server/metrics/exposition.h"
#include "server/metrics/metric_histogram.h"

enum { SERIES = 128, CODES = 32 };

static const char name[] = "coalesced_http_request_duration_seconds";
static const char unknown[] = "unknown", other[] = "other";
static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"};
static histogram_bounds bounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                  0.25,   0.5,   1,      2.5,   5,    10,    30,   60};
/* Ended by 0: no reply was made. Behind it: any other one. */
static const unsigned codes[CODES] = {200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 406, 408, 409,
                                      410, 413, 414, 415, 416, 421, 422, 429, 431, 500, 501, 503, 507, 0};

static struct request_series {
    const char *route, *method;
    struct histogram seconds;
    atomic_uint_fast64_t counts[CODES];
} table[SERIES];
static atomic_int used;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static const char *method_of(const char *method)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i], method) == 0)
            return methods[i];
    return other;
}

static struct request_series *series_find(const char *route, const char *method)
{
    int count = atomic_load_explicit(&used, memory_order_acquire);
    for (int i = 0; i < count; i++)
        if (table[i].method == method && strcmp(table[i].route, route) == 0)
            return &table[i];
    return NULL;
}

/* NULL: the table is full, which as many routes as there are cannot do. */
static struct request_series *series_of(const char *route, const char *method)
{
    struct request_series *series = series_find(route, method);
    if (series)
        return series;
    pthread_mutex_lock(&adding);
    int count = atomic_load_explicit(&used, memory_order_relaxed);
    series = series_find(route, method);
    if (!series && count < SERIES) {
        series = &table[count];
        series->route = route;
        series->method = method;
        atomic_store_explicit(&used, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&adding);
    return series;
}

static int code_place(unsigned code)
{
    int place = 0;
    while (codes[place] && codes[place] != code)
        place++;
    return codes[place] == code ? place : place + 1;
}

void request_metrics_note(const char *route, const char *method, unsigned code, double seconds)
{
    bool known = route && strcmp(route, "*") != 0;
    struct request_series *series = series_of(known ? route : unknown, method_of(method));
    if (!series)
        return;
    atomic_fetch_add_explicit(&series->counts[code_place(code)], 1, memory_order_relaxed);
    metric_histogram_note(&series->seconds, bounds, seconds);
}

static void codes_write(struct buffer *out, struct request_series *series)
{
    for (int place = 0; place < CODES; place++) {
        char labels[EXPOSITION_LABELS], code[16];
        uint64_t count = atomic_load_explicit(&series->counts[place], memory_order_relaxed);
        if (!count)
            continue;
        bool listed = codes[place] != 0;
        snprintf(code, sizeof code, "%u", codes[place]);
        snprintf(labels, sizeof labels, "route=\"%s\",method=\"%s\",code=\"%s\"", series->route,
                 series->method,
                 listed                   ? code
                 : place == code_place(0) ? "none"
                                          : other);
        exposition_sample(out, "coalesced_http_requests_total", labels, (double)count);
    }
}

void request_metrics_write(struct buffer *out)
{
    int count = atomic_load_explicit(&used, memory_order_acquire);
    exposition_family(out, "coalesced_http_requests_total", "counter",
                      "HTTP requests, by the route's pattern; none: the client left before the reply.");
    for (int i = 0; i < count; i++)
        codes_write(out, &table[i]);
    exposition_family(out, name, "histogram",
                      "From a request's header to the end of its reply, what it asked to wait included.");
    for (int i = 0; i < count; i++) {
        char labels[EXPOSITION_LABELS];
        snprintf(labels, sizeof labels, "route=\"%s\",method=\"%s\"", table[i].route, table[i].method);
        metric_histogram_write(out, name, labels, &table[i].seconds, bounds);
    }
}
