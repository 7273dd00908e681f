#include "ptx/machine_word.h"

#include <stddef.h>

enum width { NO_WIDTH, ACCESS, COPY, INTEGER_ATOMIC, FLOAT_ATOMIC, WIDE };

/* What an opcode does. The opcodes were found by compiling single instructions of PTX for each architecture
   and looking which machine instructions their lines have. */
static const struct meaning {
    uint16_t opcode;
    enum machine_kind kind;
    enum machine_space space;
    enum width width;
    enum machine_flow flow;
} meanings[] = {
    {0x03b, MACHINE_LOAD, MACHINE_SHARED, NO_WIDTH, MACHINE_NEXT},      /* LDSM */
    {0x0b9, MACHINE_LOAD, MACHINE_CONSTANT, ACCESS, MACHINE_NEXT},      /* ULDC */
    {0x11d, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_BARRIER}, /* BAR */
    {0x141, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_MEET},    /* BSYNC */
    {0x143, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH,
     MACHINE_CALL}, /* CALL.ABS, of what is in no kernel: printf */
    {0x144, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_CALL},          /* CALL.REL */
    {0x145, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_MEET_BEGIN},    /* BSSY */
    {0x147, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_BRANCH},        /* BRA */
    {0x148, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_WARP_SYNC},     /* WARPSYNC */
    {0x149, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_INDIRECT},      /* BRX */
    {0x14a, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_INDIRECT},      /* JMP */
    {0x14c, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_INDIRECT},      /* JMX */
    {0x14d, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_EXIT},          /* EXIT */
    {0x150, MACHINE_OTHER, MACHINE_NOWHERE, NO_WIDTH, MACHINE_RETURN},        /* RET */
    {0x17e, MACHINE_LOAD, MACHINE_GLOBAL, WIDE, MACHINE_NEXT},                /* LDG of 32 bytes */
    {0x17f, MACHINE_STORE, MACHINE_GLOBAL, WIDE, MACHINE_NEXT},               /* STG of 32 bytes */
    {0x180, MACHINE_LOAD, MACHINE_GENERIC, ACCESS, MACHINE_NEXT},             /* LD */
    {0x181, MACHINE_LOAD, MACHINE_GLOBAL, ACCESS, MACHINE_NEXT},              /* LDG */
    {0x182, MACHINE_LOAD, MACHINE_CONSTANT, ACCESS, MACHINE_NEXT},            /* LDC */
    {0x183, MACHINE_LOAD, MACHINE_LOCAL, ACCESS, MACHINE_NEXT},               /* LDL */
    {0x184, MACHINE_LOAD, MACHINE_SHARED, ACCESS, MACHINE_NEXT},              /* LDS */
    {0x185, MACHINE_STORE, MACHINE_GENERIC, ACCESS, MACHINE_NEXT},            /* ST */
    {0x186, MACHINE_STORE, MACHINE_GLOBAL, ACCESS, MACHINE_NEXT},             /* STG */
    {0x187, MACHINE_STORE, MACHINE_LOCAL, ACCESS, MACHINE_NEXT},              /* STL */
    {0x188, MACHINE_STORE, MACHINE_SHARED, ACCESS, MACHINE_NEXT},             /* STS */
    {0x18a, MACHINE_ATOMIC, MACHINE_GENERIC, INTEGER_ATOMIC, MACHINE_NEXT},   /* ATOM */
    {0x18b, MACHINE_SWAP, MACHINE_GENERIC, INTEGER_ATOMIC, MACHINE_NEXT},     /* ATOM.CAS */
    {0x18c, MACHINE_ATOMIC, MACHINE_SHARED, INTEGER_ATOMIC, MACHINE_NEXT},    /* ATOMS */
    {0x18d, MACHINE_SWAP, MACHINE_SHARED, INTEGER_ATOMIC, MACHINE_NEXT},      /* ATOMS.CAS */
    {0x18e, MACHINE_REDUCTION, MACHINE_GLOBAL, INTEGER_ATOMIC, MACHINE_NEXT}, /* RED */
    {0x1a2, MACHINE_ATOMIC, MACHINE_GENERIC, FLOAT_ATOMIC, MACHINE_NEXT},     /* ATOM of floats */
    {0x1a3, MACHINE_ATOMIC, MACHINE_GLOBAL, FLOAT_ATOMIC, MACHINE_NEXT},      /* ATOMG of floats */
    {0x1a6, MACHINE_REDUCTION, MACHINE_GLOBAL, FLOAT_ATOMIC, MACHINE_NEXT},   /* RED of floats */
    {0x1a8, MACHINE_ATOMIC, MACHINE_GLOBAL, INTEGER_ATOMIC, MACHINE_NEXT},    /* ATOMG */
    {0x1a9, MACHINE_SWAP, MACHINE_GLOBAL, INTEGER_ATOMIC, MACHINE_NEXT},      /* ATOMG.CAS */
    {0x1ac, MACHINE_LOAD, MACHINE_CONSTANT, ACCESS, MACHINE_NEXT},            /* LDCU */
    {0x1ae, MACHINE_COPY, MACHINE_GLOBAL, COPY, MACHINE_NEXT},                /* LDGSTS */
};

enum { CALL_RELATIVE = 0x144, BRA = 0x147, FORM_UNIFORM = 2, DIVERGED = 2 };

static unsigned bits(uint64_t word, unsigned from, unsigned count)
{
    return (unsigned)(word >> from & ((1u << count) - 1));
}

static uint64_t u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static const struct meaning *meaning_of(unsigned opcode)
{
    static const struct meaning other = {.kind = MACHINE_OTHER};
    size_t low = 0, high = sizeof meanings / sizeof *meanings;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (meanings[middle].opcode == opcode)
            return &meanings[middle];
        if (meanings[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    return &other;
}

static uint8_t bytes_of(enum width width, uint64_t high, int arch)
{
    static const uint8_t accesses[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    static const uint8_t atomics[8] = {4, 4, 8, 4, 4, 8, 8, 0};   /* floats among them */
    static const uint8_t integers[8] = {4, 4, 8, 8, 16, 0, 0, 0}; /* from sm_90 on */
    static const uint8_t floats[16] = {4, 8, 16, 4, 8, 16, [9] = 4, 8, 16, [15] = 8};
    static const uint8_t copies[4] = {4, 8, 16, 0};
    unsigned type = bits(high, 73 - 64, 3);
    switch (width) {
    case ACCESS:
        return accesses[type];
    case COPY:
        return arch < 100 ? accesses[type] : copies[bits(high, 74 - 64, 2)];
    case INTEGER_ATOMIC:
        return arch < 90 ? atomics[type] : integers[type];
    case FLOAT_ATOMIC:
        return floats[bits(high, 73 - 64, 4)];
    case WIDE:
        return 32;
    default:
        return 0;
    }
}

/* How an access is ordered, and how long caches keep it. */
static enum machine_cache cache_of(uint64_t high, int arch)
{
    unsigned order = bits(high, 77 - 64, 4), eviction = bits(high, 84 - 64, 3);
    if (eviction == 0)
        return MACHINE_CACHE_CS;
    if (eviction == 3)
        return MACHINE_CACHE_LU;
    static const uint8_t turing[16] = {
        [3] = MACHINE_CACHE_NC, [8] = MACHINE_CACHE_CA, [10] = MACHINE_CACHE_CG, [11] = MACHINE_CACHE_CV};
    static const uint8_t later[16] = {
        [4] = MACHINE_CACHE_NC, [5] = MACHINE_CACHE_CA, [7] = MACHINE_CACHE_CG, [10] = MACHINE_CACHE_CV};
    return arch < 80 ? turing[order] : later[order];
}

/* Displacements are signed and longer than any code; 32 or, with eight bits elsewhere, 40 bits of them do. */
static int64_t target_of(const struct meaning *meaning, uint64_t low, uint64_t high, uint64_t offset,
                         int arch)
{
    uint32_t words = (uint32_t)(low >> 34 | high << 30);
    int64_t distance = (int32_t)words;
    if (arch >= 90 && meaning->flow != MACHINE_MEET_BEGIN)
        distance = distance * 256 + bits(low, 16, 8);
    return (int64_t)offset + MACHINE_WORD_BYTES + 4 * distance;
}

struct machine_word machine_word_read(const uint8_t bytes[MACHINE_WORD_BYTES], uint64_t offset, int arch)
{
    uint64_t low = u64(bytes), high = u64(bytes + 8);
    unsigned opcode = bits(low, 0, 9), form = bits(low, 9, 3);
    struct machine_word word = {
        .predicate = (uint8_t)bits(low, 12, 4),
        .left = (uint8_t)bits(low, 38, 6),
        .stall = (uint8_t)bits(high, 105 - 64, 4),
        .sets = (uint8_t)bits(high, 110 - 64, 3),
        .lends = (uint8_t)bits(high, 113 - 64, 3),
        .waits = (uint8_t)bits(high, 116 - 64, MACHINE_SCOREBOARDS),
    };
    if (word.stall == 0)
        word.stall = 1;
    if (word.predicate == MACHINE_NEVER)
        opcode = MACHINE_NOP;
    word.opcode = (uint16_t)opcode;
    const struct meaning *meaning = meaning_of(opcode);
    word.kind = meaning->kind;
    word.space = meaning->space;
    word.flow = meaning->flow;
    word.bytes = bytes_of(meaning->width, high, arch);
    if (word.kind == MACHINE_LOAD || word.kind == MACHINE_STORE)
        if (word.space == MACHINE_GLOBAL || word.space == MACHINE_GENERIC)
            word.cache = cache_of(high, arch);
    word.always = word.predicate == MACHINE_ALWAYS;
    if (opcode == BRA) {
        word.always &= form != FORM_UNIFORM && bits(high, 87 - 64, 4) == MACHINE_ALWAYS;
        word.diverged = bits(low, 32, 2) == DIVERGED;
        word.always &= !word.diverged;
    }
    word.has_target =
        word.flow == MACHINE_BRANCH || word.flow == MACHINE_MEET_BEGIN || opcode == CALL_RELATIVE;
    if (word.has_target)
        word.target = target_of(meaning, low, high, offset, arch);
    return word;
}
