/* /metrics: the counters of server/metrics, and the state of the queue, the devices and the store at this
   moment. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/metrics/exposition.h"
#include "server/metrics/metrics.h"
#include "server/queue/queue_view.h"
#include "server/routes/service.h"
#include "version.h"

static route_handler metrics_show;

const struct route metrics_routes[] = {
    /* In Prometheus' text format. Holds no lock for long and asks neither the store nor a device: of a device
       it has the last reading, with its age. */
    {"GET", "/metrics", "text/plain; version=0.0.4; charset=utf-8", .flags = ROUTE_METRICS,
     .handle = metrics_show},
    {0},
};

static_assert((int)METRICS_DEVICES == (int)DEVICES_MAX, "each device has a row of counters");

/* ---- of each device ---- */

/* A number of each device; a row in families[], and what it is in row_read(). */
enum { OLDEST, RUNNING, BUSY, PAUSED, HEALTHY, FAMILIES };

/* The state of one device, read once for all families. */
struct row {
    int device;
    bool listed;
    char name[DEVICE_NAME_BYTES];
    int bound; /* experiments that wait and may run only there */
    double families[FAMILIES];
    struct device_status status;
    struct readings_latest latest[LIVE_QUANTITIES];
};

static const struct {
    const char *name, *type, *help;
} families[FAMILIES] = {
    [OLDEST] = {"coalesced_queue_oldest_seconds", "gauge",
                "How long the oldest one that may run there has waited; 0: none waits."},
    [RUNNING] = {"coalesced_device_running", "gauge", "Experiments that run: 0 or 1."},
    [BUSY] = {"coalesced_device_busy_seconds_total", "counter", "For how long experiments had the device."},
    [PAUSED] = {"coalesced_device_paused", "gauge",
                "1: it was drained, or the queue paused, and takes nothing new."},
    [HEALTHY] = {"coalesced_device_healthy", "gauge", "1: an executor answers, is being started or can be."},
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
        device_sample(out, name, rows[i].device, rows[i].bound);
        unbound -= rows[i].bound;
    }
    snprintf(labels, sizeof labels, "device=\"%s\"", metrics_any);
    if (devices_count(service->devices) > 1)
        exposition_sample(out, name, labels, unbound > 0 ? unbound : 0);
}

static void row_read(const struct service *service, int device, bool listed, struct row *row)
{
    struct device_stats stats;
    queue_view_device(service->queue, device, &stats);
    devices_get(service->devices, device, &row->status);
    readings_latest(service->readings, device, row->latest);
    devices_name(service->devices, device, row->name);
    row->device = device;
    row->listed = listed;
    row->bound = stats.bound;
    row->families[OLDEST] = stats.oldest_s;
    row->families[RUNNING] = stats.running[0] != '\0';
    row->families[BUSY] = stats.busy_s;
    row->families[PAUSED] = queue_view_held(service->queue, device);
    row->families[HEALTHY] = !devices_unusable_reason(&row->status);
}

static void devices_write(struct buffer *out, const struct service *service)
{
    const struct device_set shown = service_shown_devices(service);
    const struct device_set listed = devices_listed(service->devices);
    struct row *rows = calloc(DEVICES_MAX, sizeof *rows);
    int count = 0;
    out->failed |= !rows;
    for (int i = -1; rows && (i = device_set_next(&shown, i + 1)) >= 0;)
        row_read(service, i, device_set_has(&listed, i), &rows[count++]);
    depth_write(out, service, rows, count);
    for (int f = 0; f < FAMILIES; f++) {
        exposition_family(out, families[f].name, families[f].type, families[f].help);
        for (int i = 0; i < count; i++)
            if (rows[i].listed || f != HEALTHY) /* a device that left the list is not unhealthy */
                device_sample(out, families[f].name, rows[i].device, rows[i].families[f]);
    }
    facts_write(out, rows, count);
    quantities_write(out, rows, count);
    throttle_write(out, rows, count);
    free(rows);
}

/* ---- the answer ---- */

/* While the store cannot be opened: the counters, the process and its disk. */
static enum handled metrics_show(struct request *request)
{
    const struct service *service = service_of(request);
    struct buffer body = {0};
    char labels[EXPOSITION_LABELS];
    bool stored = !service->starting && store_healthy(service->store, NULL);
    bool ready = stored && devices_usable(service->devices) && !queue_view_stopping(service->queue);
    if (!service->starting)
        devices_write(&body, service);
    metrics_write(&body, service->starting ? 0 : devices_count(service->devices), service->data_dir);
    snprintf(labels, sizeof labels, "version=\"%s\",commit=\"%s\"", COALESCED_VERSION, coalesced_commit);
    exposition_family(&body, "coalesced_build_info", "gauge", "The build that answers.");
    exposition_sample(&body, "coalesced_build_info", labels, 1);
    exposition_single(&body, "coalesced_ready", "gauge",
                      "1: /readyz answers 200; what is paused counts as ready.", ready);
    exposition_single(&body, "coalesced_store_healthy", "gauge", "1: the store's last write is on disk.",
                      stored);
    exposition_single(&body, "coalesced_store_damaged", "gauge",
                      "1: a page of the database could not be read, because the file is damaged.",
                      store_damaged());
    return reply_body(request, 200, &body);
}
