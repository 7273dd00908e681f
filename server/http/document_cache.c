#include "server/http/document_cache.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 4096,
    PART_MAX = 8,
    OVERHEAD_BYTES = 4096 /* with a copy or two */
};                        /* PART_MAX: the most that one may take, an eighth */

struct document_cache {
    pthread_mutex_t lock;
    struct document *slots[SLOTS];
    struct document *newest, *oldest;
    size_t bytes, max_bytes;
    unsigned long age;
};

struct document *document_new(char *bytes, size_t size, bool coded, const char *tag)
{
    struct document *document = calloc(1, sizeof *document);
    if (!document) {
        free(bytes);
        return NULL;
    }
    atomic_store(&document->references, 1);
    pthread_mutex_init(&document->lock, NULL);
    document->bytes = bytes;
    document->size = size;
    document->coded = coded;
    snprintf(document->tag, sizeof document->tag, "%s", tag);
    return document;
}

struct copy *document_take(struct document *document)
{
    pthread_mutex_lock(&document->lock);
    struct copy *copy = document->copies;
    if (copy) {
        document->copies = copy->next;
        document->copy_count--;
    }
    pthread_mutex_unlock(&document->lock);
    return copy;
}

struct copy *copy_new(struct MHD_Response *response)
{
    struct copy *copy = calloc(1, sizeof *copy);
    if (!copy) {
        MHD_destroy_response(response);
        return NULL;
    }
    copy->response = response;
    return copy;
}

void copy_name(struct copy *copy, const char *id)
{
    if (copy->id[0])
        MHD_del_response_header(copy->response, REQUEST_ID_HEADER, copy->id);
    size_t length = strlen(id);
    copy->id[0] = '\0';
    if (length >= sizeof copy->id)
        return; /* it was admitted as a shorter one */
    memcpy(copy->id, id, length + 1);
    MHD_add_response_header(copy->response, REQUEST_ID_HEADER, copy->id);
}

static void copy_free(struct copy *copy)
{
    MHD_destroy_response(copy->response);
    free(copy);
}

static void copy_return(struct document *document, struct copy *copy)
{
    pthread_mutex_lock(&document->lock);
    bool keep = document->copy_count < COPIES_MAX;
    if (keep) {
        copy->next = document->copies;
        document->copies = copy;
        document->copy_count++;
    }
    pthread_mutex_unlock(&document->lock);
    if (!keep)
        copy_free(copy);
}

void document_release(struct document *document, struct copy *copy)
{
    if (!document)
        return;
    if (copy)
        copy_return(document, copy);
    if (atomic_fetch_sub(&document->references, 1) > 1)
        return;
    for (struct copy *next; (copy = document->copies); document->copies = next) {
        next = copy->next;
        copy_free(copy);
    }
    pthread_mutex_destroy(&document->lock);
    free(document->bytes);
    free(document);
}

struct document_cache *document_cache_new(size_t max_bytes)
{
    struct document_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    pthread_mutex_init(&cache->lock, NULL);
    cache->max_bytes = max_bytes;
    return cache;
}

/* FNV-1a, of the path that the key begins with. */
static struct document **slot_of(struct document_cache *cache, const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *key && *key != ' '; key++)
        hash = (hash ^ (uint8_t)*key) * 0x100000001b3u;
    return &cache->slots[(hash ^ hash >> 32) % SLOTS];
}

static struct document *find(struct document_cache *cache, const char *key)
{
    struct document *document = *slot_of(cache, key);
    while (document && strcmp(document->key, key) != 0)
        document = document->next;
    return document;
}

static void list_add(struct document_cache *cache, struct document *document)
{
    document->newer = NULL;
    document->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = document;
    cache->newest = document;
}

static void list_remove(struct document_cache *cache, struct document *document)
{
    *(document->newer ? &document->newer->older : &cache->newest) = document->older;
    *(document->older ? &document->older->newer : &cache->oldest) = document->newer;
}

static void evict(struct document_cache *cache, struct document *document)
{
    struct document **at = slot_of(cache, document->key);
    while (*at != document)
        at = &(*at)->next;
    *at = document->next;
    list_remove(cache, document);
    cache->bytes -= document->size + OVERHEAD_BYTES;
    document_release(document, NULL);
}

void document_cache_free(struct document_cache *cache)
{
    if (!cache)
        return;
    while (cache->oldest)
        evict(cache, cache->oldest);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

struct document *document_cache_get(struct document_cache *cache, const char *key)
{
    pthread_mutex_lock(&cache->lock);
    struct document *document = find(cache, key);
    if (document) {
        atomic_fetch_add(&document->references, 1);
        list_remove(cache, document);
        list_add(cache, document);
    }
    pthread_mutex_unlock(&cache->lock);
    return document;
}

unsigned long document_cache_age(struct document_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    unsigned long age = cache->age;
    pthread_mutex_unlock(&cache->lock);
    return age;
}

void document_cache_forget(struct document_cache *cache, const char *path)
{
    size_t length = strlen(path);
    pthread_mutex_lock(&cache->lock);
    cache->age++;
    for (struct document *document = *slot_of(cache, path), *next; document; document = next) {
        next = document->next;
        if (strncmp(document->key, path, length) == 0 &&
            (!document->key[length] || document->key[length] == ' '))
            evict(cache, document);
    }
    pthread_mutex_unlock(&cache->lock);
}

void document_cache_put(struct document_cache *cache, const char *key, struct document *document,
                        unsigned long age)
{
    if (strlen(key) >= sizeof document->key || document->size > cache->max_bytes / PART_MAX)
        return;
    pthread_mutex_lock(&cache->lock);
    if (age == cache->age && !find(cache, key)) {
        struct document **slot = slot_of(cache, key);
        strcpy(document->key, key);
        document->next = *slot;
        *slot = document;
        list_add(cache, document);
        cache->bytes += document->size + OVERHEAD_BYTES;
        atomic_fetch_add(&document->references, 1);
        while (cache->bytes > cache->max_bytes)
            evict(cache, cache->oldest);
    }
    pthread_mutex_unlock(&cache->lock);
}
