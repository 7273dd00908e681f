/* Rounding to 11 and to 8 bits. */
#include "ptx/half.h"

#include <math.h>

/* value / step to an integer. */
static double rounded(double scaled, enum lanes_rounding rounding)
{
    double down = floor(scaled), part = scaled - down;
    switch (rounding) {
    case ROUND_ZERO:
        return trunc(scaled);
    case ROUND_DOWN:
        return down;
    case ROUND_UP:
        return ceil(scaled);
    default:
        if (part != 0.5)
            return part < 0.5 ? down : down + 1;
        return fmod(down, 2) == 0 ? down : down + 1;
    }
}

/* `bits` of fraction, exponents from `least` (of the smallest normal number) to `most`. */
static uint16_t narrow(double value, enum lanes_rounding rounding, int bits, int least, int most)
{
    uint16_t sign = (uint16_t)(signbit(value) ? 0x8000 : 0),
             infinite = (uint16_t)((most - least + 2) << bits);
    int exponent;
    if (isnan(value))
        return 0x7FFF;
    if (value == 0)
        return sign;
    if (isinf(value))
        return (uint16_t)(sign | infinite);
    frexp(value, &exponent);
    exponent--;
    if (exponent < least)
        exponent = least;
    if (exponent > most)
        exponent = most + 1;
    double steps = fabs(rounded(ldexp(value, bits - exponent), rounding));
    if (exponent > most || (steps == (double)(2 << bits) && exponent == most)) {
        bool away = rounding == ROUND_UP     ? !sign
                    : rounding == ROUND_DOWN ? sign != 0
                                             : rounding != ROUND_ZERO;
        return (uint16_t)(sign | (away ? infinite : infinite - 1));
    }
    /* A carry into the next exponent adds up by itself; subnormal numbers have exponent 0 and no hidden bit. */
    uint32_t fraction = (uint32_t)steps;
    uint32_t biased = (uint32_t)(exponent - least) << bits;
    return (uint16_t)(sign | (biased + fraction));
}

uint16_t half_f16(double value, enum lanes_rounding rounding)
{
    return narrow(value, rounding, 10, -14, 15);
}

uint16_t half_bf16(double value, enum lanes_rounding rounding)
{
    return narrow(value, rounding, 7, -126, 127);
}

double half_fma(double a, double b, double c)
{
    double product = a * b, sum = product + c;
    if (!isfinite(sum))
        return sum;
    /* What the sum lost. */
    double part = sum - product, lost = (product - (sum - part)) + (c - part);
    if (lost == 0 || lanes_f64_bits(sum) & 1)
        return sum;
    return nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
}
