/* Integer arithmetic. */
#include "ptx/lanes_macros.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* For each of the six types: add, sub and so on. Sums are computed without signs, where nothing overflows. */
#define WITHOUT_SIGN(suffix, P, U)                                                                           \
    LANES_2(add_##suffix, P, U, U, P, a + b)                                                                 \
    LANES_2(sub_##suffix, P, U, U, P, a - b)

WITHOUT_SIGN(16, uint32_t, uint16_t)
WITHOUT_SIGN(32, uint32_t, uint32_t)
WITHOUT_SIGN(64, uint64_t, uint64_t)

LANES_2(mul_lo_16, uint32_t, uint32_t, uint16_t, uint32_t, a *b)
LANES_2(mul_lo_32, uint32_t, uint32_t, uint32_t, uint32_t, a *b)
LANES_2(mul_lo_64, uint64_t, uint64_t, uint64_t, uint64_t, a *b)
LANES_3(mad_lo_16, uint32_t, uint32_t, uint32_t, uint32_t, uint16_t, uint32_t, a *b + c)
LANES_3(mad_lo_32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, a *b + c)
LANES_3(mad_lo_64, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, a *b + c)

LANES_2(mul_hi_u16, uint32_t, uint16_t, uint16_t, uint32_t, (uint32_t)a *b >> 16)
LANES_2(mul_hi_s16, uint32_t, int16_t, uint16_t, uint32_t, (int32_t)a *b >> 16)
LANES_2(mul_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint64_t)a *b >> 32)
LANES_2(mul_hi_s32, uint32_t, int32_t, uint32_t, uint32_t, (int64_t)a *b >> 32)
LANES_2(mul_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t, (uint64_t)((u128)a *b >> 64))
LANES_2(mul_hi_s64, uint64_t, int64_t, uint64_t, uint64_t, (uint64_t)((s128)a *b >> 64))
LANES_3(mad_hi_u16, uint32_t, uint16_t, uint32_t, uint16_t, uint16_t, uint32_t, ((uint32_t)a * b >> 16) + c)
LANES_3(mad_hi_s16, uint32_t, int16_t, uint32_t, uint16_t, uint16_t, uint32_t,
        (uint32_t)((int32_t)a *b >> 16) + c)
LANES_3(mad_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint32_t)((uint64_t)a *b >> 32) + c)
LANES_3(mad_hi_s32, uint32_t, int32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint32_t)((int64_t)a *b >> 32) + c)
LANES_3(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
        (uint64_t)((u128)a *b >> 64) + c)
LANES_3(mad_hi_s64, uint64_t, int64_t, uint64_t, uint64_t, uint64_t, uint64_t,
        (uint64_t)((s128)a *b >> 64) + c)

LANES_2(mul_wide_u16, uint32_t, uint16_t, uint32_t, uint32_t, (uint32_t)a *b)
LANES_2(mul_wide_s16, uint32_t, int16_t, uint32_t, uint32_t, (int32_t)a *b)
LANES_2(mul_wide_u32, uint32_t, uint32_t, uint64_t, uint64_t, (uint64_t)a *b)
LANES_2(mul_wide_s32, uint32_t, int32_t, uint64_t, uint64_t, (int64_t)a *b)
LANES_3(mad_wide_u16, uint32_t, uint16_t, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)a *b + c)
LANES_3(mad_wide_s16, uint32_t, int16_t, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint32_t)((int32_t)a *b) + c)
LANES_3(mad_wide_u32, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t, uint64_t, (uint64_t)a *b + c)
LANES_3(mad_wide_s32, uint32_t, int32_t, uint64_t, uint64_t, uint64_t, uint64_t,
        (uint64_t)((int64_t)a *b) + c)

/* 24 bits: the low or the high 32 of the 48. */
static inline int64_t low_24(uint32_t a)
{
    return (int32_t)(a << 8) >> 8;
}
LANES_2(mul24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t, (a & 0xFFFFFF) * (b & 0xFFFFFF))
LANES_2(mul24_lo_s32, uint32_t, uint32_t, uint32_t, uint32_t, low_24(a) * low_24(b))
LANES_2(mul24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint64_t)(a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16)
LANES_2(mul24_hi_s32, uint32_t, uint32_t, uint32_t, uint32_t, low_24(a) * low_24(b) >> 16)
LANES_3(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        (a & 0xFFFFFF) * (b & 0xFFFFFF) + c)
LANES_3(mad24_lo_s32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint32_t)(low_24(a) * low_24(b)) + c)
LANES_3(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint32_t)((uint64_t)(a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16) + c)
LANES_3(mad24_hi_s32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        (uint32_t)(low_24(a) * low_24(b) >> 16) + c)

static inline int64_t clamp_s32(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
}
LANES_2(add_sat_s32, uint32_t, int32_t, uint32_t, uint32_t, clamp_s32((int64_t)a + b))
LANES_2(sub_sat_s32, uint32_t, int32_t, uint32_t, uint32_t, clamp_s32((int64_t)a - b))
LANES_3(mad_hi_sat_s32, uint32_t, int32_t, uint32_t, int32_t, uint32_t, uint32_t,
        clamp_s32(((int64_t)a * b >> 32) + c))

/* By zero: all ones, and the dividend as the remainder, as the hardware does. The least number by -1 overflows. */
#define WITH_SIGN(suffix, P, T, U)                                                                           \
    LANES_2(div_s##suffix, P, T, U, P, b == 0 ? (U)-1 : b == -1 ? (U)(0 - (U)a) : (U)(a / b))                \
    LANES_2(rem_s##suffix, P, T, U, P, b == 0 ? (U)a : b == -1 ? 0 : (U)(a % b))                             \
    LANES_2(min_s##suffix, P, T, U, P, a < b ? a : b)                                                        \
    LANES_2(max_s##suffix, P, T, U, P, a > b ? a : b)                                                        \
    LANES_1(abs_s##suffix, P, T, U, P, a < 0 ? (U)(0 - (U)a) : (U)a)                                         \
    LANES_1(neg_s##suffix, P, T, U, P, 0 - (U)a)                                                             \
    LANES_3(sad_s##suffix, P, T, P, U, U, P, (U)(c + (U)(a < b ? (U)b - (U)a : (U)a - (U)b)))

#define UNSIGNED(suffix, P, U)                                                                               \
    LANES_2(div_u##suffix, P, U, U, P, b == 0 ? (U)-1 : (U)(a / b))                                          \
    LANES_2(rem_u##suffix, P, U, U, P, b == 0 ? a : (U)(a % b))                                              \
    LANES_2(min_u##suffix, P, U, U, P, a < b ? a : b)                                                        \
    LANES_2(max_u##suffix, P, U, U, P, a > b ? a : b)                                                        \
    LANES_3(sad_u##suffix, P, U, P, U, U, P, (U)(c + (U)(a < b ? b - a : a - b)))

WITH_SIGN(16, uint32_t, int16_t, uint16_t)
WITH_SIGN(32, uint32_t, int32_t, uint32_t)
WITH_SIGN(64, uint64_t, int64_t, uint64_t)
UNSIGNED(16, uint32_t, uint16_t)
UNSIGNED(32, uint32_t, uint32_t)
UNSIGNED(64, uint64_t, uint64_t)

/* Two halves of 16 bits in a lane. */
#define HALVES(name, T, each)                                                                                \
    static inline uint32_t name##_of(T a, T b)                                                               \
    {                                                                                                        \
        return (uint16_t)(each);                                                                             \
    }                                                                                                        \
    LANES_2(name, uint32_t, uint32_t, uint32_t, uint32_t,                                                    \
            name##_of((T)a, (T)b) | name##_of((T)(a >> 16), (T)(b >> 16)) << 16)
HALVES(add_16x2, uint16_t, a + b)
HALVES(min_u16x2, uint16_t, a < b ? a : b)
HALVES(max_u16x2, uint16_t, a > b ? a : b)
HALVES(min_s16x2, int16_t, a < b ? a : b)
HALVES(max_s16x2, int16_t, a > b ? a : b)

#define ROWS(u, suffix, lowest)                                                                              \
    {"add", "", PTX_##u, "ttt", 0, AFFINE_ADD, add_##suffix},                                                \
        {"sub", "", PTX_##u, "ttt", 0, AFFINE_SUB, sub_##suffix},                                            \
        {"mul", "lo", PTX_##u, "ttt", 0, AFFINE_MUL, mul_lo_##suffix},                                       \
        {"mad", "lo", PTX_##u, "tttt", 0, AFFINE_MAD, mad_lo_##suffix},                                      \
        {"mul", "hi", PTX_##u, "ttt", 0, AFFINE_NONE, mul_hi_##lowest},                                      \
        {"mad", "hi", PTX_##u, "tttt", 0, AFFINE_NONE, mad_hi_##lowest},                                     \
        {"div", "", PTX_##u, "ttt", 0, AFFINE_DIV, div_##lowest},                                            \
        {"rem", "", PTX_##u, "ttt", 0, AFFINE_REM, rem_##lowest},                                            \
        {"min", "", PTX_##u, "ttt", 0, AFFINE_MINMAX, min_##lowest},                                         \
        {"max", "", PTX_##u, "ttt", 0, AFFINE_MINMAX, max_##lowest},                                         \
    {                                                                                                        \
        "sad", "", PTX_##u, "tttt", 0, AFFINE_NONE, sad_##lowest                                             \
    }

const struct lanes_row lanes_integer[] = {
    ROWS(U16, 16, u16),
    ROWS(S16, 16, s16),
    ROWS(U32, 32, u32),
    ROWS(S32, 32, s32),
    ROWS(U64, 64, u64),
    ROWS(S64, 64, s64),
    {"mul", "wide", PTX_U16, "wtt", 0, AFFINE_MUL_WIDE, mul_wide_u16},
    {"mul", "wide", PTX_S16, "wtt", 0, AFFINE_MUL_WIDE, mul_wide_s16},
    {"mul", "wide", PTX_U32, "wtt", 0, AFFINE_MUL_WIDE, mul_wide_u32},
    {"mul", "wide", PTX_S32, "wtt", 0, AFFINE_MUL_WIDE, mul_wide_s32},
    {"mad", "wide", PTX_U16, "wttw", 0, AFFINE_MAD_WIDE, mad_wide_u16},
    {"mad", "wide", PTX_S16, "wttw", 0, AFFINE_MAD_WIDE, mad_wide_s16},
    {"mad", "wide", PTX_U32, "wttw", 0, AFFINE_MAD_WIDE, mad_wide_u32},
    {"mad", "wide", PTX_S32, "wttw", 0, AFFINE_MAD_WIDE, mad_wide_s32},
    {"mul24", "lo", PTX_U32, "ttt", 0, AFFINE_NONE, mul24_lo_u32},
    {"mul24", "lo", PTX_S32, "ttt", 0, AFFINE_NONE, mul24_lo_s32},
    {"mul24", "hi", PTX_U32, "ttt", 0, AFFINE_NONE, mul24_hi_u32},
    {"mul24", "hi", PTX_S32, "ttt", 0, AFFINE_NONE, mul24_hi_s32},
    {"mad24", "lo", PTX_U32, "tttt", 0, AFFINE_NONE, mad24_lo_u32},
    {"mad24", "lo", PTX_S32, "tttt", 0, AFFINE_NONE, mad24_lo_s32},
    {"mad24", "hi", PTX_U32, "tttt", 0, AFFINE_NONE, mad24_hi_u32},
    {"mad24", "hi", PTX_S32, "tttt", 0, AFFINE_NONE, mad24_hi_s32},
    {"add", "sat", PTX_S32, "ttt", 0, AFFINE_NONE, add_sat_s32},
    {"sub", "sat", PTX_S32, "ttt", 0, AFFINE_NONE, sub_sat_s32},
    {"mad", "hi.sat", PTX_S32, "tttt", 0, AFFINE_NONE, mad_hi_sat_s32},
    {"abs", "", PTX_S16, "tt", 0, AFFINE_NONE, abs_s16},
    {"abs", "", PTX_S32, "tt", 0, AFFINE_NONE, abs_s32},
    {"abs", "", PTX_S64, "tt", 0, AFFINE_NONE, abs_s64},
    {"neg", "", PTX_S16, "tt", 0, AFFINE_NEG, neg_s16},
    {"neg", "", PTX_S32, "tt", 0, AFFINE_NEG, neg_s32},
    {"neg", "", PTX_S64, "tt", 0, AFFINE_NEG, neg_s64},
    {"add", "", PTX_U16X2, "ttt", 0, AFFINE_NONE, add_16x2},
    {"add", "", PTX_S16X2, "ttt", 0, AFFINE_NONE, add_16x2},
    {"min", "", PTX_U16X2, "ttt", 0, AFFINE_NONE, min_u16x2},
    {"max", "", PTX_U16X2, "ttt", 0, AFFINE_NONE, max_u16x2},
    {"min", "", PTX_S16X2, "ttt", 0, AFFINE_NONE, min_s16x2},
    {"max", "", PTX_S16X2, "ttt", 0, AFFINE_NONE, max_s16x2},
    {NULL, NULL, PTX_NO_TYPE, NULL, 0, 0, NULL},
};
