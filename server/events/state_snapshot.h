/* The present state of an experiment or a sweep, as JSON, made once for all of its subscriptions. */
#ifndef COALESCED_SERVER_EVENTS_STATE_SNAPSHOT_H
#define COALESCED_SERVER_EVENTS_STATE_SNAPSHOT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "server/store/id.h"

struct state_snapshot {
    struct state_snapshot *next;
    char id[ID_BYTES];
    int subscribers; /* guarded by the table's lock; the members below belong to the thread of live streams */
    bool ended;      /* the state does not change any more */
    bool stale;      /* an event may have changed the state */
    int64_t made_ns;
    unsigned version; /* grows when the text changes; 0: no text yet */
    struct buffer text;
};

struct state_snapshots {
    pthread_mutex_t lock;
    struct state_snapshot *first;
};

/* Returns the snapshot of that experiment or sweep for one more subscription. NULL: no memory. */
struct state_snapshot *state_snapshot_join(struct state_snapshots *table, const char *id);
void state_snapshot_leave(struct state_snapshots *table,
                          struct state_snapshot *snapshot); /* the last one frees it; NULL is allowed */

/* The experiment or sweep has ended: the snapshot is made once more, without delay. */
void state_snapshot_end(struct state_snapshot *snapshot);

/* Has make(arg, id, text) append the state if the snapshot is stale and older than a second. */
void state_snapshot_refresh(struct state_snapshot *snapshot,
                            void (*make)(void *arg, const char *id, struct buffer *out), void *arg);

#endif
