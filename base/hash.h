/* A hash of bytes for tables; anybody can make two texts with the same one. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a, 64 bits. */
static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): of an array of integers it knows one byte */
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

/* For tables whose index is some bits of the hash: FNV-1a with MurmurHash3's finalizer, so that every bit
   depends on every byte. Texts that differ in the last character alone, as ids do, get unlike values. */
static inline uint64_t hash_text(const char *text)
{
    uint64_t hash = hash_bytes(text, strlen(text));
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 33;
}
