/* Operands of a row as numbers of 128 bits. */
#pragma once

#include "tests/unit/support/ptx_rows.h"

__extension__ typedef __int128 wide;

static inline wide sign(uint64_t value, unsigned bits)
{
    wide whole = (wide)1 << bits, kept = (wide)value % whole;
    return kept >= whole / 2 ? kept - whole : kept;
}
static inline wide natural(uint64_t value, unsigned bits)
{
    return (wide)value % ((wide)1 << bits);
}
/* The operands as the type of the row says. */
static inline wide of(const struct ptx_row_case *c, unsigned operand)
{
    unsigned bits = ptx_types[c->row->type].bytes * 8;
    return ptx_types[c->row->type].class == PTX_CLASS_SIGNED ? sign(c->operands[operand], bits)
                                                             : natural(c->operands[operand], bits);
}
static inline unsigned bits_of(const struct ptx_row_case *c)
{
    return ptx_types[c->row->type].bytes * 8;
}
/* floor(a / 2^bits) */
static inline wide above(wide a, unsigned bits)
{
    wide whole = (wide)1 << bits;
    return (a - ((a % whole) + whole) % whole) / whole;
}

/* Mnemonic and variant ("*": any) with the same in other words; rows with two halves in a lane are told apart. */
struct wide_reference {
    const char *mnemonic, *variant;
    bool halves;
    wide (*expected)(const struct ptx_row_case *);
};
