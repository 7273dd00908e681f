/* The operations of atomics. */
#include "ptx/scalars.h"

#include <string.h>

#include "ptx/half.h"

#define SCALAR(name, expression)                                                                             \
    static uint64_t name(uint64_t old, uint64_t a, uint64_t b)                                               \
    {                                                                                                        \
        (void)b;                                                                                             \
        return (uint64_t)(expression);                                                                       \
    }

SCALAR(add_bits, old + a)
SCALAR(and_bits, old &a)
SCALAR(or_bits, old | a)
SCALAR(xor_bits, old ^ a)
SCALAR(exchange, old ^ old ^ a)
SCALAR(swap_if_equal, old == a ? b : old)
SCALAR(min_u, old < a ? old : a)
SCALAR(max_u, old > a ? old : a)
SCALAR(min_s32, (int32_t)old < (int32_t)a ? old : a)
SCALAR(max_s32, (int32_t)old > (int32_t)a ? old : a)
SCALAR(min_s64, (int64_t)old < (int64_t)a ? old : a)
SCALAR(max_s64, (int64_t)old > (int64_t)a ? old : a)
SCALAR(increment, (uint32_t)old >= (uint32_t)a ? 0 : old + 1)
SCALAR(decrement, (uint32_t)old == 0 || (uint32_t)old > (uint32_t)a ? a : old - 1)
SCALAR(add_f32, lanes_f32_bits(lanes_f32((uint32_t)old) + lanes_f32((uint32_t)a)))
SCALAR(add_f64, lanes_f64_bits(lanes_f64(old) + lanes_f64(a)))
SCALAR(add_f16,
       half_f16((double)half_f16_value((uint32_t)old) + (double)half_f16_value((uint32_t)a), ROUND_NEAREST))
SCALAR(add_bf16, half_bf16((double)half_bf16_value((uint32_t)old) + (double)half_bf16_value((uint32_t)a),
                           ROUND_NEAREST))
SCALAR(add_f16x2, add_f16(old & 0xFFFF, a & 0xFFFF, 0) | add_f16(old >> 16 & 0xFFFF, a >> 16 & 0xFFFF, 0)
                                                             << 16)
SCALAR(add_bf16x2, add_bf16(old & 0xFFFF, a & 0xFFFF, 0) | add_bf16(old >> 16 & 0xFFFF, a >> 16 & 0xFFFF, 0)
                                                               << 16)

static const struct {
    const char *operation;
    enum ptx_type type;
    scalar_fn *run;
} rows[] = {
    {"add", PTX_U32, add_bits},      {"add", PTX_S32, add_bits},      {"add", PTX_U64, add_bits},
    {"add", PTX_S64, add_bits},      {"add", PTX_F32, add_f32},       {"add", PTX_F64, add_f64},
    {"add", PTX_F16, add_f16},       {"add", PTX_BF16, add_bf16},     {"add", PTX_F16X2, add_f16x2},
    {"add", PTX_BF16X2, add_bf16x2}, {"and", PTX_B32, and_bits},      {"and", PTX_B64, and_bits},
    {"or", PTX_B32, or_bits},        {"or", PTX_B64, or_bits},        {"xor", PTX_B32, xor_bits},
    {"xor", PTX_B64, xor_bits},      {"exch", PTX_B32, exchange},     {"exch", PTX_B64, exchange},
    {"cas", PTX_B16, swap_if_equal}, {"cas", PTX_B32, swap_if_equal}, {"cas", PTX_B64, swap_if_equal},
    {"min", PTX_U32, min_u},         {"max", PTX_U32, max_u},         {"min", PTX_U64, min_u},
    {"max", PTX_U64, max_u},         {"min", PTX_S32, min_s32},       {"max", PTX_S32, max_s32},
    {"min", PTX_S64, min_s64},       {"max", PTX_S64, max_s64},       {"inc", PTX_U32, increment},
    {"dec", PTX_U32, decrement},
};

scalar_fn *scalars_find(const char *operation, enum ptx_type type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type && strcmp(rows[i].operation, operation) == 0)
            return rows[i].run;
    return NULL;
}
