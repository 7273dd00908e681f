/* All that streams of events send: the durable events (event_history.h), and what is true now of each device, of what
   runs on it, and of the experiments and sweeps that have subscriptions. Any thread, unless a function says
   otherwise. */
#ifndef COALESCED_SERVER_EVENTS_EVENT_FEED_H
#define COALESCED_SERVER_EVENTS_EVENT_FEED_H

#include <sys/queue.h>

#include "base/buffer.h"
#include "server/devices/devices.h"
#include "server/devices/readings.h"
#include "server/events/event_history.h"
#include "server/auth/user.h"
#include "server/queue/queue_worker.h"
#include "server/store/store.h"

struct event_feed;

/* Reads the events in the store and listens to its commits, so call it before anything is written. What it is given is
   borrowed and outlives the last event. 0, or -1 with ERROR_MEMORY or the store's error. */
int event_feed_new(struct event_feed **feed, struct store *store, struct devices *devices,
                   struct readings *readings, struct error *error);

/* After the last event. NULL is allowed. */
void event_feed_free(struct event_feed *feed);

/* Sets news(arg), which is called by any thread when there is something new; it must not block, nor call the
   feed. With NULL, no call is running when this returns. */
void event_feed_listen(struct event_feed *feed, void (*news)(void *arg), void *arg);

/* Fits worker_callbacks.progress. */
void event_feed_progress(void *feed, int device, const struct task *task, const char *phase, int samples);

struct event_history *event_feed_history(struct event_feed *feed);

/* All numbers of devices are below this. */
int event_feed_devices(const struct event_feed *feed);

/* A state as the text of an event. `version` grows with each change; 0: there was no state yet. */
struct feed_state {
    unsigned version;
    char id[ID_BYTES], sweep[ID_BYTES]; /* of the experiment; empty: none */
    char owner[USER_NAME_BYTES];
    char text[768]; /* empty: nothing runs */
};

/* What a device runs, an event of kind progress. False: the version is still `version`, and *state is not
   changed. */
bool event_feed_running(struct event_feed *feed, int device, unsigned version, struct feed_state *state);

/* The state of a listed device, an event of kind device; read again when the last one is five seconds old.
   Returns as event_feed_running() does. For the thread of live streams alone. */
bool event_feed_device(struct event_feed *feed, int device, unsigned version, struct feed_state *state);

/* The present state of an experiment or a sweep, as JSON, made once for all of its subscriptions. Its members, but for
   `next` and `subscribers`, are of the thread of live streams alone. */
struct state_snapshot {
    LIST_ENTRY(state_snapshot) next;
    char id[ID_BYTES];
    int subscribers;
    bool ended; /* the state does not change any more */
    bool stale; /* an event may have changed the state */
    int64_t made_ns;
    unsigned version; /* grows when the text changes; 0: no text yet */
    struct buffer text;
};

/* The snapshot of that experiment or sweep for one more subscription. NULL: no memory. */
struct state_snapshot *state_snapshot_join(struct event_feed *feed, const char *id);

/* The last one frees it. NULL is allowed. */
void state_snapshot_leave(struct event_feed *feed, struct state_snapshot *snapshot);

/* The experiment or sweep has ended: the snapshot is made once more, without delay. */
void state_snapshot_end(struct state_snapshot *snapshot);

/* Has make(arg, id, text) append the state if the snapshot is stale and older than a second. */
void state_snapshot_refresh(struct state_snapshot *snapshot,
                            void (*make)(void *arg, const char *id, struct buffer *out), void *arg);

#endif
