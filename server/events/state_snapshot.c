/* A list of the snapshots that have subscriptions. */
#include "server/events/state_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const int64_t again_ns = 1000000000;

struct state_snapshot *state_snapshot_join(struct state_snapshots *table, const char *id)
{
    pthread_mutex_lock(&table->lock);
    struct state_snapshot *snapshot = table->first;
    while (snapshot && strcmp(snapshot->id, id) != 0)
        snapshot = snapshot->next;
    if (!snapshot && (snapshot = calloc(1, sizeof *snapshot))) {
        memcpy(snapshot->id, id, strnlen(id, ID_BYTES - 1));
        snapshot->stale = true;
        snapshot->next = table->first;
        table->first = snapshot;
    }
    if (snapshot)
        snapshot->subscribers++;
    pthread_mutex_unlock(&table->lock);
    return snapshot;
}

void state_snapshot_leave(struct state_snapshots *table, struct state_snapshot *snapshot)
{
    if (!snapshot)
        return;
    pthread_mutex_lock(&table->lock);
    bool last = --snapshot->subscribers == 0;
    if (last) {
        struct state_snapshot **link = &table->first;
        while (*link != snapshot)
            link = &(*link)->next;
        *link = snapshot->next;
    }
    pthread_mutex_unlock(&table->lock);
    if (last) {
        buffer_free(&snapshot->text);
        free(snapshot);
    }
}

void state_snapshot_end(struct state_snapshot *snapshot)
{
    if (snapshot->ended)
        return;
    snapshot->ended = snapshot->stale = true;
    snapshot->made_ns = 0;
}

void state_snapshot_refresh(struct state_snapshot *snapshot,
                            void (*make)(void *arg, const char *id, struct buffer *out), void *arg)
{
    int64_t now = clock_monotonic_ns();
    struct buffer text = {0};
    if (!snapshot->stale || (snapshot->made_ns && now - snapshot->made_ns < again_ns))
        return;
    snapshot->stale = false;
    snapshot->made_ns = now;
    make(arg, snapshot->id, &text);
    bool same = text.size == snapshot->text.size &&
                (!text.size || memcmp(text.data, snapshot->text.data, text.size) == 0);
    if (same || !text.size || text.failed) {
        buffer_free(&text);
        return;
    }
    buffer_free(&snapshot->text);
    snapshot->text = text;
    snapshot->version++;
}
