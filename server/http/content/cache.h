/* Answers that never change, ready to be sent, by what was asked for: a bounded number of bytes, of which those go first
   that were not asked for the longest. Any thread. */
#ifndef COALESCED_SERVER_HTTP_CONTENT_CACHE_H
#define COALESCED_SERVER_HTTP_CONTENT_CACHE_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <stddef.h>

enum { CACHE_KEY_BYTES = 160, CACHE_TAG_BYTES = 160 };

/* One of them. Whoever holds a reference may queue the response. */
struct document {
    struct document *next, *newer, *older; /* of the cache */
    atomic_int references;
    struct MHD_Response *response;
    size_t size;
    char key[CACHE_KEY_BYTES], tag[CACHE_TAG_BYTES];
};

/* With one reference, the caller's; takes the response. NULL: no memory, and the response is destroyed. */
struct document *document_new(struct MHD_Response *response, size_t size, const char *tag);
void document_release(struct document *document);

/* NULL: no memory. */
struct cache *cache_new(size_t max_bytes);
void cache_free(struct cache *cache);

/* How often something was forgotten. What was read before the present one may be of what is gone. */
unsigned long cache_age(struct cache *cache);

/* Lets go of every document whose key is that path, or begins with it and a blank. */
void cache_forget(struct cache *cache, const char *path);

/* With a reference for the caller, or NULL. */
struct document *cache_get(struct cache *cache, const char *key);

/* The cache takes a reference of its own, unless the document is large, the key is, another one has it, or something was
   forgotten since the cache had that age. */
void cache_put(struct cache *cache, const char *key, struct document *document, unsigned long age);

#endif
