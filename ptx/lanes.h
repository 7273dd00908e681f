/* Operations on the 32 lanes of a warp: one table of operation, variant, type and operands. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/type.h"

/* Lanes are uint64_t for types of 8 bytes and uint32_t for all others; 8 and 16 bits with zeroes above. All 32 are
   computed, whatever the mask. */
typedef void lanes_fn(void *restrict to, const void *const *from);

/* The lanes of which the comparison holds. */
typedef uint32_t compare_fn(const void *left, const void *right);

/* One lane: of atomics. */
typedef uint64_t scalar_fn(uint64_t old, uint64_t operand, uint64_t other);

enum lanes_rounding { ROUND_DEFAULT, ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY };

/* What an opcode may say besides. */
enum {
    MAY_ROUND = 1,
    MAY_FLUSH = 2,       /* .ftz */
    MAY_SATURATE = 4,    /* .sat: to 0 ... 1 */
    MUST_APPROXIMATE = 8 /* .approx or .full stands there, and nothing follows from it */
};

struct lanes_row {
    const char *mnemonic, *variant; /* "mul", "wide"; words joined by dots */
    enum ptx_type type;
    const char *shape; /* result and operands: t as the type, w twice as wide, i 32 bits */
    unsigned may;
    uint8_t rule; /* enum affine_rule */
    lanes_fn *run;
};

extern const struct lanes_row lanes_integer[], lanes_bits[], lanes_float[],
    lanes_half[]; /* end with mnemonic NULL */

/* Comparisons: eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan. */
enum { LANES_COMPARISONS = 18 };
extern const char *const lanes_comparisons[LANES_COMPARISONS];

/* NULL where the comparison has no meaning for the type. */
compare_fn *lanes_compare(int comparison, enum ptx_type type);

static inline float lanes_f32(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } of = {.bits = bits};
    return of.value;
}
static inline uint32_t lanes_f32_bits(float value)
{
    union {
        float value;
        uint32_t bits;
    } of = {.value = value};
    return of.bits;
}
static inline double lanes_f64(uint64_t bits)
{
    union {
        uint64_t bits;
        double value;
    } of = {.bits = bits};
    return of.value;
}
static inline uint64_t lanes_f64_bits(double value)
{
    union {
        double value;
        uint64_t bits;
    } of = {.value = value};
    return of.bits;
}
