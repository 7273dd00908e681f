/* Counts what a kernel that a user brings touches: its PTX is executed, and each access of a warp is added up by the rules
   that count the suite (kernels/model/warp_sums.h). What is wrong with the kernel is found on the way.

   Up to SOURCE_COUNT_CHECKED_THREADS threads, or where a check is asked for, the launch is executed in numbers, block by
   block, with its buffers' contents, and watched for faults. A larger launch is counted in boxes of blocks whose addresses
   are affine in the block's coordinates; where they are not, blocks are drawn evenly and executed in numbers.

   With machine code, accesses are counted as that has them, and compared with it (source_machine.h). */
#pragma once

#include "kernels/source/source_launch.h"
#include "kernels/source/source_result.h"

__BEGIN_DECLS

/* Counts a checked experiment of a source kernel. `listed`: block, warp and limits as for explain_make(), or NULL: lists
   nothing. `check`: watches for faults whatever the size, as far as `seconds` reach. Any thread. 0, or -1:
   ERROR_INVALID, the PTX or the launch cannot be executed, with the reason; ERROR_MEMORY. */
int source_count_make(const struct experiment *experiment, const struct source_code *code,
                      const struct explain *listed, bool check, double seconds, struct source_count *count,
                      struct error *error);

__END_DECLS
