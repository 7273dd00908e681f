/* The memory of experiments: the device's own, the host's mapped for it, a peer's, and managed memory. */
#pragma once

#include "base/error.h"
#include "kernels/device/kernel_entry.h"
#include "kernels/placement.h"

struct cuda_block {
    char *at;        /* the allocation */
    uint64_t spacer; /* unused bytes at its beginning */
    uint64_t bytes;  /* behind the spacer */
    uint64_t allocation;
};

/* All zero: nothing is allocated. */
struct cuda_memory {
    cuda_block block[MEMORIES];
    uint64_t allocations;
};

/* As reserve() of device.h. For MEMORY_PEER the peer must be the current device. */
int cuda_memory_reserve(cuda_memory *memory, uint64_t bytes, enum memory whose, bool anew, reserved *place,
                        error *error);

/* Frees the peer's memory only. */
void cuda_memory_free_peer(cuda_memory *memory);
bool cuda_memory_is_peer(const cuda_memory *memory, const void *at);
void cuda_memory_free(cuda_memory *memory);

/* Move the pages of the run's managed buffers as its kernel wants them before a cold launch:
   cuda_memory_away() to the host, and waits; cuda_memory_fetch() from there to the device, in the stream.
   Do nothing for a kernel without such pages. Return the runtime's codes. */
int cuda_memory_away(const run *r);
int cuda_memory_fetch(const run *r, int device, cudaStream_t stream);
