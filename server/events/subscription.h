/* One stream of events: which events it wants, and how far it has sent them. */
#pragma once

#include "base/buffer.h"
#include "server/events/event_feed.h"

struct subscription;

/* Texts are copied. */
struct subscription_config {
    enum { SUBSCRIBE_ALL, SUBSCRIBE_EXPERIMENT, SUBSCRIBE_SWEEP } what;
    const char *id;    /* of the experiment or the sweep */
    const char *owner; /* only with SUBSCRIBE_ALL: events of that user's experiments; NULL: of all users */
    int device;        /* only with SUBSCRIBE_ALL: events of that device; -1: of all devices */
    /* Not with SUBSCRIBE_ALL. Each appends a JSON object, or nothing: write_state() what changes without an
       event (an experiment's place, a sweep's points), sent as an event of kind `state_kind`, and
       write_end() what is sent as the event "end". Called by the thread of live streams. */
    void (*write_state)(void *arg, const char *id, struct buffer *out);
    const char *state_kind;
    void (*write_end)(void *arg, const char *id, struct buffer *out);
    void *arg;
};

/* `last_event_id`: the client's Last-Event-ID; NULL: none. NULL: no memory. */
struct subscription *subscription_new(struct event_feed *feed, const struct subscription_config *config,
                                      const char *last_event_id);

/* True when the client first needs a snapshot of the present state. The caller then reads the state, after
   this, and passes it as a JSON object, which is taken. */
bool subscription_fresh(const struct subscription *subscription);
void subscription_begin(struct subscription *subscription, struct buffer *snapshot);

/* The experiment or sweep had ended when the caller read it. `last`: store_events_last() after that. */
void subscription_end(struct subscription *subscription, int64_t last);

/* Appends what is to be sent now, perhaps nothing; some kilobytes at most. Returns 1, 0 at the end, or -1:
   the client has fallen so far behind that events are not in memory any more. For one thread at a time, the
   same for all subscriptions of a feed. */
int subscription_more(void *subscription, struct buffer *out, struct error *error);

void subscription_free(void *subscription);
