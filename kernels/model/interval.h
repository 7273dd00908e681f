/* Lists of intervals of bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

struct interval {
    int64_t begin, end; /* bytes of a buffer, end excluded */
};

/* Sorts the intervals and joins those that overlap or touch. Returns how many remain. */
size_t intervals_join(interval *list, size_t count);

inline void intervals_join(std::vector<interval> &list)
{
    list.resize(intervals_join(list.data(), list.size()));
}

/* The number of distinct aligned units of `unit` bytes (a power of two) that the joined intervals touch when
   all are moved by `further` bytes. None may then begin below 0. */
uint64_t intervals_units(const interval *joined, size_t count, int64_t further, int64_t unit);
