/* Allocations of each kind of memory, with spacers, and the pages of managed memory. */
#include "kernels/device/cuda_memory.h"

#include "kernels/device/cuda_device.h"
#include "kernels/device/host.h"

/* The size of the device's pages. The host's memory is pinned, so that a smaller spacer is left unused
   there. */
static const uint64_t device_page = 2 << 20, host_page = 4096, host_spacer_most = 2 << 20;
/* Bytes left to other processes when a spacer is made. */
static const uint64_t device_rest = 256 << 20;

/* *spacer is the wanted size, and is reduced when there is no memory for it. */
static int own_alloc(char **at, uint64_t bytes, uint64_t *spacer, error *error)
{
    size_t available, total;
    CHECK(cudaMemGetInfo(&available, &total));
    if (bytes > available)
        return error_set(error, ERROR_OUT_OF_MEMORY, "needs %llu bytes, %llu of %llu are free",
                         (unsigned long long)bytes, (unsigned long long)available, (unsigned long long)total);
    if (*spacer && *spacer + device_rest <= available - bytes) {
        if (cudaMalloc((void **)at, *spacer + bytes) == cudaSuccess)
            return 0;
        cudaGetLastError(); /* otherwise the next call would report it */
    }
    *spacer = 0;
    CHECK(cudaMalloc((void **)at, bytes));
    return 0;
}

static int mapped_alloc(char **at, uint64_t bytes, uint64_t *spacer, error *error)
{
    if (host_memory_check(*spacer + bytes, error) < 0)
        return -1;
    CHECK(cudaHostAlloc((void **)at, *spacer + bytes, cudaHostAllocMapped));
    return 0;
}

/* Pages move one by one only where GPU and processor may access them at the same time. */
static int managed_alloc(char **at, uint64_t bytes, uint64_t *spacer, error *error)
{
    int device = 0, concurrent = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device));
    if (!concurrent)
        return error_set(
            error, ERROR_UNAVAILABLE,
            "managed memory does not move page by page here (cudaDevAttrConcurrentManagedAccess is 0)");
    if (host_memory_check(*spacer + bytes, error) < 0)
        return -1;
    CHECK(cudaMallocManaged((void **)at, *spacer + bytes));
    return 0;
}

typedef int (*allocator)(char **at, uint64_t bytes, uint64_t *spacer, error *error);
static const allocator allocators[MEMORIES] = {own_alloc, mapped_alloc, own_alloc, managed_alloc};

int cuda_memory_reserve(cuda_memory *memory, uint64_t bytes, enum memory whose, bool anew, reserved *place,
                        error *error)
{
    cuda_block &block = memory->block[whose];
    bool of_host = whose == MEMORY_HOST;
    bool fresh = anew || bytes > block.bytes;
    if (fresh) {
        void *before = block.at;
        block = {};
        CHECK(of_host ? cudaFreeHost(before) : cudaFree(before));
        uint64_t spacer = !anew ? 0
                          : of_host
                              ? placement_spacer(host_page, host_page, host_spacer_most)
                              : placement_spacer(device_page, PLACEMENT_SPACER_LEAST, PLACEMENT_SPACER_MOST);
        if (allocators[whose](&block.at, bytes, &spacer, error) < 0)
            return -1;
        block.spacer = spacer;
        block.bytes = bytes;
        block.allocation = ++memory->allocations;
    }
    *place = {block.at + block.spacer, block.allocation, fresh};
    return 0;
}

void cuda_memory_free(cuda_memory *memory)
{
    cuda_memory_free_peer(memory);
    cudaFree(memory->block[MEMORY_OWN].at);
    cudaFreeHost(memory->block[MEMORY_HOST].at);
    cudaFree(memory->block[MEMORY_MANAGED].at);
    *memory = {};
}

void cuda_memory_free_peer(cuda_memory *memory)
{
    cudaFree(memory->block[MEMORY_PEER].at); /* whichever device is current */
    memory->block[MEMORY_PEER] = {};
}

bool cuda_memory_is_peer(const cuda_memory *memory, const void *at)
{
    const cuda_block &block = memory->block[MEMORY_PEER];
    const char *byte = (const char *)at;
    return block.at && byte >= block.at && byte < block.at + block.spacer + block.bytes;
}

static cudaError_t prefetch(const void *at, uint64_t bytes, int device, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation to = {};
    to.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    to.id = device == cudaCpuDeviceId ? 0 : device;
    return cudaMemPrefetchAsync(at, bytes, to, 0, stream);
#else
    return cudaMemPrefetchAsync(at, bytes, device, stream);
#endif
}

static cudaError_t move_pages(const run *r, int device, cudaStream_t stream)
{
    cudaError_t code = cudaSuccess;
    for (int b = 0; b < r->kernel->buffer_count && code == cudaSuccess; b++)
        if (r->kernel->memory_of(&r->domain, b) == MEMORY_MANAGED)
            code = prefetch(r->buffer[b], run_buffer_bytes(r, b), device, stream);
    return code;
}

int cuda_memory_away(const run *r)
{
    if (r->kernel->pages_before(&r->domain) == PAGES_RESIDENT)
        return 0;
    cudaError_t code = move_pages(r, cudaCpuDeviceId, nullptr);
    return (int)(code ? code : cudaStreamSynchronize(nullptr));
}

int cuda_memory_fetch(const run *r, int device, cudaStream_t stream)
{
    if (r->kernel->pages_before(&r->domain) != PAGES_PREFETCHED)
        return 0;
    return (int)move_pages(r, device, stream);
}
