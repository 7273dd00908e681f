/* The compact form of a module: what the parser makes and the executor reads. Registers are places in a frame that
   each warp has for each function. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ptx/arena.h"
#include "ptx/lanes.h"
#include "ptx/module.h"
#include "ptx/type.h"

enum { LANES = 32, SLOT_BYTES = 128, OPERANDS_MAX = 6, NO_SLOT = UINT32_MAX };

struct warp;
struct instruction;

/* Does one instruction for the lanes of `mask`, which may be empty where the instruction says so. 0, or -1 to leave the
   warp's loop: it waits, has ended, or the launch is over. */
typedef int execute_fn(struct warp *warp, const struct instruction *instruction, uint32_t mask);

/* What the order of execution does at an instruction. */
enum instruction_flow {
    FLOW_NEXT,
    FLOW_BRANCH, /* to `target`, where guarded also to the next */
    FLOW_TABLE,  /* brx.idx: to one of `targets` */
    FLOW_RETURN,
    FLOW_CALL,
    FLOW_BARRIER
};

/* How a result depends on the block's coordinates where the operands do; rule.h has them. */
enum affine_rule {
    AFFINE_NONE, /* numbers only */
    AFFINE_COPY,
    AFFINE_ADD,
    AFFINE_SUB,
    AFFINE_NEG,
    AFFINE_NOT,
    AFFINE_MUL,
    AFFINE_MUL_WIDE,
    AFFINE_MAD,
    AFFINE_MAD_WIDE,
    AFFINE_SHL,
    AFFINE_SHR,
    AFFINE_DIV,
    AFFINE_REM,
    AFFINE_AND,
    AFFINE_OR, /* xor too */
    AFFINE_MINMAX,
    AFFINE_CONVERT,
    AFFINE_COMPARE,
    AFFINE_SELECT,
    AFFINE_INSERT,
    AFFINE_EXTRACT
};

/* A value depends on ... (bits); the others are the parameters, by their order, that an address is made of. */
#define DEPENDS_DATA (UINT64_C(1) << 63)
#define DEPENDS_ATOMIC (UINT64_C(1) << 62)
#define DEPENDS_PARAMETERS (DEPENDS_ATOMIC - 1)

struct instruction {
    execute_fn *execute;
    union {
        lanes_fn *lanes;
        compare_fn *compare;
        scalar_fn *scalar; /* of an atomic: the new value */
    };
    uint32_t to[4], from[OPERANDS_MAX]; /* slots, or numbers of predicates; NO_SLOT: `_` */
    uint8_t to_count, from_count, source_type, type;
    uint8_t to_units, from_units[OPERANDS_MAX]; /* of 128 bytes: 0 predicate, 1, 2 */
    uint8_t to_type;
    uint8_t from_not;                              /* predicates that are negated, by bit */
    uint8_t flow, rule;                            /* enum instruction_flow, enum affine_rule */
    uint8_t rounding;                              /* enum lanes_rounding */
    bool flush, saturate, guard_not, keeps_empty;  /* keeps_empty: executed with an empty mask too */
    bool second_is_predicate;                      /* of two results */
    bool changes;                                  /* another value at each execution: the clock */
    bool is_volatile, hidden, carry_in, carry_out; /* hidden: memory of parameters, no access of the user's */
    bool has_order; /* it says relaxed, acquire or release; of one that is only volatile: false */
    uint8_t space, element_bytes, kind, base_units;
    uint8_t mode;    /* of the mnemonic's own: comparison, vote, shuffle, prmt ... */
    uint8_t boolean; /* of setp: and, or, xor */
    uint32_t guard;  /* predicate; NO_SLOT: none */
    uint32_t base;   /* of an address; NO_SLOT: the offset alone */
    int64_t offset;
    uint32_t target;     /* instruction; of a call: function; */
    uint32_t reconverge; /* instruction where diverged lanes meet */
    uint32_t table;      /* of brx and call: index into program.lists */
    int32_t site;        /* -1 */
    uint32_t position;   /* index into program.lines */
    uint64_t depends;    /* of an address or a branch */
};

/* A value that every warp's frame begins with. */
struct constant {
    uint32_t slot;
    uint8_t units;
    enum {
        CONSTANT_BITS,
        CONSTANT_VARIABLE,
        CONSTANT_GENERIC,
        CONSTANT_LOCAL,
        CONSTANT_LOCAL_GENERIC,
        CONSTANT_PARAM_GENERIC
    } what;
    int variable;  /* index into the module's */
    uint64_t bits; /* or the offset to add */
};

/* A special register that stands in a slot, filled when a warp begins. */
struct special_use {
    uint32_t slot;
    uint8_t units, special; /* enum special_register */
};

/* Part of a thread's own memory. */
struct parameter_place {
    uint32_t offset, bytes;
};

struct function {
    uint32_t first, end; /* instructions */
    uint32_t slots, predicates;
    struct constant *constants;
    size_t constant_count, constant_allocated;
    struct special_use *specials;
    size_t special_count, special_allocated;
    uint32_t own_local_bytes;        /* without those that it calls */
    struct parameter_place *formals; /* of a device function: where its parameters lie in its memory */
    unsigned formal_count;
    struct parameter_place result;
    bool defined;
    uint8_t color;   /* while calls are followed */
    unsigned height; /* functions that may be called in each other from here */
    uint32_t *callees;
    size_t callee_count, callee_allocated;
    enum { BUILTIN_NONE, BUILTIN_PRINT, BUILTIN_ASSERT, BUILTIN_UNKNOWN } builtin;
};

/* An address in a variable's initial bytes. */
struct relocation {
    int variable, target; /* indices of variables */
    uint64_t at, addend;
    bool generic;
};

struct ptx_program {
    struct instruction *instructions;
    size_t instruction_count, instruction_allocated;
    struct function *functions; /* as many as the module's */
    struct ptx_position *lines; /* by instruction.position */
    size_t line_count, line_allocated;
    uint32_t *lists; /* of branches and of arguments: count, then entries */
    size_t list_count, list_allocated;
    struct relocation *relocations;
    size_t relocation_count, relocation_allocated;
    struct arena arena; /* names */
};
