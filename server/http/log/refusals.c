#include "server/http/log/refusals.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/text.h"
#include "base/clock.h"
#include "server/http/log/journal.h"
#include "server/people/person.h"

static const int64_t minute_ns = 60 * 1000000000LL;

struct entry {
    struct crowd_key address;
    char owner[PERSON_NAME_BYTES];
    char remote[CROWD_NAME_BYTES]; /* empty: of several addresses */
    int64_t began_ns;
    char began[CLOCK_TEXT_BYTES];
    uint64_t count; /* without the one that has a line of its own */
};

struct refusals {
    struct journal *journal;
    pthread_mutex_t lock; /* guards what follows */
    int used;
    struct entry entries[REFUSALS_MOST];
    struct entry rest; /* of all for whom there is no entry; unused while its count is 0 */
};

struct refusals *refusals_new(struct journal *journal)
{
    struct refusals *refusals = calloc(1, sizeof *refusals);
    if (!refusals)
        return NULL;
    refusals->journal = journal;
    pthread_mutex_init(&refusals->lock, NULL);
    return refusals;
}

/* The members of the other lines of the audit log, which name no single request here, and two more. */
static void entry_write(struct journal *journal, const struct entry *entry)
{
    char now[CLOCK_TEXT_BYTES];
    struct buffer *line = entry->count ? journal_begin(journal, now) : NULL;
    if (!line)
        return;
    buffer_text(line, "{\"time\":");
    text_string(line, now);
    buffer_text(line, ",\"id\":null,\"owner\":");
    text_string(line, entry->owner[0] ? entry->owner : NULL);
    buffer_text(line, ",\"remote\":");
    text_string(line, entry->remote[0] ? entry->remote : NULL);
    buffer_text(line,
                ",\"method\":null,\"route\":null,\"path\":null,\"code\":null,\"subject\":null,\"refused\":");
    text_integer(line, (int64_t)entry->count);
    buffer_text(line, ",\"since\":");
    text_string(line, entry->began);
    buffer_text(line, "}");
    journal_end(journal);
}

/* With the lock held. */
static struct entry *entry_find(struct refusals *refusals, const struct refused *refused)
{
    for (int i = 0; i < refusals->used; i++) {
        struct entry *entry = &refusals->entries[i];
        if (memcmp(&entry->address, refused->address, sizeof entry->address) == 0 &&
            strcmp(entry->owner, refused->owner) == 0)
            return entry;
    }
    return NULL;
}

static void entry_begin(struct entry *entry, int64_t now_ns)
{
    *entry = (struct entry){.began_ns = now_ns};
    clock_text(clock_wall_ms(), entry->began);
}

/* With the lock held. True: it has an entry now. */
static bool entry_add(struct refusals *refusals, const struct refused *refused, int64_t now_ns)
{
    if (refusals->used == REFUSALS_MOST)
        return false;
    struct entry *entry = &refusals->entries[refusals->used++];
    entry_begin(entry, now_ns);
    entry->address = *refused->address;
    strncpy(entry->owner, refused->owner, sizeof entry->owner - 1);
    strncpy(entry->remote, refused->remote, sizeof entry->remote - 1);
    return true;
}

bool refusals_add(struct refusals *refusals, const struct refused *refused, int64_t now_ns)
{
    pthread_mutex_lock(&refusals->lock);
    struct entry *entry = entry_find(refusals, refused);
    bool first = !entry && entry_add(refusals, refused, now_ns);
    if (!entry && !first) {
        entry = &refusals->rest;
        if (!entry->count)
            entry_begin(entry, now_ns);
    }
    if (entry)
        entry->count++;
    pthread_mutex_unlock(&refusals->lock);
    return first;
}

void refusals_write(struct refusals *refusals, int64_t now_ns)
{
    int used = 0;
    pthread_mutex_lock(&refusals->lock);
    for (int i = 0; i < refusals->used; i++)
        if (now_ns - refusals->entries[i].began_ns < minute_ns)
            refusals->entries[used++] = refusals->entries[i];
        else
            entry_write(refusals->journal, &refusals->entries[i]);
    refusals->used = used;
    if (refusals->rest.count && now_ns - refusals->rest.began_ns >= minute_ns) {
        entry_write(refusals->journal, &refusals->rest);
        refusals->rest.count = 0;
    }
    pthread_mutex_unlock(&refusals->lock);
}

void refusals_free(struct refusals *refusals)
{
    if (!refusals)
        return;
    refusals_write(refusals, INT64_MAX);
    pthread_mutex_destroy(&refusals->lock);
    free(refusals);
}
