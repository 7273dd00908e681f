/* The other GPU of an experiment of two: found by its uuid, with what its own memory is filled and checked with. */
#ifndef COALESCED_KERNELS_DEVICE_CUDA_PEER_H
#define COALESCED_KERNELS_DEVICE_CUDA_PEER_H

#include <cuda_runtime.h>

#include "base/error.h"

struct mismatches;

/* All zero: no peer. */
struct cuda_peer {
    bool open;   /* it has a context of this process from here on */
    bool access; /* launches on the own device reach its memory */
    int index;
    cudaStream_t stream; /* the peer's, as are the following */
    mismatches *found;
};

/* Another device is current until the end of the block. */
struct cuda_current {
    int back;
    cuda_current(int index, int own) : back(own) { cudaSetDevice(index); }
    ~cuda_current() { cudaSetDevice(back); }
    cuda_current(const cuda_current &) = delete;
    cuda_current &operator=(const cuda_current &) = delete;
};

/* The runtime's number of the device of that uuid; -1: this process sees none of it. */
int cuda_index_of(const char *uuid);

/* Opens it with access or without, or changes that. It must not be open with another index. As peer() of device.h. */
int cuda_peer_open(cuda_peer *peer, int own, int index, bool access, error *error);

/* Its memory has been freed before. */
void cuda_peer_close(cuda_peer *peer, int own);

#endif
