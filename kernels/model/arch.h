/* The architectures that the model knows: what one multiprocessor (SM) has, as plain figures.

   Sources. Totals (warps, blocks, registers, shared memory) and limits of a thread and of a block: the
   CUDA C++ Programming Guide, "Compute Capabilities", its table of technical specifications; guides up to
   4.2 for 1.x, up to 8.0 for 2.x, up to 11 for 3.x. Units of allocation, sub-partitions, barriers:
   cuda_occupancy.h of CUDA 13 for 3.0 and newer, of CUDA 7.0 and NVIDIA's occupancy calculator spreadsheet
   for what is older. Registers a thread: 63 until 3.0, 255 from 3.5 on (the guide's table;
   cuda_occupancy.h lets 255 pass on 3.0 and 256 from 7.0 on); 124 on 1.x (the spreadsheet). Caching of
   loads and of local memory: the guide's chapters on global memory and the tuning guides of Kepler, Maxwell and Pascal. Issue:
   the guide, "Multiprocessor Level". FP32 lanes: the guide, "Arithmetic Instructions", results a clock of
   32-bit floating-point multiply-add; on 1.x the 8 cores of a
   multiprocessor. Parameters in shared memory: the guide 4.2, "Shared Memory" of 1.x, and its appendix on
   __global__ functions (256 bytes at most); the 16 bytes beside them hold the block's coordinates and the sizes of
   grid and block. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

enum {
    ARCH_WARP_THREADS = 32,
    ARCH_BARRIERS_PER_BLOCK = 16 /* named barriers, 0 to 15: PTX ISA, bar */
};

enum arch_register_owner {
    ARCH_REGISTERS_TO_WARPS, /* a warp's registers round up to the unit and lie in one sub-partition */
    ARCH_REGISTERS_TO_BLOCKS /* a block's registers round up to the unit; its warps count in twos */
};

struct arch_registers {
    uint32_t per_sm, per_block, per_thread; /* 32 bits each */
    uint32_t unit;                          /* registers: an allocation is a multiple */
    enum arch_register_owner owner;
    /* A block launches only if it fits with its warps rounded up to a multiple of this: the sub-partitions; but
       4 on sm_60 with its 2 (cuda_occupancy.h). */
    uint32_t launch_warps;
};

struct arch_shared {
    uint32_t per_sm_bytes;
    /* The maximum, for a kernel that opted in to more than 48 KB where that is possible. */
    uint32_t per_block_bytes;
    uint32_t unit_bytes;     /* an allocation is a multiple */
    uint32_t reserved_bytes; /* reserved by the system, in each block */
    bool parameters;         /* the kernel's parameters take part of it, in each block */
};

/* Whether a global load uses the L1. */
enum arch_l1 { ARCH_L1_NEVER, ARCH_L1_ON_REQUEST, ARCH_L1_BY_DEFAULT };

/* Which lanes form one request to global memory. */
enum arch_request {
    ARCH_REQUEST_WARP,
    /* One for a warp, but two where a lane accesses 8 bytes, and four where it accesses 16: 2.x (CUDA C Programming Guide
       4.2, F.4.2) and 3.x, which the guide says behaves in the same way. */
    ARCH_REQUEST_WARP_PARTS,
    ARCH_REQUEST_HALF_WARP, /* each half takes the segments that it touches: 1.2 and 1.3 */
    /* Each half takes one transaction when its lanes access words in their order from an aligned address, else one
       for each lane: 1.0 and 1.1. The model does not count that. */
    ARCH_REQUEST_HALF_WARP_IN_ORDER
};

/* The banks of shared memory. */
enum arch_banks {
    ARCH_BANKS_HALF_WARP, /* 16 of 4 bytes, and each half of a warp is a request of its own: 1.x */
    ARCH_BANKS_NARROW,    /* 32 of 4 bytes */
    ARCH_BANKS_QUARTERS,  /* the same; each quarter warp of an access of 16 bytes takes a fetch more: 2.x */
    ARCH_BANKS_WIDE       /* 32 of 8 bytes, words 128 bytes apart side by side: 3.x */
};

struct arch_access {
    enum arch_l1 l1;
    /* bytes that a load through L1 fetches at a time: a line, or a sector; 0 when no load uses L1. 5.0
       has an L1 for __ldg alone */
    uint32_t l1_bytes;
    /* True: the bytes that a request stores into one 128-byte region are one transaction, of one 32-byte
       segment, of an aligned two, or of all four. False: each 32-byte sector is a transaction. Of requests by
       half warps: loads too. */
    bool stores_joined;
    enum arch_request request;
    enum arch_banks banks;
    /* Global loads can take the read-only path (__ldg, ld.global.nc): by the texture cache, in sectors of 32
       bytes, until the L1 is that cache as well. */
    bool read_only_path;
    /* The L1 serves local memory too. Kepler's serves hardly anything else; Maxwell's leaves it to the L2; from
       6.0 on it does again, also on 6.1, where global loads go past it by default. */
    bool local_l1;
};

/* Every `cycles` clocks, `warps` warps issue `instructions` instructions each. */
struct arch_issue {
    uint32_t warps, cycles, instructions;
};

struct arch {
    const char *name; /* "sm_90" */
    uint32_t warps_per_sm, blocks_per_sm, threads_per_block, sub_partitions;
    struct arch_registers registers;
    struct arch_shared shared;
    uint32_t barriers_per_sm; /* 0: they do not limit */
    struct arch_access access;
    struct arch_issue issue;
    /* Cycles from an arithmetic instruction to one that needs its result; 0: no source. */
    uint32_t register_latency_cycles;
    uint32_t fp32_lanes; /* single-precision multiply-adds that an SM starts each clock */
};

/* All architectures, oldest first. Static, safe from any thread. */
int arch_count(void);
const struct arch *arch_at(int index);

/* Finds an architecture by its name, "sm_90"; NULL: there is none. */
const struct arch *arch_find(const char *name);

__END_DECLS
