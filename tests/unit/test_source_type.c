/* Names, sizes and conversions of the types of a source kernel's arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "kernels/source/source_type.h"

static const struct {
    const char *name, *is; /* is: its name in a request; NULL: there is no such type */
    unsigned bytes, alignment;
} cuda[] = {
    {"float", "f32", 4, 4},
    {"double", "f64", 8, 8},
    {"unsigned", "u32", 4, 4},
    {"unsigned long long int", "u64", 8, 8},
    {"long", "i64", 8, 8},
    {"size_t", "u64", 8, 8},
    {"std::size_t", "u64", 8, 8},
    {"uint32_t", "u32", 4, 4},
    {"std::uint8_t", "u8", 1, 1},
    {"bool", "u8", 1, 1},
    {"char", "i8", 1, 1},
    {"float4", "f32x4", 16, 16},
    {"float3", "f32x3", 12, 4},
    {"float2", "f32x2", 8, 8},
    {"float1", "f32", 4, 4},
    {"uchar4", "u8x4", 4, 4},
    {"double2", "f64x2", 16, 16},
    {"double4", "f64x4", 32, 16},
    {"ulonglong2", "u64x2", 16, 16},
    {"__half", "f16", 2, 2},
    {"half2", "f16x2", 4, 4},
    {"__nv_bfloat16", "bf16", 2, 2},
    {"f32x8", "f32x8", 32, 16},
    {"float5", NULL, 0, 0},
    {"float ", NULL, 0, 0},
    {"", NULL, 0, 0},
    {"f32x", NULL, 0, 0},
    {"f32x5", NULL, 0, 0},
    {"std::", NULL, 0, 0},
    {"4", NULL, 0, 0},
    {"float44", NULL, 0, 0},
};

static void test_a_type_of_cuda_has_a_name_a_size_and_an_alignment(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cuda / sizeof *cuda; i++) {
        struct source_type type = {0};
        char name[SOURCE_TYPE_NAME_BYTES];
        bool known = source_type_of_cuda(cuda[i].name, strlen(cuda[i].name), &type);
        if (known != (cuda[i].is != NULL))
            fail_msg("%s", cuda[i].name);
        if (!known)
            continue;
        source_type_name(type, name);
        assert_string_equal(name, cuda[i].is);
        assert_int_equal(source_type_bytes(type), cuda[i].bytes);
        assert_int_equal(source_type_alignment(type), cuda[i].alignment);
    }
}

static void test_a_name_of_a_request_is_read_as_it_is_written(void **state)
{
    (void)state;
    for (int base = 0; base < SOURCE_BASES; base++)
        for (unsigned width = 1; width <= 8; width++) {
            struct source_type type = {(enum source_base)base, width}, again;
            char name[SOURCE_TYPE_NAME_BYTES];
            source_type_name(type, name);
            bool is_width = width <= 4 || width == 8;
            assert_int_equal(source_type_of(name, &again), is_width);
            assert_true(!is_width || (again.base == type.base && again.width == width));
        }
    struct source_type type;
    assert_false(source_type_of("float", &type)); /* a name of CUDA's is not one of a request */
}

static unsigned half_of(enum source_base base, double value)
{
    uint16_t bits;
    source_type_put_real(base, value, &bits);
    return bits;
}

/* IEEE 754's binary16, and the upper half of binary32. */
static void test_half_precision_is_rounded_to_the_nearest_even(void **state)
{
    (void)state;
    assert_int_equal(half_of(SOURCE_F16, 1), 0x3C00);
    assert_int_equal(half_of(SOURCE_F16, -2), 0xC000);
    assert_int_equal(half_of(SOURCE_F16, 65504), 0x7BFF);
    assert_int_equal(half_of(SOURCE_F16, 65519.99), 0x7BFF);
    assert_int_equal(half_of(SOURCE_F16, 65520), 0x7C00);
    assert_int_equal(half_of(SOURCE_F16, 2049), 0x6800); /* a tie: 2048 */
    assert_int_equal(half_of(SOURCE_F16, 2051), 0x6802); /* a tie: 2052 */
    assert_int_equal(half_of(SOURCE_F16, ldexp(1, -24)), 1);
    assert_int_equal(half_of(SOURCE_F16, ldexp(1, -25)), 0);
    assert_int_equal(half_of(SOURCE_F16, ldexp(1.5, -25)), 1);
    assert_int_equal(half_of(SOURCE_F16, ldexp(1023.75, -24)), 0x400);
    assert_int_equal(half_of(SOURCE_F16, -0.0), 0x8000);
    assert_int_equal(half_of(SOURCE_F16, INFINITY), 0x7C00);
    assert_int_equal(half_of(SOURCE_F16, NAN) & 0x7E00, 0x7E00);
    assert_int_equal(half_of(SOURCE_BF16, 1), 0x3F80);
    assert_int_equal(half_of(SOURCE_BF16, 257), 0x4380); /* a tie: 256 */
    assert_int_equal(half_of(SOURCE_BF16, 1e39), 0x7F80);
    assert_int_equal(half_of(SOURCE_BF16, ldexp(1, -133)), 1);
}

/* Every value of 16 bits is what it converts to. */
static void test_half_precision_comes_back(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 65536; bits++) {
        uint16_t f16 = (uint16_t)bits;
        double value = source_type_get(SOURCE_F16, &f16), upper = source_type_get(SOURCE_BF16, &f16);
        uint32_t wide = bits << 16;
        float f32;
        memcpy(&f32, &wide, sizeof f32);
        assert_true(isnan(f32) ? isnan(upper) : upper == (double)f32);
        if (!isnan(value))
            assert_int_equal(half_of(SOURCE_F16, value), bits);
        if (!isnan(upper))
            assert_int_equal(half_of(SOURCE_BF16, upper), bits);
    }
}

static void test_integers_wrap_and_are_rounded_once(void **state)
{
    uint8_t u8;
    int16_t i16;
    uint64_t u64;
    float f32;
    double f64;
    uint16_t half;
    (void)state;
    source_type_put_unsigned(SOURCE_U8, 300, &u8);
    assert_int_equal(u8, 44);
    source_type_put_unsigned(SOURCE_I16, 40000, &i16);
    assert_int_equal(i16, 40000 - 65536);
    source_type_put_unsigned(SOURCE_U64, UINT64_MAX, &u64);
    assert_true(u64 == UINT64_MAX);
    source_type_put_unsigned(SOURCE_F32, 16777217, &f32);
    assert_true(f32 == 16777216.0f);
    source_type_put_unsigned(SOURCE_F64, UINT64_MAX, &f64);
    assert_true(f64 == 18446744073709551616.0);
    source_type_put_signed(SOURCE_F32, -16777219, &f32);
    assert_true(f32 == -16777220.0f);
    source_type_put_unsigned(SOURCE_F16, 70000, &half);
    assert_int_equal(half, 0x7C00);
    /* 257 * 2^54 + 1 is just above the tie between 256 and 258: a first rounding to a double would lose the 1. */
    source_type_put_unsigned(SOURCE_BF16, (UINT64_C(257) << 54) + 1, &half);
    assert_int_equal(half, 0x5E81);
}

static void test_real_numbers_are_truncated_and_stay_in_range(void **state)
{
    int8_t i8;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    (void)state;
    source_type_put_real(SOURCE_I8, -3.9, &i8);
    assert_int_equal(i8, -3);
    source_type_put_real(SOURCE_I8, 1000, &i8);
    assert_int_equal(i8, 127);
    source_type_put_real(SOURCE_I8, -1000, &i8);
    assert_int_equal(i8, -128);
    source_type_put_real(SOURCE_U32, -1, &u32);
    assert_int_equal(u32, 0);
    source_type_put_real(SOURCE_U32, 4294967295.5, &u32);
    assert_true(u32 == 4294967295u);
    source_type_put_real(SOURCE_I64, 1e30, &i64);
    assert_true(i64 == INT64_MAX);
    source_type_put_real(SOURCE_U64, 1e30, &u64);
    assert_true(u64 == UINT64_MAX);
    source_type_put_real(SOURCE_U64, NAN, &u64);
    assert_true(u64 == 0);
    assert_true(source_type_get(SOURCE_I8, &i8) == -128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_type_of_cuda_has_a_name_a_size_and_an_alignment),
        cmocka_unit_test(test_a_name_of_a_request_is_read_as_it_is_written),
        cmocka_unit_test(test_half_precision_is_rounded_to_the_nearest_even),
        cmocka_unit_test(test_half_precision_comes_back),
        cmocka_unit_test(test_integers_wrap_and_are_rounded_once),
        cmocka_unit_test(test_real_numbers_are_truncated_and_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
