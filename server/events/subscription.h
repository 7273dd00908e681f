/* One who follows: what it wants to hear, how far it has heard. */
#ifndef COALESCED_SERVER_EVENTS_SUBSCRIPTION_H
#define COALESCED_SERVER_EVENTS_SUBSCRIPTION_H

#include "base/buffer.h"
#include "server/events/event_feed.h"

struct subscription;

/* Texts are copied. */
struct subscription_config {
    enum { SUBSCRIBE_ALL, SUBSCRIBE_EXPERIMENT, SUBSCRIBE_SWEEP } what;
    const char *id;    /* of the experiment or the sweep */
    const char *owner; /* of SUBSCRIBE_ALL: what that user submitted; NULL: anybody's */
    int device;        /* of SUBSCRIBE_ALL: what is about it; -1: any */
    /* Of the others. Each appends a JSON object, or nothing: how it is at present (what changes without an event: its place,
       its points), told as `present_kind`; and what is told as "end". From the thread that sends. */
    void (*present)(void *arg, const char *id, struct buffer *out);
    const char *present_kind;
    void (*ended)(void *arg, const char *id, struct buffer *out);
    void *arg;
};

/* `last_event_id`: what the client has heard last, as it says; NULL: nothing. NULL: no memory. */
struct subscription *subscription_new(struct event_feed *feed, const struct subscription_config *config,
                                      const char *last_event_id);

/* Does the client need to know how things are, before it hears what happens? Then the caller looks, after this, and tells it
   with subscription_begin(): a JSON object, which is taken. */
bool subscription_fresh(const struct subscription *subscription);
void subscription_begin(struct subscription *subscription, struct buffer *snapshot);

/* It had ended when the caller looked. `last`: store_events_last() of a moment after that. */
void subscription_end(struct subscription *subscription, int64_t last);

/* Appends what is to be sent now, some kilobytes at most; perhaps nothing. Returns 1; 0: that was the end; -1: it has fallen
   so far behind that something of it is gone. One thread at a time, the same for all subscriptions of a feed. */
int subscription_more(void *subscription, struct buffer *out, struct error *error);

void subscription_free(void *subscription);

#endif
