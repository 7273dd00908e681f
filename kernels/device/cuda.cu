/* NVIDIA GPUs by the CUDA runtime, on a stream of the device's own. docs/measuring.md has the figures behind
   the method of timing. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "base/clock.h"
#include "kernels/device/device_counters.h"
#include "kernels/device/cuda_device.h"
#include "kernels/device/cuda_launch.h"
#include "kernels/device/cuda_side.h"
#include "kernels/device/device.h"
#include "kernels/device/host.h"

struct cuda_launches {
    cudaGraphExec_t graph; /* NULL: copies, which are enqueued one by one */
    const run *what;
    unsigned count;
};

static cuda_launches *own(launches *launches)
{
    return reinterpret_cast<cuda_launches *>(launches);
}

__global__ void spin_body(long long ns)
{
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
}

__global__ void empty_body(void) {}

/* Reads, so that all lines end clean: dirty ones would be written back during the measured kernel. */
__global__ void flush_body(const uint4 *from, uint64_t count, unsigned *sink)
{
    unsigned sum = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        uint4 v = __ldcg(from + i);
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x9E3779B9u) /* keeps the compiler from removing the loads; the buffer is all zero */
        *sink = sum;
}

static void cuda_close(device *device)
{
    cuda_device *d = cuda_side_device(device);
    if (!d)
        return;
    device_counters_free(d->counters);
    cuda_memory_free(&d->memory);
    cuda_peer_close(&d->peer, d->index);
    cudaFree(d->flush);
    cudaFree(d->found);
    cudaFree(d->sink);
    if (d->begin)
        cudaEventDestroy(d->begin);
    if (d->end)
        cudaEventDestroy(d->end);
    if (d->stream)
        cudaStreamDestroy(d->stream);
    delete d;
}

static int open_parts(cuda_device *d, error *error)
{
    int l2 = 0;
    CHECK(cudaSetDevice(d->index));
    CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, d->index));
    d->flush_bytes = 2ull * (l2 > 0 ? (uint64_t)l2 : 32u << 20);
    CHECK(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&d->begin));
    CHECK(cudaEventCreate(&d->end));
    CHECK(cudaMalloc((void **)&d->flush, d->flush_bytes));
    CHECK(cudaMemsetAsync(d->flush, 0, d->flush_bytes, d->stream));
    CHECK(cudaMalloc((void **)&d->found, sizeof *d->found));
    CHECK(cudaMalloc((void **)&d->sink, sizeof *d->sink));
    CHECK(cudaStreamSynchronize(d->stream));
    return 0;
}

static int cuda_open(device **out, int index, error *error)
{
    auto *d = new (std::nothrow) cuda_device{};
    if (!d)
        return error_set(error, ERROR_MEMORY, "no memory for device %d", index);
    d->index = index;
    d->launch_spin_ns = d->graph_spin_ns = DEVICE_SPIN_LEAST_NS;
    if (open_parts(d, error) < 0) {
        cuda_close(reinterpret_cast<device *>(d));
        return -1;
    }
    *out = reinterpret_cast<device *>(d);
    return 0;
}

static int cuda_peer_use(device *device, const char *uuid, bool access, error *error)
{
    cuda_device *d = cuda_side_device(device);
    int index = cuda_peer_index(uuid);
    if (!uuid[0])
        return error_set(error, ERROR_INVALID, "a kernel of two GPUs needs the other one's name");
    if (index < 0)
        return error_set(error, ERROR_NOT_FOUND,
                         "the executor does not see the peer %s: CUDA_VISIBLE_DEVICES must show both", uuid);
    if (index == d->index)
        return error_set(error, ERROR_INVALID, "the peer must be another device than the experiment's own");
    if (d->peer.open && d->peer.index != index) {
        cuda_memory_free_peer(&d->memory);
        cuda_peer_close(&d->peer, d->index);
    }
    return cuda_peer_open(&d->peer, d->index, index, access, error);
}

static int cuda_reserve(device *device, uint64_t bytes, memory whose, bool anew, reserved *place,
                        error *error)
{
    cuda_device *d = cuda_side_device(device);
    cuda_current current(whose == MEMORY_PEER ? d->peer.index : d->index, d->index);
    return cuda_memory_reserve(&d->memory, bytes, whose, anew, place, error);
}

/* Copies in either direction between host and device. */
static int cuda_copy(device *device, void *to, const void *from, uint64_t bytes, error *error)
{
    cuda_device *d = cuda_side_device(device);
    CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, d->stream));
    CHECK(cudaStreamSynchronize(d->stream));
    return 0;
}

static int cuda_host_alloc(device *, uint64_t bytes, bool pinned, void **at, error *error)
{
    if (host_memory_check(bytes, error) < 0)
        return -1;
    if (!pinned) {
        *at = malloc(bytes);
        return *at ? 0
                   : error_set(error, ERROR_MEMORY, "no host memory for %llu bytes",
                               (unsigned long long)bytes);
    }
    CHECK(cudaMallocHost(at, bytes));
    return 0;
}

static void cuda_host_free(device *, void *at, bool pinned)
{
    if (pinned)
        cudaFreeHost(at);
    else
        free(at);
}

static int cuda_launch(device *device, const run *r, error *error)
{
    cuda_device *d = cuda_side_device(device);
    CHECK(cuda_launch_set_l2_aside(r));
    CHECK(cuda_side_entry(r)->launch(r, d->stream));
    CHECK(cudaStreamSynchronize(d->stream));
    return 0;
}

static int cuda_launch_facts(device *, const run *r, launch_facts *facts, error *error)
{
    cudaFuncAttributes attributes;
    CHECK(cuda_launch_set_l2_aside(r));
    if (r->kernel->copied) {
        *facts = {-1, 0, 0, 0};
        return 0;
    }
    CHECK(cudaFuncGetAttributes(&attributes, cuda_side_entry(r)->symbol(r)));
    *facts = {attributes.numRegs, attributes.localSizeBytes, attributes.sharedSizeBytes + r->shared_bytes,
              attributes.constSizeBytes};
    return 0;
}

/* Times what `enqueue` puts on the stream, behind a spinning kernel that hides the latency of enqueueing.
   A sample whose clock started before all was enqueued is reported as negative; unless the host takes part
   in the timed work, so that its time belongs to the sample. */
template <class F>
static int time_enqueued(cuda_device *d, double *spin_ns, bool by_host, double *us, error *error, F enqueue)
{
    float ms = 0;
    int64_t began_ns = clock_monotonic_ns();
    spin_body<<<1, 1, 0, d->stream>>>((long long)*spin_ns);
    CHECK(cudaEventRecord(d->begin, d->stream));
    CHECK(enqueue());
    CHECK(cudaEventRecord(d->end, d->stream));
    cudaError_t state = cudaEventQuery(d->begin);
    int64_t enqueued_ns = clock_monotonic_ns();
    CHECK(cudaStreamSynchronize(d->stream));
    CHECK(cudaEventElapsedTime(&ms, d->begin, d->end));
    bool early = state == cudaSuccess;
    if (!early)
        cudaGetLastError(); /* "not ready" is the expected answer */
    *us = early && !by_host ? -1 : ms * 1e3;
    *spin_ns = device_spin_ns(*spin_ns, (double)(enqueued_ns - began_ns), early);
    return 0;
}

/* True when the host takes part in the timed work. Without access the driver stages a copy in the host's
   memory, so the call may return before it has enqueued the copy, or only when the copy is nearly done. A
   call that prefetches pages does the same. */
static bool takes_host(const cuda_device *d, const run *r)
{
    return r && ((r->kernel->copied && !d->peer.access) ||
                 r->kernel->pages_before(&r->domain) == PAGES_PREFETCHED);
}

static int flush(cuda_device *d, error *error)
{
    CHECK(cuda_launch_release_l2());
    flush_body<<<1024, 256, 0, d->stream>>>(d->flush, d->flush_bytes / sizeof *d->flush, d->sink);
    CHECK(cudaGetLastError());
    return 0;
}

/* Sets the kernel's part of the L2 aside, and moves pages of managed memory to where the kernel wants
   them. */
static int cuda_cold(const run *r, error *error)
{
    CHECK(cuda_launch_set_l2_aside(r));
    CHECK(cuda_memory_away(r));
    return 0;
}

static int cuda_time_cold(device *device, const run *r, double *us, error *error)
{
    cuda_device *d = cuda_side_device(device);
    if (r && (cuda_cold(r, error) < 0))
        return -1;
    if (flush(d, error) < 0)
        return -1;
    return time_enqueued(d, &d->launch_spin_ns, takes_host(d, r), us, error, [&]() -> int {
        if (r) {
            int code = cuda_memory_fetch(r, d->index, d->stream);
            return code ? code : cuda_side_entry(r)->launch(r, d->stream);
        }
        empty_body<<<1, 32, 0, d->stream>>>();
        return (int)cudaGetLastError();
    });
}

static int record_launches(cuda_device *d, const run *r, unsigned count, cudaGraph_t *graph, error *error)
{
    CHECK(cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeThreadLocal));
    int code = 0;
    for (unsigned i = 0; i < count && code == 0; i++)
        code = cuda_side_entry(r)->launch(r, d->stream);
    CHECK(cudaStreamEndCapture(d->stream, graph)); /* needed even when a launch was refused */
    CHECK(code);
    return 0;
}

static int launches_new(device *device, const run *r, unsigned count, launches **out, error *error)
{
    cuda_device *d = cuda_side_device(device);
    cudaGraph_t graph = nullptr;
    CHECK(cuda_launch_set_l2_aside(r));
    if (r->kernel->copied) {
        *out = reinterpret_cast<launches *>(new (std::nothrow) cuda_launches{nullptr, r, count});
        return *out ? 0 : error_set(error, ERROR_MEMORY, "no memory for %u copies", count);
    }
    if (record_launches(d, r, count, &graph, error) < 0) {
        if (graph)
            cudaGraphDestroy(graph);
        return -1;
    }
    auto *made = new (std::nothrow) cuda_launches{};
    cudaError_t code = made ? cudaGraphInstantiate(&made->graph, graph, 0) : cudaErrorMemoryAllocation;
    cudaGraphDestroy(graph);
    if (code == cudaSuccess)
        code = cudaGraphUpload(made->graph, d->stream);
    *out = reinterpret_cast<launches *>(made);
    CHECK(code);
    return 0;
}

static int launches_time(device *device, launches *launches, double *us, error *error)
{
    cuda_device *d = cuda_side_device(device);
    const cuda_launches *l = own(launches);
    return time_enqueued(d, &d->graph_spin_ns, takes_host(d, l->what), us, error, [&]() -> int {
        if (l->graph)
            return cudaGraphLaunch(l->graph, d->stream);
        int code = 0;
        for (unsigned i = 0; i < l->count && code == 0; i++)
            code = cuda_side_entry(l->what)->launch(l->what, d->stream);
        return code;
    });
}

static void launches_free(device *, launches *launches)
{
    cuda_launches *l = own(launches);
    if (l && l->graph)
        cudaGraphExecDestroy(l->graph);
    delete l;
}

static int cuda_flush(device *device, error *error)
{
    cuda_device *d = cuda_side_device(device);
    if (flush(d, error) < 0)
        return -1;
    CHECK(cudaStreamSynchronize(d->stream));
    return 0;
}

static int cuda_counters(device *device, counters_session **session, error *error)
{
    cuda_device *d = cuda_side_device(device);
    void *context = nullptr;
    if (!d->counters) {
        if (cuda_device_context(&context, error) < 0)
            return -1;
        d->counters = device_counters_new(context, d->index);
        if (!d->counters)
            return error_set(error, ERROR_MEMORY, "no memory for the counters");
    }
    *session = d->counters;
    return 0;
}

extern "C" const device_kind device_cuda;
const device_kind device_cuda = {
    "cuda",        false,           cuda_device_count, cuda_device_describe, cuda_open,
    cuda_close,    cuda_peer_use,   cuda_reserve,      cuda_side_fill,       cuda_side_count_other,
    cuda_copy,     cuda_copy,       cuda_host_alloc,   cuda_host_free,       cuda_side_prepare,
    cuda_launch,   cuda_side_check, cuda_launch_facts, cuda_time_cold,       launches_new,
    launches_time, launches_free,   cuda_flush,        cuda_counters,
};
