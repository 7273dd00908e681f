/* What machine_match compares, and what it finds. */
#pragma once

#include "ptx/cubin.h"

/* An access of the PTX. The sites of a kernel are those of its text and of the functions that it calls, in the
   order of their lines. */
struct match_site {
    uint32_t ptx_line;
    enum machine_kind kind; /* a swap: atom.cas */
    enum machine_space space;
    uint32_t bytes; /* a lane's */
    /* The register of the address, by any number that tells registers apart, and the bytes that are added: by
       these neighbours are known. 0: not known. */
    uint32_t base;
    int64_t offset;
    /* Where its addresses lie: `place` modulo `modulo`, a power of two; 0: not known. An access of the machine code
       begins at a multiple of its width. */
    uint32_t modulo, place;
    bool executed; /* false: what becomes of it does not matter to this launch */
};

/* Where the PTX does not go on to the next line. One that has several targets stands as often. */
struct match_branch {
    uint32_t ptx_line;
    uint32_t target_line; /* 0: it leaves (ret, exit) */
    bool conditional;
    bool diverges; /* lanes of a warp part here; true also where nobody knows */
};

/* A kernel in PTX. Lines of functions that it calls stand elsewhere than its own. */
struct match_program {
    const struct match_site *sites; /* in the order of their lines */
    size_t site_count;
    const struct match_branch *branches; /* likewise */
    size_t branch_count;
    uint32_t begin_line, end_line; /* of the kernel itself */
};

enum match_how {
    MATCH_ONE,      /* one to one, or in copies */
    MATCH_JOINED,   /* with others in one access: see match_verdict */
    MATCH_ONE_LANE, /* an atomic that one lane does for all of its warp which are there */
    MATCH_CONSTANT, /* constant memory, which no counter is about */
    /* From here on the count of the PTX is not the machine's. */
    MATCH_REGISTERS, /* local memory that became registers */
    MATCH_GONE,
    MATCH_NARROWER,
    MATCH_SPLIT,
    MATCH_WIDER,    /* more than the PTX asks for, or joined with itself over several rounds of a loop */
    MATCH_MIXED,    /* its copies have several widths */
    MATCH_HOISTED,  /* out of a loop */
    MATCH_FEWER,    /* in fewer copies than what stands beside it */
    MATCH_ALWAYS,   /* done by lanes which the PTX leaves out */
    MATCH_BEHIND,   /* left out by lanes which do it in the PTX */
    MATCH_REPLACED, /* an atomic by a loop of compare-and-swap */
    MATCH_APART,    /* lanes that part may meet elsewhere */
    MATCH_UNKNOWN,
    MATCH_HOW_COUNT
};

struct match_verdict {
    enum match_how how;
    uint32_t copies; /* accesses of the machine code */
    uint32_t bytes;  /* a lane's, in the machine code; 0: several, or none */
    /* Of MATCH_JOINED: the site whose address, moved by `moved` bytes, is where the access of `bytes` begins. All
       sites with this leader are that one access, done when the leader is. */
    uint32_t leader;
    int32_t moved;
    uint32_t branch_line; /* of MATCH_APART, MATCH_ALWAYS and MATCH_BEHIND: the branch, in PTX */
};

/* Accesses that belong to no site. */
struct match_extra {
    uint32_t ptx_line; /* 0: not known */
    enum machine_space space;
    uint32_t accesses;
};

struct match_result {
    struct match_verdict *verdicts; /* of each site */
    size_t count;
    struct match_extra *extras; /* without local memory */
    size_t extra_count;
    uint32_t spill_loads, spill_stores; /* instructions that access local memory and belong to no site */
    bool global_exact, shared_exact;    /* of executed sites and extras; atomics count with their memory */
    bool local_exact;
};
