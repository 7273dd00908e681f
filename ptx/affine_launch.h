/* Goes through a launch without data: addresses that are affine in the block's coordinates are found for whole boxes of
   blocks at once, so that the time does not depend on how many blocks there are. What is loaded is not known; a branch
   or an address that depends on it is the end, and ptx_launch_run() is asked instead. */
#pragma once

#include "ptx/launch.h"

__BEGIN_DECLS

enum ptx_affine_end {
    PTX_AFFINE_DONE,
    PTX_AFFINE_DATA,  /* an address or a branch depends on what was loaded, or on an atomic */
    PTX_AFFINE_BOXES, /* the grid falls into too many boxes */
    PTX_AFFINE_FAULT  /* the outcome has a fault that ends the launch: budget, memory */
};

struct ptx_affine_result {
    enum ptx_affine_end end;
    struct ptx_position position; /* of what is not affine */
    uint64_t boxes;               /* of all warps */
    /* Sums over the launch, of warp instructions. */
    double instructions, barriers;
    /* Accesses outside of buffers and misaligned ones, of the first and the last block of each box; nothing else is
       watched. */
    struct ptx_outcome outcome;
};

/* As ptx_launch_run(), but that on_access is told of boxes, that buffers' data may be NULL, and that `blocks` and checks
   are ignored. Warps come one after the other, boxes of a warp one after the other, the accesses of a box in the order
   of execution. `boxes_most`: of all warps; 0: 65536. When the end is not PTX_AFFINE_DONE, what was told is not all.
   0; -1 as ptx_launch_run(). Any thread. */
int ptx_affine_run(const struct ptx_launch *launch, uint64_t boxes_most, struct ptx_affine_result *result);

__END_DECLS
