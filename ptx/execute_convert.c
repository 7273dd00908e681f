/* cvt: between all types, with rounding and saturation. */
#include <fenv.h>
#include <math.h>

#include "ptx/execute.h"
#include "ptx/half.h"
#include "ptx/warp.h"

static const int modes[] = {
    [ROUND_DEFAULT] = FE_TONEAREST, [ROUND_NEAREST] = FE_TONEAREST, [ROUND_ZERO] = FE_TOWARDZERO,
    [ROUND_DOWN] = FE_DOWNWARD,     [ROUND_UP] = FE_UPWARD,         [ROUND_AWAY] = FE_TONEAREST,
};

static bool is_float(unsigned type)
{
    return ptx_types[type].class == PTX_CLASS_FLOAT;
}

static bool is_signed(unsigned type)
{
    return ptx_types[type].class == PTX_CLASS_SIGNED;
}

static double float_value(unsigned type, uint64_t bits)
{
    return type == PTX_F64    ? lanes_f64(bits)
           : type == PTX_F32  ? (double)lanes_f32((uint32_t)bits)
           : type == PTX_BF16 ? (double)half_bf16_value((uint32_t)bits & 0xFFFF)
                              : (double)half_f16_value((uint32_t)bits & 0xFFFF);
}

static double to_integer(double value, unsigned rounding)
{
    switch (rounding) {
    case ROUND_ZERO:
        return trunc(value);
    case ROUND_DOWN:
        return floor(value);
    case ROUND_UP:
        return ceil(value);
    default:
        return nearbyint(value);
    }
}

/* The least and the largest of an integer type. */
static int64_t least_of(unsigned type)
{
    return is_signed(type) ? -1 - (int64_t)((UINT64_C(1) << (ptx_types[type].bytes * 8 - 1)) - 1) : 0;
}
static uint64_t most_of(unsigned type)
{
    unsigned bits = ptx_types[type].bytes * 8 - is_signed(type);
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* NaN is 0, but the sign bit alone where the source has 64 bits, or the result. */
static uint64_t integer_of(const struct instruction *i, double value)
{
    unsigned to = i->type;
    if (isnan(value))
        return i->source_type == PTX_F64 || ptx_types[to].bytes == 8
                   ? UINT64_C(1) << (ptx_types[to].bytes * 8 - 1)
                   : 0;
    value = to_integer(value, i->rounding);
    if (value <= (double)least_of(to))
        return (uint64_t)least_of(to);
    if (value >= (double)most_of(to))
        return most_of(to);
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static uint64_t float_bits(const struct instruction *i, double value)
{
    unsigned to = i->type, rounding = i->rounding;
    if (i->mode) { /* to an integer in the same type */
        value = to_integer(value, rounding);
        rounding = ROUND_NEAREST;
    }
    if (i->saturate)
        value = value > 0 ? (value < 1 ? value : 1) : 0;
    if (to == PTX_F64)
        return lanes_f64_bits(value);
    if (to == PTX_F16)
        return half_f16(value, (enum lanes_rounding)rounding);
    if (to == PTX_BF16)
        return half_bf16(value, (enum lanes_rounding)rounding);
    fesetround(modes[rounding]);
    volatile double exact = value;
    volatile float narrow = (float)exact;
    fesetround(FE_TONEAREST);
    uint32_t bits = isnan(narrow) ? 0x7FFFFFFF : lanes_f32_bits(narrow);
    return i->flush && !(bits & 0x7F800000u) ? bits & 0x80000000u : bits;
}

/* From an integer: rounded once, from all of its bits. */
static uint64_t float_of_integer(const struct instruction *i, int64_t value, bool without_sign)
{
    unsigned to = i->type;
    if (to == PTX_F16 || to == PTX_BF16) { /* 64 bits do not fit a double: the last ones are only sticky */
        double high =
            without_sign ? (double)((uint64_t)value >> 12 << 12) : (double)(value & ~INT64_C(0xFFF));
        double low = (double)(value & 0xFFF);
        double sum = half_fma(high, 1.0, low);
        return float_bits(i, sum);
    }
    fesetround(modes[i->rounding]);
    volatile int64_t number = value;
    volatile uint64_t natural = (uint64_t)value;
    uint64_t bits;
    if (to == PTX_F64) {
        volatile double result = without_sign ? (double)natural : (double)number;
        bits = lanes_f64_bits(result);
    } else {
        volatile float result = without_sign ? (float)natural : (float)number;
        bits = lanes_f32_bits(result);
    }
    fesetround(FE_TONEAREST);
    if (i->saturate)
        bits = value > 0 || (without_sign && value) ? (to == PTX_F64 ? lanes_f64_bits(1) : 0x3F800000u) : 0;
    return bits;
}

static uint64_t integer_of_integer(const struct instruction *i, int64_t value)
{
    unsigned to = i->type;
    if (!i->saturate)
        return (uint64_t)value;
    bool without_sign = !is_signed(i->source_type);
    if (!without_sign && value < least_of(to))
        return (uint64_t)least_of(to);
    if ((without_sign || value > 0) && (uint64_t)value > most_of(to))
        return most_of(to);
    return (uint64_t)value;
}

/* How many upper bits of a 64-bit register a value of this type leaves unused: 32 for f32. Predicates have no size and are never
   converted. */
static unsigned unused_bits(unsigned type)
{
    return (64 - ptx_types[type].bytes * 8u) & 63;
}

static uint64_t converted(const struct instruction *i, uint64_t bits)
{
    unsigned from = i->source_type, unused = unused_bits(from);
    if (is_float(from)) {
        double value = float_value(from, bits);
        if (i->flush && from == PTX_F32 && fabs(value) < 0x1p-126)
            value = signbit(value) ? -0.0 : 0.0;
        return is_float(i->type) ? float_bits(i, value) : integer_of(i, value);
    }
    int64_t value =
        is_signed(from) ? (int64_t)(bits << unused) >> unused : (int64_t)(bits << unused >> unused);
    return is_float(i->type) ? float_of_integer(i, value, !is_signed(from)) : integer_of_integer(i, value);
}

/* The bits of the type, extended to those of the register. */
static uint64_t extended(const struct instruction *i, uint64_t bits)
{
    unsigned unused = unused_bits(i->type), own = unused_bits(i->to_type);
    bits = is_signed(i->type) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits << unused >> unused;
    return bits << own >> own;
}

/* Integers without saturation: the most frequent ones, in loops that a compiler vectorises. */
static void extend_lanes(const struct instruction *i, const void *from, void *to)
{
    unsigned in = unused_bits(i->source_type), out = unused_bits(i->type), own = unused_bits(i->to_type);
    bool sign_in = is_signed(i->source_type), sign_out = is_signed(i->type);
    const uint32_t *narrow = from;
    const uint64_t *wide = from;
    uint64_t values[LANES];
    for (int lane = 0; lane < LANES; lane++)
        values[lane] = (i->from_units[0] == 2 ? wide[lane] : narrow[lane]) << in;
    for (int lane = 0; lane < LANES; lane++)
        values[lane] = (sign_in ? (uint64_t)((int64_t)values[lane] >> in) : values[lane] >> in) << out;
    for (int lane = 0; lane < LANES; lane++)
        values[lane] =
            (sign_out ? (uint64_t)((int64_t)values[lane] >> out) : values[lane] >> out) << own >> own;
    for (int lane = 0; lane < LANES; lane++) {
        if (i->to_units == 2)
            ((uint64_t *)to)[lane] = values[lane];
        else
            ((uint32_t *)to)[lane] = (uint32_t)values[lane];
    }
}

int execute_convert(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint64_t wide[LANES];
    uint32_t narrow[LANES];
    if (!is_float(i->type) && !is_float(i->source_type) && !i->saturate) {
        extend_lanes(i, warp_slot(warp, i->from[0]), wide);
        warp_write(warp, i->to[0], i->to_units, mask, wide);
        return 0;
    }
    for (int lane = 0; lane < LANES; lane++) {
        wide[lane] = mask >> lane & 1
                         ? extended(i, converted(i, warp_value(warp, i->from[0], i->from_units[0], lane)))
                         : 0;
        narrow[lane] = (uint32_t)wide[lane];
    }
    warp_write(warp, i->to[0], i->to_units, mask, i->to_units == 2 ? (const void *)wide : narrow);
    return 0;
}

/* cvt.rn.f16x2.f32 d, a, b: a above, b below. */
int execute_convert_pair(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const uint32_t *high = warp_slot(warp, i->from[0]), *low = warp_slot(warp, i->from[1]);
    uint16_t (*narrow)(double, enum lanes_rounding) = i->type == PTX_BF16X2 ? half_bf16 : half_f16;
    enum lanes_rounding rounding = (enum lanes_rounding)i->rounding;
    uint32_t result[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        double a = (double)lanes_f32(high[lane]), b = (double)lanes_f32(low[lane]);
        if (i->saturate) {
            a = a > 0 ? (a < 1 ? a : 1) : 0;
            b = b > 0 ? (b < 1 ? b : 1) : 0;
        }
        result[lane] = (uint32_t)narrow(a, rounding) << 16 | narrow(b, rounding);
    }
    warp_write(warp, i->to[0], 1, mask, result);
    return 0;
}
