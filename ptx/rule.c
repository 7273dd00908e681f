/* What all rules need, and those of sums and products. */
#include "ptx/rule.h"

#include <string.h>

unsigned rule_width(unsigned type)
{
    return ptx_types[type].bytes * 8;
}

/* The step with the sign of its width. */
int64_t rule_signed_step(uint64_t step, unsigned width)
{
    return width >= 64 ? (int64_t)step : (int64_t)(step << (64 - width)) >> (64 - width);
}

static coordinates_wide integer_of(uint64_t bits, unsigned type)
{
    unsigned unused = 64 - rule_width(type);
    if (ptx_types[type].class == PTX_CLASS_SIGNED)
        return (int64_t)(bits << unused) >> unused;
    return (coordinates_wide)(bits << unused >> unused);
}

void rule_values(const struct trace *trace, const struct instruction *i, unsigned operand, unsigned type,
                 coordinates_wide values[LANES])
{
    for (int lane = 0; lane < LANES; lane++)
        values[lane] =
            integer_of(warp_value(trace->warp, i->from[operand], i->from_units[operand], lane), type);
}

/* The operand does not wrap within the box, so that it may be read as a number of its type. */
void rule_keep_natural(struct trace *trace, const coordinates_wide values[LANES], uint32_t mask,
                       const struct coordinates *operand, unsigned type)
{
    bool sign = ptx_types[type].class == PTX_CLASS_SIGNED;
    unsigned width = rule_width(type);
    coordinates_wide most = ((coordinates_wide)1 << (width - sign)) - 1;
    if (coordinates_steps(trace, operand))
        coordinates_keep_range(trace, values, mask, operand->step, sign ? -most - 1 : 0, most);
}

/* One value for all lanes of the mask. */
bool rule_uniform(const coordinates_wide values[LANES], uint32_t mask, coordinates_wide *value)
{
    *value = values[__builtin_ctz(mask)];
    for (uint32_t left = mask; left; left &= left - 1)
        if (values[__builtin_ctz(left)] != *value)
            return false;
    return true;
}

void rule_scaled(const struct rule *r, const struct coordinates *operand, int64_t by, unsigned width)
{
    for (unsigned a = 0; a < AXES; a++)
        r->result->step[a] =
            rule_signed_step((uint64_t)r->result->step[a] + (uint64_t)operand->step[a] * (uint64_t)by, width);
}

void rule_defer(const struct rule *r, const struct coordinates *operand)
{
    r->result->deferred |= (uint8_t)coordinates_change(r->trace, operand);
}

void rule_set_steps(const struct rule *r, const int64_t step[AXES])
{
    memcpy(r->result->step, step, sizeof r->result->step);
}

void rule_copy(const struct rule *r)
{
    rule_scaled(r, &r->operands[0], 1, 64);
}

void rule_add(const struct rule *r)
{
    rule_scaled(r, &r->operands[0], 1, rule_width(r->instruction->type));
    rule_scaled(r, &r->operands[1], 1, rule_width(r->instruction->type));
}

void rule_sub(const struct rule *r)
{
    rule_scaled(r, &r->operands[0], 1, rule_width(r->instruction->type));
    rule_scaled(r, &r->operands[1], -1, rule_width(r->instruction->type));
}

/* ~a is -1 - a. */
void rule_neg(const struct rule *r)
{
    rule_scaled(r, &r->operands[0], -1, rule_width(r->instruction->type));
}

/* a * b where one of them is a number that all lanes share. `width` of the result. */
static void product(const struct rule *r, unsigned width)
{
    const struct instruction *i = r->instruction;
    for (unsigned at = 0; at < 2; at++) {
        const struct coordinates *other = &r->operands[!at];
        coordinates_wide values[LANES], value;
        if (coordinates_change(r->trace, &r->operands[at]))
            continue;
        if (!coordinates_steps(r->trace, other))
            return;
        rule_values(r->trace, i, at, i->type, values);
        if (rule_uniform(values, r->mask, &value))
            rule_scaled(r, other, (int64_t)(uint64_t)value, width);
        else
            rule_defer(r, other);
        return;
    }
    rule_defer(r, &r->operands[0]);
    rule_defer(r, &r->operands[1]);
}

void rule_mul(const struct rule *r)
{
    product(r, rule_width(r->instruction->type));
}

void rule_mad(const struct rule *r)
{
    product(r, rule_width(r->instruction->type));
    rule_scaled(r, &r->operands[2], 1, rule_width(r->instruction->type));
}

void rule_mul_wide(const struct rule *r)
{
    const struct instruction *i = r->instruction;
    for (unsigned at = 0; at < 2; at++) {
        coordinates_wide values[LANES];
        if (!coordinates_steps(r->trace, &r->operands[at]))
            continue;
        rule_values(r->trace, i, at, i->type, values);
        rule_keep_natural(r->trace, values, r->mask, &r->operands[at], i->type);
    }
    product(r, 2 * rule_width(i->type));
}

void rule_mad_wide(const struct rule *r)
{
    rule_mul_wide(r);
    rule_scaled(r, &r->operands[2], 1, 2 * rule_width(r->instruction->type));
}

void rule_shl(const struct rule *r)
{
    const struct instruction *i = r->instruction;
    coordinates_wide by[LANES], amount;
    unsigned width = rule_width(i->type);
    rule_values(r->trace, i, 1, PTX_U32, by);
    if (coordinates_change(r->trace, &r->operands[1]) || !rule_uniform(by, r->mask, &amount)) {
        rule_defer(r, &r->operands[0]);
        rule_defer(r, &r->operands[1]);
    } else if (amount < width) {
        rule_scaled(r, &r->operands[0], (int64_t)(UINT64_C(1) << (unsigned)amount), width);
    }
}
