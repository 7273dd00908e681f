/* The kernels that fill and compare memory, on the device that it belongs to. */
#include "kernels/device/cuda_side.h"

#include "kernels/device/cuda_device.h"

/* Fills memory of the device or of the host. */
__global__ void fill_body(unsigned char *at, unsigned char byte, uint64_t bytes)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes;
         i += (uint64_t)gridDim.x * blockDim.x)
        at[i] = byte;
}

__global__ void count_other_body(const unsigned char *at, unsigned char byte, uint64_t bytes,
                                 mismatches *found)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes;
         i += (uint64_t)gridDim.x * blockDim.x)
        if (at[i] != byte) {
            atomicAdd(&found->mismatches, 1ull);
            atomicMin(&found->first, (unsigned long long)i);
        }
}

static unsigned grid_of(uint64_t bytes)
{
    uint64_t blocks = (bytes + 255) / 256;
    return (unsigned)(blocks > 4096 ? 4096 : blocks);
}

/* Where memory at that address is worked on. */
struct side {
    /* own: the experiment's device, which is current; index: the device that the memory belongs to */
    int own, index;
    cudaStream_t stream;
    mismatches *found; /* in the memory of device `index` */
};

static side side_of(device *device, const void *at)
{
    const cuda_device *d = cuda_side_device(device);
    if (cuda_memory_is_peer(&d->memory, at))
        return {d->index, d->peer.index, d->peer.stream, d->peer.found};
    return {d->index, d->index, d->stream, d->found};
}

/* Waits for work on another device, because the next work is enqueued on the own device's stream. */
static int settle(const side &side, error *error)
{
    if (side.index != side.own)
        CHECK(cudaStreamSynchronize(side.stream));
    return 0;
}

static int found_begin(const side &side, error *error)
{
    static const mismatches none = {0, ~0ull, 0};
    CHECK(cudaMemcpyAsync(side.found, &none, sizeof none, cudaMemcpyHostToDevice, side.stream));
    return 0;
}

static int found_end(const side &side, mismatches *found, error *error)
{
    CHECK(cudaMemcpyAsync(found, side.found, sizeof *found, cudaMemcpyDeviceToHost, side.stream));
    CHECK(cudaStreamSynchronize(side.stream));
    return 0;
}

int cuda_side_fill(device *device, void *at, int byte, uint64_t bytes, error *error)
{
    const side side = side_of(device, at);
    cuda_current current(side.index, side.own);
    fill_body<<<grid_of(bytes), 256, 0, side.stream>>>((unsigned char *)at, (unsigned char)byte, bytes);
    CHECK(cudaGetLastError());
    return settle(side, error);
}

int cuda_side_count_other(device *device, const void *at, int byte, uint64_t bytes, mismatches *found,
                          error *error)
{
    const side side = side_of(device, at);
    cuda_current current(side.index, side.own);
    if (found_begin(side, error) < 0)
        return -1;
    count_other_body<<<grid_of(bytes), 256, 0, side.stream>>>((const unsigned char *)at, (unsigned char)byte,
                                                              bytes, side.found);
    CHECK(cudaGetLastError());
    return found_end(side, found, error);
}

int cuda_side_prepare(device *device, const run *r, int buffer, error *error)
{
    const side side = side_of(device, r->buffer[buffer]);
    cuda_current current(side.index, side.own);
    CHECK(cuda_side_entry(r)->prepare(r, buffer, side.stream));
    return settle(side, error);
}

int cuda_side_check(device *device, const run *r, int buffer, mismatches *found, error *error)
{
    const side side = side_of(device, r->buffer[buffer]);
    cuda_current current(side.index, side.own);
    if (found_begin(side, error) < 0)
        return -1;
    CHECK(cuda_side_entry(r)->check(r, buffer, side.found, side.stream));
    return found_end(side, found, error);
}
