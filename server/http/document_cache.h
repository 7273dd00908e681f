/* Answers that never change, ready to be sent, by what was asked for: a bounded number of bytes, of which those go first
   that were not asked for the longest. Any thread. */
#ifndef COALESCED_SERVER_HTTP_DOCUMENT_CACHE_H
#define COALESCED_SERVER_HTTP_DOCUMENT_CACHE_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define REQUEST_ID_HEADER "X-Request-Id"

enum { CACHE_KEY_BYTES = 200, CACHE_TAG_BYTES = 160, COPY_ID_BYTES = 129, COPIES_MAX = 8 };

/* A response with a document's bytes and headers, of one request at a time: a header of its own names that request. A few
   wait for the next one, because to make all headers anew would cost as much as the rest of an answer. */
struct copy {
    struct copy *next;
    struct MHD_Response *response;
    char id[COPY_ID_BYTES]; /* X-Request-Id; empty: has none yet */
};

/* One of them. */
struct document {
    struct document *next, *newer, *older; /* of the cache */
    atomic_int references;
    pthread_mutex_t lock; /* guards the copies that nobody uses */
    struct copy *copies;
    int copy_count;
    char *bytes;
    size_t size;
    bool coded; /* compressed */
    char key[CACHE_KEY_BYTES], tag[CACHE_TAG_BYTES];
};

/* With one reference, the caller's; takes the bytes. NULL: no memory, and the bytes are freed. */
struct document *document_new(char *bytes, size_t size, bool coded, const char *tag);

/* A copy that nobody uses, or NULL; from now on the caller's. */
struct copy *document_take(struct document *document);

/* Makes one of a response with the document's bytes, which is destroyed when there is no memory: NULL. */
struct copy *copy_new(struct MHD_Response *response);

/* Gives it that request's name in place of the one before. */
void copy_name(struct copy *copy, const char *id);

/* Returns the reference, and the copy (NULL: none). */
void document_release(struct document *document, struct copy *copy);

/* NULL: no memory. */
struct document_cache *document_cache_new(size_t max_bytes);
void document_cache_free(struct document_cache *cache);

/* How often something was forgotten. What was read before the present one may be of what is gone. */
unsigned long document_cache_age(struct document_cache *cache);

/* Lets go of every document whose key is that path, or begins with it and a blank. */
void document_cache_forget(struct document_cache *cache, const char *path);

/* With a reference for the caller, or NULL. */
struct document *document_cache_get(struct document_cache *cache, const char *key);

/* The cache takes a reference of its own, unless the document is large, the key is, another one has it, or something was
   forgotten since the cache had that age. */
void document_cache_put(struct document_cache *cache, const char *key, struct document *document,
                        unsigned long age);

#endif
