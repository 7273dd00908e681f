/* Counts which sectors and lines a kernel touches: from its body, without a device, for any size.

   The body runs once for each lane of each warp of a block, with indices that are affine in the block's
   coordinates. Each comparison narrows the box of blocks for which its outcome holds; the rest of the box is
   traced separately. Within a box an instruction of a warp touches the same pattern of bytes from block to
   block, moved by a multiple of the coefficients. The number of sectors of a pattern depends only on where it
   begins within a line: it is counted once for each such residue, and multiplied. That is exact. docs/model.md
   has an example to do by hand. */
#pragma once

#include <sys/cdefs.h>

#include "kernels/experiment.h"

__BEGIN_DECLS

/* A chunk is the unit that DRAM reads, a page the unit that it opens. */
enum { SECTOR_BYTES = 32, CHUNK_BYTES = 64, LINE_BYTES = 128, PAGE_BYTES = 1024, WARP_LANES = 32 };

/* Shared memory has so many banks, of so many bytes each; on 1.x fewer. */
enum { BANKS = 32, HALF_WARP_BANKS = 16, BANK_BYTES = 4 };

enum { CONSTANT_WORD_BYTES = 4 }; /* of constant memory */

/* Returns which of `banks` banks holds a byte of shared memory. */
static inline int access_bank(int64_t byte, int banks)
{
    return (int)(byte / BANK_BYTES % banks);
}

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_KINDS };

/* The spaces besides a kernel's buffers. */
enum { SPACE_SHARED = KERNEL_BUFFERS, SPACE_CONSTANT, SPACES };

/* Sums over all warp instructions of one launch. */
struct access_sums {
    uint64_t requests; /* warp instructions with at least one active lane */
    uint64_t sectors;  /* distinct aligned 32-byte segments, instruction by instruction */
    uint64_t lines;    /* distinct aligned 128-byte lines, instruction by instruction */
    uint64_t bytes;    /* that the active lanes request */
    /* Distinct bytes among them, instruction by instruction: less than `bytes` where lanes share some. */
    uint64_t used;
    /* The number of lines whose touched sectors are one, lie in an aligned two, are more. */
    uint64_t segments[3];
    /* The same as 1.x requests it: halves of a warp with at least one active lane, and the segments of 32, 64
       and 128 bytes that these take (CUDA C Programming Guide 4.2, F.3.2.2, compute capability 1.2). A segment
       begins with 32 bytes for words of one byte, 64 for two and 128 for more, and shrinks to the half that is
       used. */
    uint64_t half_requests, half_segments[3];
    uint64_t half_used; /* distinct bytes, half by half */
    /* The same for compute capability 2.x and 3.x, which divide a warp's access of 8 bytes a lane into two requests, one
       for each half warp, and one of 16 bytes into four (CUDA C Programming Guide 4.2, F.4.2). A narrower access is one
       request. */
    uint64_t part_sectors, part_segments[3];
    uint64_t part_used; /* distinct bytes, part by part */
};

/* Sums over all warp instructions on shared memory, which has 32 banks of 4 bytes. Lanes that request the
   same word share it; different words of one bank are fetched one after the other. Accesses of 8 bytes are
   done by half warps, accesses of 16 by quarter warps; but by twice as many lanes at once for a load where each
   lane requests the same as its neighbour (lane xor 1), or each the same as lane xor 2. Found with the counters
   of an H200 and an H100 (docs/model.md). */
struct shared_sums {
    uint64_t requests;
    uint64_t wavefronts; /* fetches, which are done one after the other */
    uint64_t conflicts;  /* fetches beyond the first of each request, or of each part of it */
    /* The same for banks of 8 bytes, with words 128 bytes apart side by side, where a whole warp's 8 bytes a
       lane are fetched at once, and 16 bytes a lane by half warps (sm_30 to sm_37). */
    uint64_t wavefronts_wide, conflicts_wide;
    /* Quarter warps with an active lane, of accesses of 16 bytes: each takes a fetch more on compute capability 2.x (CUDA C
       Programming Guide 4.2, F.4.3). */
    uint64_t quarters;
    /* The same for the 16 banks of 4 bytes of compute capability 1.x, where each half warp is a request of its own
       (CUDA C Programming Guide 4.2, F.3.3): fetches, and those beyond the first of each half with an active lane.
       An access of 8 or 16 bytes is two or four such requests, of a word each. */
    uint64_t half_wavefronts, half_conflicts;
};

/* One instruction of the body: the n-th access of its kind, space and width, in the order of the body. */
struct access_instruction {
    enum access_kind kind;
    int space;                 /* a buffer's index, SPACE_SHARED or SPACE_CONSTANT */
    unsigned bytes;            /* of a lane's access */
    struct access_sums global; /* over the launch; constant memory too. 0 in shared memory */
    struct shared_sums shared; /* over the launch */
    /* number of times that the listed warp does it with at least one lane; 0 when no warp is listed */
    int64_t times;
};

/* Bytes an element of the space that the instruction accesses: where the kernel gives shared memory no type, of a
   lane's access. */
uint64_t access_element_bytes(const struct kernel *kernel, enum dtype dtype,
                              const struct access_instruction *instruction);

/* The distinct units that are touched, each counted once: the least that an L1, an L2 and DRAM have to
   move. */
struct access_reach {
    /* Distinct 32-byte sectors of a block, summed over the blocks; of a loop over the grid: over the blocks
       that would cover the size without a loop. */
    uint64_t block_sectors;
    uint64_t block_lines; /* distinct 128-byte lines of a block, likewise */
    uint64_t block_pages; /* distinct 1024-byte pages of a block, likewise */
    uint64_t grid_chunks; /* distinct 64-byte chunks of the whole launch */
    bool exact; /* false: estimated, because addresses are not affine or a union has no closed form */
};

/* The counts of a launch. Constant memory has a path of its own and is in none of these, nor are updates in
   shared memory: the sums by instruction include them (explain.h). */
struct access {
    struct access_sums load, store;
    struct access_sums atomic; /* updates in global memory, which are neither loads nor stores */
    struct shared_sums shared_load, shared_store;
    struct access_reach load_reach, store_reach; /* global memory */
    uint64_t constant_extra; /* distinct words of constant memory of each request beyond the first */
    double steps;            /* steps of c.each_step() and c.compute(), a thread on average */
    double barriers;         /* likewise */
    double working_warps;    /* warps that access memory at least once; 0: not known */
    /* False: blocks were sampled, because an index is not affine in the block's coordinates; or there are
       updates, which the hardware may join; or threads wait for others (c.await()), and look again until then. */
    bool exact;
    /* An index was itself loaded (c.index_of()), so accesses by it wait for that load. */
    bool has_dependent_loads;
    uint64_t boxes; /* boxes that the grid was cut into: the cost of the count */
};

/* Returns how many memory requests one access of a warp becomes on compute capability 2.x and 3.x. `bytes`: of each lane. */
static inline int access_parts(unsigned bytes)
{
    return bytes >= 16 ? 4 : bytes >= 8 ? 2 : 1;
}

/* Counts a checked experiment with its grid. Any thread. Takes microseconds where all indices are affine,
   some tens of milliseconds at most otherwise. */
void access_count(const struct experiment *experiment, struct access *access);

/* Adds what instructions do over the launch to the sums of its kinds: global, shared and constant memory. The other
   members stay as they are. */
void access_add_up(struct access *access, const struct access_instruction *instructions, size_t count);

/* The same as access_count(), and lists a warp for explain_make(); `explain` NULL: lists nothing. */
struct explain;
void access_trace(const struct experiment *experiment, struct access *access, struct explain *explain);

__END_DECLS
