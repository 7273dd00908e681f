/* Joins intervals, and counts the units that they touch. */
#include "kernels/model/interval.h"

#include <algorithm>

size_t intervals_join(interval *list, size_t count)
{
    size_t joined = 0;
    auto before = [](const interval &l, const interval &r) { return l.begin < r.begin; };
    if (!std::is_sorted(list, list + count, before))
        std::sort(list, list + count, before);
    for (size_t i = 0; i < count; i++)
        if (joined && list[i].begin <= list[joined - 1].end)
            list[joined - 1].end = std::max(list[joined - 1].end, list[i].end);
        else
            list[joined++] = list[i];
    return joined;
}

uint64_t intervals_units(const interval *joined, size_t count, int64_t further, int64_t unit)
{
    uint64_t units = 0;
    int64_t past = 0;
    int shift = __builtin_ctzll((unsigned long long)unit);
    for (size_t i = 0; i < count; i++) {
        int64_t begin = std::max(past, (joined[i].begin + further) >> shift);
        int64_t end = ((joined[i].end + further - 1) >> shift) + 1;
        units += (uint64_t)std::max<int64_t>(0, end - begin);
        past = std::max(past, end);
    }
    return units;
}
