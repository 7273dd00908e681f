/* A launch with its attributes besides grid and block: clusters, a part of the L2, a texture, several
   streams. Functions return the runtime's codes. */
#pragma once

#include <cuda_runtime.h>

#include "kernels/device/kernel_entry.h"

/* One launch: its configuration, to which attributes are added before go(). */
class cuda_launching
{
  public:
    cuda_launching(const run *r, const shape &grid, cudaStream_t stream);
    /* Launches in clusters of so many blocks along x. */
    void in_clusters(uint64_t blocks);
    /* Adds an access policy window of the L2 over a buffer, as far as the part that is set aside goes. */
    void keep(const run *r, int buffer);
    int go(const void *symbol, void **arguments);

  private:
    cudaLaunchConfig_t config_;
    cudaLaunchAttribute attribute_[2];
};

/* A texture of linear memory over the first buffer. The last one is cached, because launches in a row use the
   same. */
int cuda_launch_texture(const run *r, cudaTextureObject_t *texture);

/* Copies the elements from `begin` to before `end` of one buffer to another, by a copy engine. */
int cuda_launch_copy_part(const run *r, int from, int to, uint64_t begin, uint64_t end, cudaStream_t stream);

/* Streams beside a given one: their work begins after the work that it already has, and its next work
   waits for them. May be captured. */
class cuda_fork
{
  public:
    int begin(cudaStream_t from, int streams); /* 1 to STREAMS_MOST */
    cudaStream_t stream(int turn) const;
    int end(cudaStream_t to);

  private:
    int streams_ = 0;
};

/* Sets a part of the L2 aside for the buffer of the run's kernel that wants it, or none, from here on. Not
   while launches are captured, and not in a profiler's pass. */
int cuda_launch_set_l2_aside(const run *r);

/* Makes persisting lines normal again, so that emptying the L2 removes them. Does nothing when no part is set
   aside. */
int cuda_launch_release_l2(void);
