#include "server/events/subscription.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/events/state_snapshot.h"

/* What is gathered before it is sent: what a client that does not read holds. */
enum { MORE_BYTES = 8 << 10 };

struct subscription {
    struct event_feed *feed;
    struct subscription_config config;
    char id[ID_BYTES], owner[USER_NAME_BYTES];
    bool fresh;
    int64_t heard; /* the number of the last event that it has, or that is not for it */
    bool ends;     /* it had ended: when `end_at` is heard all is told */
    int64_t end_at;
    bool over;
    struct buffer begin;             /* what comes first; then empty */
    struct state_snapshot *snapshot; /* NULL: it follows all */
    int64_t placed;                  /* history's last number when its snapshot was looked at */
    unsigned snapshot_seen, running_seen[DEVICES_MAX], device_seen[DEVICES_MAX];
};

/* A number and nothing else; 0: it is none. */
static int64_t number_of(const char *text)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    return errno || *end || text[0] < '0' || text[0] > '9' ? 0 : number;
}

/* Where it goes on from; or anew. */
static void place_find(struct subscription *subscription, const char *last_event_id)
{
    struct event_history *history = event_feed_history(subscription->feed);
    int64_t number = last_event_id ? number_of(last_event_id) : 0;
    subscription->fresh = !number || !event_history_knows(history, number);
    subscription->heard = subscription->fresh ? event_history_last(history) : number;
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
    place_find(subscription, last_event_id);
    if (config->what != SUBSCRIBE_ALL)
        subscription->snapshot = state_snapshot_join(event_feed_snapshots(feed), subscription->id);
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
    state_snapshot_leave(event_feed_snapshots(subscription->feed), subscription->snapshot);
    buffer_free(&subscription->begin);
    free(subscription);
}

bool subscription_fresh(const struct subscription *subscription)
{
    return subscription->fresh;
}

void subscription_begin(struct subscription *subscription, struct buffer *snapshot)
{
    struct buffer *begin = &subscription->begin;
    buffer_format(begin, "id: %lld\nevent: snapshot\ndata: ", (long long)subscription->heard);
    buffer_append(begin, snapshot->data, snapshot->size);
    buffer_text(begin, "\n\n");
    begin->failed |= snapshot->failed;
    buffer_free(snapshot);
}

/* What a client has been shown as ended it is not told of again. */
void subscription_end(struct subscription *subscription, int64_t last)
{
    subscription->ends = true;
    subscription->end_at = subscription->fresh ? 0 : last;
}

/* ---- what is for it ---- */

/* Within its line. */
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
        snprintf(member, sizeof member, "\"owner\":\"%s\",", subscription->owner);
        if (!data_has(event, member))
            return false;
    }
    if (subscription->config.device < 0)
        return true;
    snprintf(member, sizeof member, "\"device\":%d,", subscription->config.device);
    return event->kind != EVENT_SWEEP &&
           (data_has(event, member) || (event->kind == EVENT_QUEUE && data_has(event, "\"device\":null,")));
}

static bool is_for(const struct subscription *subscription, const struct event *event)
{
    if (subscription->config.what == SUBSCRIBE_ALL)
        return passes_filters(subscription, event);
    if (event->kind == EVENT_QUEUE)
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

/* A pause changes how things are at present too, though it is nobody's own. */
static void batch_hear(struct subscription *subscription, const struct batch *batch, struct buffer *out)
{
    struct event event;
    for (int i = 0; batch_event(batch, i, &event) && !subscription->over && out->size < MORE_BYTES; i++) {
        if (event.id <= subscription->heard)
            continue;
        subscription->heard = event.id;
        bool wanted = is_for(subscription, &event);
        if (subscription->snapshot)
            subscription->snapshot->stale |= wanted || event.kind == EVENT_QUEUE;
        if (!wanted)
            continue;
        buffer_append(out, event.text, event.size);
        subscription->over = is_last(subscription, &event);
    }
}

/* 0, or -1: something of it is gone. */
static int history_hear(struct subscription *subscription, struct buffer *out)
{
    while (!subscription->over && out->size < MORE_BYTES) {
        bool lost;
        struct batch *batch =
            event_history_next(event_feed_history(subscription->feed), subscription->heard, &lost);
        if (lost)
            return -1;
        if (!batch)
            break;
        batch_hear(subscription, batch, out);
        batch_release(batch);
    }
    return 0;
}

/* ---- how things are at present ---- */

static void event_write(struct buffer *out, const char *kind, const struct buffer *data)
{
    buffer_format(out, "event: %s\ndata: ", kind);
    buffer_append(out, data->data, data->size);
    buffer_text(out, "\n\n");
}

static void snapshot_hear(struct subscription *subscription, struct buffer *out)
{
    const struct subscription_config *config = &subscription->config;
    struct state_snapshot *snapshot = subscription->snapshot;
    /* Others that come and go change a place, but no sweep's points. */
    if (config->what == SUBSCRIBE_EXPERIMENT && subscription->placed != subscription->heard)
        snapshot->stale = true;
    subscription->placed = subscription->heard;
    state_snapshot_refresh(snapshot, config->present, config->arg);
    if (snapshot->version == subscription->snapshot_seen)
        return;
    subscription->snapshot_seen = snapshot->version;
    event_write(out, config->present_kind, &snapshot->text);
}

static bool runs_for(const struct subscription *subscription, int device, const struct present *running)
{
    const struct subscription_config *config = &subscription->config;
    if (config->what == SUBSCRIBE_EXPERIMENT)
        return strcmp(running->id, subscription->id) == 0;
    if (config->what == SUBSCRIBE_SWEEP)
        return strcmp(running->sweep, subscription->id) == 0;
    return (config->device < 0 || config->device == device) &&
           (!subscription->owner[0] || strcmp(running->owner, subscription->owner) == 0);
}

static void present_hear(struct subscription *subscription, struct buffer *out)
{
    struct present present;
    for (int i = 0, count = event_feed_devices(subscription->feed); i < count; i++) {
        if (event_feed_running(subscription->feed, i, subscription->running_seen[i], &present)) {
            subscription->running_seen[i] = present.version;
            if (runs_for(subscription, i, &present))
                buffer_text(out, present.text);
        }
        if (subscription->config.what != SUBSCRIBE_ALL ||
            (subscription->config.device >= 0 && subscription->config.device != i))
            continue;
        if (event_feed_device(subscription->feed, i, subscription->device_seen[i], &present)) {
            subscription->device_seen[i] = present.version;
            buffer_text(out, present.text);
        }
    }
    if (subscription->snapshot)
        snapshot_hear(subscription, out);
}

static void end_tell(struct subscription *subscription, struct buffer *out)
{
    struct buffer data = {0};
    state_snapshot_end(subscription->snapshot);
    snapshot_hear(subscription, out);
    subscription->config.ended(subscription->config.arg, subscription->id, &data);
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
    if (history_hear(subscription, out) < 0)
        return error_set(error, ERROR_UNAVAILABLE, "it reads more slowly than things happen");
    subscription->over |= subscription->ends && subscription->heard >= subscription->end_at;
    if (subscription->over) {
        end_tell(subscription, out);
        return 0;
    }
    if (out->size < MORE_BYTES)
        present_hear(subscription, out);
    return 1;
}
