/* Each row of lanes_bits against the same operation in other words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/ptx_wide.h"

static wide bitwise(const struct ptx_row_case *c, unsigned table)
{
    uint64_t result = 0;
    for (unsigned bit = 0; bit < bits_of(c); bit++) {
        unsigned index = (unsigned)((c->operands[0] >> bit & 1) * 2 + (c->operands[1] >> bit & 1));
        result |= (uint64_t)(table >> index & 1) << bit;
    }
    return (wide)result;
}
static wide both(const struct ptx_row_case *c)
{
    return bitwise(c, 8);
}
static wide either(const struct ptx_row_case *c)
{
    return bitwise(c, 14);
}
static wide unlike(const struct ptx_row_case *c)
{
    return bitwise(c, 6);
}
static wide inverse(const struct ptx_row_case *c)
{
    return -1 - of(c, 0);
}
static wide is_zero(const struct ptx_row_case *c)
{
    return of(c, 0) == 0;
}
static wide left(const struct ptx_row_case *c)
{
    uint64_t value = c->operands[0];
    for (uint32_t i = 0; i < (uint32_t)c->operands[1] && i < 70; i++)
        value += value;
    return (wide)value;
}
static wide right(const struct ptx_row_case *c)
{
    wide value = of(c, 0);
    for (uint32_t i = 0; i < (uint32_t)c->operands[1] && i < 70; i++)
        value = above(value, 1);
    return value;
}
static uint64_t joined(const struct ptx_row_case *c)
{
    return c->operands[1] % (UINT64_C(1) << 32) << 32 | (uint32_t)c->operands[0];
}
static unsigned amount(const struct ptx_row_case *c)
{
    bool wrap = strstr(c->row->variant, "wrap") != NULL;
    uint32_t by = (uint32_t)c->operands[2];
    return wrap ? by % 32 : by > 32 ? 32 : by;
}
static wide funnel_l(const struct ptx_row_case *c)
{
    unsigned by = amount(c);
    return by == 32 ? (wide)(uint32_t)joined(c) : (wide)(uint32_t)(joined(c) >> (32 - by));
}
static wide funnel_r(const struct ptx_row_case *c)
{
    return (wide)(uint32_t)(joined(c) >> amount(c));
}
static wide ones(const struct ptx_row_case *c)
{
    int count = 0;
    for (unsigned bit = 0; bit < bits_of(c); bit++)
        count += (int)(c->operands[0] >> bit & 1);
    return count;
}
static wide leading(const struct ptx_row_case *c)
{
    int count = 0;
    for (int bit = (int)bits_of(c) - 1; bit >= 0 && !(c->operands[0] >> bit & 1); bit--)
        count++;
    return count;
}
static wide highest(const struct ptx_row_case *c)
{
    bool negative_one = of(c, 0) < 0;
    for (int bit = (int)bits_of(c) - 1; bit >= 0; bit--)
        if ((c->operands[0] >> bit & 1) != negative_one)
            return *c->row->variant ? (int)bits_of(c) - 1 - bit : bit;
    return -1;
}
static wide reversed(const struct ptx_row_case *c)
{
    uint64_t result = 0;
    for (unsigned bit = 0; bit < bits_of(c); bit++)
        result |= (c->operands[0] >> bit & 1) << (bits_of(c) - 1 - bit);
    return (wide)result;
}
/* As the manual's pseudocode has it. */
static wide field(const struct ptx_row_case *c)
{
    int msb = (int)bits_of(c) - 1, position = (int)(c->operands[1] & 0xFF),
        length = (int)(c->operands[2] & 0xFF);
    bool with_sign = ptx_types[c->row->type].class == PTX_CLASS_SIGNED;
    int last = position + length - 1 < msb ? position + length - 1 : msb;
    unsigned fill = with_sign && length ? (unsigned)(c->operands[0] >> last & 1) : 0;
    uint64_t result = 0;
    for (int i = 0; i <= msb; i++)
        result |=
            (uint64_t)(i < length && position + i <= msb ? (unsigned)(c->operands[0] >> (position + i) & 1)
                                                         : fill)
            << i;
    return (wide)result;
}
static wide inserted(const struct ptx_row_case *c)
{
    int msb = (int)bits_of(c) - 1, position = (int)(c->operands[2] & 0xFF),
        length = (int)(c->operands[3] & 0xFF);
    uint64_t result = c->operands[1];
    for (int i = 0; i < length && position + i <= msb; i++) {
        result &= ~(UINT64_C(1) << (position + i));
        result |= (c->operands[0] >> i & 1) << (position + i);
    }
    return (wide)result;
}
static wide nth(const struct ptx_row_case *c)
{
    uint32_t mask = (uint32_t)c->operands[0], base = (uint32_t)c->operands[1];
    int32_t n = (int32_t)c->operands[2];
    if (base > 31)
        return -1;
    int found[33], count = 0;
    if (n == 0)
        return mask >> base & 1 ? (wide)base : -1;
    for (int bit = (int)base; bit >= 0 && bit<32; bit += n> 0 ? 1 : -1)
        if (mask >> bit & 1)
            found[count++] = bit;
    int64_t at = n > 0 ? n : -(int64_t)n;
    return at <= count ? found[at - 1] : -1;
}
static wide mask_bits(const struct ptx_row_case *c)
{
    uint32_t first = (uint32_t)c->operands[0], width = (uint32_t)c->operands[1], result = 0;
    if (strcmp(c->row->variant, "wrap") == 0)
        first %= 32, width %= 32;
    for (uint64_t bit = first; bit < (uint64_t)first + width && bit < 32; bit++)
        result |= UINT32_C(1) << bit;
    return (wide)result;
}
static wide extended(const struct ptx_row_case *c)
{
    uint32_t width = (uint32_t)c->operands[1];
    if (strcmp(c->row->variant, "wrap") == 0)
        width %= 32;
    if (width > 31)
        return of(c, 0);
    if (!width)
        return 0;
    return ptx_types[c->row->type].class == PTX_CLASS_SIGNED ? sign(c->operands[0], width)
                                                             : natural(c->operands[0], width);
}
static uint8_t byte_of(const struct ptx_row_case *c, unsigned at)
{
    return (uint8_t)(c->operands[at / 4] >> at % 4 * 8);
}
static wide permuted(const struct ptx_row_case *c)
{
    static const struct {
        const char *variant;
        uint8_t bytes[4][4];
    } modes[] = {
        {"f4e", {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}},
        {"b4e", {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}},
        {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
        {"ecl", {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}},
        {"ecr", {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}},
        {"rc16", {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}},
    };
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned selector = (unsigned)(c->operands[2] >> i * 4 & 15), byte = byte_of(c, selector & 7);
        if (selector & 8)
            byte = byte > 127 ? 255 : 0;
        for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++)
            if (strcmp(c->row->variant, modes[m].variant) == 0)
                byte = byte_of(c, modes[m].bytes[c->operands[2] & 3][i]);
        result |= byte << i * 8;
    }
    return (wide)result;
}
static wide logic(const struct ptx_row_case *c)
{
    uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; bit++) {
        unsigned index = (unsigned)((c->operands[0] >> bit & 1) << 2 | (c->operands[1] >> bit & 1) << 1 |
                                    (c->operands[2] >> bit & 1));
        result |= (uint32_t)(c->operands[3] >> index & 1) << bit;
    }
    return (wide)result;
}
/* dp4a, dp2a: which operands have signs stands in the mnemonic and the type. */
static bool second_signed(const struct ptx_row_case *c)
{
    return strstr(c->row->mnemonic, "/s") || (!strchr(c->row->mnemonic, '/') && c->row->type == PTX_S32);
}
static wide dot4(const struct ptx_row_case *c)
{
    wide result = (wide)c->operands[2];
    for (unsigned i = 0; i < 4; i++) {
        uint64_t a = byte_of(c, i), b = byte_of(c, 4 + i);
        result +=
            (c->row->type == PTX_S32 ? sign(a, 8) : (wide)a) * (second_signed(c) ? sign(b, 8) : (wide)b);
    }
    return result;
}
static wide dot2(const struct ptx_row_case *c)
{
    wide result = (wide)c->operands[2];
    unsigned from = strcmp(c->row->variant, "hi") == 0 ? 6 : 4;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t a = c->operands[0] >> i * 16 & 0xFFFF, b = byte_of(c, from + i);
        result +=
            (c->row->type == PTX_S32 ? sign(a, 16) : (wide)a) * (second_signed(c) ? sign(b, 8) : (wide)b);
    }
    return result;
}

static const struct wide_reference references[] = {
    {"and", "", false, both},
    {"or", "", false, either},
    {"xor", "", false, unlike},
    {"not", "", false, inverse},
    {"cnot", "", false, is_zero},
    {"shl", "", false, left},
    {"shr", "", false, right},
    {"shf", "l.wrap", false, funnel_l},
    {"shf", "l.clamp", false, funnel_l},
    {"shf", "r.wrap", false, funnel_r},
    {"shf", "r.clamp", false, funnel_r},
    {"popc", "", false, ones},
    {"clz", "", false, leading},
    {"bfind", "*", false, highest},
    {"brev", "", false, reversed},
    {"bfe", "", false, field},
    {"bfi", "", false, inserted},
    {"fns", "", false, nth},
    {"bmsk", "*", false, mask_bits},
    {"szext", "*", false, extended},
    {"prmt", "*", false, permuted},
    {"lop3", "", false, logic},
    {"dp4a", "*", false, dot4},
    {"dp4a/s", "*", false, dot4},
    {"dp4a/u", "*", false, dot4},
    {"dp2a", "*", false, dot2},
    {"dp2a/s", "*", false, dot2},
    {"dp2a/u", "*", false, dot2},
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

static void each_row_of_bits_is_what_other_words_say(void **state)
{
    (void)state;
    assert_true(ptx_rows_check(lanes_bits, expected) > 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_row_of_bits_is_what_other_words_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
