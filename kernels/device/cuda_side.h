/* Where memory is filled and checked: on the device that it is of, so that no access to another is needed. */
#ifndef COALESCED_KERNELS_DEVICE_CUDA_SIDE_H
#define COALESCED_KERNELS_DEVICE_CUDA_SIDE_H

#include <cuda_runtime.h>

#include "base/error.h"
#include "kernels/device/kernel_entry.h"

struct cuda_side {
    int own, index; /* the experiment's device, and the one whose memory it is; the first is current */
    cudaStream_t stream;
    mismatches *found; /* in that one's memory */
};

/* As the members of struct device_kind. What was enqueued on another device than the own is over when they return. */
int cuda_side_fill(const cuda_side &side, void *at, int byte, uint64_t bytes, error *error);
int cuda_side_count_other(const cuda_side &side, const void *at, int byte, uint64_t bytes, mismatches *found,
                          error *error);
int cuda_side_prepare(const cuda_side &side, const kernel_entry *entry, const run *r, int buffer,
                      error *error);
int cuda_side_check(const cuda_side &side, const kernel_entry *entry, const run *r, int buffer,
                    mismatches *found, error *error);

#endif
