/* How the experiment or the sweep that some follow is at present, made once for all of them. */
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
    int followers; /* guarded by the table's lock; what follows is the sending thread's */
    bool ended;    /* nothing changes any more */
    bool stale;    /* something happened that it may follow from */
    int64_t made_ns;
    unsigned version; /* grows when the text changes; 0: there was none yet */
    struct buffer text;
};

struct state_snapshots {
    pthread_mutex_t lock;
    struct state_snapshot *first;
};

/* Joined by one more. NULL: no memory. */
struct state_snapshot *state_snapshot_join(struct state_snapshots *table, const char *id);
void state_snapshot_leave(struct state_snapshots *table,
                          struct state_snapshot *snapshot); /* NULL is allowed */

/* It has ended: how it is then is made once more, at once. */
void state_snapshot_end(struct state_snapshot *snapshot);

/* Has make(arg, id, text) append how it is, when it is stale and was not made within the last second. */
void state_snapshot_refresh(struct state_snapshot *snapshot,
                            void (*make)(void *arg, const char *id, struct buffer *out), void *arg);

#endif
