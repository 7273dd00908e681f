/* What happens, for whoever follows: the durable events (history.h), and how things are at present, of which only the
   latest is kept. Any thread. */
#ifndef COALESCED_SERVER_FEED_FEED_H
#define COALESCED_SERVER_FEED_FEED_H

#include "server/devices/devices.h"
#include "server/devices/readings.h"
#include "server/feed/history.h"
#include "server/feed/topic.h"
#include "server/people/person.h"
#include "server/queue/queue.h"
#include "server/store/store.h"

struct feed;

/* With what the store has kept, and from here on with what happens in it: before anything is written. The store is the
   caller's and outlives the feed's last event. 0 or -1. */
int feed_new(struct feed **feed, struct store *store, struct error *error);

/* Nothing may happen any more. NULL is allowed. */
void feed_free(struct feed *feed);

/* Where the readings of device events come from; before anybody follows. */
void feed_watch(struct feed *feed, struct devices *devices, struct readings *readings);

/* news(arg) is called, from any thread, when there is something new; it must not block, nor call the feed. NULL: nobody
   listens any more, and once this has returned no call is under way. */
void feed_listen(struct feed *feed, void (*news)(void *arg), void *arg);

/* Fits worker_told.progress. */
void feed_progress(void *feed, int device, const struct task *task, const char *phase, int samples);

struct history *feed_history(struct feed *feed);
struct topic_table *feed_topics(struct feed *feed);

/* Numbers of devices are below it. */
int feed_devices(const struct feed *feed);

/* How something is at present, as an event's text. `version` grows with each change; 0: nothing was ever told. */
struct present {
    unsigned version;
    char id[ID_BYTES], sweep[ID_BYTES]; /* of the experiment; empty: none */
    char owner[PERSON_NAME_BYTES];
    char text[768]; /* empty: nothing at present */
};

/* What a device runs: an event of kind progress. False: *present is as of `version` still, and was not touched. */
bool feed_running(struct feed *feed, int device, unsigned version, struct present *present);

/* How a device of the list is, looked at anew when the last look is five seconds old: an event of kind device. As above. For one thread
   at a time. */
bool feed_device(struct feed *feed, int device, unsigned version, struct present *present);

#endif
