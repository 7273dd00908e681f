/* Fills and checks memory on the device that it belongs to, so that no access between devices is needed. */
#ifndef COALESCED_KERNELS_DEVICE_CUDA_SIDE_H
#define COALESCED_KERNELS_DEVICE_CUDA_SIDE_H

#include <cuda_runtime.h>

#include "base/error.h"
#include "kernels/device/kernel_entry.h"

struct cuda_side {
    /* own: the experiment's device, which is current; index: the device that the memory belongs to */
    int own, index;
    cudaStream_t stream;
    mismatches *found; /* in the memory of device `index` */
};

/* As the members of struct device_kind. They wait for work on another device than the own. */
int cuda_side_fill(const cuda_side &side, void *at, int byte, uint64_t bytes, error *error);
int cuda_side_count_other(const cuda_side &side, const void *at, int byte, uint64_t bytes, mismatches *found,
                          error *error);
int cuda_side_prepare(const cuda_side &side, const kernel_entry *entry, const run *r, int buffer,
                      error *error);
int cuda_side_check(const cuda_side &side, const kernel_entry *entry, const run *r, int buffer,
                    mismatches *found, error *error);

#endif
