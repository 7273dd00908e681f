/* A hash of bytes for tables; anybody can make two texts with the same one. */
#ifndef COALESCED_BASE_HASH_H
#define COALESCED_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits. */
static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

#endif
