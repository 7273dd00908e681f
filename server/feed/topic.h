/* How the experiment or the sweep that some follow is at present, made once for all of them. */
#ifndef COALESCED_SERVER_FEED_TOPIC_H
#define COALESCED_SERVER_FEED_TOPIC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "server/store/rows/id.h"

struct topic {
    struct topic *next;
    char id[ID_BYTES];
    int followers; /* guarded by the table's lock; what follows is the sending thread's */
    bool ended;    /* nothing changes any more */
    bool stale;    /* something happened that it may follow from */
    int64_t made_ns;
    unsigned version; /* grows when the text changes; 0: there was none yet */
    struct buffer text;
};

struct topic_table {
    pthread_mutex_t lock;
    struct topic *first;
};

/* Joined by one more. NULL: no memory. */
struct topic *topic_join(struct topic_table *table, const char *id);
void topic_leave(struct topic_table *table, struct topic *topic); /* NULL is allowed */

/* It has ended: how it is then is made once more, at once. */
void topic_end(struct topic *topic);

/* Has make(arg, id, text) append how it is, when it is stale and was not made within the last second. */
void topic_refresh(struct topic *topic, void (*make)(void *arg, const char *id, struct buffer *out),
                   void *arg);

#endif
