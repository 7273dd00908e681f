/* What happens, for whoever follows: the durable events (history.h), and how things are at present, of which only the
   latest is kept. Any thread. */
#ifndef COALESCED_SERVER_EVENTS_EVENT_FEED_H
#define COALESCED_SERVER_EVENTS_EVENT_FEED_H

#include "server/devices/devices.h"
#include "server/devices/readings.h"
#include "server/events/event_history.h"
#include "server/events/state_snapshot.h"
#include "server/auth/user.h"
#include "server/queue/queue_worker.h"
#include "server/store/store.h"

struct event_feed;

/* With what the store has kept, and from here on with what happens in it: before anything is written. The store is the
   caller's and outlives the feed's last event. 0 or -1. */
int event_feed_new(struct event_feed **feed, struct store *store, struct error *error);

/* Nothing may happen any more. NULL is allowed. */
void event_feed_free(struct event_feed *feed);

/* Where the readings of device events come from; before anybody follows. */
void event_feed_watch(struct event_feed *feed, struct devices *devices, struct readings *readings);

/* news(arg) is called, from any thread, when there is something new; it must not block, nor call the feed. NULL: nobody
   listens any more, and once this has returned no call is under way. */
void event_feed_listen(struct event_feed *feed, void (*news)(void *arg), void *arg);

/* Fits worker_callbacks.progress. */
void event_feed_progress(void *feed, int device, const struct task *task, const char *phase, int samples);

struct event_history *event_feed_history(struct event_feed *feed);
struct state_snapshots *event_feed_snapshots(struct event_feed *feed);

/* Numbers of devices are below it. */
int event_feed_devices(const struct event_feed *feed);

/* How something is at present, as an event's text. `version` grows with each change; 0: nothing was ever told. */
struct present {
    unsigned version;
    char id[ID_BYTES], sweep[ID_BYTES]; /* of the experiment; empty: none */
    char owner[USER_NAME_BYTES];
    char text[768]; /* empty: nothing at present */
};

/* What a device runs: an event of kind progress. False: *present is as of `version` still, and was not touched. */
bool event_feed_running(struct event_feed *feed, int device, unsigned version, struct present *present);

/* How a device of the list is, looked at anew when the last look is five seconds old: an event of kind device. As above. For one thread
   at a time. */
bool event_feed_device(struct event_feed *feed, int device, unsigned version, struct present *present);

#endif
