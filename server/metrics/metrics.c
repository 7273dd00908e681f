#include "server/metrics/metrics.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/words.h"
#include "kernels/kernel.h"
#include "kernels/stability.h"
#include "server/metrics/exposition.h"

enum { VALUES = 128, UNBOUND = METRICS_DEVICES, ROWS };

static const char other[] = "other";
const char metrics_any[] = "any";

/* ---- events ---- */

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
    "evicted",      /* made room for the other executor of its device, or the device was paused */
    "stopped",      /* with the service */
    NULL};

static const char *outcome_at(int place)
{
    int kind = ERROR_OUT_OF_MEMORY + place - 1;
    if (!place)
        return "succeeded";
    return kind < ERROR_KIND_COUNT ? error_kind_name((enum error_kind)kind) : NULL;
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
static void event_row_write(struct buffer *out, enum metrics_event which, int row)
{
    const struct metric_event *event = &events[which];
    char labels[EXPOSITION_LABELS], device[32] = "";
    const char *value = NULL;
    if (row == UNBOUND)
        snprintf(device, sizeof device, "device=\"%s\"", metrics_any);
    else if (event->of != OF_NO_DEVICE)
        snprintf(device, sizeof device, "device=\"%d\"", row);
    for (int place = 0; place < VALUES; place++) {
        bool last = !event->value_at || place == VALUES - 1 || !(value = event->value_at(place));
        uint64_t count = atomic_load_explicit(&counts[which][row][place], memory_order_relaxed);
        snprintf(labels, sizeof labels, "%s%s%s=\"%s\"", device, device[0] ? "," : "",
                 event->label ? event->label : "", last ? other : value);
        exposition_sample(out, event->name, event->label ? labels : device, (double)count);
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

/* 0: no reply. The place behind them is for all other codes. */
static const unsigned codes[] = {0,   200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 406, 408,
                                 409, 410, 413, 414, 415, 416, 421, 422, 429, 431, 500, 501, 503, 507};
enum { SERIES = 128, CODES = sizeof codes / sizeof *codes };

/* A series for each route and method that was asked for, in a table that only grows: readers need no lock,
   and `series_lock` is for series_lock. */
static const char request_duration[] = "coalesced_http_request_duration_seconds";
static const char unknown[] = "unknown";
static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"};
static histogram_bounds request_bounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                          0.25,   0.5,   1,      2.5,   5,    10,    30,   60};

static struct request_series {
    const char *route, *method;
    struct histogram seconds;
    atomic_uint_fast64_t counts[CODES + 1];
} series_table[SERIES];
static atomic_int series_count;
static pthread_mutex_t series_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *method_of(const char *method)
{
    int i = words_find(method, WORDS_TABLE(methods));
    return i < 0 ? other : methods[i];
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
    while (place < CODES && codes[place] != code)
        place++;
    return place;
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
    for (int place = 0; place <= CODES; place++) {
        char labels[EXPOSITION_LABELS], code[16] = "none";
        uint64_t count = atomic_load_explicit(&series->counts[place], memory_order_relaxed);
        if (!count)
            continue;
        if (place)
            snprintf(code, sizeof code, "%u", place < CODES ? codes[place] : 0);
        snprintf(labels, sizeof labels, "route=\"%s\",method=\"%s\",code=\"%s\"", series->route,
                 series->method, place < CODES ? code : other);
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

/* ---- the process and its data directory, from the operating system ---- */

static double clock_s(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double start_s; /* since 1970 */

/* Before main(), so that later changes of the clock do not change it. */
__attribute__((constructor)) static void start_note(void)
{
    start_s = clock_s(CLOCK_REALTIME);
}

/* Since Linux 6.2 the directory's size is the number of files; before, the entries are counted. */
static double open_files(void)
{
    struct stat status;
    if (stat("/proc/self/fd", &status) == 0 && status.st_size > 0)
        return (double)status.st_size;
    DIR *directory = opendir("/proc/self/fd");
    double count = -3; /* ".", ".." and the directory's own descriptor */
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static void memory_write(struct buffer *out)
{
    unsigned long long total = 0, resident = 0;
    double page = (double)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "re");
    int found = file ? fscanf(file, "%llu %llu", &total, &resident) : 0;
    if (file)
        fclose(file);
    if (found != 2)
        return;
    exposition_single(out, "process_resident_memory_bytes", "gauge", "Memory that is in use.",
                      (double)resident * page);
    exposition_single(out, "process_virtual_memory_bytes", "gauge", "Addresses that are in use.",
                      (double)total * page);
}

static void process_write(struct buffer *out)
{
    struct rlimit files;
    exposition_single(out, "process_cpu_seconds_total", "counter",
                      "Processor time of the service, without its executors.",
                      clock_s(CLOCK_PROCESS_CPUTIME_ID));
    memory_write(out);
    exposition_single(out, "process_open_fds", "gauge", "Open files, connections included.", open_files());
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        exposition_single(out, "process_max_fds", "gauge", "The limit on open files.",
                          (double)files.rlim_cur);
    exposition_single(out, "process_start_time_seconds", "gauge",
                      "When the service started, in seconds since 1970.", start_s);
}

/* 0 if the file does not exist. */
static double file_bytes(const char *directory, const char *file)
{
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", directory, file);
    return stat(path, &status) == 0 ? (double)status.st_size : 0;
}

/* SQLite is not asked, so this works while the store does not. */
static void storage_write(struct buffer *out, const char *data_dir)
{
    struct statvfs disk;
    exposition_family(out, "coalesced_store_bytes", "gauge", "Size of the database and of its log.");
    exposition_sample(out, "coalesced_store_bytes", "file=\"database\"",
                      file_bytes(data_dir, "coalesced.db"));
    exposition_sample(out, "coalesced_store_bytes", "file=\"wal\"", file_bytes(data_dir, "coalesced.db-wal"));
    if (statvfs(data_dir, &disk) < 0)
        return;
    exposition_single(out, "coalesced_data_directory_free_bytes", "gauge",
                      "What the service may still write into its data directory.",
                      (double)disk.f_bavail * (double)disk.f_frsize);
    exposition_single(out, "coalesced_data_directory_size_bytes", "gauge",
                      "Size of the file system of the data directory.",
                      (double)disk.f_blocks * (double)disk.f_frsize);
}

void metrics_write(struct buffer *out, int devices, const char *data_dir)
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
    storage_write(out, data_dir);
    process_write(out);
}
