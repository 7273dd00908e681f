#include "server/events/subscription.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* How old a snapshot becomes before it is made again. */
static const int64_t snapshot_ns = 1000000000;

/* Bytes of a piece, the most that a client that does not read occupies. */
enum { PIECE_BYTES = 8 << 10 };

/* The state of an experiment or a sweep now, as JSON, made once for all of its subscriptions. */
struct state_snapshot {
    LIST_ENTRY(state_snapshot) next;
    char id[ID_BYTES];
    int subscribers; /* with the lock of struct state_snapshots; what follows is of the thread of live streams alone */
    bool ended; /* the state does not change any more */
    bool stale; /* an event may have changed the state */
    int64_t made_ns;
    unsigned version; /* grows when the text changes; 0: no text yet */
    struct buffer text;
};

struct subscription {
    struct event_feed *feed;
    struct subscription_config config;
    char id[ID_BYTES], owner[USER_NAME_BYTES];
    bool fresh;
    int64_t sent_id; /* the last event that was sent, or that does not concern this subscription */
    /* the experiment or sweep had ended at the beginning; the stream ends after the event `end_id` */
    bool ends;
    int64_t end_id;
    bool over;
    struct buffer begin;             /* bytes that are sent first, then empty */
    struct state_snapshot *snapshot; /* NULL: SUBSCRIBE_ALL */
    int64_t snapshot_id;             /* sent_id when the snapshot was refreshed */
    unsigned snapshot_version, running_versions[DEVICES_MAX], device_versions[DEVICES_MAX];
};

/* NULL: no memory. */
static struct state_snapshot *snapshot_join(struct state_snapshots *snapshots, const char *id)
{
    struct state_snapshot *snapshot;
    pthread_mutex_lock(&snapshots->lock);
    LIST_FOREACH (snapshot, &snapshots->all, next)
        if (strcmp(snapshot->id, id) == 0)
            break;
    if (!snapshot && (snapshot = calloc(1, sizeof *snapshot))) {
        memcpy(snapshot->id, id, ID_BYTES);
        snapshot->stale = true;
        LIST_INSERT_HEAD(&snapshots->all, snapshot, next);
    }
    if (snapshot)
        snapshot->subscribers++;
    pthread_mutex_unlock(&snapshots->lock);
    return snapshot;
}

/* The last one frees it. */
static void snapshot_leave(struct state_snapshots *snapshots, struct state_snapshot *snapshot)
{
    pthread_mutex_lock(&snapshots->lock);
    bool last = --snapshot->subscribers == 0;
    if (last)
        LIST_REMOVE(snapshot, next);
    pthread_mutex_unlock(&snapshots->lock);
    if (last) {
        buffer_free(&snapshot->text);
        free(snapshot);
    }
}

/* The number of a Last-Event-ID; 0: the text is not a number. */
static int64_t number_of(const char *text)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    return errno || *end || text[0] < '0' || text[0] > '9' ? 0 : number;
}

/* Decides whether the stream continues after an event, or begins anew with a snapshot. */
static void position_find(struct subscription *subscription, const char *last_event_id)
{
    struct event_history *history = event_feed_history(subscription->feed);
    int64_t number = last_event_id ? number_of(last_event_id) : 0;
    subscription->fresh = !number || !event_history_knows(history, number);
    subscription->sent_id = subscription->fresh ? event_history_last(history) : number;
    if (last_event_id && last_event_id[0] && subscription->fresh)
        buffer_text(
            &subscription->begin,
            "event: reset\ndata: {\"reason\":\"what has happened since that Last-Event-ID is not known "
            "any more: it is too old, or of another database\"}\n\n");
}

struct subscription *subscription_new(struct event_feed *feed, const struct subscription_config *config,
                                      const char *last_event_id)
{
    struct subscription *subscription = calloc(1, sizeof *subscription);
    if (!subscription)
        return NULL;
    subscription->feed = feed;
    subscription->config = *config;
    if (config->id)
        snprintf(subscription->id, sizeof subscription->id, "%s", config->id);
    if (config->owner)
        snprintf(subscription->owner, sizeof subscription->owner, "%s", config->owner);
    position_find(subscription, last_event_id);
    if (config->what != SUBSCRIBE_ALL)
        subscription->snapshot = snapshot_join(event_feed_snapshots(feed), subscription->id);
    if (subscription->begin.failed || (config->what != SUBSCRIBE_ALL && !subscription->snapshot)) {
        subscription_free(subscription);
        return NULL;
    }
    return subscription;
}

void subscription_free(void *arg)
{
    struct subscription *subscription = arg;
    if (!subscription)
        return;
    if (subscription->snapshot)
        snapshot_leave(event_feed_snapshots(subscription->feed), subscription->snapshot);
    buffer_free(&subscription->begin);
    free(subscription);
}

bool subscription_fresh(const struct subscription *subscription)
{
    return subscription->fresh;
}

static void event_write(struct buffer *out, const char *kind, const struct buffer *data)
{
    buffer_format(out, "event: %s\ndata: ", kind);
    buffer_append(out, data->data, data->size);
    buffer_text(out, "\n\n");
}

void subscription_begin(struct subscription *subscription, struct buffer *snapshot)
{
    buffer_format(&subscription->begin, "id: %lld\n", (long long)subscription->sent_id);
    event_write(&subscription->begin, "snapshot", snapshot);
    subscription->begin.failed |= snapshot->failed;
    buffer_free(snapshot);
}

/* A fresh client has seen the end in its snapshot, so the stream ends at once. */
void subscription_end(struct subscription *subscription, int64_t last)
{
    subscription->ends = true;
    subscription->end_id = subscription->fresh ? 0 : last;
}

/* ---- which events concern a subscription ---- */

/* Searches the event's line for a JSON member. */
static bool data_has(const struct event *event, const char *member)
{
    size_t length = (size_t)(event->text + event->size - event->data);
    return memmem(event->data, length, member, strlen(member)) != NULL;
}

static const char data_id[] = "{\"id\":\"", data_sweep[] = "\",\"sweep\":\"";
enum { AT_ID = sizeof data_id - 1, AT_SWEEP = AT_ID + ID_BYTES - 1 + sizeof data_sweep - 1 };

static bool is_about(const struct subscription *subscription, const struct event *event, size_t at)
{
    return memcmp(event->data + at, subscription->id, ID_BYTES - 1) == 0;
}

static bool is_of_sweep(const struct subscription *subscription, const struct event *event)
{
    return memcmp(event->data + AT_ID + ID_BYTES - 1, data_sweep, sizeof data_sweep - 1) == 0 &&
           is_about(subscription, event, AT_SWEEP);
}

static bool passes_filters(const struct subscription *subscription, const struct event *event)
{
    char member[sizeof "\"owner\":\"\"," + USER_NAME_BYTES];
    if (subscription->owner[0] && event->kind != EVENT_QUEUE) {
        if (strcmp(subscription->owner, OWNER_NOBODY) == 0)
            snprintf(member, sizeof member, "\"owner\":null,");
        else
            snprintf(member, sizeof member, "\"owner\":\"%s\",", subscription->owner);
        if (!data_has(event, member))
            return false;
    }
    if (subscription->config.device < 0)
        return true;
    snprintf(member, sizeof member, "\"device\":%d,", subscription->config.device);
    return event->kind != EVENT_SWEEP && event->kind != EVENT_REMOVAL &&
           (data_has(event, member) || (event->kind == EVENT_QUEUE && data_has(event, "\"device\":null,")));
}

static bool is_for(const struct subscription *subscription, const struct event *event)
{
    if (subscription->config.what == SUBSCRIBE_ALL)
        return passes_filters(subscription, event);
    if (event->kind == EVENT_QUEUE || event->kind == EVENT_REMOVAL)
        return false;
    if (subscription->config.what == SUBSCRIBE_EXPERIMENT)
        return event->kind == EVENT_STATE && is_about(subscription, event, AT_ID);
    return event->kind == EVENT_STATE ? is_of_sweep(subscription, event)
                                      : is_about(subscription, event, AT_ID);
}

static bool is_last(const struct subscription *subscription, const struct event *event)
{
    if (subscription->config.what == SUBSCRIBE_SWEEP)
        return event->kind == EVENT_SWEEP && data_has(event, "\"ended\":true");
    return subscription->config.what == SUBSCRIBE_EXPERIMENT && !data_has(event, "\"state\":\"queued\"") &&
           !data_has(event, "\"state\":\"running\"");
}

/* A pause changes the place of an experiment too, though the event names none. */
static void batch_send(struct subscription *subscription, const struct batch *batch, struct buffer *out)
{
    struct event event;
    for (int i = 0; batch_event(batch, i, &event) && !subscription->over && out->size < PIECE_BYTES; i++) {
        if (event.id <= subscription->sent_id)
            continue;
        subscription->sent_id = event.id;
        bool wanted = is_for(subscription, &event);
        if (subscription->snapshot)
            subscription->snapshot->stale |= wanted || event.kind == EVENT_QUEUE;
        if (!wanted)
            continue;
        buffer_append(out, event.text, event.size);
        subscription->over = is_last(subscription, &event);
    }
}

/* 0, or -1: events in between are not in memory any more. */
static int history_send(struct subscription *subscription, struct buffer *out)
{
    while (!subscription->over && out->size < PIECE_BYTES) {
        bool lost;
        struct batch *batch =
            event_history_next(event_feed_history(subscription->feed), subscription->sent_id, &lost);
        if (lost)
            return -1;
        if (!batch)
            break;
        batch_send(subscription, batch, out);
        batch_release(batch);
    }
    return 0;
}

/* ---- what is true now ---- */

/* Has the state written again when an event may have changed it. */
static void snapshot_refresh(struct state_snapshot *snapshot, const struct subscription_config *config)
{
    int64_t now_ns = clock_monotonic_ns();
    struct buffer text = {0};
    if (!snapshot->stale || (snapshot->made_ns && now_ns - snapshot->made_ns < snapshot_ns))
        return;
    snapshot->stale = false;
    snapshot->made_ns = now_ns;
    config->write_state(config->arg, snapshot->id, &text);
    if (!text.size || text.failed ||
        (text.size == snapshot->text.size && memcmp(text.data, snapshot->text.data, text.size) == 0)) {
        buffer_free(&text);
        return;
    }
    buffer_free(&snapshot->text);
    snapshot->text = text;
    snapshot->version++;
}

static void snapshot_send(struct subscription *subscription, struct buffer *out)
{
    const struct subscription_config *config = &subscription->config;
    struct state_snapshot *snapshot = subscription->snapshot;
    /* Other experiments change the place of this one, but not the points of a sweep. */
    if (config->what == SUBSCRIBE_EXPERIMENT && subscription->snapshot_id != subscription->sent_id)
        snapshot->stale = true;
    subscription->snapshot_id = subscription->sent_id;
    snapshot_refresh(snapshot, config);
    if (snapshot->version == subscription->snapshot_version)
        return;
    subscription->snapshot_version = snapshot->version;
    event_write(out, config->state_kind, &snapshot->text);
}

static bool runs_for(const struct subscription *subscription, int device, const struct feed_state *running)
{
    const struct subscription_config *config = &subscription->config;
    if (config->what == SUBSCRIBE_EXPERIMENT)
        return strcmp(running->id, subscription->id) == 0;
    if (config->what == SUBSCRIBE_SWEEP)
        return strcmp(running->sweep, subscription->id) == 0;
    return (config->device < 0 || config->device == device) &&
           (!subscription->owner[0] || strcmp(running->owner, user_name_stored(subscription->owner)) == 0);
}

static void state_send(struct subscription *subscription, struct buffer *out)
{
    struct feed_state state;
    for (int i = 0, count = event_feed_devices(subscription->feed); i < count; i++) {
        if (event_feed_running(subscription->feed, i, subscription->running_versions[i], &state)) {
            subscription->running_versions[i] = state.version;
            if (runs_for(subscription, i, &state))
                buffer_text(out, state.text);
        }
        if (subscription->config.what != SUBSCRIBE_ALL ||
            (subscription->config.device >= 0 && subscription->config.device != i))
            continue;
        if (event_feed_device(subscription->feed, i, subscription->device_versions[i], &state)) {
            subscription->device_versions[i] = state.version;
            buffer_text(out, state.text);
        }
    }
    if (subscription->snapshot)
        snapshot_send(subscription, out);
}

static void end_send(struct subscription *subscription, struct buffer *out)
{
    struct state_snapshot *snapshot = subscription->snapshot;
    struct buffer data = {0};
    if (!snapshot->ended) { /* once more, without delay */
        snapshot->ended = snapshot->stale = true;
        snapshot->made_ns = 0;
    }
    snapshot_send(subscription, out);
    subscription->config.write_end(subscription->config.arg, subscription->id, &data);
    if (data.size && !data.failed)
        event_write(out, "end", &data);
    buffer_free(&data);
}

int subscription_more(void *arg, struct buffer *out, struct error *error)
{
    struct subscription *subscription = arg;
    if (subscription->begin.failed)
        return error_set(error, ERROR_MEMORY, "there is no memory for a snapshot");
    if (subscription->begin.size)
        buffer_append(out, subscription->begin.data, subscription->begin.size);
    buffer_free(&subscription->begin);
    if (history_send(subscription, out) < 0)
        return error_set(error, ERROR_UNAVAILABLE, "it reads more slowly than things happen");
    subscription->over |= subscription->ends && subscription->sent_id >= subscription->end_id;
    if (subscription->over) {
        end_send(subscription, out);
        return 0;
    }
    if (out->size < PIECE_BYTES)
        state_send(subscription, out);
    return 1;
}
