/* Batches are in a ring, the oldest at `begin`. The lock is held to look at the ring only; texts are written before a
   batch is added, and read by reference. */
#include "server/events/event_history.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/log.h"
#include "server/store/store.h"

static const char *const kinds[EVENT_KINDS] = {
    [EVENT_STATE] = "state", [EVENT_SWEEP] = "sweep", [EVENT_REMOVAL] = "removal", [EVENT_QUEUE] = "queue"};

struct mark {
    unsigned begin, data;
    enum event_kind kind;
};

struct batch {
    atomic_int references;
    int64_t last;
    int count;
    struct buffer text;
    struct mark marks[]; /* `count` + 1; the last one has the end of the text */
};

struct event_history {
    pthread_mutex_t lock;
    int limit, events;
    unsigned begin, count; /* of batches */
    int64_t base;          /* the number of the event before the first one in the ring */
    atomic_llong last;     /* of the last one; written with the lock held */
    struct batch
        *ring[]; /* limit + 1: no batch is empty, and the last one is added before the oldest leaves */
};

static int kind_of(const char *line, size_t length)
{
    for (int i = 0; i < EVENT_KINDS; i++)
        if (strlen(kinds[i]) == length && memcmp(kinds[i], line, length) == 0)
            return i;
    return -1;
}

/* Makes the text of each event from a line of the store. NULL: no memory, or a malformed line. */
static struct batch *batch_new(const struct store_events *events)
{
    size_t marks = (size_t)events->count + 1;
    struct batch *batch = calloc(1, sizeof *batch + marks * sizeof batch->marks[0]);
    if (!batch)
        return NULL;
    atomic_init(&batch->references, 1);
    batch->last = events->last;
    batch->count = events->count;
    const char *at = events->lines, *end = events->lines + events->size;
    for (int i = 0; i < events->count; i++) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        const char *newline = blank ? memchr(blank, '\n', (size_t)(end - blank)) : NULL;
        int kind = newline ? kind_of(at, (size_t)(blank - at)) : -1;
        if (kind < 0)
            batch->text.failed = true;
        if (batch->text.failed)
            break;
        batch->marks[i] = (struct mark){.begin = (unsigned)batch->text.size, .kind = (enum event_kind)kind};
        buffer_format(&batch->text,
                      "id: %lld\nevent: %s\ndata: ", (long long)events->last - events->count + 1 + i,
                      kinds[kind]);
        batch->marks[i].data = (unsigned)batch->text.size;
        buffer_append(&batch->text, blank + 1, (size_t)(newline - blank));
        buffer_text(&batch->text, "\n");
        at = newline + 1;
    }
    batch->marks[events->count].begin = (unsigned)batch->text.size;
    if (!batch->text.failed)
        return batch;
    batch_release(batch);
    return NULL;
}

bool batch_event(const struct batch *batch, int place, struct event *event)
{
    if (place < 0 || place >= batch->count)
        return false;
    const struct mark *mark = &batch->marks[place];
    *event = (struct event){
        .kind = mark->kind,
        .id = batch->last - batch->count + 1 + place,
        .text = batch->text.data + mark->begin,
        .size = mark[1].begin - mark->begin,
        .data = batch->text.data + mark->data,
    };
    return true;
}

void batch_release(struct batch *batch)
{
    if (!batch || atomic_fetch_sub(&batch->references, 1) > 1)
        return;
    buffer_free(&batch->text);
    free(batch);
}

struct event_history *event_history_new(int limit)
{
    struct event_history *history = calloc(1, sizeof *history + ((size_t)limit + 1) * sizeof(struct batch *));
    if (!history)
        return NULL;
    pthread_mutex_init(&history->lock, NULL);
    history->limit = limit;
    return history;
}

static struct batch **slot(struct event_history *history, unsigned place)
{
    return &history->ring[(history->begin + place) % ((unsigned)history->limit + 1)];
}

/* Called with the lock held. The batch that is returned is to be released. */
static struct batch *oldest_remove(struct event_history *history)
{
    struct batch *oldest = *slot(history, 0);
    history->begin = (history->begin + 1) % ((unsigned)history->limit + 1);
    history->count--;
    history->events -= oldest->count;
    history->base = oldest->last;
    return oldest;
}

void event_history_free(struct event_history *history)
{
    if (!history)
        return;
    while (history->count)
        batch_release(oldest_remove(history));
    pthread_mutex_destroy(&history->lock);
    free(history);
}

void event_history_add(struct event_history *history, const struct store_events *events)
{
    struct batch *batch = events->count ? batch_new(events) : NULL;
    pthread_mutex_lock(&history->lock);
    if (!batch) { /* from here on no client can continue from an event before this */
        if (events->count)
            log_warning("events are left out: no memory, or not as they should be");
        while (history->count)
            batch_release(oldest_remove(history));
        history->base = events->last;
    } else {
        if (!history->last)
            history->base = events->last - events->count;
        *slot(history, history->count++) = batch;
        history->events += batch->count;
        while (history->count > 1 && history->events - (*slot(history, 0))->count >= history->limit)
            batch_release(oldest_remove(history));
    }
    history->last = events->last;
    pthread_mutex_unlock(&history->lock);
}

int64_t event_history_last(struct event_history *history)
{
    return history->last;
}

/* Called with the lock held. Returns the position of the first batch whose last event is after that number,
   or history->count. */
static unsigned position_after(struct event_history *history, int64_t id)
{
    unsigned low = 0, high = history->count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if ((*slot(history, middle))->last > id)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool event_history_knows(struct event_history *history, int64_t id)
{
    pthread_mutex_lock(&history->lock);
    unsigned place = position_after(history, id - 1);
    const struct batch *batch = place < history->count ? *slot(history, place) : NULL;
    bool known = id == history->base || (batch && id > batch->last - batch->count);
    pthread_mutex_unlock(&history->lock);
    return known;
}

struct batch *event_history_next(struct event_history *history, int64_t id, bool *lost)
{
    struct batch *batch = NULL;
    *lost = false;
    if (id == history->last)
        return NULL;
    pthread_mutex_lock(&history->lock);
    *lost = id < history->base;
    if (!*lost && id < history->last) {
        batch = *slot(history, position_after(history, id));
        atomic_fetch_add(&batch->references, 1);
    }
    pthread_mutex_unlock(&history->lock);
    return batch;
}
