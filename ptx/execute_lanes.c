/* What computes in registers. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "ptx/execute.h"
#include "ptx/fault.h"
#include "ptx/half.h"
#include "ptx/special.h"
#include "ptx/warp.h"

union lanes {
    uint32_t narrow[LANES];
    uint64_t wide[LANES];
};

static void sources(const struct warp *warp, const struct instruction *i, const void **from)
{
    for (unsigned operand = 0; operand < i->from_count; operand++)
        from[operand] = i->from_units[operand] ? warp_slot(warp, i->from[operand]) : NULL;
}

int execute_lanes(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const void *from[OPERANDS_MAX];
    union lanes result;
    sources(warp, i, from);
    i->lanes(&result, from);
    warp_write(warp, i->to[0], i->to_units, mask, &result);
    return 0;
}

/* Integer division and remainder. A GPU does not trap on a divisor of 0, but C++ leaves the result undefined, so it is
   reported as a fault. */
int execute_division(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const void *divisors = warp_slot(warp, i->from[1]);
    uint32_t zeros = 0;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t divisor =
            i->from_units[1] == 2 ? ((const uint64_t *)divisors)[lane] : ((const uint32_t *)divisors)[lane];
        bool zero = ptx_types[i->type].bytes == 2 ? !(uint16_t)divisor : !divisor;
        zeros |= (uint32_t)zero << lane;
    }
    if (zeros & mask) {
        struct ptx_fault fault = fault_of(warp, i, __builtin_ctz(zeros & mask), PTX_FAULT_TRAP);
        fault.text = "an integer is divided by 0";
        fault_add(warp->run, &fault);
    }
    return execute_lanes(warp, i, mask);
}

static const int roundings[] = {
    [ROUND_DEFAULT] = FE_TONEAREST, [ROUND_NEAREST] = FE_TONEAREST, [ROUND_ZERO] = FE_TOWARDZERO,
    [ROUND_DOWN] = FE_DOWNWARD,     [ROUND_UP] = FE_UPWARD,         [ROUND_AWAY] = FE_TONEAREST,
};

static uint32_t flushed(uint32_t bits)
{
    return bits & 0x7F800000u ? bits : bits & 0x80000000u;
}

/* Another rounding, .ftz, .sat. */
int execute_float(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const void *from[OPERANDS_MAX];
    union lanes result, copies[3];
    bool narrow = i->type == PTX_F32;
    sources(warp, i, from);
    for (unsigned operand = 0; i->flush && narrow && operand < i->from_count && operand < 3; operand++) {
        const uint32_t *bits = from[operand];
        for (int lane = 0; lane < LANES; lane++)
            copies[operand].narrow[lane] = flushed(bits[lane]);
        from[operand] = &copies[operand];
    }
    if (i->rounding > ROUND_NEAREST)
        fesetround(roundings[i->rounding]);
    i->lanes(&result, from);
    if (i->rounding > ROUND_NEAREST)
        fesetround(FE_TONEAREST);
    for (int lane = 0; narrow && lane < LANES; lane++) {
        uint32_t bits = result.narrow[lane];
        if (i->flush)
            bits = flushed(bits);
        if (i->saturate) {
            float value = lanes_f32(bits);
            bits = value > 0 ? lanes_f32_bits(value < 1 ? value : 1.0f) : 0;
        }
        result.narrow[lane] = bits;
    }
    warp_write(warp, i->to[0], i->to_units, mask, &result);
    return 0;
}

static uint32_t half_adjusted(const struct instruction *i, uint32_t half)
{
    bool brain = i->type == PTX_BF16 || i->type == PTX_BF16X2;
    if (i->flush && !(half & (brain ? 0x7F80u : 0x7C00u)))
        half &= 0x8000;
    if (i->saturate) {
        float value = brain ? half_bf16_value(half) : half_f16_value(half);
        half = !(value > 0) ? 0 : value < 1 ? half : brain ? 0x3F80 : 0x3C00;
    }
    return half;
}

/* .ftz and .sat of halves. */
int execute_half(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const void *from[OPERANDS_MAX];
    union lanes result;
    sources(warp, i, from);
    i->lanes(&result, from);
    for (int lane = 0; lane < LANES; lane++)
        result.narrow[lane] =
            half_adjusted(i, result.narrow[lane] & 0xFFFF) |
            (ptx_types[i->type].bytes == 4 ? half_adjusted(i, result.narrow[lane] >> 16) << 16 : 0);
    warp_write(warp, i->to[0], i->to_units, mask, &result);
    return 0;
}

/* ---- comparisons and selections ---- */

static uint32_t compared(const struct warp *warp, const struct instruction *i)
{
    const void *left = warp_slot(warp, i->from[0]), *right = warp_slot(warp, i->from[1]);
    union lanes copies[2];
    if (i->flush && i->source_type == PTX_F32) {
        for (int lane = 0; lane < LANES; lane++) {
            copies[0].narrow[lane] = flushed(((const uint32_t *)left)[lane]);
            copies[1].narrow[lane] = flushed(((const uint32_t *)right)[lane]);
        }
        left = &copies[0];
        right = &copies[1];
    }
    return i->compare(left, right);
}

static uint32_t combined(const struct warp *warp, const struct instruction *i, uint32_t holds)
{
    if (!i->boolean)
        return holds;
    uint32_t third = warp_predicate(warp, i, 2);
    return i->boolean == '&' ? holds & third : i->boolean == '|' ? holds | third : holds ^ third;
}

int execute_compare(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t holds = compared(warp, i);
    uint32_t first = combined(warp, i, holds), second = combined(warp, i, ~holds);
    warp_write_predicate(warp, i->to[0], mask, first);
    if (i->to_count > 1)
        warp_write_predicate(warp, i->to[1], mask, second);
    return 0;
}

/* What a comparison that holds is in a type. */
static uint32_t truth(unsigned type)
{
    return type == PTX_F32                          ? 0x3F800000u
           : type == PTX_F16 || type == PTX_F16X2   ? 0x3C00
           : type == PTX_BF16 || type == PTX_BF16X2 ? 0x3F80
           : type == PTX_U16 || type == PTX_S16     ? 0xFFFF
                                                    : UINT32_MAX;
}

int execute_set(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t holds = combined(warp, i, compared(warp, i));
    uint32_t yes = truth(i->type);
    union lanes result;
    for (int lane = 0; lane < LANES; lane++)
        result.narrow[lane] = holds >> lane & 1 ? yes : 0;
    warp_write(warp, i->to[0], 1, mask, &result);
    return 0;
}

/* Of the upper halves: comparisons of halves look at the lower 16 bits. */
static uint32_t compared_above(const struct warp *warp, const struct instruction *i)
{
    const uint32_t *left = warp_slot(warp, i->from[0]), *right = warp_slot(warp, i->from[1]);
    union lanes copies[2];
    for (int lane = 0; lane < LANES; lane++) {
        copies[0].narrow[lane] = left[lane] >> 16;
        copies[1].narrow[lane] = right[lane] >> 16;
    }
    return i->compare(&copies[0], &copies[1]);
}

int execute_compare_pair(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t below = combined(warp, i, i->compare(warp_slot(warp, i->from[0]), warp_slot(warp, i->from[1])));
    uint32_t above = combined(warp, i, compared_above(warp, i));
    warp_write_predicate(warp, i->to[0], mask, below);
    warp_write_predicate(warp, i->to[1], mask, above);
    return 0;
}

int execute_set_pair(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t below = combined(warp, i, i->compare(warp_slot(warp, i->from[0]), warp_slot(warp, i->from[1])));
    uint32_t above = combined(warp, i, compared_above(warp, i));
    uint32_t yes = truth(i->type) & 0xFFFF;
    union lanes result;
    for (int lane = 0; lane < LANES; lane++)
        result.narrow[lane] = (below >> lane & 1 ? yes : 0) | (above >> lane & 1 ? yes << 16 : 0);
    warp_write(warp, i->to[0], 1, mask, &result);
    return 0;
}

int execute_select(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t chosen = warp_predicate(warp, i, 2);
    union lanes result;
    memcpy(&result, warp_slot(warp, i->from[1]), (size_t)i->to_units * SLOT_BYTES);
    if (i->to_units == 2) {
        const uint64_t *a = warp_slot(warp, i->from[0]);
        for (int lane = 0; lane < LANES; lane++)
            result.wide[lane] = chosen >> lane & 1 ? a[lane] : result.wide[lane];
    } else {
        const uint32_t *a = warp_slot(warp, i->from[0]);
        for (int lane = 0; lane < LANES; lane++)
            result.narrow[lane] = chosen >> lane & 1 ? a[lane] : result.narrow[lane];
    }
    warp_write(warp, i->to[0], i->to_units, mask, &result);
    return 0;
}

int execute_slct(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const uint32_t *by = warp_slot(warp, i->from[2]);
    union lanes result;
    for (int lane = 0; lane < LANES; lane++) {
        bool first = i->source_type == PTX_S32 ? (int32_t)by[lane] >= 0
                                               : lanes_f32(i->flush ? flushed(by[lane]) : by[lane]) >= 0;
        uint64_t value = warp_value(warp, i->from[!first], i->from_units[0], lane);
        if (i->to_units == 2)
            result.wide[lane] = value;
        else
            result.narrow[lane] = (uint32_t)value;
    }
    warp_write(warp, i->to[0], i->to_units, mask, &result);
    return 0;
}

int execute_predicates(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t a = warp_predicate(warp, i, 0), b = i->from_count > 1 ? warp_predicate(warp, i, 1) : 0;
    uint32_t result = i->mode == '&'   ? a & b
                      : i->mode == '|' ? a | b
                      : i->mode == '^' ? a ^ b
                      : i->mode == '~' ? ~a
                                       : a;
    warp_write_predicate(warp, i->to[0], mask, result);
    return 0;
}

static bool tested(unsigned mode, double value, double least)
{
    bool small = value != 0 && fabs(value) < least;
    switch (mode) {
    case 0:
        return isfinite(value);
    case 1:
        return isinf(value);
    case 2:
        return !isnan(value);
    case 3:
        return isnan(value);
    case 4:
        return isfinite(value) && value != 0 && !small;
    default:
        return small;
    }
}

int execute_test(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t result = 0;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t bits = warp_value(warp, i->from[0], i->from_units[0], lane);
        bool wide = i->source_type == PTX_F64;
        double value = wide ? lanes_f64(bits) : (double)lanes_f32((uint32_t)bits);
        result |= (uint32_t)tested(i->mode, value, wide ? 0x1p-1022 : 0x1p-126) << lane;
    }
    warp_write_predicate(warp, i->to[0], mask, result);
    return 0;
}

/* ---- parts of registers, the clock, the carry flag ---- */

int execute_pack(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    union lanes result;
    uint64_t all = (UINT64_C(1) << i->element_bytes * 8) - 1;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t value = 0;
        for (unsigned part = 0; part < i->from_count; part++)
            value |= (((const uint32_t *)warp_slot(warp, i->from[part]))[lane] & all)
                     << part * i->element_bytes * 8;
        if (i->to_units == 2)
            result.wide[lane] = value;
        else
            result.narrow[lane] = (uint32_t)value;
    }
    warp_write(warp, i->to[0], i->to_units, mask, &result);
    return 0;
}

int execute_unpack(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint64_t all = (UINT64_C(1) << i->element_bytes * 8) - 1;
    union lanes parts[4];
    for (unsigned part = 0; part < i->to_count; part++)
        for (int lane = 0; lane < LANES; lane++)
            parts[part].narrow[lane] = (uint32_t)(warp_value(warp, i->from[0], i->from_units[0], lane) >>
                                                      part * i->element_bytes * 8 &
                                                  all);
    for (unsigned part = 0; part < i->to_count; part++)
        warp_write(warp, i->to[part], 1, mask, &parts[part]);
    return 0;
}

int execute_clock(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    bool high = i->mode == SPECIAL_CLOCK_HI || i->mode == SPECIAL_GLOBALTIMER_HI;
    uint64_t now = warp->run->clock += 4;
    union lanes result;
    for (int lane = 0; lane < LANES; lane++) {
        if (i->to_units == 2)
            result.wide[lane] = now;
        else
            result.narrow[lane] = (uint32_t)(high ? now >> 32 : now);
    }
    warp_write(warp, i->to[0], i->to_units, mask, &result);
    return 0;
}

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* A sum with its carry out of `bits`; the flag of a difference is its borrow. */
static u128 carried(const struct instruction *i, const uint64_t *operand, uint64_t flag, unsigned bits)
{
    u128 modulus = (u128)1 << bits;
    if (i->mode == '+')
        return (u128)operand[0] + operand[1] + flag;
    if (i->mode == '-') {
        u128 taken = (u128)operand[1] + flag;
        return operand[0] >= taken ? operand[0] - taken : modulus + (modulus - taken + operand[0]) % modulus;
    }
    u128 product;
    if (ptx_types[i->type].class == PTX_CLASS_SIGNED) {
        int64_t a = (int64_t)(operand[0] << (64 - bits)) >> (64 - bits),
                b = (int64_t)(operand[1] << (64 - bits)) >> (64 - bits);
        product = (u128)((s128)a * b);
    } else {
        product = (u128)operand[0] * operand[1];
    }
    u128 half = i->mode == 'h' ? product >> bits : product;
    return (half & (modulus - 1)) + operand[2] + flag;
}

int execute_carry(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    unsigned bits = ptx_types[i->type].bytes * 8;
    union lanes result;
    uint32_t flags = 0;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t operand[3] = {0};
        for (unsigned at = 0; at < i->from_count && at < 3; at++)
            operand[at] = warp_value(warp, i->from[at], i->from_units[at], lane);
        u128 sum = carried(i, operand, i->carry_in ? warp->carry >> lane & 1 : 0, bits);
        flags |= (uint32_t)(sum >> bits & 1) << lane;
        if (i->to_units == 2)
            result.wide[lane] = (uint64_t)sum;
        else
            result.narrow[lane] = (uint32_t)sum;
    }
    warp_write(warp, i->to[0], i->to_units, mask, &result);
    if (i->carry_out)
        warp->carry = (warp->carry & ~mask) | (flags & mask);
    return 0;
}
