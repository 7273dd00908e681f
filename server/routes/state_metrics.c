#include "server/routes/state_metrics.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/metrics/exposition.h"
#include "server/metrics/metrics.h"
#include "server/queue/queue_view.h"
#include "server/routes/device_reply.h"
#include "server/routes/service.h"
#include "version.h"

static_assert((int)METRICS_DEVICES == (int)DEVICES_MAX, "each device has a row of counters");

/* ---- of each device ---- */

/* The state of one device, read once for all families. */
struct row {
    int device;
    bool listed;
    char name[DEVICE_NAME_BYTES];
    struct device_stats depth;
    bool held;
    struct device_status status;
    struct readings_latest latest[LIVE_QUANTITIES];
};

static double running(const struct row *row)
{
    return row->depth.running[0] != '\0';
}

static double oldest(const struct row *row)
{
    return row->depth.oldest_s;
}

static double busy(const struct row *row)
{
    return row->depth.busy_s;
}

static double paused(const struct row *row)
{
    return row->held;
}

static double healthy(const struct row *row)
{
    return !devices_unusable_reason(&row->status);
}

static const struct {
    const char *name, *type, *help;
    double (*value)(const struct row *row);
} families[] = {
    {"coalesced_queue_oldest_seconds", "gauge",
     "How long the oldest one that may run there has waited; 0: none waits.", oldest},
    {"coalesced_device_running", "gauge", "Experiments that run: 0 or 1.", running},
    {"coalesced_device_busy_seconds_total", "counter", "For how long experiments had the device.", busy},
    {"coalesced_device_paused", "gauge", "1: it was drained, or the queue paused, and takes nothing new.",
     paused},
    {"coalesced_device_healthy", "gauge", "1: an executor answers, is being started or can be.", healthy},
};

/* Quantities in NVML's units, with the factor to base units. */
static const struct {
    enum live_quantity quantity;
    const char *key, *name, *help;
    double times;
} quantities[] = {
    {LIVE_TEMPERATURE, "temperature", "coalesced_device_temperature_celsius", "Temperature of the chip.", 1},
    {LIVE_POWER, "power", "coalesced_device_power_watts", "Power that the board takes.", 1},
    {LIVE_SM_CLOCK, "sm_clock", "coalesced_device_sm_clock_hertz", "Clock of the multiprocessors.", 1e6},
    {LIVE_MEMORY_CLOCK, "memory_clock", "coalesced_device_memory_clock_hertz", "Clock of the memory.", 1e6},
    {LIVE_MEMORY_USED, "memory_used", "coalesced_device_memory_used_bytes",
     "Memory in use on the device, by everybody.", 1},
    {LIVE_UTILISATION, "utilisation", "coalesced_device_utilisation_ratio",
     "The part of the second before the reading in which a kernel ran.", 0.01},
    {LIVE_OTHERS, "other_processes", "coalesced_device_other_processes",
     "Processes of others with a context on the device.", 1},
    {LIVE_THROTTLE, "throttle", NULL, NULL, 1},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static void device_sample(struct buffer *out, const char *name, int device, double value)
{
    char labels[32];
    snprintf(labels, sizeof labels, "device=\"%d\"", device);
    exposition_sample(out, name, labels, value);
}

static void quantities_write(struct buffer *out, const struct row *rows, int count)
{
    static const char age[] = "coalesced_device_reading_age_seconds";
    for (int q = 0; q < QUANTITIES; q++) {
        if (!quantities[q].name)
            continue;
        exposition_family(out, quantities[q].name, "gauge", quantities[q].help);
        for (int i = 0; i < count; i++) {
            const struct readings_latest *latest = &rows[i].latest[quantities[q].quantity];
            if (latest->known)
                device_sample(out, quantities[q].name, rows[i].device, latest->value * quantities[q].times);
        }
    }
    exposition_family(out, age, "gauge", "How old the last reading is of which that quantity is told.");
    for (int i = 0; i < count; i++)
        for (int q = 0; q < QUANTITIES; q++) {
            const struct readings_latest *latest = &rows[i].latest[quantities[q].quantity];
            char labels[64];
            snprintf(labels, sizeof labels, "device=\"%d\",quantity=\"%s\"", rows[i].device,
                     quantities[q].key);
            if (latest->known)
                exposition_sample(out, age, labels, latest->age_s);
        }
}

static void throttle_write(struct buffer *out, const struct row *rows, int count)
{
    static const char name[] = "coalesced_device_throttle_reason";
    exposition_family(out, name, "gauge",
                      "1: the clocks were held back for that reason at the last reading.");
    for (int i = 0; i < count; i++) {
        const struct readings_latest *latest = &rows[i].latest[LIVE_THROTTLE];
        const char *reason;
        for (int bit = 0; latest->known && (reason = live_throttle_name(bit)); bit++) {
            char labels[64];
            snprintf(labels, sizeof labels, "device=\"%d\",reason=\"%s\"", rows[i].device, reason);
            exposition_sample(out, name, labels, (double)((unsigned long long)latest->value >> bit & 1));
        }
    }
}

static void facts_write(struct buffer *out, const struct row *rows, int count)
{
    exposition_family(out, "coalesced_device_info", "gauge", "Which device that number is.");
    for (int i = 0; i < count; i++) {
        char labels[EXPOSITION_LABELS], name[320], kind[32], alias[96];
        exposition_label(name, sizeof name, "name", rows[i].status.facts.name);
        exposition_label(kind, sizeof kind, "kind", rows[i].status.facts.backend);
        exposition_label(alias, sizeof alias, "device_name", rows[i].name);
        snprintf(labels, sizeof labels, "device=\"%d\",%s,%s,%s", rows[i].device, alias, kind, name);
        if (rows[i].status.known)
            exposition_sample(out, "coalesced_device_info", labels, 1);
    }
    exposition_family(out, "coalesced_device_memory_size_bytes", "gauge", "Memory of the device.");
    for (int i = 0; i < count; i++)
        if (rows[i].status.known)
            device_sample(out, "coalesced_device_memory_size_bytes", rows[i].device,
                          (double)rows[i].status.facts.memory_bytes);
}

/* Counts each waiting experiment once, so that the rows add up. */
static void depth_write(struct buffer *out, const struct service *service, const struct row *rows, int count)
{
    static const char name[] = "coalesced_queue_depth";
    struct device_stats all;
    char labels[32];
    queue_view_device(service->queue, QUEUE_ALL_DEVICES, &all);
    int unbound = all.queued;
    exposition_family(out, name, "gauge", "Experiments that wait, by the one device that they wait for.");
    for (int i = 0; i < count; i++) {
        device_sample(out, name, rows[i].device, rows[i].depth.bound);
        unbound -= rows[i].depth.bound;
    }
    snprintf(labels, sizeof labels, "device=\"%s\"", metrics_any);
    if (devices_count(service->devices) > 1)
        exposition_sample(out, name, labels, unbound > 0 ? unbound : 0);
}

/* Reads the rows of all devices that are shown; returns how many. */
static int rows_read(const struct service *service, struct row *rows)
{
    struct device_set shown = device_reply_shown(service), listed = devices_listed(service->devices);
    int count = 0;
    for (int i = -1; (i = device_set_next(&shown, i + 1)) >= 0;) {
        struct row *row = &rows[count++];
        row->device = i;
        row->listed = device_set_has(&listed, i);
        service_device_name(service->devices, i, row->name);
        queue_view_device(service->queue, i, &row->depth);
        row->held = queue_view_held(service->queue, i);
        devices_get(service->devices, i, &row->status);
        readings_latest(service->readings, i, row->latest);
    }
    return count;
}

/* Returns whether one of the list can be used. */
static bool devices_write(struct buffer *out, const struct service *service)
{
    static const size_t family_count = sizeof families / sizeof *families;
    struct row *rows = calloc(DEVICES_MAX, sizeof *rows);
    int count = rows ? rows_read(service, rows) : 0;
    bool usable = false;
    out->failed |= !rows;
    for (int i = 0; i < count; i++)
        usable |= rows[i].listed && healthy(&rows[i]) > 0;
    depth_write(out, service, rows, count);
    for (size_t f = 0; f < family_count; f++) {
        exposition_family(out, families[f].name, families[f].type, families[f].help);
        for (int i = 0; i < count; i++)
            if (rows[i].listed ||
                families[f].value != healthy) /* a device that left the list is not unhealthy */
                device_sample(out, families[f].name, rows[i].device, families[f].value(&rows[i]));
    }
    facts_write(out, rows, count);
    quantities_write(out, rows, count);
    throttle_write(out, rows, count);
    free(rows);
    return usable;
}

/* ---- of the service ---- */

static void service_write(struct buffer *out, bool ready, bool stored)
{
    char labels[EXPOSITION_LABELS];
    snprintf(labels, sizeof labels, "version=\"%s\",commit=\"%s\"", COALESCED_VERSION, coalesced_commit);
    exposition_family(out, "coalesced_build_info", "gauge", "The build that answers.");
    exposition_sample(out, "coalesced_build_info", labels, 1);
    exposition_single(out, "coalesced_ready", "gauge", "1: /readyz says that an experiment would run now.",
                      ready);
    exposition_single(out, "coalesced_store_healthy", "gauge", "1: the store's last write is on disk.",
                      stored);
}

void state_metrics_write(struct buffer *out, const struct service *service)
{
    bool stored = store_healthy(service->store, NULL);
    bool ready = devices_usable(service->devices) && stored && !queue_view_stopping(service->queue);
    devices_write(out, service);
    metrics_write(out, devices_count(service->devices), service->data_dir);
    service_write(out, ready, stored);
}

void state_metrics_write_starting(struct buffer *out, const char *data_dir)
{
    metrics_write(out, 0, data_dir);
    service_write(out, false, false);
}
