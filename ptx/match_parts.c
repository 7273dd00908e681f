#include "ptx/match_parts.h"

#include <stdlib.h>

static int no_memory(struct error *error)
{
    return error_set(error, ERROR_MEMORY, "no memory for a comparison with the machine code");
}

static int by_number(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

static uint32_t point_of(const uint32_t *lines, uint32_t count, uint32_t line)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lines[middle] < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The lines that matter, once each. */
static uint32_t gather_lines(const struct match_program *program, uint32_t *lines)
{
    uint32_t count = 0, kept = 0;
    for (size_t i = 0; i < program->site_count; i++)
        lines[count++] = program->sites[i].ptx_line;
    for (size_t i = 0; i < program->branch_count; i++) {
        lines[count++] = program->branches[i].ptx_line;
        if (program->branches[i].target_line)
            lines[count++] = program->branches[i].target_line;
    }
    lines[count++] = program->begin_line;
    qsort(lines, count, sizeof *lines, by_number);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || lines[i] != lines[i - 1])
            lines[kept++] = lines[i];
    return kept;
}

static int ptx_graph(struct match_run *run, const uint32_t *lines, uint32_t points, struct error *error)
{
    const struct match_program *program = run->program;
    bool *falls = calloc((size_t)points + 1, sizeof *falls);
    struct flow_jump *jumps = calloc(program->branch_count + 1, sizeof *jumps);
    size_t jump_count = 0;
    int result = falls && jumps ? 0 : no_memory(error);
    for (uint32_t i = 0; result == 0 && i < points; i++)
        falls[i] = true;
    for (size_t i = 0; result == 0 && i < program->branch_count; i++) {
        const struct match_branch *branch = &program->branches[i];
        uint32_t from = point_of(lines, points, branch->ptx_line);
        falls[from] &= branch->conditional;
        if (branch->target_line)
            jumps[jump_count++] =
                (struct flow_jump){.from = from, .to = point_of(lines, points, branch->target_line)};
    }
    if (result == 0)
        result = flow_graph_build(&run->ptx, points, falls, jumps, jump_count, error);
    if (result == 0)
        result = flow_graph_find_loops(&run->ptx, error);
    free(falls);
    free(jumps);
    return result;
}

static int ptx_make(struct match_run *run, struct error *error)
{
    const struct match_program *program = run->program;
    uint32_t *lines = calloc(program->site_count + 2 * program->branch_count + 1, sizeof *lines);
    run->site_block = calloc(program->site_count + 1, sizeof *run->site_block);
    run->branch_block = calloc(program->branch_count + 1, sizeof *run->branch_block);
    int result = -1;
    if (!lines || !run->site_block || !run->branch_block) {
        no_memory(error);
        goto out;
    }
    uint32_t points = gather_lines(program, lines);
    if (ptx_graph(run, lines, points, error) < 0)
        goto out;
    for (size_t i = 0; i < program->site_count; i++)
        run->site_block[i] = run->ptx.block_of[point_of(lines, points, program->sites[i].ptx_line)];
    for (size_t i = 0; i < program->branch_count; i++)
        run->branch_block[i] = run->ptx.block_of[point_of(lines, points, program->branches[i].ptx_line)];
    result = 0;
out:
    free(lines);
    return result;
}

/* Lanes that leave do not come back: what leaves under a predicate is no branch. */
static bool falls_through(const struct machine_word *word)
{
    bool leads_away = word->flow == MACHINE_BRANCH || word->flow == MACHINE_INDIRECT ||
                      word->flow == MACHINE_RETURN || word->flow == MACHINE_EXIT;
    return !leads_away || !word->always;
}

static int machine_make(struct match_run *run, struct error *error)
{
    const struct cubin_entry *entry = run->entry;
    bool *falls = calloc(entry->count + 1, sizeof *falls);
    struct flow_jump *jumps = calloc(entry->count + 1, sizeof *jumps);
    size_t jump_count = 0;
    int result = falls && jumps ? 0 : no_memory(error);
    for (uint32_t i = 0; result == 0 && i < entry->count; i++) {
        const struct cubin_instruction *one = &entry->code[i];
        falls[i] = falls_through(&one->word);
        run->indirect |= one->word.flow == MACHINE_INDIRECT;
        if (one->word.flow == MACHINE_BRANCH && !one->word.diverged && one->target >= 0 &&
            (size_t)one->target < entry->count)
            jumps[jump_count++] = (struct flow_jump){.from = i, .to = (uint32_t)one->target};
    }
    if (result == 0)
        result = flow_graph_build(&run->machine, (uint32_t)entry->count, falls, jumps, jump_count, error);
    if (result == 0)
        result = flow_graph_find_loops(&run->machine, error);
    free(falls);
    free(jumps);
    return result;
}

static int by_line(const void *a, const void *b)
{
    const struct match_access *one = a, *other = b;
    if (one->ptx_line != other->ptx_line)
        return one->ptx_line < other->ptx_line ? -1 : 1;
    return one->at < other->at ? -1 : one->at > other->at;
}

static int accesses_make(struct match_run *run, struct error *error)
{
    run->accesses = calloc(run->entry->count + 1, sizeof *run->accesses);
    if (!run->accesses)
        return no_memory(error);
    for (uint32_t i = 0; i < run->entry->count; i++) {
        const struct cubin_instruction *one = &run->entry->code[i];
        if (one->word.kind != MACHINE_OTHER && one->word.space != MACHINE_CONSTANT)
            run->accesses[run->access_count++] = (struct match_access){.ptx_line = one->ptx_line, .at = i};
    }
    qsort(run->accesses, run->access_count, sizeof *run->accesses, by_line);
    return 0;
}

int match_parts_make(struct match_run *run, const struct match_program *program,
                     const struct cubin_entry *entry, struct match_result *result, struct error *error)
{
    *run = (struct match_run){.program = program, .entry = entry, .result = result};
    if (accesses_make(run, error) < 0 || machine_make(run, error) < 0)
        return -1;
    return ptx_make(run, error);
}

void match_parts_free(struct match_run *run)
{
    flow_graph_free(&run->ptx);
    flow_graph_free(&run->machine);
    free(run->site_block);
    free(run->branch_block);
    free(run->accesses);
}

size_t match_parts_of_line(const struct match_run *run, uint32_t line, size_t *count)
{
    size_t low = 0, high = run->access_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run->accesses[middle].ptx_line < line)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < run->access_count && run->accesses[low + *count].ptx_line == line;)
        ++*count;
    return low;
}

bool match_parts_compatible(const struct match_site *site, const struct machine_word *word)
{
    static const uint8_t same[] = {
        [MACHINE_OTHER] = 0,     [MACHINE_LOAD] = 1, [MACHINE_STORE] = 2, [MACHINE_ATOMIC] = 3,
        [MACHINE_REDUCTION] = 3, [MACHINE_SWAP] = 4, [MACHINE_COPY] = 5};
    bool same_space =
        site->space == word->space || site->space == MACHINE_GENERIC || word->space == MACHINE_GENERIC;
    return same[site->kind] == same[word->kind] && same_space;
}
