/* The latest durable events, as the text that is sent: each is written once for all streams. Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_events; /* server/store/store.h */

enum event_kind { EVENT_STATE, EVENT_SWEEP, EVENT_REMOVAL, EVENT_QUEUE, EVENT_KINDS };

/* An event of a batch. Its pointers live as long as the batch. */
struct event {
    enum event_kind kind;
    int64_t id;
    const char *text; /* as it is sent, with the empty line at its end */
    size_t size;
    const char *data; /* inside `text`: the JSON object and what follows it */
};

/* The events of one transaction. A batch does not change. */
struct batch;

/* False: the batch has no such position. */
bool batch_event(const struct batch *batch, int place, struct event *event);
void batch_release(struct batch *batch); /* NULL is allowed */

struct event_history;

/* `limit`: the number of events, rounded up to batches. NULL: no memory. */
struct event_history *event_history_new(int limit);
void event_history_free(struct event_history *history);

/* Adds events behind the present ones: fits store_listen() and store_events(). If there is no memory for
   them, they and all before them are dropped, and streams that need them begin anew. */
void event_history_add(struct event_history *history, const struct store_events *events);

/* The number of the newest event. */
int64_t event_history_last(struct event_history *history);

/* True when all events after that one are in memory. `id` must be the number of an event here, or of the one
   before the first. */
bool event_history_knows(struct event_history *history, int64_t id);

/* The batch with the first event after that number, to be released; NULL: there is none yet. *lost: events in
   between are not here any more. */
struct batch *event_history_next(struct event_history *history, int64_t id, bool *lost);
