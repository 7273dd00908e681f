/* Each row of lanes_float and lanes_half against wider arithmetic, rounding and saturation, and cvt between all types. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/ptx_rows.h"
#include "tests/unit/support/ptx_text.h"

__extension__ typedef __float128 quad;

/* ---- halves: the nearest in the list of all of them ---- */

struct half_format {
    int fraction_bits, least_exponent,
        infinity; /* the pattern of infinity: all below are finite, in ascending order */
};
static const struct half_format f16 = {10, -14, 0x7C00}, bf16 = {7, -126, 0x7F80};

static double half_value(const struct half_format *f, uint32_t bits)
{
    uint32_t magnitude = bits & 0x7FFF;
    int exponent = (int)(magnitude >> f->fraction_bits);
    double fraction = (double)(magnitude & ((1u << f->fraction_bits) - 1)) / (double)(1u << f->fraction_bits);
    double value =
        exponent ? ldexp(1 + fraction, exponent - 1 + f->least_exponent) : ldexp(fraction, f->least_exponent);
    if ((int)magnitude > f->infinity)
        return NAN;
    if ((int)magnitude == f->infinity)
        value = INFINITY;
    return bits & 0x8000 ? -value : value;
}

static uint32_t nearest_half(const struct half_format *f, quad value)
{
    uint32_t sign = signbit((double)value) ? 0x8000 : 0, low = 0, high = (uint32_t)f->infinity;
    quad size = value < 0 ? -value : value;
    if (value != value)
        return 0x7FFF;
    while (high - low > 1) { /* the largest that is not above */
        uint32_t middle = (low + high) / 2;
        *(half_value(f, middle) <= size ? &low : &high) = middle;
    }
    /* Infinity stands where the next number would. */
    quad below = half_value(f, low);
    quad above = high == (uint32_t)f->infinity
                     ? ldexp(1, f->infinity / (1 << f->fraction_bits) - 1 + f->least_exponent)
                     : half_value(f, high);
    bool up = size - below > above - size || (size - below == above - size && low & 1);
    return sign | (up ? high : low);
}

/* ---- one operation in wide numbers ---- */

static bool is(const struct ptx_row_case *c, const char *mnemonic)
{
    return strcmp(c->row->mnemonic, mnemonic) == 0;
}

static double smaller(double a, double b, bool larger, bool keeps_nan)
{
    if (isnan(a) || isnan(b))
        return keeps_nan || (isnan(a) && isnan(b)) ? (double)NAN : isnan(a) ? b : a;
    if (a == 0 && b == 0)
        return larger ? (signbit(a) && signbit(b) ? -0.0 : 0.0) : (signbit(a) || signbit(b) ? -0.0 : 0.0);
    return (a < b) != larger ? a : b;
}

/* A third that is lost in 113 bits still says on which side of half way the sum lies. */
static quad product_sum(quad product, quad third)
{
    quad sum = product + third, size = product < 0 ? -product : product;
    if (sum == product && third != 0 && size < (quad)INFINITY)
        sum += (third < 0 ? -size : size) * 0x1p-112;
    return sum;
}

static quad computed(const struct ptx_row_case *c, double a, double b, double third)
{
    if (is(c, "add"))
        return (quad)a + b;
    if (is(c, "sub"))
        return (quad)a - b;
    if (is(c, "mul"))
        return (quad)a * b;
    if (is(c, "div"))
        return (quad)a / b;
    if (is(c, "fma") || is(c, "mad"))
        return product_sum((quad)a * b, third);
    if (is(c, "rcp"))
        return 1 / (quad)a;
    if (is(c, "sqrt"))
        return (quad)sqrtl((long double)a);
    if (is(c, "rsqrt"))
        return (quad)(1 / sqrtl((long double)a));
    if (is(c, "sin"))
        return (quad)sinl((long double)a);
    if (is(c, "cos"))
        return (quad)cosl((long double)a);
    if (is(c, "lg2"))
        return (quad)log2l((long double)a);
    if (is(c, "ex2"))
        return (quad)exp2l((long double)a);
    if (is(c, "tanh"))
        return (quad)tanhl((long double)a);
    if (is(c, "min") || is(c, "max"))
        return (quad)smaller(a, b, is(c, "max"), strcmp(c->row->variant, "NaN") == 0);
    fail_msg("%s has no reference", c->row->mnemonic);
    return 0;
}

/* abs, neg and copysign work on the sign alone. */
static bool of_sign(const struct ptx_row_case *c, uint64_t top, uint64_t *bits)
{
    uint64_t a = c->operands[0], b = c->operands[1], below = top - 1;
    if (ptx_types[c->row->type].bytes == 4 && top == 0x8000) { /* two halves */
        top = 0x80008000;
        below = 0x7FFF7FFF;
    }
    *bits = is(c, "abs") ? a & below : (a & top) | (b & below);
    if (is(c, "neg"))
        *bits = (a & below) | (~a & top);
    return is(c, "abs") || is(c, "neg") || is(c, "copysign");
}

static uint64_t expected_float(const struct ptx_row_case *c)
{
    uint64_t bits;
    if (of_sign(c, c->row->type == PTX_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63, &bits))
        return bits;
    if (c->row->type == PTX_F32) {
        quad value = computed(c, (double)lanes_f32((uint32_t)c->operands[0]),
                              (double)lanes_f32((uint32_t)c->operands[1]),
                              (double)lanes_f32((uint32_t)c->operands[2]));
        float result = (float)value;
        return isnan(result) ? 0x7FFFFFFF : lanes_f32_bits(result);
    }
    return lanes_f64_bits(
        (double)computed(c, lanes_f64(c->operands[0]), lanes_f64(c->operands[1]), lanes_f64(c->operands[2])));
}

static bool float_equal(const struct ptx_row_case *c, uint64_t right, uint64_t actual)
{
    static const char *const approximate[] = {"rsqrt", "sin", "cos", "lg2", "ex2", "tanh", "sqrt"};
    if (right == actual)
        return true;
    bool narrow = c->row->type == PTX_F32;
    double wanted = narrow ? (double)lanes_f32((uint32_t)right) : lanes_f64(right);
    double given = narrow ? (double)lanes_f32((uint32_t)actual) : lanes_f64(actual);
    if (!narrow && isnan(wanted) && isnan(given))
        return true;
    for (size_t i = 0; i < sizeof approximate / sizeof *approximate; i++)
        if (is(c, approximate[i]) && fabs(given - wanted) <= fabs(wanted) * (narrow ? 0x1p-22 : 0x1p-51))
            return true;
    return false;
}

static uint32_t expected_half_of(const struct ptx_row_case *c, const struct half_format *f, unsigned shift)
{
    double values[3];
    for (unsigned i = 0; i < 3; i++)
        values[i] = half_value(f, (uint32_t)(c->operands[i] >> shift & 0xFFFF));
    uint32_t bits = nearest_half(f, computed(c, values[0], values[1], values[2]));
    return strcmp(c->row->variant, "relu") == 0 && bits & 0x8000 ? 0 : bits;
}

static uint64_t expected_half(const struct ptx_row_case *c)
{
    const struct half_format *f = c->row->type == PTX_F16 || c->row->type == PTX_F16X2 ? &f16 : &bf16;
    uint64_t bits;
    if (of_sign(c, 0x8000, &bits))
        return bits;
    bits = expected_half_of(c, f, 0);
    return ptx_types[c->row->type].bytes == 4 ? bits | (uint64_t)expected_half_of(c, f, 16) << 16 : bits;
}

static void each_row_of_floats_is_the_nearest(void **state)
{
    (void)state;
    assert_true(ptx_rows_compare(lanes_float, expected_float, float_equal) > 30);
}

static void each_row_of_halves_is_the_nearest(void **state)
{
    (void)state;
    assert_true(ptx_rows_check(lanes_half, expected_half) > 50);
}

/* ---- single instructions with their results ---- */

struct example {
    const char *text; /* reads %w1, %w2, %w3 or %d1, %d2; writes %w10 or %d10 */
    uint64_t operands[3], result;
};

static uint64_t executed(const struct example *e)
{
    static struct ptx_outcome outcome;
    uint64_t data[5] = {e->operands[0], e->operands[1], e->operands[2], 0, 0};
    char body[2048];
    snprintf(body, sizeof body,
             "ld.param.u64 %%d0, [p0];\nld.global.u64 %%d1, [%%d0];\nld.global.u64 %%d2, "
             "[%%d0+8];\nld.global.u64 %%d3, [%%d0+16];\n"
             "cvt.u32.u64 %%w1, %%d1; cvt.u32.u64 %%w2, %%d2; cvt.u32.u64 %%w3, %%d3;\n"
             "cvt.u16.u64 %%h1, %%d1; cvt.u16.u64 %%h2, %%d2; mov.u32 %%w10, 0; mov.u64 %%d10, 0; mov.u16 "
             "%%h10, 0;\n%s\n"
             "st.global.u64 [%%d0+24], %%d10; st.global.u32 [%%d0+32], %%w10; st.global.u16 [%%d0+36], "
             "%%h10; ret;",
             e->text);
    struct ptx_module *module = ptx_text_parse(1, body);
    struct ptx_buffer buffer = {.name = "data", .data = data, .bytes = sizeof data, .element_bytes = 8};
    struct ptx_launch launch = ptx_text_launch(module, &buffer, 1, 1, 1);
    assert_int_equal(ptx_launch_run(&launch, &outcome), 0);
    assert_int_equal(outcome.fault_count, 0);
    ptx_module_free(module);
    return strstr(e->text, "%d10") ? data[3] : strstr(e->text, "%w10") ? (uint32_t)data[4] : data[4] >> 32;
}

static const struct example examples[] = {
    /* 1 + 2^-24 is half way: the other roundings */
    {"add.rn.f32 %w10, %w1, %w2;", {0x3F800000, 0x33800000}, 0x3F800000},
    {"add.rp.f32 %w10, %w1, %w2;", {0x3F800000, 0x33800000}, 0x3F800001},
    {"add.rm.f32 %w10, %w1, %w2;", {0xBF800000, 0xB3800000}, 0xBF800001},
    {"add.rz.f32 %w10, %w1, %w2;", {0x3F800000, 0x33C00000}, 0x3F800000},
    {"mul.rz.f32 %w10, %w1, %w2;", {0x3F800001, 0x3F800001}, 0x3F800002},
    {"mul.rp.f32 %w10, %w1, %w2;", {0x3F800001, 0x3F800001}, 0x3F800003},
    {"fma.rz.f32 %w10, %w1, %w2, %w3;", {0x3F800001, 0x3F800001, 0}, 0x3F800002},
    {"div.rp.f32 %w10, %w1, %w2;", {0x3F800000, 0x40400000}, 0x3EAAAAAB},
    {"div.rz.f32 %w10, %w1, %w2;", {0x3F800000, 0x40400000}, 0x3EAAAAAA},
    {"rcp.rm.f32 %w10, %w1;", {0x40400000}, 0x3EAAAAAA},
    {"sqrt.rp.f32 %w10, %w1;", {0x40000000}, 0x3FB504F4},
    {"add.rp.f64 %d10, %d1, %d2;", {0x3FF0000000000000, 0x3CA0000000000000}, 0x3FF0000000000001},
    {"fma.rm.f64 %d10, %d1, %d2, %d3;", {0x3FF0000000000001, 0x3FF0000000000001, 0}, 0x3FF0000000000002},
    /* subnormal numbers are flushed, of operands and results, with their signs */
    {"add.ftz.f32 %w10, %w1, %w2;", {0x00000001, 0x80000000}, 0},
    {"mul.ftz.f32 %w10, %w1, %w2;", {0x80800000, 0x3F000000}, 0x80000000},
    {"mul.f32 %w10, %w1, %w2;", {0x00800000, 0x3F000000}, 0x00400000},
    {"setp.eq.ftz.f32 %p1, %w1, 0f00000000; selp.u32 %w10, 1, 2, %p1;", {1}, 1},
    {"setp.eq.f32 %p1, %w1, 0f00000000; selp.u32 %w10, 1, 2, %p1;", {1}, 2},
    /* to 0 ... 1, NaN to 0 */
    {"add.sat.f32 %w10, %w1, %w2;", {0x3F800000, 0x3F800000}, 0x3F800000},
    {"add.sat.f32 %w10, %w1, %w2;", {0xBF800000, 0}, 0},
    {"add.sat.f32 %w10, %w1, %w2;", {0x7FC00000, 0}, 0},
    {"fma.rn.sat.f16 %h10, %h1, %h2, %h2;", {0x4000, 0x4000}, 0x3C00},
    {"add.f32 %w10, %w1, %w2;", {0x7F800000, 0xFF800000}, 0x7FFFFFFF},
    {"mad.f32 %w10, %w1, %w2, %w3;", {0x40000000, 0x40400000, 0x3F800000}, 0x40E00000},
    {"div.full.f32 %w10, %w1, %w2;", {0x40C00000, 0x40000000}, 0x40400000},
    {"div.approx.ftz.f32 %w10, %w1, %w2;", {0x40C00000, 0x40000000}, 0x40400000},
    {"rcp.approx.ftz.f64 %d10, %d1;", {0x4000000000000000}, 0x3FE0000000000000},
    /* integers to integers */
    {"cvt.s32.s8 %w10, %w1;", {0x80}, 0xFFFFFF80},
    {"cvt.u32.u8 %w10, %w1;", {0x1FF}, 0xFF},
    {"cvt.s64.s32 %d10, %w1;", {0x80000000}, 0xFFFFFFFF80000000},
    {"cvt.u64.u32 %d10, %w1;", {0x80000000}, 0x80000000},
    {"cvt.s16.s64 %h10, %d1;", {0x18000}, 0x8000},
    {"cvt.s8.s32 %w10, %w1;", {0x180}, 0xFFFFFF80},
    {"cvt.u8.u32 %w10, %w1;", {0x180}, 0x80},
    {"cvt.sat.u8.s32 %w10, %w1;", {0xFFFFFFFF}, 0},
    {"cvt.sat.u8.s32 %w10, %w1;", {300}, 255},
    {"cvt.sat.s8.s32 %w10, %w1;", {(uint32_t)-300}, 0xFFFFFF80},
    {"cvt.sat.s32.u32 %w10, %w1;", {0x80000000}, 0x7FFFFFFF},
    {"cvt.sat.s32.s64 %w10, %d1;", {0x8000000000000000}, 0x80000000},
    {"cvt.sat.u32.u64 %w10, %d1;", {0x100000000}, 0xFFFFFFFF},
    /* integers to floats, by all roundings */
    {"cvt.rn.f32.u32 %w10, %w1;", {0xFFFFFFFF}, 0x4F800000},
    {"cvt.rz.f32.u32 %w10, %w1;", {0xFFFFFFFF}, 0x4F7FFFFF},
    {"cvt.rn.f32.s32 %w10, %w1;", {0xFFFFFFFF}, 0xBF800000},
    {"cvt.rp.f32.s32 %w10, %w1;", {16777217}, 0x4B800001},
    {"cvt.rm.f32.s32 %w10, %w1;", {16777217}, 0x4B800000},
    {"cvt.rn.f32.u64 %w10, %d1;", {0x8000008000000001}, 0x5F000001},
    {"cvt.rn.f32.u64 %w10, %d1;", {UINT64_MAX}, 0x5F800000},
    {"cvt.rn.f64.u64 %d10, %d1;", {UINT64_MAX}, 0x43F0000000000000},
    {"cvt.rz.f64.u64 %d10, %d1;", {UINT64_MAX}, 0x43EFFFFFFFFFFFFF},
    {"cvt.rn.f64.s64 %d10, %d1;", {UINT64_MAX}, 0xBFF0000000000000},
    {"cvt.rn.f16.s32 %h10, %w1;", {2049}, 0x6800},
    {"cvt.rn.f16.u64 %h10, %d1;", {65520}, 0x7C00},
    {"cvt.rn.f16.u16 %h10, %h1;", {65519}, 0x7BFF},
    {"cvt.rn.bf16.s32 %h10, %w1;", {257}, 0x4380},
    /* floats to integers: to the nearest even, towards each side, clamped; NaN */
    {"cvt.rni.s32.f32 %w10, %w1;", {0x40200000}, 2},
    {"cvt.rni.s32.f32 %w10, %w1;", {0x40600000}, 4},
    {"cvt.rzi.s32.f32 %w10, %w1;", {0xC0200000}, (uint32_t)-2},
    {"cvt.rmi.s32.f32 %w10, %w1;", {0xC0200000}, (uint32_t)-3},
    {"cvt.rpi.s32.f32 %w10, %w1;", {0xC0200000}, (uint32_t)-2},
    {"cvt.rzi.u32.f32 %w10, %w1;", {0xC0200000}, 0},
    {"cvt.rzi.s32.f32 %w10, %w1;", {0x4F000000}, 0x7FFFFFFF},
    {"cvt.rzi.u32.f32 %w10, %w1;", {0x4F800000}, 0xFFFFFFFF},
    {"cvt.rzi.s32.f32 %w10, %w1;", {0x7FC00000}, 0},
    {"cvt.rzi.s64.f32 %d10, %w1;", {0x7FC00000}, 0x8000000000000000},
    {"cvt.rzi.s32.f64 %w10, %d1;", {0x7FF8000000000000}, 0x80000000},
    {"cvt.rzi.u64.f64 %d10, %d1;", {0x43F0000000000000}, UINT64_MAX},
    {"cvt.rzi.s64.f64 %d10, %d1;", {0x43E0000000000000}, 0x7FFFFFFFFFFFFFFF},
    {"cvt.rzi.u8.f32 %w10, %w1;", {0x43960000}, 255},
    {"cvt.rzi.s8.f32 %w10, %w1;", {0xC3960000}, 0xFFFFFF80},
    {"cvt.rni.s16.f16 %h10, %h1;", {0x4100}, 2},
    {"cvt.rzi.ftz.s32.f32 %w10, %w1;", {1}, 0},
    /* floats to floats */
    {"cvt.f64.f32 %d10, %w1;", {0x3FC00000}, 0x3FF8000000000000},
    {"cvt.rn.f32.f64 %w10, %d1;", {0x3FF0000010000000}, 0x3F800000},
    {"cvt.rp.f32.f64 %w10, %d1;", {0x3FF0000010000000}, 0x3F800001},
    {"cvt.rz.f32.f64 %w10, %d1;", {0x7FEFFFFFFFFFFFFF}, 0x7F7FFFFF},
    {"cvt.rn.f32.f64 %w10, %d1;", {0x7FEFFFFFFFFFFFFF}, 0x7F800000},
    {"cvt.rni.f32.f32 %w10, %w1;", {0x40200000}, 0x40000000},
    {"cvt.rmi.f64.f64 %d10, %d1;", {0xC004000000000000}, 0xC008000000000000},
    {"cvt.sat.f32.f32 %w10, %w1;", {0x40200000}, 0x3F800000},
    {"cvt.f32.f16 %w10, %h1;", {0x0001}, 0x33800000},
    {"cvt.f32.f16 %w10, %h1;", {0xFC00}, 0xFF800000},
    {"cvt.rn.f16.f32 %h10, %w1;", {0x477FF000}, 0x7C00},
    {"cvt.rz.f16.f32 %h10, %w1;", {0x477FF000}, 0x7BFF},
    {"cvt.rn.f16.f32 %h10, %w1;", {0x33000000}, 0},
    {"cvt.rp.f16.f32 %h10, %w1;", {0x33000000}, 1},
    {"cvt.rn.f16.f64 %h10, %d1;", {0x3FF0020000000001}, 0x3C01},
    {"cvt.rn.bf16.f32 %h10, %w1;", {0x3F808000}, 0x3F80},
    {"cvt.rn.bf16.f32 %h10, %w1;", {0x3F818000}, 0x3F82},
    {"cvt.f32.bf16 %w10, %h1;", {0xC049}, 0xC0490000},
    {"cvt.rn.f16x2.f32 %w10, %w1, %w2;", {0x3F800000, 0xC0000000}, 0x3C00C000},
    {"cvt.rn.bf16x2.f32 %w10, %w1, %w2;", {0x3F800000, 0xC0000000}, 0x3F80C000},
    /* what tests and chooses */
    {"testp.subnormal.f32 %p1, %w1; selp.u32 %w10, 1, 2, %p1;", {1}, 1},
    {"testp.normal.f32 %p1, %w1; selp.u32 %w10, 1, 2, %p1;", {0x00800000}, 1},
    {"testp.finite.f64 %p1, %d1; selp.u32 %w10, 1, 2, %p1;", {0x7FF0000000000000}, 2},
    {"testp.infinite.f64 %p1, %d1; selp.u32 %w10, 1, 2, %p1;", {0xFFF0000000000000}, 1},
    {"testp.number.f32 %p1, %w1; selp.u32 %w10, 1, 2, %p1;", {0x7FC00000}, 2},
    {"testp.notanumber.f32 %p1, %w1; selp.u32 %w10, 1, 2, %p1;", {0x7FC00000}, 1},
    {"slct.u32.s32 %w10, %w1, %w2, %w3;", {7, 8, 0}, 7},
    {"slct.u32.s32 %w10, %w1, %w2, %w3;", {7, 8, 0x80000000}, 8},
    {"slct.f64.f32 %d10, %d1, %d2, %w3;", {7, 8, 0x80000000}, 7},
    {"set.lt.u32.f32 %w10, %w1, %w2;", {0x3F800000, 0x40000000}, 0xFFFFFFFF},
    {"set.lt.f32.s32 %w10, %w1, %w2;", {0xFFFFFFFF, 1}, 0x3F800000},
    {"set.eq.f16.f16 %h10, %h1, %h2;", {0x8000, 0}, 0x3C00},
    {"set.lt.u16.f16 %h10, %h1, %h2;", {0x3C00, 0x4000}, 0xFFFF},
    {"set.lt.bf16x2.bf16x2 %w10, %w1, %w2;", {0x3F803F80, 0x40003F00}, 0x3F800000},
    {"set.geu.u32.f16x2 %w10, %w1, %w2;", {0x7E003C00, 0x3C003C00}, 0xFFFFFFFF},
    {"setp.gt.f16x2 %p1|%p2, %w1, %w2; selp.u32 %w3, 1, 0, %p1; selp.u32 %w10, 2, %w3, %p2;",
     {0x40003C00, 0x3C003C00},
     2},
    {"set.gtu.u32.f32 %w10, %w1, %w2;", {0x7FC00000, 1}, 0xFFFFFFFF},
};

static void each_instruction_has_its_result(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        uint64_t result = executed(&examples[i]);
        if (result != examples[i].result)
            fail_msg("%s of %llx, %llx is %llx, not %llx", examples[i].text,
                     (unsigned long long)examples[i].operands[0], (unsigned long long)examples[i].operands[1],
                     (unsigned long long)result, (unsigned long long)examples[i].result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_of_floats_is_the_nearest),
        cmocka_unit_test(each_row_of_halves_is_the_nearest),
        cmocka_unit_test(each_instruction_has_its_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
