/* Logic, shifts, bit fields, permutations and dot products. */
#include "ptx/lanes_macros.h"

LANES_2(and_32, uint32_t, uint32_t, uint32_t, uint32_t, a &b)
LANES_2(or_32, uint32_t, uint32_t, uint32_t, uint32_t, a | b)
LANES_2(xor_32, uint32_t, uint32_t, uint32_t, uint32_t, a ^ b)
LANES_2(and_64, uint64_t, uint64_t, uint64_t, uint64_t, a &b)
LANES_2(or_64, uint64_t, uint64_t, uint64_t, uint64_t, a | b)
LANES_2(xor_64, uint64_t, uint64_t, uint64_t, uint64_t, a ^ b)
LANES_1(not_16, uint32_t, uint32_t, uint16_t, uint32_t, ~a)
LANES_1(not_32, uint32_t, uint32_t, uint32_t, uint32_t, ~a)
LANES_1(not_64, uint64_t, uint64_t, uint64_t, uint64_t, ~a)
LANES_1(cnot_16, uint32_t, uint16_t, uint16_t, uint32_t, a == 0)
LANES_1(cnot_32, uint32_t, uint32_t, uint32_t, uint32_t, a == 0)
LANES_1(cnot_64, uint64_t, uint64_t, uint64_t, uint64_t, a == 0)

LANES_SHIFT(shl_16, uint32_t, uint32_t, uint16_t, b > 15 ? 0 : a << b)
LANES_SHIFT(shl_32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a << b)
LANES_SHIFT(shl_64, uint64_t, uint64_t, uint64_t, b > 63 ? 0 : a << b)
LANES_SHIFT(shr_u16, uint32_t, uint16_t, uint16_t, b > 15 ? 0 : a >> b)
LANES_SHIFT(shr_u32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a >> b)
LANES_SHIFT(shr_u64, uint64_t, uint64_t, uint64_t, b > 63 ? 0 : a >> b)
LANES_SHIFT(shr_s16, uint32_t, int16_t, uint16_t, a >> (b > 15 ? 15 : b))
LANES_SHIFT(shr_s32, uint32_t, int32_t, uint32_t, a >> (b > 31 ? 31 : b))
LANES_SHIFT(shr_s64, uint64_t, int64_t, uint64_t, a >> (b > 63 ? 63 : b))

/* shf: a is the low word, b the high one. */
static inline uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << by >> 32);
}
static inline uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> by);
}
LANES_3(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, funnel_left(a, b, c & 31))
LANES_3(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        funnel_left(a, b, c > 32 ? 32 : c))
LANES_3(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, funnel_right(a, b, c & 31))
LANES_3(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        funnel_right(a, b, c > 32 ? 32 : c))

LANES_1(popc_32, uint32_t, uint32_t, uint32_t, uint32_t, __builtin_popcount(a))
LANES_1(popc_64, uint64_t, uint64_t, uint32_t, uint32_t, __builtin_popcountll(a))
LANES_1(clz_32, uint32_t, uint32_t, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
LANES_1(clz_64, uint64_t, uint64_t, uint32_t, uint32_t, a ? __builtin_clzll(a) : 64)
/* The highest bit that differs from the sign; none: all ones. */
LANES_1(bfind_u32, uint32_t, uint32_t, uint32_t, uint32_t, a ? 31 - __builtin_clz(a) : -1)
LANES_1(bfind_u64, uint64_t, uint64_t, uint32_t, uint32_t, a ? 63 - __builtin_clzll(a) : -1)
LANES_1(bfind_s32, uint32_t, int32_t, uint32_t, uint32_t,
        (a < 0 ? ~a : a) ? 31 - __builtin_clz((unsigned)(a < 0 ? ~a : a)) : -1)
LANES_1(bfind_s64, uint64_t, int64_t, uint32_t, uint32_t,
        (a < 0 ? ~a : a) ? 63 - __builtin_clzll((uint64_t)(a < 0 ? ~a : a)) : -1)
/* The same as the shift that brings it to the top. */
LANES_1(bfind_shift_u32, uint32_t, uint32_t, uint32_t, uint32_t, a ? __builtin_clz(a) : -1)
LANES_1(bfind_shift_u64, uint64_t, uint64_t, uint32_t, uint32_t, a ? __builtin_clzll(a) : -1)
LANES_1(bfind_shift_s32, uint32_t, int32_t, uint32_t, uint32_t,
        (a < 0 ? ~a : a) ? __builtin_clz((unsigned)(a < 0 ? ~a : a)) : -1)
LANES_1(bfind_shift_s64, uint64_t, int64_t, uint32_t, uint32_t,
        (a < 0 ? ~a : a) ? __builtin_clzll((uint64_t)(a < 0 ? ~a : a)) : -1)

static inline uint32_t reverse_32(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0F0F0F0Fu) | (a & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(a);
}
LANES_1(brev_32, uint32_t, uint32_t, uint32_t, uint32_t, reverse_32(a))
LANES_1(brev_64, uint64_t, uint64_t, uint64_t, uint64_t,
        (uint64_t)reverse_32((uint32_t)a) << 32 | reverse_32((uint32_t)(a >> 32)))

/* A bit field of `length` from `position` on, both modulo 256; beyond the top the sign, or 0. */
static inline uint64_t extract(uint64_t a, uint32_t position, uint32_t length, unsigned bits, bool sign)
{
    position &= 0xFF;
    length &= 0xFF;
    if (!length)
        return 0;
    unsigned top = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
    uint64_t fill = sign && (a >> top & 1) ? ~UINT64_C(0) : 0;
    uint64_t field = position < 64 && position < bits ? a >> position : 0;
    unsigned taken = position >= bits ? 0 : length < bits - position ? length : bits - position;
    uint64_t mask = taken >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << taken) - 1;
    return (field & mask) | (fill & ~mask);
}

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t position, uint32_t length, unsigned bits)
{
    position &= 0xFF;
    length &= 0xFF;
    if (position >= bits || !length)
        return b;
    unsigned taken = length < bits - position ? length : bits - position;
    uint64_t mask = (taken >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << taken) - 1) << position;
    return (b & ~mask) | (a << position & mask);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): P is a type */
#define FIELDS(suffix, P, bits, sign)                                                                        \
    static void bfe_##suffix(void *restrict to, const void *const *from)                                     \
    {                                                                                                        \
        const P *a = from[0];                                                                                \
        const uint32_t *position = from[1], *length = from[2];                                               \
        P *restrict out = to;                                                                                \
        for (int i = 0; i < LANES; i++)                                                                      \
            out[i] = (P)extract(a[i], position[i], length[i], bits, sign);                                   \
    }
FIELDS(u32, uint32_t, 32, false)
FIELDS(s32, uint32_t, 32, true)
FIELDS(u64, uint64_t, 64, false)
FIELDS(s64, uint64_t, 64, true)

#define INSERTS(suffix, P, bits)                                                                             \
    static void bfi_##suffix(void *restrict to, const void *const *from)                                     \
    {                                                                                                        \
        const P *a = from[0], *b = from[1];                                                                  \
        const uint32_t *position = from[2], *length = from[3];                                               \
        P *restrict out = to;                                                                                \
        for (int i = 0; i < LANES; i++)                                                                      \
            out[i] = (P)insert(a[i], b[i], position[i], length[i], bits);                                    \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
INSERTS(32, uint32_t, 32)
INSERTS(64, uint64_t, 64)

/* The n-th set bit from `base` upwards, or downwards where n is negative; n 0: base itself where it is set. */
static uint32_t nth_bit(uint32_t mask, uint32_t base, int32_t n)
{
    int step = n < 0 ? -1 : 1;
    int64_t left = n < 0 ? -(int64_t)n : n ? n : 1;
    if (base > 31)
        return UINT32_MAX;
    if (!n)
        return mask >> base & 1 ? base : UINT32_MAX;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}
LANES_3(fns, uint32_t, uint32_t, uint32_t, int32_t, uint32_t, uint32_t, nth_bit(a, b, c))

static inline uint32_t mask_of(uint32_t position, uint32_t width)
{
    return position > 31 || !width ? 0 : (width > 31 ? UINT32_MAX : (UINT32_C(1) << width) - 1) << position;
}
LANES_2(bmsk_clamp, uint32_t, uint32_t, uint32_t, uint32_t, mask_of(a, b))
LANES_2(bmsk_wrap, uint32_t, uint32_t, uint32_t, uint32_t, mask_of(a & 31, b & 31))

/* One byte of the eight of a and b; bit 3 of the selector spreads its sign. */
static inline uint32_t pick(uint64_t both, uint32_t selector)
{
    uint32_t byte = (uint32_t)(both >> (selector & 7) * 8) & 0xFF;
    return selector & 8 ? (byte & 0x80 ? 0xFF : 0) : byte;
}
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t both = (uint64_t)b << 32 | a;
    return pick(both, c) | pick(both, c >> 4) << 8 | pick(both, c >> 8) << 16 | pick(both, c >> 12) << 24;
}
static inline uint32_t four(uint64_t both, uint32_t s0, uint32_t s1, uint32_t s2, uint32_t s3)
{
    return pick(both, s0 & 7) | pick(both, s1 & 7) << 8 | pick(both, s2 & 7) << 16 | pick(both, s3 & 7) << 24;
}
#define BOTH ((uint64_t)b << 32 | a)
LANES_3(prmt, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, permute(a, b, c))
LANES_3(prmt_f4e, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        four(BOTH, c & 3, (c & 3) + 1, (c & 3) + 2, (c & 3) + 3))
LANES_3(prmt_b4e, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        four(BOTH, c & 3, (c & 3) - 1, (c & 3) - 2, (c & 3) - 3))
LANES_3(prmt_rc8, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        four(BOTH, c & 3, c & 3, c & 3, c & 3))
static inline uint32_t clamped_left(uint64_t both, uint32_t c)
{
    return four(both, c, c > 1 ? c : 1, c > 2 ? c : 2, 3);
}
static inline uint32_t clamped_right(uint64_t both, uint32_t c)
{
    return four(both, 0, c < 1 ? c : 1, c < 2 ? c : 2, c);
}
LANES_3(prmt_ecl, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, clamped_left(BOTH, c & 3))
LANES_3(prmt_ecr, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, clamped_right(BOTH, c & 3))
LANES_3(prmt_rc16, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
        four(BOTH, (c & 1) * 2, (c & 1) * 2 + 1, (c & 1) * 2, (c & 1) * 2 + 1))

/* Any function of three bits, by its table. */
static void lop3(void *restrict to, const void *const *from)
{
    const uint32_t *a = from[0], *b = from[1], *c = from[2], *table = from[3];
    uint32_t *restrict out = to;
    for (int i = 0; i < LANES; i++) {
        uint32_t t = table[i], x = a[i], y = b[i], z = c[i];
        out[i] = (t & 1 ? ~x & ~y & ~z : 0) | (t & 2 ? ~x & ~y & z : 0) | (t & 4 ? ~x & y & ~z : 0) |
                 (t & 8 ? ~x & y & z : 0) | (t & 16 ? x & ~y & ~z : 0) | (t & 32 ? x & ~y & z : 0) |
                 (t & 64 ? x & y & ~z : 0) | (t & 128 ? x & y & z : 0);
    }
}

/* Sign or zero extension of the low b bits. */
LANES_2(szext_u32_clamp, uint32_t, uint32_t, uint32_t, uint32_t, b > 31 ? a : a & ((UINT32_C(1) << b) - 1))
LANES_2(szext_u32_wrap, uint32_t, uint32_t, uint32_t, uint32_t, a &((UINT32_C(1) << (b & 31)) - 1))
static inline uint32_t sign_extended(uint32_t a, uint32_t b)
{
    return !b ? 0 : b > 31 ? a : (uint32_t)((int32_t)(a << (32 - b)) >> (32 - b));
}
LANES_2(szext_s32_clamp, uint32_t, uint32_t, uint32_t, uint32_t, sign_extended(a, b))
LANES_2(szext_s32_wrap, uint32_t, uint32_t, uint32_t, uint32_t, sign_extended(a, b & 31))

static inline int32_t part(uint32_t a, int byte, bool sign)
{
    return sign ? (int8_t)(a >> byte * 8) : (uint8_t)(a >> byte * 8);
}
static inline int32_t half(uint32_t a, int at, bool sign)
{
    return sign ? (int16_t)(a >> at * 16) : (uint16_t)(a >> at * 16);
}
static inline uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, bool sign_a, bool sign_b)
{
    for (int i = 0; i < 4; i++)
        c += (uint32_t)(part(a, i, sign_a) * part(b, i, sign_b));
    return c;
}
static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, bool sign_a, bool sign_b, int from)
{
    for (int i = 0; i < 2; i++)
        c += (uint32_t)half(a, i, sign_a) * (uint32_t)part(b, from + i, sign_b);
    return c;
}
#define DOTS(suffix, sign_a, sign_b)                                                                         \
    LANES_3(dp4a_##suffix, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,                       \
            dot4(a, b, c, sign_a, sign_b))                                                                   \
    LANES_3(dp2a_lo_##suffix, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,                    \
            dot2(a, b, c, sign_a, sign_b, 0))                                                                \
    LANES_3(dp2a_hi_##suffix, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,                    \
            dot2(a, b, c, sign_a, sign_b, 2))
DOTS(uu, false, false)
DOTS(us, false, true)
DOTS(su, true, false)
DOTS(ss, true, true)

#define SIZES(mnemonic, name, rule)                                                                          \
    {mnemonic, "", PTX_B16, "ttt", 0, rule, name##_32}, {mnemonic, "", PTX_B32, "ttt", 0, rule, name##_32},  \
    {                                                                                                        \
        mnemonic, "", PTX_B64, "ttt", 0, rule, name##_64                                                     \
    }

const struct lanes_row lanes_bits[] = {
    SIZES("and", and, AFFINE_AND),
    SIZES("or", or, AFFINE_OR),
    SIZES("xor", xor, AFFINE_OR),
    {"not", "", PTX_B16, "tt", 0, AFFINE_NOT, not_16},
    {"not", "", PTX_B32, "tt", 0, AFFINE_NOT, not_32},
    {"not", "", PTX_B64, "tt", 0, AFFINE_NOT, not_64},
    {"cnot", "", PTX_B16, "tt", 0, AFFINE_NONE, cnot_16},
    {"cnot", "", PTX_B32, "tt", 0, AFFINE_NONE, cnot_32},
    {"cnot", "", PTX_B64, "tt", 0, AFFINE_NONE, cnot_64},
    {"shl", "", PTX_B16, "tti", 0, AFFINE_SHL, shl_16},
    {"shl", "", PTX_B32, "tti", 0, AFFINE_SHL, shl_32},
    {"shl", "", PTX_B64, "tti", 0, AFFINE_SHL, shl_64},
    {"shr", "", PTX_B16, "tti", 0, AFFINE_SHR, shr_u16},
    {"shr", "", PTX_B32, "tti", 0, AFFINE_SHR, shr_u32},
    {"shr", "", PTX_B64, "tti", 0, AFFINE_SHR, shr_u64},
    {"shr", "", PTX_U16, "tti", 0, AFFINE_SHR, shr_u16},
    {"shr", "", PTX_U32, "tti", 0, AFFINE_SHR, shr_u32},
    {"shr", "", PTX_U64, "tti", 0, AFFINE_SHR, shr_u64},
    {"shr", "", PTX_S16, "tti", 0, AFFINE_SHR, shr_s16},
    {"shr", "", PTX_S32, "tti", 0, AFFINE_SHR, shr_s32},
    {"shr", "", PTX_S64, "tti", 0, AFFINE_SHR, shr_s64},
    {"shf", "l.wrap", PTX_B32, "tttt", 0, AFFINE_NONE, shf_l_wrap},
    {"shf", "l.clamp", PTX_B32, "tttt", 0, AFFINE_NONE, shf_l_clamp},
    {"shf", "r.wrap", PTX_B32, "tttt", 0, AFFINE_NONE, shf_r_wrap},
    {"shf", "r.clamp", PTX_B32, "tttt", 0, AFFINE_NONE, shf_r_clamp},
    {"popc", "", PTX_B32, "it", 0, AFFINE_NONE, popc_32},
    {"popc", "", PTX_B64, "it", 0, AFFINE_NONE, popc_64},
    {"clz", "", PTX_B32, "it", 0, AFFINE_NONE, clz_32},
    {"clz", "", PTX_B64, "it", 0, AFFINE_NONE, clz_64},
    {"bfind", "", PTX_U32, "it", 0, AFFINE_NONE, bfind_u32},
    {"bfind", "", PTX_U64, "it", 0, AFFINE_NONE, bfind_u64},
    {"bfind", "", PTX_S32, "it", 0, AFFINE_NONE, bfind_s32},
    {"bfind", "", PTX_S64, "it", 0, AFFINE_NONE, bfind_s64},
    {"bfind", "shiftamt", PTX_U32, "it", 0, AFFINE_NONE, bfind_shift_u32},
    {"bfind", "shiftamt", PTX_U64, "it", 0, AFFINE_NONE, bfind_shift_u64},
    {"bfind", "shiftamt", PTX_S32, "it", 0, AFFINE_NONE, bfind_shift_s32},
    {"bfind", "shiftamt", PTX_S64, "it", 0, AFFINE_NONE, bfind_shift_s64},
    {"brev", "", PTX_B32, "tt", 0, AFFINE_NONE, brev_32},
    {"brev", "", PTX_B64, "tt", 0, AFFINE_NONE, brev_64},
    {"bfe", "", PTX_U32, "ttii", 0, AFFINE_EXTRACT, bfe_u32},
    {"bfe", "", PTX_S32, "ttii", 0, AFFINE_NONE, bfe_s32},
    {"bfe", "", PTX_U64, "ttii", 0, AFFINE_EXTRACT, bfe_u64},
    {"bfe", "", PTX_S64, "ttii", 0, AFFINE_NONE, bfe_s64},
    {"bfi", "", PTX_B32, "tttii", 0, AFFINE_INSERT, bfi_32},
    {"bfi", "", PTX_B64, "tttii", 0, AFFINE_INSERT, bfi_64},
    {"fns", "", PTX_B32, "iiii", 0, AFFINE_NONE, fns},
    {"bmsk", "clamp", PTX_B32, "iii", 0, AFFINE_NONE, bmsk_clamp},
    {"bmsk", "wrap", PTX_B32, "iii", 0, AFFINE_NONE, bmsk_wrap},
    {"szext", "clamp", PTX_U32, "iii", 0, AFFINE_NONE, szext_u32_clamp},
    {"szext", "wrap", PTX_U32, "iii", 0, AFFINE_NONE, szext_u32_wrap},
    {"szext", "clamp", PTX_S32, "iii", 0, AFFINE_NONE, szext_s32_clamp},
    {"szext", "wrap", PTX_S32, "iii", 0, AFFINE_NONE, szext_s32_wrap},
    {"prmt", "", PTX_B32, "iiii", 0, AFFINE_NONE, prmt},
    {"prmt", "f4e", PTX_B32, "iiii", 0, AFFINE_NONE, prmt_f4e},
    {"prmt", "b4e", PTX_B32, "iiii", 0, AFFINE_NONE, prmt_b4e},
    {"prmt", "rc8", PTX_B32, "iiii", 0, AFFINE_NONE, prmt_rc8},
    {"prmt", "ecl", PTX_B32, "iiii", 0, AFFINE_NONE, prmt_ecl},
    {"prmt", "ecr", PTX_B32, "iiii", 0, AFFINE_NONE, prmt_ecr},
    {"prmt", "rc16", PTX_B32, "iiii", 0, AFFINE_NONE, prmt_rc16},
    {"lop3", "", PTX_B32, "iiiii", 0, AFFINE_NONE, lop3},
#define DOT_ROWS(mnemonic, variant, name)                                                                    \
    {mnemonic, variant, PTX_U32, "iiii", 0, AFFINE_NONE, name##_uu},                                         \
        {mnemonic "/s", variant, PTX_U32, "iiii", 0, AFFINE_NONE, name##_us},                                \
        {mnemonic "/u", variant, PTX_S32, "iiii", 0, AFFINE_NONE, name##_su},                                \
    {                                                                                                        \
        mnemonic, variant, PTX_S32, "iiii", 0, AFFINE_NONE, name##_ss                                        \
    }
    DOT_ROWS("dp4a", "", dp4a),
    DOT_ROWS("dp2a", "lo", dp2a_lo),
    DOT_ROWS("dp2a", "hi", dp2a_hi),
    {NULL, NULL, PTX_NO_TYPE, NULL, 0, 0, NULL},
};
