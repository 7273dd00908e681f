/* NVIDIA GPUs by the CUDA runtime, on a stream of our own. The figures behind the way of timing are in
   docs/measuring.md. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "base/clock.h"
#include "kernels/device/counters.h"
#include "kernels/device/cuda_device.h"
#include "kernels/device/device.h"
#include "kernels/device/host.h"
#include "kernels/timing.h"

extern "C" const kernel_entry *const cuda_entries[];

struct cuda_device {
    int index;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    struct memory {
        void *at;
        uint64_t bytes;
    } own, mapped; /* the device's, and the host's mapped for it */
    uint4 *flush;  /* twice the L2, read before each cold sample */
    uint64_t flush_bytes;
    check *found; /* in device memory */
    unsigned *sink;
    /* Of the kernel that keeps the device busy while a sample is enqueued: one launch, a graph of many. */
    double launch_spin_ns, graph_spin_ns;
    counters_session *counters; /* NULL until somebody asks for them */
};

struct cuda_launches {
    cudaGraphExec_t graph;
};

/* The table's device and launches are these two, here and nowhere else. */
static cuda_device *own(device *device)
{
    return reinterpret_cast<cuda_device *>(device);
}
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

/* Ends with clean lines: a flush that wrote would leave the kernel its lines to write back. */
__global__ void flush_body(const uint4 *from, uint64_t count, unsigned *sink)
{
    unsigned sum = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        uint4 v = __ldcg(from + i);
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x9E3779B9u) /* keeps the loads; the buffer is all zero */
        *sink = sum;
}

/* The device's memory and the host's alike. */
__global__ void fill_body(unsigned char *at, unsigned char byte, uint64_t bytes)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes;
         i += (uint64_t)gridDim.x * blockDim.x)
        at[i] = byte;
}

__global__ void count_other_body(const unsigned char *at, unsigned char byte, uint64_t bytes, check *found)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes;
         i += (uint64_t)gridDim.x * blockDim.x)
        if (at[i] != byte) {
            atomicAdd(&found->mismatches, 1ull);
            atomicMin(&found->first, (unsigned long long)i);
        }
}

static void cuda_close(device *device)
{
    cuda_device *d = own(device);
    if (!d)
        return;
    counters_free(d->counters);
    cudaFree(d->own.at);
    cudaFreeHost(d->mapped.at);
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
    d->launch_spin_ns = d->graph_spin_ns = TIMING_SPIN_LEAST_NS;
    if (open_parts(d, error) < 0) {
        cuda_close(reinterpret_cast<device *>(d));
        return -1;
    }
    *out = reinterpret_cast<device *>(d);
    return 0;
}

static int own_alloc(void **at, uint64_t bytes, error *error)
{
    size_t available, total;
    CHECK(cudaMemGetInfo(&available, &total));
    if (bytes > available)
        return error_set(error, ERROR_OUT_OF_MEMORY, "needs %llu bytes, %llu of %llu are free",
                         (unsigned long long)bytes, (unsigned long long)available, (unsigned long long)total);
    CHECK(cudaMalloc(at, bytes));
    return 0;
}

static int host_alloc_mapped(void **at, uint64_t bytes, error *error)
{
    if (host_memory_check(bytes, error) < 0)
        return -1;
    CHECK(cudaHostAlloc(at, bytes, cudaHostAllocMapped));
    return 0;
}

static int cuda_reserve(device *device, uint64_t bytes, bool of_host, void **base, error *error)
{
    cuda_device *d = own(device);
    cuda_device::memory &memory = of_host ? d->mapped : d->own;
    if (bytes > memory.bytes) {
        void *before = memory.at;
        memory = {};
        CHECK(of_host ? cudaFreeHost(before) : cudaFree(before));
        if ((of_host ? host_alloc_mapped : own_alloc)(&memory.at, bytes, error) < 0)
            return -1;
        memory.bytes = bytes;
    }
    *base = memory.at;
    return 0;
}

static int cuda_fill(device *device, void *at, int byte, uint64_t bytes, error *error)
{
    cuda_device *d = own(device);
    uint64_t blocks = (bytes + 255) / 256;
    fill_body<<<(unsigned)(blocks > 4096 ? 4096 : blocks), 256, 0, d->stream>>>((unsigned char *)at,
                                                                                (unsigned char)byte, bytes);
    CHECK(cudaGetLastError());
    return 0;
}

static int found_begin(cuda_device *d, error *error)
{
    static const check none = {0, ~0ull, 0};
    CHECK(cudaMemcpyAsync(d->found, &none, sizeof none, cudaMemcpyHostToDevice, d->stream));
    return 0;
}

/* Either way between host and device. */
static int cuda_copy(device *device, void *to, const void *from, uint64_t bytes, error *error)
{
    cuda_device *d = own(device);
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

static int cuda_count_other(device *device, const void *at, int byte, uint64_t bytes, check *found,
                            error *error)
{
    cuda_device *d = own(device);
    if (found_begin(d, error) < 0)
        return -1;
    uint64_t blocks = (bytes + 255) / 256;
    count_other_body<<<(unsigned)(blocks > 4096 ? 4096 : blocks), 256, 0, d->stream>>>(
        (const unsigned char *)at, (unsigned char)byte, bytes, d->found);
    CHECK(cudaGetLastError());
    return cuda_copy(device, found, d->found, sizeof *found, error);
}

static const kernel_entry *entry_of(const run *r)
{
    return cuda_entries[suite_index(r->kernel)];
}

static int cuda_prepare(device *device, const run *r, int buffer, error *error)
{
    cuda_device *d = own(device);
    CHECK(entry_of(r)->prepare(r, buffer, d->stream));
    return 0;
}

static int cuda_launch(device *device, const run *r, error *error)
{
    cuda_device *d = own(device);
    CHECK(entry_of(r)->launch(r, d->stream));
    CHECK(cudaStreamSynchronize(d->stream));
    return 0;
}

static int cuda_check(device *device, const run *r, int buffer, check *found, error *error)
{
    cuda_device *d = own(device);
    if (found_begin(d, error) < 0)
        return -1;
    CHECK(entry_of(r)->check(r, buffer, d->found, d->stream));
    return cuda_copy(device, found, d->found, sizeof *found, error);
}

static int cuda_launch_facts(device *, const run *r, launch_facts *facts, error *error)
{
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, entry_of(r)->symbol(r)));
    *facts = {attributes.numRegs, attributes.localSizeBytes, attributes.sharedSizeBytes + r->shared_bytes};
    return 0;
}

/* Times what `enqueue` puts on the stream, behind a spinning kernel that keeps launch latency off the clock.
   A sample whose clock started before all was enqueued is reported as negative. */
template <class F>
static int time_enqueued(cuda_device *d, double *spin_ns, double *us, error *error, F enqueue)
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
        cudaGetLastError(); /* "not ready" is the good case */
    *us = early ? -1 : ms * 1e3;
    *spin_ns = timing_spin_ns(*spin_ns, (double)(enqueued_ns - began_ns), early);
    return 0;
}

static int flush(cuda_device *d, error *error)
{
    flush_body<<<1024, 256, 0, d->stream>>>(d->flush, d->flush_bytes / sizeof *d->flush, d->sink);
    CHECK(cudaGetLastError());
    return 0;
}

static int cuda_time_cold(device *device, const run *r, double *us, error *error)
{
    cuda_device *d = own(device);
    if (flush(d, error) < 0)
        return -1;
    return time_enqueued(d, &d->launch_spin_ns, us, error, [&]() -> int {
        if (r)
            return entry_of(r)->launch(r, d->stream);
        empty_body<<<1, 32, 0, d->stream>>>();
        return (int)cudaGetLastError();
    });
}

static int record_launches(cuda_device *d, const run *r, unsigned count, cudaGraph_t *graph, error *error)
{
    CHECK(cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeThreadLocal));
    int code = 0;
    for (unsigned i = 0; i < count && code == 0; i++)
        code = entry_of(r)->launch(r, d->stream);
    CHECK(cudaStreamEndCapture(d->stream, graph)); /* also when a launch was refused */
    CHECK(code);
    return 0;
}

static int launches_new(device *device, const run *r, unsigned count, launches **out, error *error)
{
    cuda_device *d = own(device);
    cudaGraph_t graph = nullptr;
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
    cuda_device *d = own(device);
    return time_enqueued(d, &d->graph_spin_ns, us, error,
                         [&] { return cudaGraphLaunch(own(launches)->graph, d->stream); });
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
    cuda_device *d = own(device);
    if (flush(d, error) < 0)
        return -1;
    CHECK(cudaStreamSynchronize(d->stream));
    return 0;
}

static int cuda_counters(device *device, counters_session **session, error *error)
{
    cuda_device *d = own(device);
    void *context = nullptr;
    if (!d->counters) {
        if (cuda_context(&context, error) < 0)
            return -1;
        d->counters = counters_new(context, d->index);
        if (!d->counters)
            return error_set(error, ERROR_MEMORY, "no memory for the counters");
    }
    *session = d->counters;
    return 0;
}

extern "C" const device_kind device_cuda;
const device_kind device_cuda = {
    "cuda",         false,         cuda_count,       cuda_describe, cuda_open,         cuda_close,
    cuda_reserve,   cuda_fill,     cuda_count_other, cuda_copy,     cuda_copy,         cuda_host_alloc,
    cuda_host_free, cuda_prepare,  cuda_launch,      cuda_check,    cuda_launch_facts, cuda_time_cold,
    launches_new,   launches_time, launches_free,    cuda_flush,    cuda_counters,
};
