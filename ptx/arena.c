/* Chunks of 64 KiB or more in a list. calloc() leaves what the system hands over as zeros untouched: of a large array only
   the pages that are used cost something. */
#include "ptx/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
    struct arena_chunk *next;
};

enum { CHUNK_BYTES_LEAST = 1 << 16, ALIGNMENT = 64 };

static int add_chunk(struct arena *arena, size_t bytes)
{
    size_t size = bytes > CHUNK_BYTES_LEAST ? bytes : CHUNK_BYTES_LEAST;
    if (arena->total + size > arena->limit)
        return -1;
    struct arena_chunk *chunk = calloc(1, sizeof *chunk + ALIGNMENT + size);
    if (!chunk)
        return -1;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->total += size;
    arena->used = 0;
    arena->size = size;
    uintptr_t behind = (uintptr_t)(chunk + 1);
    arena->at = (char *)(chunk + 1) + (-behind & (ALIGNMENT - 1));
    return 0;
}

void *arena_new(struct arena *arena, size_t bytes)
{
    if (bytes > arena->limit)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if ((!arena->chunks || arena->size - arena->used < bytes) && add_chunk(arena, bytes))
        return NULL;
    char *place = arena->at + arena->used;
    arena->used += bytes;
    return place;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_new(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    *arena = (struct arena){0};
}

int arena_grow(void **array, size_t count, size_t *allocated, size_t element_bytes, size_t most)
{
    if (count >= most)
        return -1;
    if (count < *allocated)
        return 0;
    size_t wanted = *allocated ? *allocated * 2 : 16;
    void *larger = realloc(*array, wanted * element_bytes);
    if (!larger)
        return -1;
    *array = larger;
    *allocated = wanted;
    return 0;
}
