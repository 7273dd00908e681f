/* A cache of what was compiled: by source, entry and architecture, the least recently used one goes first. Any thread. */
#pragma once

#include <sys/queue.h>

#include "api/compilation.h"

struct source_cache;

/* Never changes while somebody holds it. */
struct source_build {
    struct compilation compilation;
    int asked; /* the architecture that was asked for */
    /* private to source_cache.c */
    struct source_cache *cache;
    char key[80];
    int holders;
    TAILQ_ENTRY(source_build) by_use;
};

/* `bytes`: of PTX, machine code and logs that are cached at most. NULL: no memory. */
struct source_cache *source_cache_new(size_t bytes);

/* Nobody may hold a build. NULL is allowed. */
void source_cache_free(struct source_cache *cache);

/* The build of that key, held once more; NULL: there is none. */
struct source_build *source_cache_find(struct source_cache *cache, const char *key);

/* Takes over what the compilation owns, and returns the build, held. Where another thread was faster, its build. NULL: no
   memory, and the compilation is freed. */
struct source_build *source_cache_add(struct source_cache *cache, const char *key, int asked,
                                      struct compilation *compilation);

/* Holds it no more. NULL is allowed. */
void source_cache_release(struct source_build *build);
