/* Arithmetic of f32 and f64. Where another rounding is asked for, execute_float() has set it. */
#include "ptx/lanes_macros.h"

#include <math.h>

enum { F32_NAN = 0x7FFFFFFF };

/* The NaN that the hardware makes. */
static inline uint32_t bits_32(float value)
{
    return value != value ? F32_NAN : lanes_f32_bits(value);
}
static inline float value_32(uint32_t bits)
{
    return lanes_f32(bits);
}
static inline uint64_t bits_64(double value)
{
    return lanes_f64_bits(value);
}
static inline double value_64(uint64_t bits)
{
    return lanes_f64(bits);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): P is a type */
#define FLOATS_1(name, P, T, n, expression)                                                                  \
    static void name(void *restrict to, const void *const *from)                                             \
    {                                                                                                        \
        const P *p = from[0];                                                                                \
        P *restrict out = to;                                                                                \
        for (int i = 0; i < LANES; i++) {                                                                    \
            T a = value_##n(p[i]);                                                                           \
            out[i] = bits_##n(expression);                                                                   \
        }                                                                                                    \
    }
#define FLOATS_2(name, P, T, n, expression)                                                                  \
    static void name(void *restrict to, const void *const *from)                                             \
    {                                                                                                        \
        const P *p = from[0], *q = from[1];                                                                  \
        P *restrict out = to;                                                                                \
        for (int i = 0; i < LANES; i++) {                                                                    \
            T a = value_##n(p[i]), b = value_##n(q[i]);                                                      \
            out[i] = bits_##n(expression);                                                                   \
        }                                                                                                    \
    }
#define FLOATS_3(name, P, T, n, expression)                                                                  \
    static void name(void *restrict to, const void *const *from)                                             \
    {                                                                                                        \
        const P *p = from[0], *q = from[1], *r = from[2];                                                    \
        P *restrict out = to;                                                                                \
        for (int i = 0; i < LANES; i++) {                                                                    \
            T a = value_##n(p[i]), b = value_##n(q[i]), c = value_##n(r[i]);                                 \
            out[i] = bits_##n(expression);                                                                   \
        }                                                                                                    \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

FLOATS_2(add_f32, uint32_t, float, 32, a + b)
FLOATS_2(sub_f32, uint32_t, float, 32, a - b)
FLOATS_2(mul_f32, uint32_t, float, 32, a *b)
FLOATS_2(div_f32, uint32_t, float, 32, a / b)
FLOATS_3(fma_f32, uint32_t, float, 32, fmaf(a, b, c))
FLOATS_1(rcp_f32, uint32_t, float, 32, 1.0f / a)
FLOATS_1(sqrt_f32, uint32_t, float, 32, sqrtf(a))
FLOATS_2(add_f64, uint64_t, double, 64, a + b)
FLOATS_2(sub_f64, uint64_t, double, 64, a - b)
FLOATS_2(mul_f64, uint64_t, double, 64, a *b)
FLOATS_2(div_f64, uint64_t, double, 64, a / b)
FLOATS_3(fma_f64, uint64_t, double, 64, fma(a, b, c))
FLOATS_1(rcp_f64, uint64_t, double, 64, 1.0 / a)
FLOATS_1(sqrt_f64, uint64_t, double, 64, sqrt(a))

/* Approximations of the hardware, here the nearest. */
FLOATS_1(rsqrt_f32, uint32_t, float, 32, (float)(1.0 / sqrt((double)a)))
FLOATS_1(sin_f32, uint32_t, float, 32, (float)sin((double)a))
FLOATS_1(cos_f32, uint32_t, float, 32, (float)cos((double)a))
FLOATS_1(lg2_f32, uint32_t, float, 32, (float)log2((double)a))
FLOATS_1(ex2_f32, uint32_t, float, 32, (float)exp2((double)a))
FLOATS_1(tanh_f32, uint32_t, float, 32, (float)tanh((double)a))
FLOATS_1(rsqrt_f64, uint64_t, double, 64, 1.0 / sqrt(a))

/* The smaller zero is the negative one; a number is smaller than NaN. */
static inline float smaller_32(float a, float b)
{
    return a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
static inline float larger_32(float a, float b)
{
    return a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
static inline double smaller_64(double a, double b)
{
    return a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
static inline double larger_64(double a, double b)
{
    return a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
FLOATS_2(min_f32, uint32_t, float, 32, smaller_32(a, b))
FLOATS_2(max_f32, uint32_t, float, 32, larger_32(a, b))
FLOATS_2(min_nan_f32, uint32_t, float, 32, a != a || b != b ? NAN : smaller_32(a, b))
FLOATS_2(max_nan_f32, uint32_t, float, 32, a != a || b != b ? NAN : larger_32(a, b))
FLOATS_2(min_f64, uint64_t, double, 64, smaller_64(a, b))
FLOATS_2(max_f64, uint64_t, double, 64, larger_64(a, b))

/* Signs are bits, of NaN too. */
static const uint64_t top_64 = UINT64_C(1) << 63;
LANES_1(abs_f32, uint32_t, uint32_t, uint32_t, uint32_t, a & 0x7FFFFFFFu)
LANES_1(neg_f32, uint32_t, uint32_t, uint32_t, uint32_t, a ^ 0x80000000u)
LANES_2(copysign_f32, uint32_t, uint32_t, uint32_t, uint32_t, (a & 0x80000000u) | (b & 0x7FFFFFFFu))
LANES_1(abs_f64, uint64_t, uint64_t, uint64_t, uint64_t, a & ~top_64)
LANES_1(neg_f64, uint64_t, uint64_t, uint64_t, uint64_t, a ^ top_64)
LANES_2(copysign_f64, uint64_t, uint64_t, uint64_t, uint64_t, (a & top_64) | (b & ~top_64))

enum { MAY_ALL = MAY_ROUND | MAY_FLUSH | MAY_SATURATE };

const struct lanes_row lanes_float[] = {
    {"add", "", PTX_F32, "ttt", MAY_ALL, AFFINE_NONE, add_f32},
    {"sub", "", PTX_F32, "ttt", MAY_ALL, AFFINE_NONE, sub_f32},
    {"mul", "", PTX_F32, "ttt", MAY_ALL, AFFINE_NONE, mul_f32},
    {"div", "", PTX_F32, "ttt", MAY_ALL, AFFINE_NONE, div_f32},
    {"fma", "", PTX_F32, "tttt", MAY_ALL, AFFINE_NONE, fma_f32},
    {"mad", "", PTX_F32, "tttt", MAY_ALL, AFFINE_NONE, fma_f32},
    {"rcp", "", PTX_F32, "tt", MAY_ALL, AFFINE_NONE, rcp_f32},
    {"sqrt", "", PTX_F32, "tt", MAY_ALL, AFFINE_NONE, sqrt_f32},
    {"rsqrt", "", PTX_F32, "tt", MAY_FLUSH, AFFINE_NONE, rsqrt_f32},
    {"sin", "", PTX_F32, "tt", MAY_FLUSH, AFFINE_NONE, sin_f32},
    {"cos", "", PTX_F32, "tt", MAY_FLUSH, AFFINE_NONE, cos_f32},
    {"lg2", "", PTX_F32, "tt", MAY_FLUSH, AFFINE_NONE, lg2_f32},
    {"ex2", "", PTX_F32, "tt", MAY_FLUSH, AFFINE_NONE, ex2_f32},
    {"tanh", "", PTX_F32, "tt", 0, AFFINE_NONE, tanh_f32},
    {"min", "", PTX_F32, "ttt", MAY_FLUSH, AFFINE_NONE, min_f32},
    {"max", "", PTX_F32, "ttt", MAY_FLUSH, AFFINE_NONE, max_f32},
    {"min", "NaN", PTX_F32, "ttt", MAY_FLUSH, AFFINE_NONE, min_nan_f32},
    {"max", "NaN", PTX_F32, "ttt", MAY_FLUSH, AFFINE_NONE, max_nan_f32},
    {"abs", "", PTX_F32, "tt", MAY_FLUSH, AFFINE_NONE, abs_f32},
    {"neg", "", PTX_F32, "tt", MAY_FLUSH, AFFINE_NONE, neg_f32},
    {"copysign", "", PTX_F32, "ttt", 0, AFFINE_NONE, copysign_f32},
    {"add", "", PTX_F64, "ttt", MAY_ROUND, AFFINE_NONE, add_f64},
    {"sub", "", PTX_F64, "ttt", MAY_ROUND, AFFINE_NONE, sub_f64},
    {"mul", "", PTX_F64, "ttt", MAY_ROUND, AFFINE_NONE, mul_f64},
    {"div", "", PTX_F64, "ttt", MAY_ROUND, AFFINE_NONE, div_f64},
    {"fma", "", PTX_F64, "tttt", MAY_ROUND, AFFINE_NONE, fma_f64},
    {"mad", "", PTX_F64, "tttt", MAY_ROUND, AFFINE_NONE, fma_f64},
    {"rcp", "", PTX_F64, "tt", MAY_ROUND | MAY_FLUSH, AFFINE_NONE, rcp_f64},
    {"sqrt", "", PTX_F64, "tt", MAY_ROUND, AFFINE_NONE, sqrt_f64},
    {"rsqrt", "", PTX_F64, "tt", MAY_FLUSH, AFFINE_NONE, rsqrt_f64},
    {"min", "", PTX_F64, "ttt", 0, AFFINE_NONE, min_f64},
    {"max", "", PTX_F64, "ttt", 0, AFFINE_NONE, max_f64},
    {"abs", "", PTX_F64, "tt", 0, AFFINE_NONE, abs_f64},
    {"neg", "", PTX_F64, "tt", 0, AFFINE_NONE, neg_f64},
    {"copysign", "", PTX_F64, "ttt", 0, AFFINE_NONE, copysign_f64},
    {NULL, NULL, PTX_NO_TYPE, NULL, 0, 0, NULL},
};
