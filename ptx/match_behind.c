/* Accesses that stand before a condition in the PTX and behind it in the machine code: a warp that leaves there as a whole does not
   do them. So it matters for conditions of whole warps, too, at which no lanes part. */
#include "ptx/match_behind.h"

#include <stdlib.h>

enum { MOST_STEPS = 1 << 26 };

struct behind {
    struct match_run *run;
    uint32_t *site_of;         /* of each instruction the site that it belongs to, counted from 1 */
    bool *in_ptx, *in_machine; /* of each block; false between two uses */
    uint32_t *ptx_blocks, *machine_blocks; /* those that are true */
    uint64_t steps;
};

/* What the machine code does from an instruction on is behind the condition in that line; in the PTX it must be, too. */
static void check_code(struct behind *b, uint32_t from, uint32_t end, uint32_t line)
{
    for (uint32_t i = from; i < end; i++) {
        uint32_t site = b->site_of[i];
        if (!site || b->in_ptx[b->run->site_block[site - 1]])
            continue;
        struct match_verdict *verdict = &b->run->result->verdicts[site - 1];
        if (verdict->how > MATCH_ONE_LANE)
            continue;
        verdict->how = MATCH_BEHIND;
        verdict->branch_line = line;
    }
    b->steps += end - from;
}

/* Lanes that leave at an instruction do nothing of what the others come to. */
static uint32_t check_exit(struct behind *b, uint32_t instruction, uint32_t line)
{
    const struct flow_graph *graph = &b->run->machine;
    uint32_t count = 0, block = graph->block_of[instruction];
    check_code(b, instruction + 1, graph->first[block + 1], line);
    b->in_machine[b->machine_blocks[count++] = block] = true;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t from = b->machine_blocks[k];
        for (uint32_t e = graph->next_begin[from]; e < graph->next_begin[from + 1]; e++) {
            uint32_t to = graph->next[e];
            if (b->in_machine[to])
                continue;
            b->in_machine[b->machine_blocks[count++] = to] = true;
            check_code(b, graph->first[to], graph->first[to + 1], line);
        }
    }
    return count;
}

static uint32_t check_jump(struct behind *b, uint32_t instruction, uint32_t line)
{
    const struct flow_graph *graph = &b->run->machine;
    uint32_t count = flow_graph_region(graph, graph->block_of[instruction], b->in_machine, b->machine_blocks);
    for (uint32_t k = 0; k < count; k++)
        check_code(b, graph->first[b->machine_blocks[k]], graph->first[b->machine_blocks[k] + 1], line);
    return count;
}

static void check_condition(struct behind *b, size_t branch)
{
    const struct cubin_entry *entry = b->run->entry;
    uint32_t line = b->run->program->branches[branch].ptx_line;
    uint32_t ptx_count =
        flow_graph_region(&b->run->ptx, b->run->branch_block[branch], b->in_ptx, b->ptx_blocks);
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct machine_word *word = &entry->code[i].word;
        uint32_t count = 0;
        if (entry->code[i].ptx_line != line || word->always || word->diverged)
            continue;
        if (word->flow == MACHINE_EXIT)
            count = check_exit(b, i, line);
        else if (word->flow == MACHINE_BRANCH)
            count = check_jump(b, i, line);
        for (uint32_t k = 0; k < count; k++)
            b->in_machine[b->machine_blocks[k]] = false;
    }
    for (uint32_t k = 0; k < ptx_count; k++)
        b->in_ptx[b->ptx_blocks[k]] = false;
    b->steps += entry->count + ptx_count;
}

static void sites_find(struct behind *b)
{
    for (uint32_t s = 0; s < b->run->program->site_count; s++) {
        size_t count, begin = match_parts_of_line(b->run, b->run->program->sites[s].ptx_line, &count);
        for (size_t i = begin; i < begin + count; i++)
            b->site_of[b->run->accesses[i].at] = s + 1;
    }
}

int match_behind_check(struct match_run *run, struct error *error)
{
    struct behind b = {.run = run};
    int result = 0;
    b.site_of = calloc(run->entry->count + 1, sizeof *b.site_of);
    b.in_ptx = calloc((size_t)run->ptx.count + 1, sizeof *b.in_ptx);
    b.in_machine = calloc((size_t)run->machine.count + 1, sizeof *b.in_machine);
    b.ptx_blocks = calloc((size_t)run->ptx.count + 1, sizeof *b.ptx_blocks);
    b.machine_blocks = calloc((size_t)run->machine.count + 1, sizeof *b.machine_blocks);
    if (!b.site_of || !b.in_ptx || !b.in_machine || !b.ptx_blocks || !b.machine_blocks)
        result = error_set(error, ERROR_MEMORY, "no memory for a comparison with the machine code");
    else
        sites_find(&b);
    for (size_t i = 0; result == 0 && !run->indirect && i < run->program->branch_count; i++) {
        if (run->program->branches[i].conditional && run->program->branches[i].target_line)
            check_condition(&b, i);
        if (b.steps > MOST_STEPS)
            result = error_set(error, ERROR_INVALID, "the program's branches are too tangled");
    }
    free(b.site_of);
    free(b.in_ptx);
    free(b.in_machine);
    free(b.ptx_blocks);
    free(b.machine_blocks);
    return result;
}
