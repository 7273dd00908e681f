/* Counts the 64-byte chunks that a described set of bytes touches: intervals, each repeated at equal
   distances in up to four directions (the threads of a block, and the three axes of the grid). */
#pragma once

#include <stdint.h>

#include <vector>

#include "kernels/model/access.h"
#include "kernels/model/interval.h"

struct repetition {
    int64_t step, count; /* step in bytes; count includes the first */
};

/* One interval, moved by every sum of steps. */
struct repeated_interval {
    interval first;
    std::vector<repetition> by;
};

/* Describes `joined` by few repeated intervals: a thread's fields repeat from thread to thread. */
std::vector<repeated_interval> chunks_repeated(const std::vector<interval> &joined);

/* Distinct chunks of all intervals; -1: there is no closed form, and too many to list. Changes `all`. */
int64_t chunks_count(std::vector<repeated_interval> &all);
