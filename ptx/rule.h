/* The rules by which a result depends on the block, by operation. */
#pragma once

#include "ptx/coordinates.h"

/* What a rule reads; it sets the steps of the result, or defers it, and may narrow the box. */
struct rule {
    struct trace *trace;
    const struct instruction *instruction;
    uint32_t mask; /* not empty */
    const struct coordinates *operands;
    struct coordinates *result;
};

/* A rule. */
typedef void rule_fn(const struct rule *rule);

rule_fn rule_insert, rule_extract;
rule_fn rule_copy, rule_add, rule_sub, rule_neg, rule_mul, rule_mad, rule_mul_wide, rule_mad_wide, rule_shl,
    rule_div, rule_rem, rule_shr, rule_and, rule_or, rule_compare, rule_minmax, rule_select, rule_convert;

unsigned rule_width(unsigned type);
/* The step with the sign of its width. */
int64_t rule_signed_step(uint64_t step, unsigned width);
void rule_values(const struct trace *trace, const struct instruction *i, unsigned operand, unsigned type,
                 coordinates_wide values[LANES]);
/* The operand does not wrap within the box, so that it may be read as a number of its type. */
void rule_keep_natural(struct trace *trace, const coordinates_wide values[LANES], uint32_t mask,
                       const struct coordinates *operand, unsigned type);
/* One value for all lanes of the mask. */
bool rule_uniform(const coordinates_wide values[LANES], uint32_t mask, coordinates_wide *value);
void rule_scaled(const struct rule *r, const struct coordinates *operand, int64_t by, unsigned width);
void rule_defer(const struct rule *r, const struct coordinates *operand);
void rule_set_steps(const struct rule *r, const int64_t step[AXES]);
