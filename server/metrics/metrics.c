/* The tables of events, durations and requests, and their counters. */
#include "server/metrics/metrics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/stability.h"
#include "server/metrics/exposition.h"

enum { VALUES = 128, UNBOUND = METRICS_DEVICES, ROWS };

static const char other[] = "other";
const char metrics_any[] = "any";

/* ---- events ---- */

static const char *const outcomes[] = {"succeeded",     "cancelled",   "incorrect", "timed_out",  "crashed",
                                       "out_of_memory", "device_lost", "abandoned", "cuda_error", NULL};

static const char *const restarts[] = {
    "crashed",      /* ended by itself, during an experiment or between two */
    "killed",       /* by another process */
    "lost",         /* not heard of for too long, or the connection to it failed */
    "left",         /* asked to leave */
    "timed_out",    /* its experiment exceeded timeout_s */
    "cancelled",    /* its experiment was cancelled */
    "protocol",     /* violated the protocol, or answered late or twice */
    "device_error", /* reported an error that its context does not survive */
    "failed_start", /* no hello, a wrong one, or its test copy failed */
    "idle",         /* no work for --idle-seconds */
    "made_room",    /* made room for the other executor of its device */
    "stopped",      /* with the service */
    NULL};

static const char *outcome_at(int place)
{
    return outcomes[place];
}

static const char *restart_at(int place)
{
    return restarts[place];
}

static const char *stability_at(int place)
{
    return place < STABILITY_CODES ? stability_code_name((enum stability_code)place) : NULL;
}

static const char *kernel_at(int place)
{
    return place < suite_count() ? suite_at(place)->name : NULL;
}

static const struct metric_event {
    const char *name, *help;
    const char *label;                  /* NULL: only the device */
    const char *(*value_at)(int place); /* the label's values; NULL at the end */
    enum { OF_DEVICES, OF_DEVICES_OR_NONE, OF_NO_DEVICE } of;
} events[METRICS_EVENTS] = {
    [EVENT_SUBMITTED] = {"coalesced_experiments_submitted_total", "Experiments that were queued.", NULL, NULL,
                         OF_DEVICES_OR_NONE},
    [EVENT_ENDED] = {"coalesced_experiments_ended_total",
                     "Experiments that ended, by how; whatever is neither succeeded nor cancelled failed.",
                     "outcome", outcome_at, OF_DEVICES_OR_NONE},
    [EVENT_UNSTABLE] = {"coalesced_results_unstable_total",
                        "Reasons for which results are not stable; a result may have several.", "reason",
                        stability_at, OF_DEVICES},
    [EVENT_RESTART] = {"coalesced_executor_restarts_total", "Executors that ended or were ended, by why.",
                       "reason", restart_at, OF_DEVICES},
    [EVENT_INCORRECT] = {"coalesced_results_incorrect_total", "Runs whose output was wrong, by kernel.",
                         "kernel", kernel_at, OF_NO_DEVICE},
};

/* Behind the values of each event is a place for "other". */
static atomic_uint_fast64_t counts[METRICS_EVENTS][ROWS][VALUES];

static int value_place(const struct metric_event *event, const char *value)
{
    int place = 0;
    const char *known;
    if (!event->value_at)
        return 0;
    while (place < VALUES - 1 && (known = event->value_at(place)) && strcmp(known, value) != 0)
        place++;
    return place;
}

void metrics_count(enum metrics_event event, int device, const char *value, uint64_t count)
{
    int row = events[event].of == OF_NO_DEVICE ? 0 : device;
    if (row == -1 && events[event].of == OF_DEVICES_OR_NONE)
        row = UNBOUND;
    else if (row < 0 || row >= METRICS_DEVICES)
        return;
    int place = value_place(&events[event], value ? value : other);
    atomic_fetch_add_explicit(&counts[event][row][place], count, memory_order_relaxed);
}

/* Zeros are written too: Prometheus does not see an increase from no sample to 1. */
static void event_row_write(struct buffer *out, enum metrics_event which, int device)
{
    const struct metric_event *event = &events[which];
    char labels[EXPOSITION_LABELS], row[32] = "";
    const char *value = NULL;
    if (device == UNBOUND)
        snprintf(row, sizeof row, "device=\"%s\"", metrics_any);
    else if (event->of != OF_NO_DEVICE)
        snprintf(row, sizeof row, "device=\"%d\"", device);
    for (int place = 0; place < VALUES; place++) {
        bool last = !event->value_at || place == VALUES - 1 || !(value = event->value_at(place));
        uint64_t count = atomic_load_explicit(&counts[which][device][place], memory_order_relaxed);
        if (!event->value_at)
            snprintf(labels, sizeof labels, "%s", row);
        else
            snprintf(labels, sizeof labels, "%s%s%s=\"%s\"", row, row[0] ? "," : "", event->label,
                     last ? other : value);
        exposition_sample(out, event->name, labels, (double)count);
        if (last)
            return;
    }
}

/* ---- durations ---- */

static const struct span {
    const char *name, *help;
    histogram_bounds bounds;
} spans[METRICS_SPANS] = {
    [SPAN_WAIT] = {"coalesced_experiment_wait_seconds",
                   "From an experiment's submission to its beginning; of those that ended.",
                   {0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3600, 14400, 86400, 0}},
    [SPAN_RUN] = {"coalesced_experiment_duration_seconds",
                  "From an experiment's beginning to its end.",
                  {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 0}},
};
static struct histogram span_histograms[METRICS_SPANS][METRICS_DEVICES];

void metrics_span(enum metrics_span span, int device, double seconds)
{
    if (device >= 0 && device < METRICS_DEVICES)
        exposition_histogram_add(&span_histograms[span][device], spans[span].bounds, seconds);
}

/* ---- requests ---- */

enum { SERIES = 128, CODES = 32 };

/* A series for each route and method that was asked for, in a table that only grows: readers need no lock,
   and `series_lock` is for series_lock. */
static const char request_duration[] = "coalesced_http_request_duration_seconds";
static const char unknown[] = "unknown";
static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"};
static histogram_bounds request_bounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                          0.25,   0.5,   1,      2.5,   5,    10,    30,   60};
/* Ended by 0, no reply; the place behind that is for all other codes. */
static const unsigned codes[CODES] = {200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 406, 408, 409,
                                      410, 413, 414, 415, 416, 421, 422, 429, 431, 500, 501, 503, 507, 0};

static struct request_series {
    const char *route, *method;
    struct histogram seconds;
    atomic_uint_fast64_t counts[CODES];
} series_table[SERIES];
static atomic_int series_count;
static pthread_mutex_t series_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *method_of(const char *method)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i], method) == 0)
            return methods[i];
    return other;
}

static struct request_series *series_find(const char *route, const char *method)
{
    int count = atomic_load_explicit(&series_count, memory_order_acquire);
    for (int i = 0; i < count; i++)
        if (series_table[i].method == method && strcmp(series_table[i].route, route) == 0)
            return &series_table[i];
    return NULL;
}

/* NULL: the table is full, which the routes that exist cannot cause. */
static struct request_series *series_of(const char *route, const char *method)
{
    struct request_series *series = series_find(route, method);
    if (series)
        return series;
    pthread_mutex_lock(&series_lock);
    int count = atomic_load_explicit(&series_count, memory_order_relaxed);
    series = series_find(route, method);
    if (!series && count < SERIES) {
        series = &series_table[count];
        series->route = route;
        series->method = method;
        atomic_store_explicit(&series_count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&series_lock);
    return series;
}

static int code_place(unsigned code)
{
    int place = 0;
    while (codes[place] && codes[place] != code)
        place++;
    return codes[place] == code ? place : place + 1;
}

void metrics_request(const char *route, const char *method, unsigned code, double seconds)
{
    bool known = route && strcmp(route, "*") != 0;
    struct request_series *series = series_of(known ? route : unknown, method_of(method));
    if (!series)
        return;
    atomic_fetch_add_explicit(&series->counts[code_place(code)], 1, memory_order_relaxed);
    exposition_histogram_add(&series->seconds, request_bounds, seconds);
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

static void requests_write(struct buffer *out)
{
    int count = atomic_load_explicit(&series_count, memory_order_acquire);
    exposition_family(out, "coalesced_http_requests_total", "counter",
                      "HTTP requests, by the route's pattern; none: the client left before the reply.");
    for (int i = 0; i < count; i++)
        codes_write(out, &series_table[i]);
    exposition_family(out, request_duration, "histogram",
                      "From a request's header to the end of its reply, what it asked to wait included.");
    for (int i = 0; i < count; i++) {
        char labels[EXPOSITION_LABELS];
        snprintf(labels, sizeof labels, "route=\"%s\",method=\"%s\"", series_table[i].route,
                 series_table[i].method);
        exposition_histogram_write(out, request_duration, labels, &series_table[i].seconds, request_bounds);
    }
}

/* ---- the text of /metrics ---- */

void metrics_write(struct buffer *out, int devices)
{
    for (int event = 0; event < METRICS_EVENTS; event++) {
        exposition_family(out, events[event].name, "counter", events[event].help);
        for (int device = 0; device < (events[event].of == OF_NO_DEVICE ? 1 : devices); device++)
            event_row_write(out, (enum metrics_event)event, device);
        if (devices > 1 && events[event].of == OF_DEVICES_OR_NONE)
            event_row_write(out, (enum metrics_event)event, UNBOUND);
    }
    for (int span = 0; span < METRICS_SPANS; span++) {
        exposition_family(out, spans[span].name, "histogram", spans[span].help);
        for (int device = 0; device < devices; device++) {
            char labels[32];
            snprintf(labels, sizeof labels, "device=\"%d\"", device);
            exposition_histogram_write(out, spans[span].name, labels, &span_histograms[span][device],
                                       spans[span].bounds);
        }
    }
    requests_write(out);
}
