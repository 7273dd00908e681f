/* Arithmetic of f16 and bf16, alone and in pairs. */
#include "ptx/lanes_macros.h"

#include <math.h>

#include "ptx/half.h"

/* Sums and products of two halves are exact in a double, or round there without harm: 53 bits are more than twice 11. */
#define OPERATIONS(kind, value, round)                                                                       \
    static inline uint32_t add_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                               \
    {                                                                                                        \
        (void)c;                                                                                             \
        return round((double)value(a) + (double)value(b), ROUND_NEAREST);                                    \
    }                                                                                                        \
    static inline uint32_t sub_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                               \
    {                                                                                                        \
        (void)c;                                                                                             \
        return round((double)value(a) - (double)value(b), ROUND_NEAREST);                                    \
    }                                                                                                        \
    static inline uint32_t mul_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                               \
    {                                                                                                        \
        (void)c;                                                                                             \
        return round((double)value(a) * (double)value(b), ROUND_NEAREST);                                    \
    }                                                                                                        \
    static inline uint32_t fma_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                               \
    {                                                                                                        \
        return round(half_fma((double)value(a), (double)value(b), (double)value(c)), ROUND_NEAREST);         \
    }                                                                                                        \
    static inline uint32_t fma_relu_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                          \
    {                                                                                                        \
        uint32_t sum = fma_##kind##_of(a, b, c);                                                             \
        return sum & 0x8000 ? 0 : sum;                                                                       \
    }                                                                                                        \
    static inline uint32_t min_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                               \
    {                                                                                                        \
        (void)c;                                                                                             \
        float l = value(a), r = value(b);                                                                    \
        return l != l ? (r != r ? 0x7FFF : b) : r != r ? a : l == r ? a | (b & 0x8000) : l < r ? a : b;      \
    }                                                                                                        \
    static inline uint32_t max_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                               \
    {                                                                                                        \
        (void)c;                                                                                             \
        float l = value(a), r = value(b);                                                                    \
        return l != l ? (r != r ? 0x7FFF : b) : r != r ? a : l == r ? a & (b | 0x7FFF) : l > r ? a : b;      \
    }                                                                                                        \
    static inline uint32_t min_nan_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                           \
    {                                                                                                        \
        return value(a) != value(a) || value(b) != value(b) ? 0x7FFF : min_##kind##_of(a, b, c);             \
    }                                                                                                        \
    static inline uint32_t max_nan_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                           \
    {                                                                                                        \
        return value(a) != value(a) || value(b) != value(b) ? 0x7FFF : max_##kind##_of(a, b, c);             \
    }                                                                                                        \
    static inline uint32_t ex2_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                               \
    {                                                                                                        \
        (void)b;                                                                                             \
        (void)c;                                                                                             \
        return round(exp2((double)value(a)), ROUND_NEAREST);                                                 \
    }                                                                                                        \
    static inline uint32_t tanh_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                              \
    {                                                                                                        \
        (void)b;                                                                                             \
        (void)c;                                                                                             \
        return round(tanh((double)value(a)), ROUND_NEAREST);                                                 \
    }                                                                                                        \
    static inline uint32_t neg_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                               \
    {                                                                                                        \
        (void)b;                                                                                             \
        (void)c;                                                                                             \
        return a ^ 0x8000;                                                                                   \
    }                                                                                                        \
    static inline uint32_t abs_##kind##_of(uint32_t a, uint32_t b, uint32_t c)                               \
    {                                                                                                        \
        (void)b;                                                                                             \
        (void)c;                                                                                             \
        return a & 0x7FFF;                                                                                   \
    }

OPERATIONS(f16, half_f16_value, half_f16)
OPERATIONS(bf16, half_bf16_value, half_bf16)

/* One half a lane, and two; operands that a mnemonic does not have are the first. */
#define HALVES(name, operands)                                                                               \
    static void name(void *restrict to, const void *const *from)                                             \
    {                                                                                                        \
        const uint32_t *a = from[0], *b = from[(operands) > 1], *c = from[(operands) > 2 ? 2 : 0];           \
        uint32_t *restrict out = to;                                                                         \
        for (int i = 0; i < LANES; i++)                                                                      \
            out[i] = name##_of(a[i] & 0xFFFF, b[i] & 0xFFFF, c[i] & 0xFFFF);                                 \
    }                                                                                                        \
    static void name##_x2(void *restrict to, const void *const *from)                                        \
    {                                                                                                        \
        const uint32_t *a = from[0], *b = from[(operands) > 1], *c = from[(operands) > 2 ? 2 : 0];           \
        uint32_t *restrict out = to;                                                                         \
        for (int i = 0; i < LANES; i++)                                                                      \
            out[i] = name##_of(a[i] & 0xFFFF, b[i] & 0xFFFF, c[i] & 0xFFFF) |                                \
                     name##_of(a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16;                                    \
    }
#define ALL(kind)                                                                                            \
    HALVES(add_##kind, 2)                                                                                    \
    HALVES(sub_##kind, 2)                                                                                    \
    HALVES(mul_##kind, 2)                                                                                    \
    HALVES(fma_##kind, 3)                                                                                    \
    HALVES(fma_relu_##kind, 3)                                                                               \
    HALVES(min_##kind, 2)                                                                                    \
    HALVES(max_##kind, 2)                                                                                    \
    HALVES(min_nan_##kind, 2)                                                                                \
    HALVES(max_nan_##kind, 2)                                                                                \
    HALVES(ex2_##kind, 1)                                                                                    \
    HALVES(tanh_##kind, 1)                                                                                   \
    HALVES(neg_##kind, 1)                                                                                    \
    HALVES(abs_##kind, 1)
ALL(f16)
ALL(bf16)

enum { MAY_MOST = MAY_ROUND | MAY_FLUSH | MAY_SATURATE };

#define ROWS(type, kind, suffix)                                                                             \
    {"add", "", type, "ttt", MAY_MOST, AFFINE_NONE, add_##kind##suffix},                                     \
        {"sub", "", type, "ttt", MAY_MOST, AFFINE_NONE, sub_##kind##suffix},                                 \
        {"mul", "", type, "ttt", MAY_MOST, AFFINE_NONE, mul_##kind##suffix},                                 \
        {"fma", "", type, "tttt", MAY_MOST, AFFINE_NONE, fma_##kind##suffix},                                \
        {"fma", "relu", type, "tttt", MAY_ROUND | MAY_FLUSH, AFFINE_NONE, fma_relu_##kind##suffix},          \
        {"min", "", type, "ttt", MAY_FLUSH, AFFINE_NONE, min_##kind##suffix},                                \
        {"max", "", type, "ttt", MAY_FLUSH, AFFINE_NONE, max_##kind##suffix},                                \
        {"min", "NaN", type, "ttt", MAY_FLUSH, AFFINE_NONE, min_nan_##kind##suffix},                         \
        {"max", "NaN", type, "ttt", MAY_FLUSH, AFFINE_NONE, max_nan_##kind##suffix},                         \
        {"ex2", "", type, "tt", MAY_FLUSH, AFFINE_NONE, ex2_##kind##suffix},                                 \
        {"tanh", "", type, "tt", 0, AFFINE_NONE, tanh_##kind##suffix},                                       \
        {"neg", "", type, "tt", MAY_FLUSH, AFFINE_NONE, neg_##kind##suffix},                                 \
    {                                                                                                        \
        "abs", "", type, "tt", MAY_FLUSH, AFFINE_NONE, abs_##kind##suffix                                    \
    }

const struct lanes_row lanes_half[] = {
    ROWS(PTX_F16, f16, ),
    ROWS(PTX_F16X2, f16, _x2),
    ROWS(PTX_BF16, bf16, ),
    ROWS(PTX_BF16X2, bf16, _x2),
    {NULL, NULL, PTX_NO_TYPE, NULL, 0, 0, NULL},
};
