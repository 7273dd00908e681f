/* The open CUDA device. Memory is filled and checked on the device that it belongs to, so that no access between
   devices is needed. */
#pragma once

#include "kernels/device/cuda_memory.h"
#include "kernels/device/cuda_peer.h"
#include "kernels/device/device.h"

struct cuda_device {
    int index;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cuda_memory memory;
    cuda_peer peer;
    uint4 *flush; /* twice the L2, read before each cold sample */
    uint64_t flush_bytes;
    mismatches *found; /* in device memory */
    unsigned *sink;
    /* Duration of the kernel that keeps the device busy while a sample is enqueued: for one launch, and for a
       graph of many. */
    double launch_spin_ns, graph_spin_ns;
    counters_session *counters; /* NULL until the first use */
};

/* The type behind the table's opaque device. */
inline cuda_device *cuda_side_device(device *device)
{
    return reinterpret_cast<cuda_device *>(device);
}

extern "C" const kernel_entry *const cuda_entries[];
inline const kernel_entry *cuda_side_entry(const run *r)
{
    return cuda_entries[suite_index(r->kernel)];
}

/* As the members of struct device_kind. They wait for work on another device than the own. */
int cuda_side_fill(device *device, void *at, int byte, uint64_t bytes, error *error);
int cuda_side_count_other(device *device, const void *at, int byte, uint64_t bytes, mismatches *found,
                          error *error);
int cuda_side_prepare(device *device, const run *r, int buffer, error *error);
int cuda_side_check(device *device, const run *r, int buffer, mismatches *found, error *error);
