/* Replies that never change, compressed or not, by what was asked for. The cache has a limit in bytes and
   drops what was not asked for the longest. Any thread. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

enum { CACHE_KEY_BYTES = 200, CACHE_TAG_BYTES = 160 };

/* Does not change, but for the members that are the cache's own. */
struct document {
    char *bytes;
    size_t size;
    bool coded; /* compressed with gzip */
    char tag[CACHE_TAG_BYTES];
    /* private to document_cache.c */
    atomic_int references;
    char key[CACHE_KEY_BYTES];
    LIST_ENTRY(document) in_slot;
    TAILQ_ENTRY(document) by_age;
};

/* Makes a document with one reference, the caller's. Takes the bytes, and frees them when there is no memory:
   NULL. */
struct document *document_new(char *bytes, size_t size, bool coded, const char *tag);

/* Returns a reference; the last one frees the document. Fits MHD_ContentReaderFreeCallback. */
void document_release(void *document);

/* NULL: no memory. */
struct document_cache *document_cache_new(size_t max_bytes);
void document_cache_free(struct document_cache *cache);

/* A counter of invalidations. A reply made from what was read before it grew may be outdated. */
unsigned long document_cache_age(struct document_cache *cache);

/* Removes every document whose key is that path, or begins with it and a blank; NULL: all documents. */
void document_cache_invalidate(struct document_cache *cache, const char *path);

/* Returns a reference for the caller, or NULL. */
struct document *document_cache_get(struct document_cache *cache, const char *key);

/* Adds a document, with a reference of the cache's own. Does nothing when the document takes more than an
   eighth of the cache, the key is too long or in the cache, or something was invalidated since the cache had
   that age. */
void document_cache_put(struct document_cache *cache, const char *key, struct document *document,
                        unsigned long age);
