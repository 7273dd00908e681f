/* The table of special registers. */
#include "ptx/special.h"

#include <string.h>

const struct special_row special_registers[SPECIAL_REGISTERS] = {
    [SPECIAL_NONE] = {"", PTX_NO_TYPE, false},
    [SPECIAL_TID_X] = {"tid.x", PTX_U32, false},
    [SPECIAL_TID_Y] = {"tid.y", PTX_U32, false},
    [SPECIAL_TID_Z] = {"tid.z", PTX_U32, false},
    [SPECIAL_NTID_X] = {"ntid.x", PTX_U32, false},
    [SPECIAL_NTID_Y] = {"ntid.y", PTX_U32, false},
    [SPECIAL_NTID_Z] = {"ntid.z", PTX_U32, false},
    [SPECIAL_CTAID_X] = {"ctaid.x", PTX_U32, false},
    [SPECIAL_CTAID_Y] = {"ctaid.y", PTX_U32, false},
    [SPECIAL_CTAID_Z] = {"ctaid.z", PTX_U32, false},
    [SPECIAL_NCTAID_X] = {"nctaid.x", PTX_U32, false},
    [SPECIAL_NCTAID_Y] = {"nctaid.y", PTX_U32, false},
    [SPECIAL_NCTAID_Z] = {"nctaid.z", PTX_U32, false},
    [SPECIAL_LANEID] = {"laneid", PTX_U32, false},
    [SPECIAL_WARPID] = {"warpid", PTX_U32, false},
    [SPECIAL_NWARPID] = {"nwarpid", PTX_U32, false},
    [SPECIAL_SMID] = {"smid", PTX_U32, false},
    [SPECIAL_NSMID] = {"nsmid", PTX_U32, false},
    [SPECIAL_GRIDID] = {"gridid", PTX_U64, false},
    [SPECIAL_LANEMASK_EQ] = {"lanemask_eq", PTX_U32, false},
    [SPECIAL_LANEMASK_LE] = {"lanemask_le", PTX_U32, false},
    [SPECIAL_LANEMASK_LT] = {"lanemask_lt", PTX_U32, false},
    [SPECIAL_LANEMASK_GE] = {"lanemask_ge", PTX_U32, false},
    [SPECIAL_LANEMASK_GT] = {"lanemask_gt", PTX_U32, false},
    [SPECIAL_TOTAL_SMEM] = {"total_smem_size", PTX_U32, false},
    [SPECIAL_DYNAMIC_SMEM] = {"dynamic_smem_size", PTX_U32, false},
    [SPECIAL_CLOCK] = {"clock", PTX_U32, true},
    [SPECIAL_CLOCK_HI] = {"clock_hi", PTX_U32, true},
    [SPECIAL_CLOCK64] = {"clock64", PTX_U64, true},
    [SPECIAL_GLOBALTIMER] = {"globaltimer", PTX_U64, true},
    [SPECIAL_GLOBALTIMER_LO] = {"globaltimer_lo", PTX_U32, true},
    [SPECIAL_GLOBALTIMER_HI] = {"globaltimer_hi", PTX_U32, true},
};

enum special_register special_register_of(const char *name, size_t length)
{
    for (int i = SPECIAL_TID_X; length > 1 && i < SPECIAL_REGISTERS; i++)
        if (strlen(special_registers[i].name) == length - 1 &&
            memcmp(special_registers[i].name, name + 1, length - 1) == 0)
            return (enum special_register)i;
    return SPECIAL_NONE;
}
