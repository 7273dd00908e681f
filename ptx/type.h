/* The types of PTX. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum ptx_type {
    PTX_NO_TYPE,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_BF16,
    PTX_F16X2,
    PTX_BF16X2,
    PTX_U16X2,
    PTX_S16X2,
    PTX_F32,
    PTX_F64,
    PTX_TYPES
};

enum ptx_type_class {
    PTX_CLASS_NONE,
    PTX_CLASS_PRED,
    PTX_CLASS_BITS,
    PTX_CLASS_UNSIGNED,
    PTX_CLASS_SIGNED,
    PTX_CLASS_FLOAT
};

struct ptx_type_row {
    const char *name;
    unsigned bytes; /* 0 for pred */
    enum ptx_type_class class;
};

extern const struct ptx_type_row ptx_types[PTX_TYPES];

/* PTX_NO_TYPE where the name (without a dot) is none. */
enum ptx_type ptx_type_of(const char *name, size_t length);

/* Of a register of this type in a warp's frame, in units of 128 bytes: lanes of 4 or 8 bytes. 0 for pred. */
static inline unsigned ptx_type_units(enum ptx_type type)
{
    return type == PTX_PRED ? 0 : ptx_types[type].bytes > 4 ? 2 : 1;
}
