#include "ptx/branch_lines.h"

#include <stdlib.h>

/* Where a register is written: how often, and the first and the last instruction that does, by their place in the
   function. */
struct writes {
    uint32_t count, first, last;
};

static void add_writes(struct writes *writes, const struct ptx_program *program,
                       const struct function *function)
{
    for (uint32_t at = 0; at < function->end - function->first; at++) {
        const struct instruction *i = &program->instructions[function->first + at];
        for (unsigned k = 0; k < i->to_count; k++) {
            if (i->to[k] == NO_SLOT || (k ? i->second_is_predicate : !i->to_units))
                continue;
            struct writes *one = &writes[i->to[k]];
            one->first = one->count++ ? one->first : at;
            one->last = at;
        }
    }
}

/* What a search goes through. */
struct search {
    const struct ptx_program *program;
    const struct function *function;
    const struct flow_graph *graph;
    const struct writes *writes;
    uint32_t access; /* the instruction whose address is followed */
};

enum { DEPTH_MOST = 8 };

/* Follows a register back within the block of the access. Returns the register that two earlier blocks write, each in its
   own way, or NO_SLOT. A register that is written behind the access belongs to a loop. */
static uint32_t find_branches(const struct search *s, uint32_t slot, int depth)
{
    const struct writes *writes = &s->writes[slot];
    const uint32_t *block_of = s->graph->block_of, own = block_of[s->access];
    if (!writes->count || writes->last >= s->access || depth == DEPTH_MOST)
        return NO_SLOT;
    if (writes->count > 1)
        return block_of[writes->first] != block_of[writes->last] && block_of[writes->last] != own ? slot
                                                                                                  : NO_SLOT;
    if (block_of[writes->first] != own)
        return NO_SLOT;
    const struct instruction *i = &s->program->instructions[s->function->first + writes->first];
    uint32_t found = NO_SLOT;
    for (unsigned k = 0; k < i->from_count && found == NO_SLOT; k++)
        if (i->from_units[k] && i->from[k] != NO_SLOT)
            found = find_branches(s, i->from[k], depth + 1);
    return found;
}

static int line_of(const struct ptx_module *module, const struct instruction *i)
{
    return ptx_module_position(module, &module->program->lines[i->position]).line;
}

int branch_lines_find(struct parser *parser, const struct function *function, const struct flow_graph *graph)
{
    const struct ptx_program *program = parser->program;
    struct writes *writes = calloc(function->slots + (size_t)1, sizeof *writes);
    struct search search = {program, function, graph, writes, 0};
    if (!writes)
        return -1;
    add_writes(writes, program, function);
    for (uint32_t at = function->first; at < function->end; at++) {
        const struct instruction *i = &program->instructions[at];
        if (i->site < 0 || i->base == NO_SLOT)
            continue;
        search.access = at - function->first;
        uint32_t slot = find_branches(&search, i->base, 0);
        if (slot == NO_SLOT)
            continue;
        const struct instruction *code = &program->instructions[function->first];
        int first = line_of(parser->module, &code[writes[slot].first]),
            last = line_of(parser->module, &code[writes[slot].last]);
        if (first < 1 || last < 1 || first == last)
            continue;
        struct ptx_position *places[] = {&program->lines[i->position], &parser->sites[i->site].position};
        for (int k = 0; k < 2; k++) {
            places[k]->branch_lines[0] = first < last ? first : last;
            places[k]->branch_lines[1] = first < last ? last : first;
        }
    }
    free(writes);
    return 0;
}
