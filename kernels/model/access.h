/* Which sectors and lines a kernel touches: counted from its body, without a device, for any size.

   The body is run once for each lane of each warp of a block, with indices that are affine in the block's coordinates.
   Every comparison narrows the box of blocks for which its outcome holds; what was cut off is run on its own. In such a
   box a warp's instruction touches the same pattern of bytes from block to block, moved by a multiple of the
   coefficients, and how many sectors the pattern touches depends on where it begins within a line alone: it is counted
   once for each such residue and multiplied. That is exact. docs/model.md has an example to redo by hand. */
#ifndef COALESCED_KERNELS_MODEL_ACCESS_H
#define COALESCED_KERNELS_MODEL_ACCESS_H

#include "kernels/experiment.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A chunk is what DRAM reads at once. */
enum { SECTOR_BYTES = 32, CHUNK_BYTES = 64, LINE_BYTES = 128, PAGE_BYTES = 1024, WARP_LANES = 32 };

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_KINDS };

/* Where an access goes, when not to a buffer. */
enum { SPACE_SHARED = KERNEL_BUFFERS, SPACE_CONSTANT, SPACES };

/* Sums over all warp instructions of one launch. */
struct access_sums {
    uint64_t requests; /* warp instructions with at least one active lane */
    uint64_t sectors;  /* distinct aligned 32-byte segments, instruction by instruction */
    uint64_t lines;    /* distinct aligned 128-byte lines, instruction by instruction */
    uint64_t bytes;    /* that the active lanes ask for */
    uint64_t
        used; /* distinct bytes among them, instruction by instruction: less than `bytes` where lanes share */
    uint64_t
        segments[3]; /* of the lines, those whose touched sectors are one, lie in an aligned two, are more */
};

/* Sums over all warp instructions that touch shared memory: 32 banks, 4 bytes wide. Lanes that ask for the same word
   share it; words of one bank are fetched one after the other. Accesses of 8 bytes are done by half warps, but a load of
   which each lane wants the same as its neighbour, or as its neighbour but one (lane xor 1, lane xor 2), by the whole
   warp. Accesses of 16 bytes are done by quarter warps. Found with the counters of an H200 (docs/model.md). */
struct shared_sums {
    uint64_t requests;
    uint64_t conflicts; /* fetches beyond the first of each (part of a) request */
    uint64_t
        conflicts_wide; /* the same where banks are 8 bytes wide, words 128 bytes apart side by side, and a whole
                                warp's 8 bytes a lane come at once (sm_30 to sm_37) */
};

/* One instruction of the body: the n-th access of its kind, space and width, in the order of the body. */
struct access_instruction {
    enum access_kind kind;
    int space;                 /* a buffer's index, SPACE_SHARED or SPACE_CONSTANT */
    unsigned bytes;            /* of a lane's access */
    struct access_sums global; /* over the launch; of constant memory too. In shared memory 0 */
    struct shared_sums shared; /* over the launch */
    int64_t times; /* that the listed warp does it with at least one lane; 0 where no warp is listed */
};

/* What is touched, each thing once however often it is asked for: what an L1, an L2 and DRAM must bring at least. */
struct access_reach {
    uint64_t
        block_sectors; /* distinct 32-byte sectors of a block, added up over the blocks (of a loop over the grid: over the
                               blocks that would cover it without a loop) */
    uint64_t block_lines; /* distinct 128-byte lines of a block, likewise */
    uint64_t block_pages; /* distinct 1024-byte pages of a block, likewise */
    uint64_t grid_chunks; /* distinct 64-byte chunks of the whole launch */
    bool exact; /* false: estimated, because addresses are not affine or a union has no closed form */
};

/* Constant memory has a path of its own and is in none of these, and neither are updates in shared memory: the sums by
   instruction have them (explain.h). */
struct access {
    struct access_sums load, store;
    struct access_sums atomic; /* updates in global memory: a class of their own */
    struct shared_sums shared_load, shared_store;
    struct access_reach load_reach, store_reach; /* global memory */
    uint64_t constant_extra; /* distinct words of constant memory that requests want beyond one each */
    double steps;            /* of c.each_step() and c.compute(), a thread on average */
    double barriers;         /* likewise */
    bool
        exact; /* false: blocks were sampled, because an index is not affine in the block's coordinates; or there are
                   updates, which the hardware may join */
    bool
        has_dependent_loads; /* an index was loaded itself (c.index_of()): accesses by it wait for that load */
    uint64_t boxes;          /* pieces that the grid fell into: what the count cost */
};

/* Counts a checked experiment with its grid. Any thread; microseconds where everything is affine, some tens of
   milliseconds at most elsewhere. */
void access_count(const struct experiment *experiment, struct access *access);

/* The same, and lists a warp for explain_make() (explain.h; NULL: lists nothing). */
struct explain;
void access_trace(const struct experiment *experiment, struct access *access, struct explain *explain);

#ifdef __cplusplus
}
#endif
#endif
