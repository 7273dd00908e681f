/* The durable events that are kept, in memory as they are sent: each is written as text once, for all who follow. Any
   thread. */
#ifndef COALESCED_SERVER_EVENTS_EVENT_HISTORY_H
#define COALESCED_SERVER_EVENTS_EVENT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_events; /* server/store/store.h */

enum event_kind { EVENT_STATE, EVENT_SWEEP, EVENT_QUEUE, EVENT_KINDS };

/* One event of a batch. The pointers live as long as the batch. */
struct event {
    enum event_kind kind;
    int64_t id;
    const char *text; /* as it is sent, with the empty line at its end */
    size_t size;
    const char *data; /* in it: the JSON object, and whatever follows */
};

/* The events of one transaction; does not change. */
struct batch;

/* False: it has not so many. */
bool batch_event(const struct batch *batch, int place, struct event *event);
void batch_release(struct batch *batch); /* NULL is allowed */

struct event_history;

struct event_history *event_history_new(int kept); /* events, about; NULL: no memory */
void event_history_free(struct event_history *history);

/* Takes them up, behind those that are there: fits store_listen() and, for those that are on disk, store_events().
   What there is no memory for is left out, with all before it: whoever wants that must begin anew. */
void event_history_add(struct event_history *history, const struct store_events *events);

/* The number of the newest. */
int64_t event_history_last(struct event_history *history);

/* Is all that came after that event there? Only of the number of an event that is kept, or of the last one before them. */
bool event_history_knows(struct event_history *history, int64_t id);

/* The batch that holds the first event behind that one, to be released. NULL: none yet. *lost: some in between are gone. */
struct batch *event_history_next(struct event_history *history, int64_t id, bool *lost);

#endif
