/* A hash table by path, and a list by age that decides what is dropped. */
#include "server/http/document_cache.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum {
    SLOTS = 4096,
    PART_MAX = 8,         /* one document takes at most an eighth of the cache */
    OVERHEAD_BYTES = 1024 /* counted for each document */
};

struct document_cache {
    pthread_mutex_t lock; /* guards all of it, and the private members of the documents in it */
    LIST_HEAD(, document) slots[SLOTS];
    TAILQ_HEAD(document_list, document) by_age; /* what was asked for last comes first */
    size_t bytes, max_bytes;
    atomic_ulong age;
};

struct document *document_new(char *bytes, size_t size, bool coded, const char *tag)
{
    struct document *document = calloc(1, sizeof *document);
    if (!document) {
        free(bytes);
        return NULL;
    }
    *document = (struct document){.bytes = bytes, .size = size, .coded = coded, .references = 1};
    snprintf(document->tag, sizeof document->tag, "%s", tag);
    return document;
}

void document_release(void *arg)
{
    struct document *document = arg;
    if (atomic_fetch_sub(&document->references, 1) > 1)
        return;
    free(document->bytes);
    free(document);
}

struct document_cache *document_cache_new(size_t max_bytes)
{
    struct document_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    pthread_mutex_init(&cache->lock, NULL);
    TAILQ_INIT(&cache->by_age);
    cache->max_bytes = max_bytes;
    return cache;
}

/* The slot follows from the path alone, so that document_cache_invalidate() looks at one slot. */
static size_t slot_of(const char *key)
{
    uint64_t hash = hash_bytes(key, strcspn(key, " "));
    return (hash ^ hash >> 32) % SLOTS;
}

static struct document *document_find(struct document_cache *cache, const char *key)
{
    struct document *document;
    LIST_FOREACH (document, &cache->slots[slot_of(key)], in_slot)
        if (strcmp(document->key, key) == 0)
            break;
    return document;
}

static void document_evict(struct document_cache *cache, struct document *document)
{
    LIST_REMOVE(document, in_slot);
    TAILQ_REMOVE(&cache->by_age, document, by_age);
    cache->bytes -= document->size + OVERHEAD_BYTES;
    document_release(document);
}

void document_cache_free(struct document_cache *cache)
{
    if (!cache)
        return;
    while (!TAILQ_EMPTY(&cache->by_age))
        document_evict(cache, TAILQ_FIRST(&cache->by_age));
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

struct document *document_cache_get(struct document_cache *cache, const char *key)
{
    pthread_mutex_lock(&cache->lock);
    struct document *document = document_find(cache, key);
    if (document) {
        atomic_fetch_add(&document->references, 1);
        TAILQ_REMOVE(&cache->by_age, document, by_age);
        TAILQ_INSERT_HEAD(&cache->by_age, document, by_age);
    }
    pthread_mutex_unlock(&cache->lock);
    return document;
}

unsigned long document_cache_age(struct document_cache *cache)
{
    return atomic_load(&cache->age);
}

void document_cache_invalidate(struct document_cache *cache, const char *path)
{
    size_t length = path ? strlen(path) : 0;
    pthread_mutex_lock(&cache->lock);
    cache->age++;
    while (!path && !TAILQ_EMPTY(&cache->by_age))
        document_evict(cache, TAILQ_FIRST(&cache->by_age));
    for (struct document *document = path ? LIST_FIRST(&cache->slots[slot_of(path)]) : NULL, *next; document;
         document = next) {
        next = LIST_NEXT(document, in_slot);
        if (strncmp(document->key, path, length) == 0 &&
            (!document->key[length] || document->key[length] == ' '))
            document_evict(cache, document);
    }
    pthread_mutex_unlock(&cache->lock);
}

void document_cache_put(struct document_cache *cache, const char *key, struct document *document,
                        unsigned long age)
{
    if (strlen(key) >= sizeof document->key || document->size > cache->max_bytes / PART_MAX)
        return;
    pthread_mutex_lock(&cache->lock);
    if (age == cache->age && !document_find(cache, key)) {
        strcpy(document->key, key);
        LIST_INSERT_HEAD(&cache->slots[slot_of(key)], document, in_slot);
        TAILQ_INSERT_HEAD(&cache->by_age, document, by_age);
        cache->bytes += document->size + OVERHEAD_BYTES;
        atomic_fetch_add(&document->references, 1);
        while (cache->bytes > cache->max_bytes)
            /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not see that TAILQ_REMOVE moved the last one */
            document_evict(cache, TAILQ_LAST(&cache->by_age, document_list));
    }
    pthread_mutex_unlock(&cache->lock);
}
