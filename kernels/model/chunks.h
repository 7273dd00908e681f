/* How many 64-byte chunks a set of bytes touches that is described, not listed: intervals, each repeated at equal distances
   in up to four directions (the threads of a block, and the three axes of the grid). */
#ifndef COALESCED_KERNELS_MODEL_CHUNKS_H
#define COALESCED_KERNELS_MODEL_CHUNKS_H

#include <stdint.h>

#include <vector>

#include "kernels/model/access.h"
#include "kernels/model/interval.h"

struct repetition {
    int64_t step, count; /* bytes; times, the first one counted */
};

/* The same interval, moved by every sum of steps. */
struct repeated_interval {
    interval first;
    std::vector<repetition> by;
};

/* `joined` as few repeated intervals: a thread's fields come again from thread to thread. */
std::vector<repeated_interval> chunks_repeated(const std::vector<interval> &joined);

/* Distinct chunks of all together; -1: there is no closed form, and too much to go through. Changes `all`. */
int64_t chunks_count(std::vector<repeated_interval> &all);

#endif
