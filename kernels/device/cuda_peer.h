/* The peer of an experiment on two GPUs: found by its uuid, with a stream and memory for filling and checking
   its buffers. */
#pragma once

#include <cuda_runtime.h>

#include "base/error.h"

struct mismatches;

/* All zero: no peer. */
struct cuda_peer {
    bool open;   /* this process has a context on it */
    bool access; /* launches on the own device can access its memory */
    int index;
    cudaStream_t stream; /* on the peer, as is the following member */
    mismatches *found;
};

/* Makes another device current until the end of the scope. */
struct cuda_current {
    int back;
    cuda_current(int index, int own) : back(own) { cudaSetDevice(index); }
    ~cuda_current() { cudaSetDevice(back); }
    cuda_current(const cuda_current &) = delete;
    cuda_current &operator=(const cuda_current &) = delete;
};

/* The runtime's index of the device with that uuid; -1: this process does not see it. */
int cuda_peer_index(const char *uuid);

/* Opens the peer, or changes its access. It must not be open with another index. As peer() of device.h. */
int cuda_peer_open(cuda_peer *peer, int own, int index, bool access, error *error);

/* Closes the peer, whose memory must be freed before. */
void cuda_peer_close(cuda_peer *peer, int own);
