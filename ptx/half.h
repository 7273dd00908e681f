/* f16 and bf16 from and to wider numbers. */
#pragma once

#include "ptx/lanes.h"

static inline float half_f16_value(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3FF;
    if (exponent == 31)
        return lanes_f32(sign | 0x7F800000u | fraction << 13);
    if (exponent)
        return lanes_f32(sign | (exponent + 112) << 23 | fraction << 13);
    float small = (float)fraction * 0x1p-24f;
    return sign ? -small : small;
}

static inline float half_bf16_value(uint32_t half)
{
    return lanes_f32(half << 16);
}

/* Rounds a double. NaN: 0x7FFF. */
uint16_t half_f16(double value, enum lanes_rounding rounding);
uint16_t half_bf16(double value, enum lanes_rounding rounding);

/* a * b + c, in a form that rounds once when it is rounded to a half: to the nearest double, or where that is not
   exact to the neighbour with an odd last bit. */
double half_fma(double a, double b, double c);
