/* All that streams of events send: the durable events (event_history.h), and the latest state of each device and of what
   runs on it. Any thread, unless a function says otherwise. */
#pragma once

#include <pthread.h>
#include <sys/queue.h>

#include "server/devices/devices.h"
#include "server/devices/readings.h"
#include "server/events/event_history.h"
#include "server/auth/users.h"
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

/* The states of experiments and sweeps that have subscriptions (subscription.c). */
struct state_snapshots {
    pthread_mutex_t lock;
    LIST_HEAD(, state_snapshot) all;
};

struct event_history *event_feed_history(struct event_feed *feed);
struct state_snapshots *event_feed_snapshots(struct event_feed *feed);

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
