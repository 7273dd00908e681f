/* Comparisons: lanes to a mask. */
#include "ptx/half.h"
#include "ptx/lanes_macros.h"

const char *const lanes_comparisons[LANES_COMPARISONS] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                                          "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                                          "ltu", "leu", "gtu", "geu", "num", "nan"};

#define COMPARE(name, P, T, read, expression)                                                                \
    static uint32_t name(const void *left, const void *right)                                                \
    {                                                                                                        \
        const P *p = left, *q = right;                                                                       \
        uint32_t mask = 0;                                                                                   \
        for (int i = 0; i < LANES; i++) {                                                                    \
            T a = read(p[i]), b = read(q[i]);                                                                \
            mask |= (uint32_t)(expression) << i;                                                             \
        }                                                                                                    \
        return mask;                                                                                         \
    }

#define INTEGERS(suffix, P, T)                                                                               \
    COMPARE(eq_##suffix, P, T, (T), a == b)                                                                  \
    COMPARE(ne_##suffix, P, T, (T), a != b)                                                                  \
    COMPARE(lt_##suffix, P, T, (T), a < b)                                                                   \
    COMPARE(le_##suffix, P, T, (T), a <= b)                                                                  \
    COMPARE(gt_##suffix, P, T, (T), a > b)                                                                   \
    COMPARE(ge_##suffix, P, T, (T), a >= b)

INTEGERS(u16, uint32_t, uint16_t)
INTEGERS(s16, uint32_t, int16_t)
INTEGERS(u32, uint32_t, uint32_t)
INTEGERS(s32, uint32_t, int32_t)
INTEGERS(u64, uint64_t, uint64_t)
INTEGERS(s64, uint64_t, int64_t)

#define FLOATS(suffix, P, T, read)                                                                           \
    COMPARE(eq_##suffix, P, T, read, a == b)                                                                 \
    COMPARE(ne_##suffix, P, T, read, a<b || a> b)                                                            \
    COMPARE(lt_##suffix, P, T, read, a < b)                                                                  \
    COMPARE(le_##suffix, P, T, read, a <= b)                                                                 \
    COMPARE(gt_##suffix, P, T, read, a > b)                                                                  \
    COMPARE(ge_##suffix, P, T, read, a >= b)                                                                 \
    COMPARE(equ_##suffix, P, T, read, !(a < b || a > b))                                                     \
    COMPARE(neu_##suffix, P, T, read, !(a == b))                                                             \
    COMPARE(ltu_##suffix, P, T, read, !(a >= b))                                                             \
    COMPARE(leu_##suffix, P, T, read, !(a > b))                                                              \
    COMPARE(gtu_##suffix, P, T, read, !(a <= b))                                                             \
    COMPARE(geu_##suffix, P, T, read, !(a < b))                                                              \
    COMPARE(num_##suffix, P, T, read, a == a && b == b)                                                      \
    COMPARE(nan_##suffix, P, T, read, a != a || b != b)

FLOATS(f32, uint32_t, float, lanes_f32)
FLOATS(f64, uint64_t, double, lanes_f64)
FLOATS(f16, uint32_t, float, half_f16_value)
FLOATS(bf16, uint32_t, float, half_bf16_value)

#define SIGNED_ROW(s)                                                                                        \
    {                                                                                                        \
        eq_##s, ne_##s, lt_##s, le_##s, gt_##s, ge_##s                                                       \
    }
#define UNSIGNED_ROW(s)                                                                                      \
    {                                                                                                        \
        eq_##s, ne_##s, lt_##s, le_##s, gt_##s, ge_##s, lt_##s, le_##s, gt_##s, ge_##s                       \
    }
#define BITS_ROW(s)                                                                                          \
    {                                                                                                        \
        eq_##s, ne_##s                                                                                       \
    }
#define FLOAT_ROW(s)                                                                                         \
    {                                                                                                        \
        eq_##s, ne_##s, lt_##s, le_##s, gt_##s, ge_##s, NULL, NULL, NULL, NULL, equ_##s, neu_##s, ltu_##s,   \
            leu_##s, gtu_##s, geu_##s, num_##s, nan_##s                                                      \
    }

static compare_fn *const rows[PTX_TYPES][LANES_COMPARISONS] = {
    [PTX_B16] = BITS_ROW(u16),     [PTX_B32] = BITS_ROW(u32),     [PTX_B64] = BITS_ROW(u64),
    [PTX_U16] = UNSIGNED_ROW(u16), [PTX_U32] = UNSIGNED_ROW(u32), [PTX_U64] = UNSIGNED_ROW(u64),
    [PTX_S16] = SIGNED_ROW(s16),   [PTX_S32] = SIGNED_ROW(s32),   [PTX_S64] = SIGNED_ROW(s64),
    [PTX_F16] = FLOAT_ROW(f16),    [PTX_BF16] = FLOAT_ROW(bf16),  [PTX_F32] = FLOAT_ROW(f32),
    [PTX_F64] = FLOAT_ROW(f64),
};

compare_fn *lanes_compare(int comparison, enum ptx_type type)
{
    return comparison >= 0 && comparison < LANES_COMPARISONS ? rows[type][comparison] : NULL;
}
