/* Names and sizes in tables; conversions to half precision by hand, as no type of C has both. */
#include "kernels/source/source_type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bytes;
    bool real, is_signed;
} bases[SOURCE_BASES] = {
    [SOURCE_I8] = {"i8", 1, false, true},   [SOURCE_U8] = {"u8", 1, false, false},
    [SOURCE_I16] = {"i16", 2, false, true}, [SOURCE_U16] = {"u16", 2, false, false},
    [SOURCE_I32] = {"i32", 4, false, true}, [SOURCE_U32] = {"u32", 4, false, false},
    [SOURCE_I64] = {"i64", 8, false, true}, [SOURCE_U64] = {"u64", 8, false, false},
    [SOURCE_F16] = {"f16", 2, true, true},  [SOURCE_BF16] = {"bf16", 2, true, true},
    [SOURCE_F32] = {"f32", 4, true, true},  [SOURCE_F64] = {"f64", 8, true, true},
};

/* One name each, words apart by a blank. What has a sign and a size of its own in the C library for x86-64 Linux, as
   long has, has the size that nvcc gives it there. */
static const struct {
    const char *name;
    enum source_base base;
    unsigned width;
} spellings[] = {
    {"bool", SOURCE_U8, 1},
    {"dim3", SOURCE_U32, 3},
    {"char", SOURCE_I8, 1},
    {"signed char", SOURCE_I8, 1},
    {"unsigned char", SOURCE_U8, 1},
    {"short", SOURCE_I16, 1},
    {"short int", SOURCE_I16, 1},
    {"unsigned short", SOURCE_U16, 1},
    {"unsigned short int", SOURCE_U16, 1},
    {"int", SOURCE_I32, 1},
    {"signed", SOURCE_I32, 1},
    {"signed int", SOURCE_I32, 1},
    {"unsigned", SOURCE_U32, 1},
    {"unsigned int", SOURCE_U32, 1},
    {"long", SOURCE_I64, 1},
    {"long int", SOURCE_I64, 1},
    {"unsigned long", SOURCE_U64, 1},
    {"unsigned long int", SOURCE_U64, 1},
    {"long long", SOURCE_I64, 1},
    {"long long int", SOURCE_I64, 1},
    {"unsigned long long", SOURCE_U64, 1},
    {"unsigned long long int", SOURCE_U64, 1},
    {"int8_t", SOURCE_I8, 1},
    {"uint8_t", SOURCE_U8, 1},
    {"int16_t", SOURCE_I16, 1},
    {"uint16_t", SOURCE_U16, 1},
    {"int32_t", SOURCE_I32, 1},
    {"uint32_t", SOURCE_U32, 1},
    {"int64_t", SOURCE_I64, 1},
    {"uint64_t", SOURCE_U64, 1},
    {"size_t", SOURCE_U64, 1},
    {"ssize_t", SOURCE_I64, 1},
    {"ptrdiff_t", SOURCE_I64, 1},
    {"intptr_t", SOURCE_I64, 1},
    {"uintptr_t", SOURCE_U64, 1},
    {"uint", SOURCE_U32, 1},
    {"uchar", SOURCE_U8, 1},
    {"ushort", SOURCE_U16, 1},
    {"ulong", SOURCE_U64, 1},
    {"float", SOURCE_F32, 1},
    {"double", SOURCE_F64, 1},
    {"half", SOURCE_F16, 1},
    {"__half", SOURCE_F16, 1},
    {"half2", SOURCE_F16, 2},
    {"__half2", SOURCE_F16, 2},
    {"nv_bfloat16", SOURCE_BF16, 1},
    {"__nv_bfloat16", SOURCE_BF16, 1},
    {"nv_bfloat162", SOURCE_BF16, 2},
    {"__nv_bfloat162", SOURCE_BF16, 2},
};

/* CUDA's vectors: one of these and the number of components, 1 to 4. */
static const struct {
    const char *stem;
    enum source_base base;
} vectors[] = {
    {"char", SOURCE_I8},      {"uchar", SOURCE_U8},      {"short", SOURCE_I16}, {"ushort", SOURCE_U16},
    {"int", SOURCE_I32},      {"uint", SOURCE_U32},      {"long", SOURCE_I64},  {"ulong", SOURCE_U64},
    {"longlong", SOURCE_I64}, {"ulonglong", SOURCE_U64}, {"float", SOURCE_F32}, {"double", SOURCE_F64},
};

static bool name_is(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(name, wanted, length) == 0;
}

static bool named(const char *name, size_t length, struct source_type *type)
{
    for (int i = 0; i < SOURCE_BASES; i++) {
        size_t own = strlen(bases[i].name);
        unsigned width = 1;
        if (length < own || memcmp(name, bases[i].name, own) != 0)
            continue;
        if (length == own + 2 && name[own] == 'x' && name[own + 1] && strchr("2348", name[own + 1]))
            width = (unsigned)(name[own + 1] - '0');
        else if (length != own)
            continue;
        *type = (struct source_type){(enum source_base)i, width};
        return true;
    }
    return false;
}

bool source_type_of(const char *name, struct source_type *type)
{
    return named(name, strlen(name), type);
}

bool source_type_of_cuda(const char *name, size_t length, struct source_type *type)
{
    static const char standard[] = "std::";
    if (length > sizeof standard - 1 && memcmp(name, standard, sizeof standard - 1) == 0) {
        name += sizeof standard - 1;
        length -= sizeof standard - 1;
    }
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (name_is(name, length, spellings[i].name)) {
            *type = (struct source_type){spellings[i].base, spellings[i].width};
            return true;
        }
    unsigned width =
        length && name[length - 1] >= '1' && name[length - 1] <= '4' ? (unsigned)(name[length - 1] - '0') : 0;
    for (size_t i = 0; width && i < sizeof vectors / sizeof *vectors; i++)
        if (name_is(name, length - 1, vectors[i].stem)) {
            *type = (struct source_type){vectors[i].base, width};
            return true;
        }
    return named(name, length, type);
}

const char *source_type_base_name(enum source_base base)
{
    return bases[base].name;
}

void source_type_name(struct source_type type, char name[SOURCE_TYPE_NAME_BYTES])
{
    if (type.width == 1)
        snprintf(name, SOURCE_TYPE_NAME_BYTES, "%s", bases[type.base].name);
    else
        snprintf(name, SOURCE_TYPE_NAME_BYTES, "%sx%u", bases[type.base].name, type.width % 10);
}

unsigned source_type_component_bytes(enum source_base base)
{
    return bases[base].bytes;
}

unsigned source_type_bytes(struct source_type type)
{
    return bases[type.base].bytes * type.width;
}

/* A vector of three is three numbers; others are aligned to their size, at most to 16 bytes (vector_types.h). */
unsigned source_type_alignment(struct source_type type)
{
    unsigned bytes = source_type_bytes(type);
    if (type.width == 3)
        return bases[type.base].bytes;
    return bytes < 16 ? bytes : 16;
}

bool source_type_is_real(enum source_base base)
{
    return bases[base].real;
}

bool source_type_is_signed(enum source_base base)
{
    return bases[base].is_signed;
}

/* ---- half precision ---- */

/* A double as a sign, `exponent_bits` and `fraction_bits`, rounded to the nearest, ties to even. */
static uint16_t narrow(double value, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1, least = 1 - bias;
    const unsigned infinity = ((1u << exponent_bits) - 1) << fraction_bits;
    uint64_t from;
    memcpy(&from, &value, sizeof from);
    unsigned sign = from >> 63 ? 0x8000u : 0;
    int exponent = (int)(from >> 52 & 0x7FF) - 1023;
    uint64_t fraction = from & (UINT64_MAX >> 12);
    if (exponent > bias)
        return (uint16_t)(sign | infinity | (exponent == 1024 && fraction ? 1u << (fraction_bits - 1) : 0));
    /* A subnormal number has the step of the least normal ones. */
    int shift = 52 - fraction_bits + (exponent < least ? least - exponent : 0);
    if (shift > 53)
        return (uint16_t)sign;
    uint64_t all = fraction | UINT64_C(1) << 52, units = all >> shift;
    uint64_t rest = all & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    units += rest > half || (rest == half && (units & 1));
    /* The leading one adds 1 to the exponent, and so does a carry, also that to infinity. */
    unsigned scale = exponent < least ? 0 : (unsigned)(exponent - least);
    return (uint16_t)(sign | ((scale << fraction_bits) + (unsigned)units));
}

static double widen(uint16_t bits, int exponent_bits, int fraction_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    double fraction = bits & ((1 << fraction_bits) - 1), value;
    if (exponent == (1 << exponent_bits) - 1)
        value = fraction > 0 ? NAN : INFINITY;
    else if (exponent)
        value = ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
    else
        value = ldexp(fraction, 1 - bias - fraction_bits);
    return bits & 0x8000 ? -value : value;
}

enum { F16_EXPONENT = 5, F16_FRACTION = 10, BF16_EXPONENT = 8, BF16_FRACTION = 7 };

/* ---- conversions ---- */

/* A double that is rounded to half precision, or to f32, as `value` itself is: where a double has no room for all bits, those
   that are lost are remembered in the last one. */
static double sticky(uint64_t value)
{
    if (value >> 53 == 0)
        return (double)value;
    return ldexp((double)(value >> 11 | ((value & 0x7FF) != 0)), 11);
}

static void put_half(enum source_base base, double value, void *to)
{
    uint16_t bits = base == SOURCE_F16 ? narrow(value, F16_EXPONENT, F16_FRACTION)
                                       : narrow(value, BF16_EXPONENT, BF16_FRACTION);
    memcpy(to, &bits, sizeof bits);
}

/* The lower bytes, wherever they stand in a word. */
static void put_bits(unsigned bytes, uint64_t value, void *to)
{
    uint8_t b1 = (uint8_t)value;
    uint16_t b2 = (uint16_t)value;
    uint32_t b4 = (uint32_t)value;
    const void *from = bytes == 1   ? (const void *)&b1
                       : bytes == 2 ? (const void *)&b2
                       : bytes == 4 ? (const void *)&b4
                                    : &value;
    memcpy(to, from, bytes);
}

void source_type_put_unsigned(enum source_base base, uint64_t value, void *to)
{
    float f32 = (float)value;
    double f64 = (double)value;
    if (base == SOURCE_F32)
        memcpy(to, &f32, sizeof f32);
    else if (base == SOURCE_F64)
        memcpy(to, &f64, sizeof f64);
    else if (bases[base].real)
        put_half(base, sticky(value), to);
    else
        put_bits(bases[base].bytes, value, to);
}

void source_type_put_signed(enum source_base base, int64_t value, void *to)
{
    float f32 = (float)value;
    double f64 = (double)value;
    if (base == SOURCE_F32)
        memcpy(to, &f32, sizeof f32);
    else if (base == SOURCE_F64)
        memcpy(to, &f64, sizeof f64);
    else if (bases[base].real)
        put_half(base, value < 0 ? -sticky(0 - (uint64_t)value) : sticky((uint64_t)value), to);
    else
        put_bits(bases[base].bytes, (uint64_t)value, to);
}

/* The whole number of a type of so many bits that is nearest to a real number without its fraction. */
static uint64_t truncated(double value, unsigned bits, bool is_signed)
{
    double most = ldexp(1, (int)bits - is_signed), least = is_signed ? -most : 0;
    if (isnan(value))
        return 0;
    if (value >= most)
        return (is_signed ? UINT64_C(1) << (bits - 1) : bits < 64 ? UINT64_C(1) << bits : 0) - 1;
    if (value <= least)
        return is_signed ? UINT64_C(1) << (bits - 1) : 0;
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

void source_type_put_real(enum source_base base, double value, void *to)
{
    float f32 = (float)value;
    if (base == SOURCE_F32)
        memcpy(to, &f32, sizeof f32);
    else if (base == SOURCE_F64)
        memcpy(to, &value, sizeof value);
    else if (bases[base].real)
        put_half(base, value, to);
    else
        put_bits(bases[base].bytes, truncated(value, 8 * bases[base].bytes, bases[base].is_signed), to);
}

double source_type_get(enum source_base base, const void *from)
{
    uint64_t bits = 0, sign = 0;
    uint16_t half;
    float f32;
    double f64;
    if (base == SOURCE_F32)
        return memcpy(&f32, from, sizeof f32), (double)f32;
    if (base == SOURCE_F64)
        return memcpy(&f64, from, sizeof f64), f64;
    if (bases[base].real) {
        memcpy(&half, from, sizeof half);
        return base == SOURCE_F16 ? widen(half, F16_EXPONENT, F16_FRACTION)
                                  : widen(half, BF16_EXPONENT, BF16_FRACTION);
    }
    for (unsigned i = 0; i < bases[base].bytes; i++) { /* little-endian, as a GPU is */
        bits |= (uint64_t)((const uint8_t *)from)[i] << 8 * i;
        sign = UINT64_C(0x80) << 8 * i;
    }
    return bases[base].is_signed ? (double)(int64_t)((bits ^ sign) - sign) : (double)bits;
}
