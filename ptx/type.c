/* The table of types. */
#include "ptx/type.h"

#include <string.h>

const struct ptx_type_row ptx_types[PTX_TYPES] = {
    [PTX_NO_TYPE] = {"", 0, PTX_CLASS_NONE},        [PTX_PRED] = {"pred", 0, PTX_CLASS_PRED},
    [PTX_B8] = {"b8", 1, PTX_CLASS_BITS},           [PTX_B16] = {"b16", 2, PTX_CLASS_BITS},
    [PTX_B32] = {"b32", 4, PTX_CLASS_BITS},         [PTX_B64] = {"b64", 8, PTX_CLASS_BITS},
    [PTX_U8] = {"u8", 1, PTX_CLASS_UNSIGNED},       [PTX_U16] = {"u16", 2, PTX_CLASS_UNSIGNED},
    [PTX_U32] = {"u32", 4, PTX_CLASS_UNSIGNED},     [PTX_U64] = {"u64", 8, PTX_CLASS_UNSIGNED},
    [PTX_S8] = {"s8", 1, PTX_CLASS_SIGNED},         [PTX_S16] = {"s16", 2, PTX_CLASS_SIGNED},
    [PTX_S32] = {"s32", 4, PTX_CLASS_SIGNED},       [PTX_S64] = {"s64", 8, PTX_CLASS_SIGNED},
    [PTX_F16] = {"f16", 2, PTX_CLASS_FLOAT},        [PTX_BF16] = {"bf16", 2, PTX_CLASS_FLOAT},
    [PTX_F16X2] = {"f16x2", 4, PTX_CLASS_FLOAT},    [PTX_BF16X2] = {"bf16x2", 4, PTX_CLASS_FLOAT},
    [PTX_U16X2] = {"u16x2", 4, PTX_CLASS_UNSIGNED}, [PTX_S16X2] = {"s16x2", 4, PTX_CLASS_SIGNED},
    [PTX_F32] = {"f32", 4, PTX_CLASS_FLOAT},        [PTX_F64] = {"f64", 8, PTX_CLASS_FLOAT},
};

enum ptx_type ptx_type_of(const char *name, size_t length)
{
    for (int type = PTX_PRED; type < PTX_TYPES; type++)
        if (strlen(ptx_types[type].name) == length && memcmp(ptx_types[type].name, name, length) == 0)
            return (enum ptx_type)type;
    return PTX_NO_TYPE;
}
