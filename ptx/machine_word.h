/* One instruction of machine code: 16 bytes on every architecture from sm_75 on, whose low twelve bits say
   what it does (nine) and of what kind its operands are (three). Only bits that were the same in code made for
   sm_75, sm_80, sm_86, sm_89, sm_90, sm_100 and sm_120 are read, so that no disassembler is needed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum machine_kind {
    MACHINE_OTHER,
    MACHINE_LOAD,
    MACHINE_STORE,
    MACHINE_ATOMIC,    /* returns what was there */
    MACHINE_REDUCTION, /* does not */
    MACHINE_SWAP,      /* compare and swap */
    MACHINE_COPY,      /* global to shared memory, asynchronous */
};

enum machine_space {
    MACHINE_NOWHERE,
    MACHINE_GENERIC,
    MACHINE_GLOBAL,
    MACHINE_SHARED,
    MACHINE_LOCAL,
    MACHINE_CONSTANT,
};

/* PTX's cache operators, as far as they are told apart in the machine code. */
enum machine_cache {
    MACHINE_CACHE_DEFAULT,
    MACHINE_CACHE_NC,
    MACHINE_CACHE_CA, /* of a store: .wb */
    MACHINE_CACHE_CG, /* also relaxed accesses of the device's scope */
    MACHINE_CACHE_CS,
    MACHINE_CACHE_LU,
    MACHINE_CACHE_CV, /* also volatile ones and those of the system's scope; of a store: .wt */
};

enum machine_flow {
    MACHINE_NEXT,
    MACHINE_BRANCH,
    MACHINE_INDIRECT, /* a branch whose target is in a register */
    MACHINE_CALL,
    MACHINE_RETURN,
    MACHINE_EXIT,
    MACHINE_MEET_BEGIN, /* BSSY: lanes that part meet at the target */
    MACHINE_MEET,       /* BSYNC */
    MACHINE_WARP_SYNC,
    MACHINE_BARRIER, /* of the block */
};

enum { MACHINE_WORD_BYTES = 16, MACHINE_SCOREBOARDS = 6, MACHINE_ALWAYS = 7, MACHINE_NEVER = 15 };

/* Opcodes (nine bits) that more than this file looks at. */
enum {
    MACHINE_NOP = 0x118,
    MACHINE_BAR = 0x11d, /* the block's barrier */
    MACHINE_DMUL = 0x028,
    MACHINE_DADD = 0x029,
    MACHINE_DFMA = 0x02b,
    MACHINE_FADD = 0x021,
    MACHINE_FFMA = 0x023,
    MACHINE_COPY_GROUP = 0x1af, /* ends a group of asynchronous copies */
    MACHINE_COPY_AWAIT = 0x11a, /* waits for groups of them */
};

struct machine_word {
    uint16_t opcode;   /* MACHINE_NOP also for one whose predicate is never true */
    uint8_t predicate; /* MACHINE_ALWAYS: unconditional */
    bool always;       /* executed by every lane that comes here; of a branch: taken by all of them */
    bool diverged;     /* a branch taken only where lanes of the warp have gone apart */
    enum machine_kind kind;
    enum machine_space space;
    enum machine_cache cache;
    enum machine_flow flow;
    uint8_t bytes;   /* of a lane; 0: no access, or a width that is not known */
    uint8_t sets;    /* the scoreboard that its result lifts; 7: none */
    uint8_t lends;   /* the scoreboard that is lifted once its operands were read; 7: none */
    uint8_t stall;   /* cycles until the next one may be issued, 1 to 15 */
    uint8_t waits;   /* the scoreboards that it waits for, a bit each */
    uint8_t left;    /* of MACHINE_COPY_AWAIT: so many groups may still be under way */
    bool has_target; /* of a branch, a call within the code, BSSY */
    int64_t target;  /* bytes from the begin of the code */
};

/* Reads the instruction that stands `offset` bytes from the begin of the code, for sm_`arch`. Any bits are an
   instruction: what is not known is MACHINE_OTHER. */
struct machine_word machine_word_read(const uint8_t bytes[MACHINE_WORD_BYTES], uint64_t offset, int arch);
