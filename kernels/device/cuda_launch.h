/* A launch with what it asks for besides its grid and block: clusters, a part of the L2, a texture, several streams. Codes are
   the runtime's. */
#ifndef COALESCED_KERNELS_DEVICE_CUDA_LAUNCH_H
#define COALESCED_KERNELS_DEVICE_CUDA_LAUNCH_H

#include <cuda_runtime.h>

#include "kernels/device/kernel_entry.h"

/* One launch: made, told what it asks for, and gone. */
class cuda_launching
{
  public:
    cuda_launching(const run *r, const shape &grid, cudaStream_t stream);
    /* Blocks of a cluster, along x. */
    void in_clusters(uint64_t blocks);
    /* A window of the L2's policy over a buffer: what of it fits into the part that may be set aside is kept. */
    void keep(const run *r, int buffer);
    int go(const void *symbol, void **arguments);

  private:
    cudaLaunchConfig_t config_;
    cudaLaunchAttribute attribute_[2];
};

/* A texture of linear memory over the first buffer. The last one is kept: launches that follow each other ask for the same. */
int cuda_texture_of(const run *r, cudaTextureObject_t *texture);

/* Elements from `begin` to before `end` of one buffer to another, by a copy engine. */
int cuda_copy_part(const run *r, int from, int to, uint64_t begin, uint64_t end, cudaStream_t stream);

/* Streams beside one: what they do begins after what that one has been given, and what that one is given next waits for them.
   May be captured. */
class cuda_fork
{
  public:
    int begin(cudaStream_t from, int streams); /* 1 to STREAMS_MOST */
    cudaStream_t stream(int turn) const;
    int end(cudaStream_t to);

  private:
    int streams_ = 0;
};

/* Sets a part of the L2 aside for the buffer that the run's kernel wants kept, or none, from here on. Not while launches are
   captured, and not in a profiler's pass. */
int cuda_set_aside(const run *r);

/* What was kept there is like any other line again: it goes when the L2 is emptied. Nothing when nothing is set aside. */
int cuda_let_go(void);

#endif
