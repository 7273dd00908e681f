#include "server/feed/topic.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const int64_t again_ns = 1000000000;

struct topic *topic_join(struct topic_table *table, const char *id)
{
    pthread_mutex_lock(&table->lock);
    struct topic *topic = table->first;
    while (topic && strcmp(topic->id, id) != 0)
        topic = topic->next;
    if (!topic && (topic = calloc(1, sizeof *topic))) {
        memcpy(topic->id, id, strnlen(id, ID_BYTES - 1));
        topic->stale = true;
        topic->next = table->first;
        table->first = topic;
    }
    if (topic)
        topic->followers++;
    pthread_mutex_unlock(&table->lock);
    return topic;
}

void topic_leave(struct topic_table *table, struct topic *topic)
{
    if (!topic)
        return;
    pthread_mutex_lock(&table->lock);
    bool last = --topic->followers == 0;
    if (last) {
        struct topic **link = &table->first;
        while (*link != topic)
            link = &(*link)->next;
        *link = topic->next;
    }
    pthread_mutex_unlock(&table->lock);
    if (last) {
        buffer_free(&topic->text);
        free(topic);
    }
}

void topic_end(struct topic *topic)
{
    if (topic->ended)
        return;
    topic->ended = topic->stale = true;
    topic->made_ns = 0;
}

void topic_refresh(struct topic *topic, void (*make)(void *arg, const char *id, struct buffer *out),
                   void *arg)
{
    int64_t now = clock_monotonic_ns();
    struct buffer text = {0};
    if (!topic->stale || (topic->made_ns && now - topic->made_ns < again_ns))
        return;
    topic->stale = false;
    topic->made_ns = now;
    make(arg, topic->id, &text);
    bool same =
        text.size == topic->text.size && (!text.size || memcmp(text.data, topic->text.data, text.size) == 0);
    if (same || !text.size || text.failed) {
        buffer_free(&text);
        return;
    }
    buffer_free(&topic->text);
    topic->text = text;
    topic->version++;
}
