/* Quotients, remainders, masks: the box is narrowed to blocks with one quotient. */
#include "ptx/rule.h"

/* The operand divided by a positive number. Along axes whose step it divides the quotient steps and the remainder does
   not; along the others the box is narrowed until the quotient does not change. False: the result is deferred. */
static bool divide(const struct rule *r, const coordinates_wide values[LANES], coordinates_wide by,
                   int64_t quotient[AXES], int64_t remainder[AXES])
{
    coordinates_wide rest[LANES];
    const struct coordinates *operand = &r->operands[0];
    int64_t loose[AXES];
    if (by <= 0 || by > INT64_MAX)
        return false;
    for (int lane = 0; lane < LANES; lane++) {
        rest[lane] = values[lane] % by;
        rest[lane] += rest[lane] < 0 ? by : 0;
    }
    for (unsigned a = 0; a < AXES; a++) {
        bool divides = operand->step[a] % (int64_t)by == 0;
        quotient[a] = divides ? operand->step[a] / (int64_t)by : 0;
        remainder[a] = loose[a] = divides ? 0 : operand->step[a];
    }
    return coordinates_keep_range(r->trace, rest, r->mask, loose, 0, by - 1);
}

/* The divisor of the second operand, which all lanes share; 0 where there is none. */
static coordinates_wide divisor(const struct rule *r, unsigned type)
{
    coordinates_wide values[LANES], value;
    rule_values(r->trace, r->instruction, 1, type, values);
    if (coordinates_change(r->trace, &r->operands[1]) || !rule_uniform(values, r->mask, &value) || value <= 0)
        return 0;
    return value;
}

static void divided(const struct rule *r, coordinates_wide by, bool remainder, bool floor)
{
    unsigned type = r->instruction->type;
    coordinates_wide values[LANES];
    int64_t quotients[AXES], remainders[AXES];
    if (!coordinates_steps(r->trace, &r->operands[0]) && !coordinates_change(r->trace, &r->operands[1]))
        return;
    rule_values(r->trace, r->instruction, 0, type, values);
    bool negative = false;
    for (uint32_t left = r->mask; left && !floor; left &= left - 1)
        negative |= values[__builtin_ctz(left)] < 0;
    if (by <= 0 || negative) {
        rule_defer(r, &r->operands[0]);
        rule_defer(r, &r->operands[1]);
        return;
    }
    rule_keep_natural(r->trace, values, r->mask, &r->operands[0], type);
    if (!floor)
        coordinates_keep_range(r->trace, values, r->mask, r->operands[0].step, 0,
                               (coordinates_wide)UINT64_MAX);
    if (divide(r, values, by, quotients, remainders))
        rule_set_steps(r, remainder ? remainders : quotients);
    else
        rule_defer(r, &r->operands[0]);
}

void rule_div(const struct rule *r)
{
    divided(r, divisor(r, r->instruction->type), false, false);
}

void rule_rem(const struct rule *r)
{
    divided(r, divisor(r, r->instruction->type), true, false);
}

void rule_shr(const struct rule *r)
{
    coordinates_wide by[LANES], amount;
    rule_values(r->trace, r->instruction, 1, PTX_U32, by);
    bool one = !coordinates_change(r->trace, &r->operands[1]) && rule_uniform(by, r->mask, &amount);
    divided(r, one && amount < 62 ? (coordinates_wide)1 << (unsigned)amount : 0, false, true);
}

/* With 2^k - 1 the remainder, with its complement what is left without it. */
void rule_and(const struct rule *r)
{
    struct coordinates swapped[2] = {r->operands[1], r->operands[0]};
    struct rule turned = *r;
    struct instruction instruction = *r->instruction;
    unsigned width = rule_width(instruction.type);
    if (!coordinates_change(r->trace, &r->operands[0])) {
        instruction.from[0] = r->instruction->from[1];
        instruction.from[1] = r->instruction->from[0];
        turned.operands = swapped;
        turned.instruction = &instruction;
    }
    coordinates_wide masks[LANES], mask, values[LANES];
    int64_t quotient[AXES], remainder[AXES], rest[AXES];
    rule_values(r->trace, turned.instruction, 1, instruction.type, masks);
    uint64_t all = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    if (coordinates_change(r->trace, &turned.operands[1]) || !rule_uniform(masks, r->mask, &mask)) {
        rule_defer(r, &r->operands[0]);
        rule_defer(r, &r->operands[1]);
        return;
    }
    uint64_t bits = (uint64_t)mask & all, below = bits & (bits + 1) ? (0 - bits) & all : bits + 1;
    bool low = !(bits & (bits + 1)),
         high = !low && below && !(below & (below - 1)) && (bits | (below - 1)) == all;
    if (!bits || !coordinates_steps(r->trace, &turned.operands[0]))
        return;
    rule_values(r->trace, turned.instruction, 0, instruction.type, values);
    if ((low || high) && below && below < UINT64_C(1) << 62 &&
        divide(&turned, values, (coordinates_wide)below, quotient, remainder)) {
        for (unsigned a = 0; a < AXES; a++)
            rest[a] = quotient[a] ? turned.operands[0].step[a] : 0;
        rule_set_steps(r, low ? remainder : rest);
        return;
    }
    if (bits == all)
        rule_set_steps(r, turned.operands[0].step);
    else
        rule_defer(r, &turned.operands[0]);
}

/* Bits below the least that the block changes: as if they were added, or taken away. */
void rule_or(const struct rule *r)
{
    unsigned at = coordinates_change(r->trace, &r->operands[0]) ? 1 : 0;
    coordinates_wide values[LANES];
    uint64_t bits = 0, steps = 0;
    rule_values(r->trace, r->instruction, at, r->instruction->type, values);
    for (uint32_t left = r->mask; left; left &= left - 1)
        bits |= (uint64_t)values[__builtin_ctz(left)];
    unsigned axes = coordinates_axes(r->trace);
    for (unsigned a = 0; a < AXES; a++)
        steps |= axes >> a & 1 ? (uint64_t)r->operands[!at].step[a] : 0;
    uint64_t least = steps & (0 - steps);
    if (!coordinates_change(r->trace, &r->operands[at]) && (!steps || bits < least)) {
        rule_set_steps(r, r->operands[!at].step);
        return;
    }
    rule_defer(r, &r->operands[0]);
    rule_defer(r, &r->operands[1]);
}

/* A number that all lanes share and that does not change from block to block, less than 256; -1. */
static int shared_number(const struct rule *r, unsigned operand)
{
    coordinates_wide values[LANES], value;
    rule_values(r->trace, r->instruction, operand, PTX_U32, values);
    if (coordinates_change(r->trace, &r->operands[operand]) || !rule_uniform(values, r->mask, &value))
        return -1;
    return (int)(value & 0xFF);
}

/* bfi: the first operand above the lowest bits of the second, as x * 32 + lane is written. */
void rule_insert(const struct rule *r)
{
    unsigned width = rule_width(r->instruction->type);
    int position = shared_number(r, 2), length = shared_number(r, 3);
    coordinates_wide values[LANES];
    if (position < 0 || length <= 0 || (unsigned)(position + length) > width ||
        coordinates_change(r->trace, &r->operands[1])) {
        rule_defer(r, &r->operands[0]);
        rule_defer(r, &r->operands[1]);
        return;
    }
    rule_values(r->trace, r->instruction, 0, r->instruction->type, values);
    bool whole = (unsigned)(position + length) == width;
    if (whole || coordinates_keep_range(r->trace, values, r->mask, r->operands[0].step, 0,
                                        ((coordinates_wide)1 << length) - 1))
        rule_scaled(r, &r->operands[0], (int64_t)(UINT64_C(1) << position), width);
    else
        rule_defer(r, &r->operands[0]);
}

/* bfe of numbers without sign: a quotient, and of that a remainder. */
void rule_extract(const struct rule *r)
{
    unsigned type = r->instruction->type, width = rule_width(type);
    int position = shared_number(r, 1), length = shared_number(r, 2);
    coordinates_wide values[LANES], fields[LANES];
    int64_t quotient[AXES], remainder[AXES];
    bool fits = position >= 0 && length > 0 && (unsigned)(position + length) <= width && length < 62 &&
                position < 62 && ptx_types[type].class == PTX_CLASS_UNSIGNED;
    rule_values(r->trace, r->instruction, 0, type, values);
    if (fits)
        rule_keep_natural(r->trace, values, r->mask, &r->operands[0], type);
    if (!fits || !divide(r, values, (coordinates_wide)1 << position, quotient, remainder)) {
        rule_defer(r, &r->operands[0]);
        return;
    }
    for (int lane = 0; lane < LANES; lane++)
        fields[lane] = (values[lane] >> position) & (((coordinates_wide)1 << length) - 1);
    coordinates_keep_range(r->trace, fields, r->mask, quotient, 0, ((coordinates_wide)1 << length) - 1);
    rule_set_steps(r, quotient);
}
