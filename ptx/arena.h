/* Memory that is freed together, up to a limit. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks;
    char *at;              /* what the newest chunk has for use, aligned */
    size_t used, size;     /* of that */
    uint64_t total, limit; /* bytes */
};

/* Zeroed, aligned to 64 bytes; NULL when the limit or the host's memory is reached. */
void *arena_new(struct arena *arena, size_t bytes);

/* A copy with a NUL behind it; NULL likewise. */
char *arena_text(struct arena *arena, const char *text, size_t length);

void arena_free(struct arena *arena);

/* Doubles an array on the heap when it is full. 0; -1 when there is no memory or `most` elements are there. */
int arena_grow(void **array, size_t count, size_t *allocated, size_t element_bytes, size_t most);
