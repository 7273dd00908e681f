/* A register depends on whatever any of its assignments depends on, wherever these stand: no order of execution is
   looked at, so more may be said to depend than does. */
#include "ptx/depends.h"

#include <stdlib.h>

static const int passes_most = 64;

/* What is known so far; each set only grows. */
struct sets {
    struct ptx_program *program;
    const struct ptx_function *entry;
    uint64_t **slots, **predicates; /* by function */
    uint64_t *local;                /* of a function's part of a thread's memory, parameters included */
    uint64_t shared;                /* of what is stored in shared memory */
    bool changed;
};

static void grow(struct sets *sets, uint64_t *set, uint64_t more)
{
    if ((*set | more) != *set) {
        *set |= more;
        sets->changed = true;
    }
}

static uint64_t operand(const struct sets *sets, unsigned f, const struct instruction *i, unsigned at)
{
    return i->from_units[at] ? sets->slots[f][i->from[at]] : sets->predicates[f][i->from[at]];
}

/* Of the parameter of the entry that lies there. */
static uint64_t parameter(const struct sets *sets, const struct function *function,
                          const struct instruction *i)
{
    uint64_t offset = (uint64_t)i->offset;
    bool known = i->base == NO_SLOT;
    for (size_t c = 0; !known && c < function->constant_count; c++)
        if (function->constants[c].slot == i->base && function->constants[c].what == CONSTANT_BITS) {
            offset += function->constants[c].bits;
            known = true;
        }
    for (unsigned p = 0; known && p < sets->entry->parameter_count && p < 62; p++)
        if (offset >= sets->entry->parameters[p].offset &&
            offset < sets->entry->parameters[p].offset + sets->entry->parameters[p].bytes)
            return UINT64_C(1) << p;
    return DEPENDS_PARAMETERS;
}

/* Of what the instruction writes. */
static uint64_t result(struct sets *sets, unsigned f, const struct instruction *i, uint64_t operands)
{
    const struct function *function = &sets->program->functions[f];
    if (i->site >= 0 && i->kind == PTX_ATOMIC)
        return DEPENDS_ATOMIC | DEPENDS_DATA;
    if (i->space == PTX_PARAM && i->base_units | (i->base == NO_SLOT) && i->to_count && !i->from_count)
        return parameter(sets, function, i);
    if (i->hidden || (i->site >= 0 && i->kind == PTX_LOAD && i->space == PTX_LOCAL))
        return sets->local[f];
    if (i->site >= 0 && i->kind == PTX_LOAD && i->space == PTX_CONST)
        return i->base == NO_SLOT ? 0 : sets->slots[f][i->base];
    if (i->site >= 0 && i->kind == PTX_LOAD)
        return DEPENDS_DATA | (i->space == PTX_GLOBAL ? 0 : sets->shared & DEPENDS_ATOMIC) |
               (i->space == PTX_GENERIC ? sets->local[f] : 0);
    return operands | (i->changes ? DEPENDS_ATOMIC : 0);
}

static void follow(struct sets *sets, unsigned f, struct instruction *i)
{
    uint64_t operands = i->guard == NO_SLOT ? 0 : sets->predicates[f][i->guard], address = 0;
    for (unsigned at = 0; at < i->from_count; at++)
        operands |= operand(sets, f, i, at);
    if (i->base != NO_SLOT)
        address = sets->slots[f][i->base];
    uint64_t written = result(sets, f, i, operands);
    for (unsigned at = 0; at < i->to_count; at++)
        if (i->to[at] != NO_SLOT) {
            bool predicate = at ? i->second_is_predicate : !i->to_units;
            grow(sets, predicate ? &sets->predicates[f][i->to[at]] : &sets->slots[f][i->to[at]], written);
        }
    bool stores = (i->site >= 0 || i->hidden) && i->kind != PTX_LOAD;
    if (stores && (i->space == PTX_LOCAL || i->space == PTX_GENERIC))
        grow(sets, &sets->local[f], operands);
    if (stores && (i->space == PTX_SHARED || i->space == PTX_GENERIC))
        grow(sets, &sets->shared, operands | (i->kind == PTX_ATOMIC ? DEPENDS_ATOMIC : 0));
    if (i->flow == FLOW_CALL) {
        grow(sets, &sets->local[i->target], sets->local[f]);
        grow(sets, &sets->local[f], sets->local[i->target]);
    }
    if (i->flow == FLOW_BRANCH || i->flow == FLOW_TABLE || i->flow == FLOW_RETURN)
        i->depends |= operands;
    else if (i->site >= 0)
        i->depends |= address;
}

static int allocate(struct sets *sets, unsigned functions, const uint8_t *marks)
{
    sets->slots = calloc(functions, sizeof *sets->slots);
    sets->predicates = calloc(functions, sizeof *sets->predicates);
    sets->local = calloc(functions, sizeof *sets->local);
    if (!sets->slots || !sets->predicates || !sets->local)
        return -1;
    for (unsigned f = 0; f < functions; f++) {
        if (!marks[f])
            continue;
        sets->slots[f] = calloc(sets->program->functions[f].slots + 1u, sizeof **sets->slots);
        sets->predicates[f] = calloc(sets->program->functions[f].predicates + 1u, sizeof **sets->predicates);
        if (!sets->slots[f] || !sets->predicates[f])
            return -1;
    }
    return 0;
}

static void everything(struct sets *sets, unsigned functions, const uint8_t *marks)
{
    for (unsigned f = 0; f < functions; f++) {
        const struct function *function = &sets->program->functions[f];
        for (uint32_t s = 0; marks[f] && s < function->slots; s++)
            sets->slots[f][s] = UINT64_MAX;
        for (uint32_t p = 0; marks[f] && p < function->predicates; p++)
            sets->predicates[f][p] = UINT64_MAX;
        sets->local[f] = UINT64_MAX;
    }
    sets->shared = UINT64_MAX;
}

int depends_find(struct parser *parser, unsigned entry, const uint8_t *marks)
{
    unsigned functions = parser->module->function_count;
    struct sets sets = {.program = parser->program, .entry = &parser->functions[entry], .changed = true};
    int failed = allocate(&sets, functions, marks);
    for (int pass = 0; !failed && sets.changed; pass++) {
        sets.changed = false;
        /* Registers are assigned in about the order of use, so a few passes do; what needs more depends on everything. */
        if (pass == passes_most)
            everything(&sets, functions, marks);
        for (unsigned f = 0; f < functions; f++)
            for (uint32_t i = sets.program->functions[f].first;
                 marks[f] && i < sets.program->functions[f].end; i++)
                follow(&sets, f, &sets.program->instructions[i]);
    }
    for (unsigned f = 0; f < functions; f++) {
        if (sets.slots)
            free(sets.slots[f]);
        if (sets.predicates)
            free(sets.predicates[f]);
    }
    free(sets.slots);
    free(sets.predicates);
    free(sets.local);
    return failed ? parser_no_memory(parser) : 0;
}
