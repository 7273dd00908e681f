/* Comparisons and choices: the box is narrowed to blocks with one outcome. */
#include "ptx/rule.h"

/* Narrows the box until each lane's comparison has one outcome; `differs` NULL, or the lanes where a < b. */
static void keep_order(const struct rule *r, unsigned type, bool equality, uint32_t *less)
{
    coordinates_wide left[LANES], right[LANES];
    int64_t step[AXES];
    coordinates_wide below = 0, above = 0, least_above = 0;
    bool has_below = false, has_above = false, has_equal = false;
    rule_values(r->trace, r->instruction, 0, type, left);
    rule_values(r->trace, r->instruction, 1, type, right);
    *less = 0;
    for (int lane = 0; lane < LANES; lane++)
        *less |= (uint32_t)(left[lane] < right[lane]) << lane;
    if (!(coordinates_steps(r->trace, &r->operands[0]) | coordinates_steps(r->trace, &r->operands[1])))
        return;
    rule_keep_natural(r->trace, left, r->mask, &r->operands[0], type);
    rule_keep_natural(r->trace, right, r->mask, &r->operands[1], type);
    for (unsigned a = 0; a < AXES; a++)
        if (__builtin_sub_overflow(r->operands[0].step[a], r->operands[1].step[a], &step[a])) {
            coordinates_pin(r->trace, 1u << a);
            step[a] = 0;
        }
    for (uint32_t lanes = r->mask; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        coordinates_wide d = left[lane] - right[lane];
        if (d < 0) {
            below = !has_below || d > below ? d : below;
            has_below = true;
        } else if (d > 0) {
            above = !has_above || d < above ? d : above;
            has_above = true;
        } else {
            has_equal = true;
        }
    }
    least_above = has_equal && !equality ? 0 : above;
    if (has_below)
        coordinates_keep_sign(r->trace, below, step);
    if (has_equal && equality) {
        unsigned axes = 0;
        for (unsigned a = 0; a < AXES; a++)
            axes |= (unsigned)(step[a] != 0) << a;
        coordinates_pin(r->trace, axes);
    }
    if (has_above || (has_equal && !equality))
        coordinates_keep_sign(r->trace, equality ? least_above - 1 : least_above, step);
}

/* eq ne lt le gt ge, and lo ls hi hs of numbers without sign. a <= b is !(b < a). */
void rule_compare(const struct rule *r)
{
    enum { EQ, NE, LT, LE, GT, GE, LO, LS, HI, HS };
    unsigned mode = r->instruction->mode;
    uint32_t less;
    bool turned = mode == LE || mode == GT || mode == LS || mode == HI;
    if (ptx_types[r->instruction->source_type].class == PTX_CLASS_FLOAT || mode > HS) {
        rule_defer(r, &r->operands[0]);
        rule_defer(r, &r->operands[1]);
        return;
    }
    if (!turned) {
        keep_order(r, r->instruction->source_type, mode == EQ || mode == NE, &less);
        return;
    }
    struct coordinates operands[2] = {r->operands[1], r->operands[0]};
    struct instruction instruction = *r->instruction;
    instruction.from[0] = r->instruction->from[1];
    instruction.from[1] = r->instruction->from[0];
    struct rule other = *r;
    other.operands = operands;
    other.instruction = &instruction;
    keep_order(&other, instruction.source_type, false, &less);
}

/* Each lane takes the first or the second operand. */
static void chosen(const struct rule *r, uint32_t first)
{
    uint32_t some = first & r->mask, others = ~first & r->mask;
    unsigned axes = coordinates_axes(r->trace);
    rule_set_steps(r, r->operands[some ? 0 : 1].step);
    for (unsigned a = 0; a < AXES && some && others; a++)
        if (axes >> a & 1 && r->operands[0].step[a] != r->operands[1].step[a])
            r->result->deferred |= (uint8_t)(1u << a);
}

void rule_minmax(const struct rule *r)
{
    const struct instruction *i = r->instruction;
    uint32_t less, first = 0;
    keep_order(r, i->type, false, &less);
    const void *from[2] = {warp_slot(r->trace->warp, i->from[0]), warp_slot(r->trace->warp, i->from[1])};
    uint64_t made[LANES];
    i->lanes(made, from);
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t result = i->to_units == 2 ? made[lane] : ((const uint32_t *)made)[lane];
        bool took_first = result == warp_value(r->trace->warp, i->from[0], i->from_units[0], lane);
        bool equal = took_first && result == warp_value(r->trace->warp, i->from[1], i->from_units[1], lane);
        first |= (uint32_t)took_first << lane;
        if (equal && r->mask >> lane & 1) /* either may be the larger one in the next block */
            r->result->deferred |= (uint8_t)(coordinates_steps(r->trace, &r->operands[0]) |
                                             coordinates_steps(r->trace, &r->operands[1]));
    }
    chosen(r, first);
}

void rule_select(const struct rule *r)
{
    chosen(r, warp_predicate(r->trace->warp, r->instruction, 2));
}

void rule_convert(const struct rule *r)
{
    const struct instruction *i = r->instruction;
    unsigned from = i->source_type, to = i->type;
    coordinates_wide values[LANES];
    struct coordinates operand = r->operands[0]; /* the register may be wider than what is converted */
    for (unsigned a = 0; a < AXES; a++)
        operand.step[a] = rule_signed_step((uint64_t)operand.step[a], rule_width(from));
    if (!coordinates_steps(r->trace, &operand))
        return;
    rule_values(r->trace, i, 0, from, values);
    if (rule_width(to) > rule_width(from)) {
        rule_keep_natural(r->trace, values, r->mask, &operand, from);
        rule_scaled(r, &operand, 1, rule_width(to));
    } else if (rule_width(to) == rule_width(i->to_type)) {
        rule_scaled(r, &operand, 1, rule_width(to));
    } else {
        rule_defer(r, &r->operands[0]);
    }
}
