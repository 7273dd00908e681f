/* The table of rules. */
#include "ptx/rule.h"

static rule_fn *const rules[] = {
    [AFFINE_COPY] = rule_copy,         [AFFINE_ADD] = rule_add,         [AFFINE_SUB] = rule_sub,
    [AFFINE_NEG] = rule_neg,           [AFFINE_NOT] = rule_neg,         [AFFINE_MUL] = rule_mul,
    [AFFINE_MUL_WIDE] = rule_mul_wide, [AFFINE_MAD] = rule_mad,         [AFFINE_MAD_WIDE] = rule_mad_wide,
    [AFFINE_SHL] = rule_shl,           [AFFINE_SHR] = rule_shr,         [AFFINE_DIV] = rule_div,
    [AFFINE_REM] = rule_rem,           [AFFINE_AND] = rule_and,         [AFFINE_OR] = rule_or,
    [AFFINE_MINMAX] = rule_minmax,     [AFFINE_CONVERT] = rule_convert, [AFFINE_COMPARE] = rule_compare,
    [AFFINE_SELECT] = rule_select,     [AFFINE_INSERT] = rule_insert,   [AFFINE_EXTRACT] = rule_extract,
};

void coordinates_result(struct trace *trace, const struct instruction *i, uint32_t mask,
                        const struct coordinates *operands, struct coordinates *result)
{
    unsigned deferred = 0, change = 0;
    *result = (struct coordinates){.valid = mask};
    for (unsigned at = 0; at < i->from_count; at++) {
        result->unknown |= operands[at].unknown & mask;
        deferred |= operands[at].deferred;
        change |= coordinates_change(trace, &operands[at]);
    }
    change |= deferred & coordinates_axes(trace);
    result->deferred = (uint8_t)(deferred & coordinates_axes(trace));
    uint32_t known = mask & ~result->unknown;
    if (!change || !known)
        return;
    struct rule rule = {trace, i, known, operands, result};
    if (i->rule == AFFINE_NONE)
        result->deferred |= (uint8_t)change;
    else
        rules[i->rule](&rule);
}
