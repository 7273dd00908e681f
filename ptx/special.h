/* The special registers of PTX. */
#pragma once

#include "ptx/type.h"

enum special_register {
    SPECIAL_NONE,
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANEID,
    SPECIAL_WARPID,
    SPECIAL_NWARPID,
    SPECIAL_SMID,
    SPECIAL_NSMID,
    SPECIAL_GRIDID,
    SPECIAL_LANEMASK_EQ,
    SPECIAL_LANEMASK_LE,
    SPECIAL_LANEMASK_LT,
    SPECIAL_LANEMASK_GE,
    SPECIAL_LANEMASK_GT,
    SPECIAL_TOTAL_SMEM,
    SPECIAL_DYNAMIC_SMEM,
    SPECIAL_CLOCK,
    SPECIAL_CLOCK_HI,
    SPECIAL_CLOCK64,
    SPECIAL_GLOBALTIMER,
    SPECIAL_GLOBALTIMER_LO,
    SPECIAL_GLOBALTIMER_HI,
    SPECIAL_REGISTERS
};

struct special_row {
    const char *name; /* without % */
    enum ptx_type type;
    bool changes; /* from one read to the next: a counter of instructions */
};

extern const struct special_row special_registers[SPECIAL_REGISTERS];

/* SPECIAL_NONE where the name, which begins with %, is none. */
enum special_register special_register_of(const char *name, size_t length);
