/* Executes an entry of a module over a grid, warp by warp, in numbers: with the buffers' contents. One core, no
   thread of its own. What is watched: accesses outside of buffers, misaligned ones, reads of what was never written,
   races, barriers that not all threads reach. */
#pragma once

#include "ptx/module.h"

__BEGIN_DECLS

enum { PTX_LANES = 32, PTX_BUFFERS_MAX = 64, PTX_FAULTS_MAX = 64, PTX_BLOCK_THREADS_MAX = 1024 };

/* Memory that a parameter points to. It stays the caller's, who keeps it alive while the launch runs. */
struct ptx_buffer {
    const char *name;
    void *data;
    uint64_t bytes;         /* less than 2^38 */
    unsigned element_bytes; /* for the index of a fault; 0 counts as 1 */
    bool undefined;         /* contents count as never written: a load before a store is a fault */
    bool read_only;         /* a store or an atomic is a fault */
};

/* Contents of a .const or .global variable that the host sets before the launch. */
struct ptx_setting {
    const char *variable; /* as in the module */
    const void *data;
    uint64_t bytes; /* at most the variable's */
};

/* One warp instruction. */
struct ptx_access {
    int site; /* index into ptx_module.sites */
    uint32_t block[3];
    unsigned warp;
    uint32_t mask;        /* of lanes that access */
    enum ptx_space space; /* never PTX_GENERIC */
    int buffer; /* PTX_GLOBAL: a buffer's index, or buffer_count + a variable's; PTX_CONST: the latter; -1 */
    uint64_t address
        [PTX_LANES]; /* PTX_GLOBAL, PTX_CONST: virtual; PTX_SHARED, PTX_LOCAL: byte of the block's, the thread's */
    unsigned bytes; /* a lane's */
    /* Of ptx_affine_run(): this access is that of block[], the first of a box of blocks. In block[] + d each lane's
       address is address[] + d[0] * step[0] + d[1] * step[1] + d[2] * step[2]. Otherwise extent is 1, 1, 1. */
    uint32_t extent[3]; /* blocks of the box along each axis */
    int64_t step[3];    /* bytes */
};

enum ptx_fault_kind {
    PTX_FAULT_OUTSIDE, /* of each buffer, or of shared or local memory */
    PTX_FAULT_MISALIGNED,
    PTX_FAULT_UNDEFINED,      /* a load of what was never written */
    PTX_FAULT_READ_ONLY,      /* a store to a read-only buffer or to .const memory */
    PTX_FAULT_RACE,           /* of two threads of a block */
    PTX_FAULT_RACE_OF_BLOCKS, /* of two blocks */
    PTX_FAULT_BARRIER,        /* that not all threads reach */
    PTX_FAULT_SHUFFLE, /* a lane of the mask does not take part, or its value is taken though it has returned */
    PTX_FAULT_TRAP,    /* trap, or an assertion that failed */
    PTX_FAULT_STUB,    /* a note: what was called does nothing */
    PTX_FAULT_STEPS,   /* the budget of steps or seconds is spent */
    PTX_FAULT_MEMORY,  /* the budget of bytes, or the host's memory */
    PTX_FAULT_UNKNOWN, /* something that is understood at run time only and not executed: text says what */
    PTX_FAULT_KINDS
};

struct ptx_thread {
    uint32_t block[3], thread[3];
    int site; /* -1: no access */
    struct ptx_position position;
};

/* The first occurrence of a fault; `times` counts those with the same kind and places. */
struct ptx_fault {
    enum ptx_fault_kind kind;
    bool note; /* a race that stores equal values, a stub that was called: not wrong */
    struct ptx_thread at;
    bool has_other;
    /* Of a race: the thread of the earlier access. Of a barrier: a thread that does not reach it; its position is where it
       waits, all zeros if it does not wait. */
    struct ptx_thread other;
    enum ptx_access_kind other_access; /* of a race: what the earlier one did */
    enum ptx_space space;
    enum ptx_access_kind access;
    int buffer;       /* as in struct ptx_access; -1 where there is none */
    const char *name; /* the buffer's or variable's, valid as long as these; NULL */
    int64_t index;    /* element of the buffer, or byte (in_bytes); may be negative */
    bool in_bytes; /* index and elements count bytes: PTX does not tell the type of a variable's elements */
    unsigned span; /* elements from `index` on that are accessed at once; 0: not told */
    uint64_t elements; /* that the buffer has */
    uint64_t address;
    unsigned bytes;
    uint64_t times;
    bool address_of_data; /* the address depends on loaded values */
    const char *text;     /* more of PTX_FAULT_UNKNOWN and others, static; or NULL */
};

struct ptx_outcome {
    struct ptx_fault faults[PTX_FAULTS_MAX];
    unsigned fault_count; /* distinct ones, at most PTX_FAULTS_MAX */
    bool failed;          /* a fault that is no note */
    bool complete;        /* every wanted block was executed to its end */
    uint64_t blocks;      /* that were executed to their end */
    bool cut;             /* the block cut_block was begun and not executed to its end */
    uint32_t cut_block[3];
    uint64_t instructions; /* warp instructions */
    uint64_t barriers;     /* warp instructions that are barriers */
    uint64_t accesses;     /* warp instructions that access memory */
    /* Of instructions that were executed: */
    bool address_of_data, branch_of_data;     /* an address or a branch depends on loaded values */
    bool address_of_atomic, branch_of_atomic; /* on what an atomic returned */
    bool races_unchecked;                     /* memory for it was beyond the budget */
};

struct ptx_budget {
    uint64_t instructions; /* warp instructions; 0: 2^32 */
    uint64_t bytes;        /* of the executor's own memory; 0: 1 GiB */
    double seconds;        /* of the calling thread's processor time; 0: no limit */
};

struct ptx_launch {
    const struct ptx_module *module;
    int entry; /* index of the function */
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const void *parameters; /* the entry's parameter_bytes; pointers are ptx_launch_address() */
    const struct ptx_buffer *buffers;
    unsigned buffer_count;
    const struct ptx_setting *settings;
    unsigned setting_count;
    struct ptx_budget budget;
    /* Linear indices (x fastest) of the blocks to execute, ascending; NULL: all. */
    const uint64_t *blocks;
    uint64_t block_count;
    bool check_races, check_undefined;
    /* A flag for each instruction of the module's program, set where lanes of a warp parted; NULL: nobody asks. */
    uint8_t *parted;
    void (*on_access)(void *context, const struct ptx_access *access); /* NULL: nobody asks */
    void *context;
};

/* The virtual address of a buffer, the same in every launch: a multiple of 2^39. */
uint64_t ptx_launch_address(unsigned buffer);

/* 0, and *outcome, with whatever faults there are; -1: *outcome has one fault, which says why nothing was
   executed (memory, or a launch that is not possible). Any thread. */
int ptx_launch_run(const struct ptx_launch *launch, struct ptx_outcome *outcome);

/* An English sentence about a fault, with line, element, thread and block. Returns what snprintf() would. */
int ptx_fault_text(const struct ptx_fault *fault, char *text, size_t bytes);

__END_DECLS
