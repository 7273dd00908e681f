/* What the four STREAM kernels share: doubles by default, sizes and byte counts as BabelStream has them. Two
   elements a thread, because one 8-byte load a thread leaves too little in flight. */
#ifndef COALESCED_KERNELS_SUITE_STREAM_KERNEL_H
#define COALESCED_KERNELS_SUITE_STREAM_KERNEL_H

#include "kernels/suite/wide.h"

struct stream_kernel : wide_kernel<2> {
    static constexpr int scalar = 3; /* sums and products of small integers stay exact */

    static void describe_stream(kernel &k)
    {
        k.dtype = DTYPE_F64;
        k.size[0] = 33554432;
        k.per_thread = 2;
    }
};

#endif
