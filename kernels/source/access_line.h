/* The line of the user's source that an access belongs to, where the line that the compiler gave it is another one's. C++. */
#pragma once

#include "kernels/source/source_kernel.h"
#include "ptx/module.h"

/* Returns where an access to the array at that position stands in the source. A compiler that joins the accesses of two
   branches, or takes one out of a loop, leaves it the line of its neighbour in the PTX. If that line does not name the array,
   the line is returned of the branch that does, or on which alone the kernel accesses it; line 0, if several are possible:
   `joined` has both if they are those of two branches, else zeros. If the array may have another name the position is
   returned as it is. array: NULL or "", if it is not known, as of shared and constant memory: line 0 is returned for a line
   that accesses no memory for sure. */
ptx_position access_line_find(const source_kernel *kernel, const ptx_position &position, const char *array,
                              int joined[2]);
