#include "server/metrics/metrics.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/stability.h"
#include "server/metrics/exposition.h"
#include "server/metrics/metric_histogram.h"
#include "server/metrics/request_metrics.h"

enum { VALUES = 128, UNBOUND = METRICS_DEVICES, ROWS };

static const char other[] = "other";
const char metrics_any[] = "any";

/* ---- what happens ---- */

static const char *const outcomes[] = {"succeeded",     "cancelled",   "incorrect", "timed_out",  "crashed",
                                       "out_of_memory", "device_lost", "abandoned", "cuda_error", NULL};

static const char *const restarts[] = {
    "crashed",      /* it ended by itself, in an experiment or between two */
    "killed",       /* by somebody else */
    "lost",         /* nothing was heard of it, or the way to it broke */
    "left",         /* somebody asked it to go */
    "timed_out",    /* its experiment ran past timeout_s */
    "cancelled",    /* its experiment was cancelled */
    "protocol",     /* it broke the protocol, or answered late or twice */
    "device_error", /* after an error that leaves its context beyond repair */
    "failed_start", /* no hello, or a wrong one, or its test copy failed */
    "idle",         /* without work for --idle-seconds */
    "made_room",    /* for the other executor of its device */
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

static const struct event {
    const char *name, *help;
    const char *label;                  /* NULL: none but the device */
    const char *(*value_at)(int place); /* what the label may say; NULL: no more */
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

/* Each event has a place for "other" behind its values. */
static atomic_uint_fast64_t counts[METRICS_EVENTS][ROWS][VALUES];

static int value_place(const struct event *event, const char *value)
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

/* Zeros too: an increase from nothing to 1 is none to Prometheus. */
static void event_row_write(struct buffer *out, enum metrics_event which, int device)
{
    const struct event *event = &events[which];
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

/* ---- how long it takes ---- */

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
        metric_histogram_note(&span_histograms[span][device], spans[span].bounds, seconds);
}

/* ---- requests ---- */

void metrics_request(const char *route, const char *method, unsigned code, double seconds)
{
    request_metrics_note(route, method, code, seconds);
}

/* ---- the text ---- */

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
            metric_histogram_write(out, spans[span].name, labels, &span_histograms[span][device],
                                   spans[span].bounds);
        }
    }
    request_metrics_write(out);
}
