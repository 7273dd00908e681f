/* What the plain trace writes down, for a test that wants more than the sums. */
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "tests/model/plain.h"

/* What is done, where, bytes, ordinal among the lane's accesses of that kind: one instruction of a warp. */
using instruction = std::tuple<char, int, unsigned, int>;

/* Of each lane that takes part: its first byte. */
struct plain_lanes {
    uint32_t active = 0;
    int64_t first[32] = {};
    bool has(int lane) const { return active >> lane & 1; }
    void set(int lane, int64_t byte)
    {
        active |= (uint32_t)1 << lane;
        first[lane] = byte;
    }
};
using warp_accesses = std::map<instruction, plain_lanes>;

/* One access of one lane. */
struct plain_access {
    char what;
    int space;
    unsigned bytes;
    int64_t first;
    bool operator==(const plain_access &other) const
    {
        return what == other.what && space == other.space && bytes == other.bytes && first == other.first;
    }
};

/* What a test may want to know besides the sums: of one warp every access of every lane, in the lane's
   order; and the sums by what is done, where and how wide. */
struct plain_listing {
    int64_t block[2] = {-1, -1};
    uint64_t warp = 0;
    std::vector<plain_access> lanes[32];
    warp_accesses together;
    std::map<std::tuple<char, int, unsigned>, access_sums> sums;
};
extern plain_listing *plain_listed; /* NULL: nobody wants one */

/* What is touched, each thing once: loads and stores apart. */
struct plain_reach {
    /* By block (two sets of blocks: the grid's, and those that its loops stand for), buffer and bytes of a
       unit: which units. */
    using blocks = std::map<std::tuple<bool, int64_t, int, int64_t>, std::set<int64_t>>;
    blocks of_blocks[2];
    std::set<std::pair<int, int64_t>> chunks[2];
    uint64_t steps = 0; /* of all threads */
    access_reach sums(bool store) const;
};
extern plain_reach *plain_reached; /* NULL: nobody wants one */

/* The bank conflicts of one shared memory access of a warp. */
/* Adds what is fetched to *wavefronts. */
uint64_t plain_conflicts(const plain_lanes &lanes, unsigned width, bool load, uint64_t *wavefronts);

void plain_add(access_sums &to, const access_sums &one);
