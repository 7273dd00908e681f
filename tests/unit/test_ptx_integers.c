/* Each row of lanes_integer against the same operation in other words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/ptx_wide.h"

static wide clamped(wide a, wide least, wide most)
{
    return a < least ? least : a > most ? most : a;
}
/* The high word of a product of 64 bits, by halves. */
static wide high(const struct ptx_row_case *c)
{
    unsigned bits = bits_of(c);
    if (bits < 64)
        return above(of(c, 0) * of(c, 1), bits);
    uint64_t a = c->operands[0], b = c->operands[1];
    uint64_t al = a & 0xFFFFFFFF, ah = a >> 32, bl = b & 0xFFFFFFFF, bh = b >> 32;
    uint64_t middle = (al * bl >> 32) + (ah * bl & 0xFFFFFFFF) + (al * bh & 0xFFFFFFFF);
    uint64_t top = ah * bh + (ah * bl >> 32) + (al * bh >> 32) + (middle >> 32);
    if (ptx_types[c->row->type].class == PTX_CLASS_SIGNED)
        top -= (a >> 63 ? b : 0) + (b >> 63 ? a : 0);
    return (wide)top;
}
static wide sum(const struct ptx_row_case *c)
{
    return of(c, 0) + of(c, 1);
}
static wide difference(const struct ptx_row_case *c)
{
    return of(c, 0) - of(c, 1);
}
static wide low(const struct ptx_row_case *c)
{
    uint64_t result = 0;
    for (int bit = 0; bit < 64; bit++)
        result += c->operands[1] >> bit & 1 ? c->operands[0] << bit : 0;
    return (wide)result;
}
static wide low_sum(const struct ptx_row_case *c)
{
    return low(c) + c->operands[2];
}
static wide high_sum(const struct ptx_row_case *c)
{
    return high(c) + of(c, 2);
}
static wide whole(const struct ptx_row_case *c)
{
    return of(c, 0) * of(c, 1);
}
static wide whole_sum(const struct ptx_row_case *c)
{
    return of(c, 0) * of(c, 1) + (wide)c->operands[2];
}
static wide quotient(const struct ptx_row_case *c)
{
    wide a = of(c, 0), b = of(c, 1);
    if (!b)
        return -1;
    wide q = (a < 0 ? -a : a) / (b < 0 ? -b : b);
    return (a < 0) != (b < 0) ? -q : q;
}
static wide rest(const struct ptx_row_case *c)
{
    return of(c, 1) ? of(c, 0) - quotient(c) * of(c, 1) : of(c, 0);
}
static wide least(const struct ptx_row_case *c)
{
    return of(c, 0) <= of(c, 1) ? of(c, 0) : of(c, 1);
}
static wide most(const struct ptx_row_case *c)
{
    return of(c, 0) >= of(c, 1) ? of(c, 0) : of(c, 1);
}
static wide distance(const struct ptx_row_case *c)
{
    wide d = of(c, 0) - of(c, 1);
    return of(c, 2) + (d < 0 ? -d : d);
}
static wide part24(const struct ptx_row_case *c, unsigned operand)
{
    return ptx_types[c->row->type].class == PTX_CLASS_SIGNED ? sign(c->operands[operand], 24)
                                                             : natural(c->operands[operand], 24);
}
static wide low24(const struct ptx_row_case *c)
{
    return part24(c, 0) * part24(c, 1);
}
static wide high24(const struct ptx_row_case *c)
{
    return above(part24(c, 0) * part24(c, 1), 16);
}
static wide low24_sum(const struct ptx_row_case *c)
{
    return low24(c) + of(c, 2);
}
static wide high24_sum(const struct ptx_row_case *c)
{
    return high24(c) + of(c, 2);
}
static wide sum_sat(const struct ptx_row_case *c)
{
    return clamped(sum(c), INT32_MIN, INT32_MAX);
}
static wide difference_sat(const struct ptx_row_case *c)
{
    return clamped(difference(c), INT32_MIN, INT32_MAX);
}
static wide high_sum_sat(const struct ptx_row_case *c)
{
    return clamped(high(c) + of(c, 2), INT32_MIN, INT32_MAX);
}
static wide magnitude(const struct ptx_row_case *c)
{
    return of(c, 0) < 0 ? -of(c, 0) : of(c, 0);
}
static wide negative(const struct ptx_row_case *c)
{
    return -of(c, 0);
}

/* Two halves. */
static wide half(const struct ptx_row_case *c, unsigned operand, unsigned at)
{
    uint64_t value = c->operands[operand] >> at * 16 & 0xFFFF;
    return ptx_types[c->row->type].class == PTX_CLASS_SIGNED ? sign(value, 16) : (wide)value;
}
static wide halves(const struct ptx_row_case *c, int what)
{
    wide result = 0;
    for (unsigned at = 0; at < 2; at++) {
        wide a = half(c, 0, at), b = half(c, 1, at);
        wide one = what == 0 ? a + b : (what == 1) == (a < b) ? a : b;
        result |= ((one % 65536 + 65536) % 65536) << at * 16;
    }
    return result;
}
static wide sums2(const struct ptx_row_case *c)
{
    return halves(c, 0);
}
static wide least2(const struct ptx_row_case *c)
{
    return halves(c, 1);
}
static wide most2(const struct ptx_row_case *c)
{
    return halves(c, 2);
}

static const struct wide_reference references[] = {
    {"add", "", true, sums2},
    {"min", "", true, least2},
    {"max", "", true, most2},
    {"add", "", false, sum},
    {"sub", "", false, difference},
    {"mul", "lo", false, low},
    {"mad", "lo", false, low_sum},
    {"mul", "hi", false, high},
    {"mad", "hi", false, high_sum},
    {"mul", "wide", false, whole},
    {"mad", "wide", false, whole_sum},
    {"div", "", false, quotient},
    {"rem", "", false, rest},
    {"min", "", false, least},
    {"max", "", false, most},
    {"sad", "", false, distance},
    {"mul24", "lo", false, low24},
    {"mul24", "hi", false, high24},
    {"mad24", "lo", false, low24_sum},
    {"mad24", "hi", false, high24_sum},
    {"add", "sat", false, sum_sat},
    {"sub", "sat", false, difference_sat},
    {"mad", "hi.sat", false, high_sum_sat},
    {"abs", "", false, magnitude},
    {"neg", "", false, negative},
};

static uint64_t expected(const struct ptx_row_case *c)
{
    bool pair = c->row->type == PTX_U16X2 || c->row->type == PTX_S16X2;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (strcmp(references[i].mnemonic, c->row->mnemonic) == 0 && references[i].halves == pair &&
            (strcmp(references[i].variant, c->row->variant) == 0 || *references[i].variant == '*'))
            return (uint64_t)references[i].expected(c);
    fail_msg("%s %s has no reference", c->row->mnemonic, c->row->variant);
    return 0;
}

static void each_row_of_integers_is_what_other_words_say(void **state)
{
    (void)state;
    assert_true(ptx_rows_check(lanes_integer, expected) > 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_row_of_integers_is_what_other_words_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
