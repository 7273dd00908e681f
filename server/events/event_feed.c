#include "server/events/event_feed.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "server/store/startup_reads.h"

enum { AGE_DECIMALS = 1 };
static const int64_t look_ns = 5000000000;

struct event_feed {
    struct event_history *history;
    struct state_snapshots snapshots;
    struct devices *devices;
    struct readings *readings;
    pthread_mutex_t lock; /* guards what follows */
    void (*news)(void *arg);
    void *arg;
    struct feed_state running[DEVICES_MAX];
    atomic_uint versions[DEVICES_MAX]; /* the version of each of `running`, to be compared without the lock */
    struct feed_state device_states[DEVICES_MAX]; /* of the thread of live streams alone, as the next two */
    struct device_set looked;                     /* the devices of `device_states` */
    int64_t looked_at_ns;
};

/* Called by the store's writer thread after a commit. */
static void on_events(void *arg, const struct store_events *events)
{
    struct event_feed *feed = arg;
    event_history_add(feed->history, events);
    pthread_mutex_lock(&feed->lock);
    if (feed->news)
        feed->news(feed->arg);
    pthread_mutex_unlock(&feed->lock);
}

int event_feed_new(struct event_feed **out, struct store *store, struct devices *devices,
                   struct readings *readings, struct error *error)
{
    struct event_feed *feed = calloc(1, sizeof *feed);
    if (!feed || !(feed->history = event_history_new(STORE_EVENTS_MAX))) {
        free(feed);
        return error_set(error, ERROR_MEMORY, "no memory for events");
    }
    pthread_mutex_init(&feed->lock, NULL);
    pthread_mutex_init(&feed->snapshots.lock, NULL);
    feed->devices = devices;
    feed->readings = readings;
    if (store_events(store, on_events, feed, error) < 0) {
        event_feed_free(feed);
        return -1;
    }
    store_listen(store, on_events, feed);
    *out = feed;
    return 0;
}

void event_feed_free(struct event_feed *feed)
{
    if (!feed)
        return;
    event_history_free(feed->history);
    pthread_mutex_destroy(&feed->lock);
    pthread_mutex_destroy(&feed->snapshots.lock);
    free(feed);
}

void event_feed_listen(struct event_feed *feed, void (*news)(void *arg), void *arg)
{
    pthread_mutex_lock(&feed->lock);
    feed->news = news;
    feed->arg = arg;
    pthread_mutex_unlock(&feed->lock);
}

struct event_history *event_feed_history(struct event_feed *feed)
{
    return feed->history;
}

struct state_snapshots *event_feed_snapshots(struct event_feed *feed)
{
    return &feed->snapshots;
}

int event_feed_devices(const struct event_feed *feed)
{
    return devices_count(feed->devices);
}

static void name_copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

/* The phase is the executor's text and may contain anything. */
static void progress_write(struct feed_state *state, int device, const char *phase, int samples)
{
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    buffer_text(&text, "event: progress\ndata: ");
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "id", state->id);
    json_writer_name(&json, "sweep", state->sweep);
    json_writer_int(&json, "device", device);
    json_writer_string(&json, "phase", phase);
    json_writer_known_int(&json, "samples", samples > 0, samples);
    json_writer_end(&json);
    buffer_text(&text, "\n\n");
    bool fits = !text.failed && text.size < sizeof state->text;
    name_copy(state->text, sizeof state->text, fits ? text.data : "");
    buffer_free(&text);
}

void event_feed_progress(void *arg, int device, const struct task *task, const char *phase, int samples)
{
    struct event_feed *feed = arg;
    struct feed_state now = {0};
    if (phase) {
        name_copy(now.id, sizeof now.id, task->id);
        name_copy(now.sweep, sizeof now.sweep, task->sweep);
        name_copy(now.owner, sizeof now.owner, task->owner);
        progress_write(&now, device, phase, samples);
    }
    pthread_mutex_lock(&feed->lock);
    now.version = feed->running[device].version + 1;
    feed->running[device] = now;
    atomic_store(&feed->versions[device], now.version);
    if (phase && feed->news)
        feed->news(feed->arg);
    pthread_mutex_unlock(&feed->lock);
}

bool event_feed_running(struct event_feed *feed, int device, unsigned version, struct feed_state *state)
{
    if (atomic_load(&feed->versions[device]) == version)
        return false;
    pthread_mutex_lock(&feed->lock);
    *state = feed->running[device];
    pthread_mutex_unlock(&feed->lock);
    return true;
}

static void device_write(struct buffer *out, struct event_feed *feed, int device)
{
    static const struct {
        const char *name;
        enum live_quantity quantity;
    } shown[] = {{"temperature_c", LIVE_TEMPERATURE},     {"power_w", LIVE_POWER},
                 {"sm_clock_mhz", LIVE_SM_CLOCK},         {"memory_clock_mhz", LIVE_MEMORY_CLOCK},
                 {"memory_used_bytes", LIVE_MEMORY_USED}, {"utilisation_pct", LIVE_UTILISATION},
                 {"other_processes", LIVE_OTHERS}};
    struct readings_latest latest[LIVE_QUANTITIES];
    struct device_status status = {0};
    double age_s = -1;
    devices_get(feed->devices, device, &status);
    readings_latest(feed->readings, device, latest);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const struct readings_latest *one = &latest[shown[i].quantity];
        if (one->known && (age_s < 0 || one->age_s < age_s))
            age_s = one->age_s;
    }
    struct json_writer json = {.out = out};
    buffer_text(out, "event: device\ndata: ");
    json_writer_begin_object(&json, NULL);
    json_writer_int(&json, "device", device);
    json_writer_string(&json, "health", devices_health(&status));
    json_writer_name(&json, "reason", status.reason);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const struct readings_latest *one = &latest[shown[i].quantity];
        json_writer_double(&json, shown[i].name, one->known ? one->value : NAN);
    }
    json_writer_fixed(&json, "age_s", age_s, AGE_DECIMALS);
    json_writer_end(&json);
    buffer_text(out, "\n\n");
}

/* Compares all but the age, which is last: a reading that only gets older is no event. */
static bool device_same(const char *a, const char *b)
{
    static const char name[] = ",\"age_s\":";
    const char *age = strstr(a, name);
    return age && strncmp(a, b, (size_t)(age - a) + sizeof name - 1) == 0;
}

static void devices_look(struct event_feed *feed, int64_t now)
{
    feed->looked_at_ns = now;
    feed->looked = devices_listed(feed->devices);
    for (int i = -1; (i = device_set_next(&feed->looked, i + 1)) >= 0;) {
        struct buffer text = {0};
        struct feed_state *state = &feed->device_states[i];
        device_write(&text, feed, i);
        if (!text.failed && text.size < sizeof state->text && !device_same(text.data, state->text)) {
            memcpy(state->text, text.data, text.size + 1);
            state->version++;
        }
        buffer_free(&text);
    }
}

bool event_feed_device(struct event_feed *feed, int device, unsigned version, struct feed_state *state)
{
    int64_t now = clock_monotonic_ns();
    if (!feed->looked_at_ns || now - feed->looked_at_ns >= look_ns)
        devices_look(feed, now);
    if (!device_set_has(&feed->looked, device) || feed->device_states[device].version == version)
        return false;
    *state = feed->device_states[device];
    return true;
}
