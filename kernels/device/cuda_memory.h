/* The memory that experiments lie in: the device's own, and the host's mapped for it. */
#ifndef COALESCED_KERNELS_DEVICE_CUDA_MEMORY_H
#define COALESCED_KERNELS_DEVICE_CUDA_MEMORY_H

#include "base/error.h"
#include "kernels/device/kernel_entry.h"
#include "kernels/placement.h"

struct cuda_block {
    char *at;        /* as it was allocated */
    uint64_t spacer; /* bytes at its beginning that nobody uses */
    uint64_t bytes;  /* behind the spacer */
    uint64_t allocation;
};

/* All zero: nothing is allocated. */
struct cuda_memory {
    cuda_block block[MEMORIES];
    uint64_t allocations;
};

/* As reserve() of device.h. Where it is the peer's, that is the current device. */
int cuda_memory_reserve(cuda_memory *memory, uint64_t bytes, enum memory whose, bool anew, reserved *place,
                        error *error);

/* The peer's alone; frees nothing of others. */
void cuda_memory_free_peer(cuda_memory *memory);
bool cuda_memory_is_peer(const cuda_memory *memory, const void *at);
void cuda_memory_free(cuda_memory *memory);

/* Pages of the run's managed buffers, as its kernel wants them before a cold launch: to the host, which waits until they are
   there; and from there to the device, in the stream. Nothing for a kernel that has none, or wants them where they are. Codes
   are the runtime's. */
int cuda_memory_away(const run *r);
int cuda_memory_fetch(const run *r, int device, cudaStream_t stream);

#endif
