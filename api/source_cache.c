/* A list in the order of use; it is short, and a walk costs less than a compilation by far. */
#include "api/source_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct source_cache {
    pthread_mutex_t lock; /* guards everything below, and the private part of builds */
    TAILQ_HEAD(source_builds, source_build) by_use; /* the latest first */
    size_t bytes, bytes_max;
};

struct source_cache *source_cache_new(size_t bytes)
{
    struct source_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    pthread_mutex_init(&cache->lock, NULL);
    TAILQ_INIT(&cache->by_use);
    cache->bytes_max = bytes;
    return cache;
}

static size_t build_bytes(const struct source_build *build)
{
    const struct compilation *made = &build->compilation;
    return sizeof *build + made->ptx_bytes + made->cubin_bytes + (made->log ? strlen(made->log) : 0);
}

static void build_free(struct source_cache *cache, struct source_build *build)
{
    TAILQ_REMOVE(&cache->by_use, build, by_use);
    cache->bytes -= build_bytes(build);
    compilation_free(&build->compilation);
    free(build);
}

/* The lock is held. */
static void shrink(struct source_cache *cache)
{
    struct source_build *build = TAILQ_LAST(&cache->by_use, source_builds);
    while (build && cache->bytes > cache->bytes_max) {
        struct source_build *next = TAILQ_PREV(build, source_builds, by_use);
        if (!build->holders)
            build_free(cache, build);
        build = next;
    }
}

void source_cache_free(struct source_cache *cache)
{
    if (!cache)
        return;
    while (!TAILQ_EMPTY(&cache->by_use))
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not see that TAILQ_REMOVE moved the first one */
        build_free(cache, TAILQ_FIRST(&cache->by_use));
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

/* The lock is held. Holds what it finds. */
static struct source_build *find(struct source_cache *cache, const char *key)
{
    struct source_build *build;
    TAILQ_FOREACH (build, &cache->by_use, by_use)
        if (strcmp(build->key, key) == 0)
            break;
    if (!build)
        return NULL;
    TAILQ_REMOVE(&cache->by_use, build, by_use);
    TAILQ_INSERT_HEAD(&cache->by_use, build, by_use);
    build->holders++;
    return build;
}

struct source_build *source_cache_find(struct source_cache *cache, const char *key)
{
    pthread_mutex_lock(&cache->lock);
    struct source_build *build = find(cache, key);
    pthread_mutex_unlock(&cache->lock);
    return build;
}

struct source_build *source_cache_add(struct source_cache *cache, const char *key, int asked,
                                      struct compilation *compilation)
{
    pthread_mutex_lock(&cache->lock);
    struct source_build *build = find(cache, key);
    if (build) {
        compilation_free(compilation);
    } else if ((build = calloc(1, sizeof *build))) {
        build->compilation = *compilation;
        build->asked = asked;
        build->cache = cache;
        build->holders = 1;
        strncpy(build->key, key, sizeof build->key - 1);
        TAILQ_INSERT_HEAD(&cache->by_use, build, by_use);
        cache->bytes += build_bytes(build);
        shrink(cache);
    } else {
        compilation_free(compilation);
    }
    pthread_mutex_unlock(&cache->lock);
    return build;
}

void source_cache_release(struct source_build *build)
{
    if (!build)
        return;
    struct source_cache *cache = build->cache;
    pthread_mutex_lock(&cache->lock);
    build->holders--;
    shrink(cache);
    pthread_mutex_unlock(&cache->lock);
}
