/* Whether each access of the machine code is done as often, and by the same lanes, as the PTX says: it stands in
   the same loops, behind the same branches, and lanes that part meet where they do in the PTX. */
#include "ptx/match_lanes.h"

#include <stdlib.h>
#include <string.h>

/* Room for a region of each graph, and its flags, which are false between two uses. */
struct region {
    uint32_t *blocks, count;
    bool *inside;
};

struct lanes {
    struct match_run *run;
    struct region ptx, machine;
    uint32_t *site_of; /* of each instruction the site that it belongs to, counted from 1 */
    uint32_t *branch_order, branch_count; /* instructions that branch, by their line of PTX */
    uint32_t *begins, begin_count;        /* instructions that say where lanes meet */
    bool *apart;       /* of each site: the machine code does it before the lanes of a branch meet */
    uint8_t *sides;    /* of each block of the PTX: from which target of a branch it is come to, or SEVERAL */
    uint32_t *waiting; /* room for a list of its blocks */
    uint64_t steps;
};

enum { MOST_STEPS = 1 << 26, SEVERAL = 255 /* sides */ };

static bool region_new(struct region *region, uint32_t blocks)
{
    region->blocks = calloc((size_t)blocks + 1, sizeof *region->blocks);
    region->inside = calloc((size_t)blocks + 1, sizeof *region->inside);
    return region->blocks && region->inside;
}

static void region_find(struct lanes *lanes, struct region *region, const struct flow_graph *graph,
                        uint32_t block)
{
    region->count = flow_graph_region(graph, block, region->inside, region->blocks);
    lanes->steps += region->count + 1;
}

static void region_forget(struct region *region)
{
    for (uint32_t i = 0; i < region->count; i++)
        region->inside[region->blocks[i]] = false;
    region->count = 0;
}

static bool is_one(const struct lanes *lanes, size_t site)
{
    return lanes->run->result->verdicts[site].how <= MATCH_ONE_LANE;
}

static void set_how(struct lanes *lanes, size_t site, enum match_how how, uint32_t branch_line)
{
    struct match_verdict *verdict = &lanes->run->result->verdicts[site];
    if (!is_one(lanes, site))
        return;
    verdict->how = how;
    verdict->branch_line = branch_line;
}

static uint32_t machine_block(const struct lanes *lanes, uint32_t instruction)
{
    return lanes->run->machine.block_of[instruction];
}

/* ---- loops ---- */

/* Of a loop of the PTX, by its first block, a loop of the machine code, by its. */
struct loop_pair {
    uint32_t ptx, machine;
};

struct loop_pairs {
    struct loop_pair *at;
    size_t count;
};

static size_t branches_of_line(const struct lanes *lanes, uint32_t line, size_t *count)
{
    const struct cubin_instruction *code = lanes->run->entry->code;
    size_t low = 0, high = lanes->branch_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code[lanes->branch_order[middle]].ptx_line < line)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0;
         low + *count < lanes->branch_count && code[lanes->branch_order[low + *count]].ptx_line == line;)
        ++*count;
    return low;
}

/* A branch that leads back makes a loop on both sides. */
static int pair_loops(struct lanes *lanes, struct loop_pairs *pairs, struct error *error)
{
    const struct match_run *run = lanes->run;
    pairs->at = calloc((size_t)lanes->branch_count + 1, sizeof *pairs->at);
    if (!pairs->at)
        return error_set(error, ERROR_MEMORY, "no memory for a comparison with the machine code");
    for (size_t i = 0; i < run->program->branch_count; i++) {
        uint32_t from = run->branch_block[i], loop = run->ptx.loop[from];
        size_t count, begin = branches_of_line(lanes, run->program->branches[i].ptx_line, &count);
        bool again = i && run->program->branches[i - 1].ptx_line == run->program->branches[i].ptx_line;
        if (loop == FLOW_NONE || again)
            continue;
        for (size_t k = begin; k < begin + count; k++) {
            uint32_t block = machine_block(lanes, lanes->branch_order[k]);
            if (run->machine.loop[block] != FLOW_NONE)
                pairs->at[pairs->count++] =
                    (struct loop_pair){.ptx = loop, .machine = run->machine.loop[block]};
        }
    }
    return 0;
}

static bool access_in_loop(const struct lanes *lanes, size_t site, uint32_t loop)
{
    const struct match_run *run = lanes->run;
    size_t count, begin = match_parts_of_line(run, run->program->sites[site].ptx_line, &count);
    for (size_t i = begin; i < begin + count; i++)
        if (flow_graph_in_loop(&run->machine, machine_block(lanes, run->accesses[i].at), loop))
            return true;
    return false;
}

static void check_loops(struct lanes *lanes, const struct loop_pairs *pairs)
{
    const struct match_run *run = lanes->run;
    for (size_t s = 0; s < run->program->site_count; s++) {
        if (!is_one(lanes, s) || run->result->verdicts[s].leader != s || !run->result->verdicts[s].copies)
            continue;
        for (uint32_t loop = run->ptx.loop[run->site_block[s]]; loop != FLOW_NONE;
             loop = run->ptx.outer[loop]) {
            bool kept = false, inside = false;
            for (size_t k = 0; k < pairs->count && !inside; k++)
                if (pairs->at[k].ptx == loop) {
                    kept = true;
                    inside = access_in_loop(lanes, s, pairs->at[k].machine);
                }
            lanes->steps += pairs->count + 1;
            if (kept && !inside)
                set_how(lanes, s, MATCH_HOISTED, 0);
        }
    }
}

/* ---- branches ---- */

/* Is the block on every way from `first`? */
static bool always_reached(const struct flow_graph *graph, uint32_t first, uint32_t block)
{
    while (first != block && first != FLOW_NONE)
        first = graph->meets[first];
    return first == block;
}

/* What the PTX does behind a branch, and the machine code before all of them and without a predicate. */
static void check_conditions(struct lanes *lanes)
{
    const struct match_run *run = lanes->run;
    const struct match_program *program = run->program;
    const struct cubin_instruction *code = run->entry->code;
    uint32_t first_exit = 0;
    while (first_exit < run->entry->count && code[first_exit].word.flow != MACHINE_EXIT)
        first_exit++;
    size_t first = 0, branch = 0;
    while (first < program->site_count && program->sites[first].ptx_line < program->begin_line)
        first++;
    while (branch < program->branch_count && program->branches[branch].ptx_line < program->begin_line)
        branch++;
    if (first == program->site_count || branch == program->branch_count)
        return;
    uint32_t entry_block = run->branch_block[branch] < run->site_block[first] ? run->branch_block[branch]
                                                                              : run->site_block[first];
    for (size_t s = first; s < program->site_count && program->sites[s].ptx_line <= program->end_line; s++) {
        size_t count, begin = match_parts_of_line(run, program->sites[s].ptx_line, &count);
        if (!is_one(lanes, s) || always_reached(&run->ptx, entry_block, run->site_block[s]))
            continue;
        for (size_t i = begin; i < begin + count; i++) {
            uint32_t at = run->accesses[i].at;
            if (at < first_exit && code[at].word.always &&
                always_reached(&run->machine, 0, machine_block(lanes, at)))
                set_how(lanes, s, MATCH_ALWAYS, program->branches[branch].ptx_line);
        }
    }
}

/* A loop that lanes leave one by one: in copies, those that are in different rounds may be together. */
static void check_loop_copies(struct lanes *lanes, size_t branch)
{
    const struct match_run *run = lanes->run;
    uint32_t line = run->program->branches[branch].ptx_line;
    uint32_t loop = run->ptx.loop[run->branch_block[branch]];
    bool nested = run->ptx.outer[loop] != FLOW_NONE;
    for (size_t s = 0; s < run->program->site_count; s++) {
        if (!lanes->ptx.inside[run->site_block[s]] || run->result->verdicts[s].copies < 2)
            continue;
        size_t count, begin = match_parts_of_line(run, run->program->sites[s].ptx_line, &count);
        uint32_t before = FLOW_NONE;
        for (size_t i = begin; i < begin + count; i++) {
            uint32_t within = run->machine.loop[machine_block(lanes, run->accesses[i].at)];
            if (!nested || within == FLOW_NONE || within == before)
                set_how(lanes, s, MATCH_APART, line);
            before = within;
        }
    }
    lanes->steps += run->program->site_count;
}

/* The first instruction at which lanes that part here may meet, as the compiler says it (BSSY): those that leave in between are
   not waited for. */
static uint32_t meets_at(struct lanes *lanes, uint32_t instruction)
{
    const struct cubin_entry *entry = lanes->run->entry;
    uint32_t meets = (uint32_t)entry->count;
    for (uint32_t i = 0; i < lanes->begin_count && lanes->begins[i] < instruction; i++) {
        int32_t target = entry->code[lanes->begins[i]].target;
        if (target > (int32_t)instruction && (uint32_t)target < meets)
            meets = (uint32_t)target;
    }
    lanes->steps += lanes->begin_count;
    return meets;
}

/* Where lanes part in the machine code, they may do no more before they meet than in the PTX. */
static void check_region(struct lanes *lanes, uint32_t instruction, uint32_t line)
{
    const struct match_run *run = lanes->run;
    uint32_t meets = meets_at(lanes, instruction);
    region_find(lanes, &lanes->machine, &run->machine, machine_block(lanes, instruction));
    for (uint32_t b = 0; b < lanes->machine.count; b++) {
        uint32_t block = lanes->machine.blocks[b];
        for (uint32_t i = run->machine.first[block]; i < run->machine.first[block + 1]; i++) {
            uint32_t site = lanes->site_of[i];
            if (site && i < meets)
                lanes->apart[site - 1] = true;
            if (site && !lanes->ptx.inside[run->site_block[site - 1]])
                set_how(lanes, site - 1, MATCH_APART, line);
        }
        lanes->steps += run->machine.first[block + 1] - run->machine.first[block];
    }
    region_forget(&lanes->machine);
}

/* Counts one side more for each block of the PTX that is come to from `first` before the lanes meet. */
static void count_side(struct lanes *lanes, uint32_t first, uint8_t side)
{
    const struct flow_graph *graph = &lanes->run->ptx;
    uint32_t count = 0;
    if (!lanes->ptx.inside[first] || lanes->sides[first] == side)
        return;
    lanes->sides[first] = lanes->sides[first] ? SEVERAL : side;
    lanes->waiting[count++] = first;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t e = graph->next_begin[lanes->waiting[k]]; e < graph->next_begin[lanes->waiting[k] + 1];
             e++) {
            uint32_t to = graph->next[e];
            if (!lanes->ptx.inside[to] || lanes->sides[to] == side || lanes->sides[to] == SEVERAL)
                continue;
            lanes->sides[to] = lanes->sides[to] ? SEVERAL : side;
            lanes->waiting[count++] = to;
        }
    lanes->steps += count;
}

/* What the PTX does on several sides of a branch, each for itself: so must the machine code. It may meet earlier, as where
   some lanes leave in between: the PTX's end is common to all, and the others meet before. */
static void check_sides(struct lanes *lanes, uint32_t block, uint32_t line)
{
    const struct match_run *run = lanes->run;
    uint8_t side = 1;
    for (uint32_t e = run->ptx.next_begin[block]; e < run->ptx.next_begin[block + 1] && side < SEVERAL; e++)
        count_side(lanes, run->ptx.next[e], side++);
    for (size_t s = 0; s < run->program->site_count; s++) {
        if (lanes->sides[run->site_block[s]] == SEVERAL && !lanes->apart[s])
            set_how(lanes, s, MATCH_APART, line);
        lanes->apart[s] = false;
    }
    for (uint32_t i = 0; i < lanes->ptx.count; i++)
        lanes->sides[lanes->ptx.blocks[i]] = 0;
    lanes->steps += run->program->site_count + lanes->ptx.count;
}

static void check_branch(struct lanes *lanes, size_t branch)
{
    const struct match_run *run = lanes->run;
    uint32_t block = run->branch_block[branch], line = run->program->branches[branch].ptx_line;
    size_t count, begin = branches_of_line(lanes, line, &count);
    region_find(lanes, &lanes->ptx, &run->ptx, block);
    if (lanes->ptx.inside[block] && run->ptx.loop[block] != FLOW_NONE)
        check_loop_copies(lanes, branch);
    for (size_t k = begin; k < begin + count; k++)
        if (!run->entry->code[lanes->branch_order[k]].word.diverged)
            check_region(lanes, lanes->branch_order[k], line);
    check_sides(lanes, block, line);
    region_forget(&lanes->ptx);
}

static int by_ptx_line(const void *a, const void *b, void *context)
{
    const struct cubin_instruction *code = context;
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    if (code[one].ptx_line != code[other].ptx_line)
        return code[one].ptx_line < code[other].ptx_line ? -1 : 1;
    return one < other ? -1 : one > other;
}

static int lanes_new(struct lanes *lanes, struct match_run *run, struct error *error)
{
    size_t count = run->entry->count;
    *lanes = (struct lanes){.run = run};
    lanes->site_of = calloc(count + 1, sizeof *lanes->site_of);
    lanes->branch_order = calloc(count + 1, sizeof *lanes->branch_order);
    lanes->begins = calloc(count + 1, sizeof *lanes->begins);
    lanes->apart = calloc(run->program->site_count + 1, sizeof *lanes->apart);
    lanes->sides = calloc((size_t)run->ptx.count + 1, sizeof *lanes->sides);
    lanes->waiting = calloc(2 * (size_t)run->ptx.count + 1, sizeof *lanes->waiting);
    bool regions = region_new(&lanes->ptx, run->ptx.count) & region_new(&lanes->machine, run->machine.count);
    if (!lanes->site_of || !lanes->branch_order || !lanes->begins || !lanes->apart || !lanes->sides ||
        !lanes->waiting || !regions)
        return error_set(error, ERROR_MEMORY, "no memory for a comparison with the machine code");
    for (uint32_t s = 0; s < run->program->site_count; s++) {
        size_t of_line, begin = match_parts_of_line(run, run->program->sites[s].ptx_line, &of_line);
        for (size_t i = begin; i < begin + of_line; i++)
            lanes->site_of[run->accesses[i].at] = s + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct machine_word *word = &run->entry->code[i].word;
        if (word->flow == MACHINE_BRANCH && !word->always)
            lanes->branch_order[lanes->branch_count++] = i;
        if (word->flow == MACHINE_MEET_BEGIN)
            lanes->begins[lanes->begin_count++] = i;
    }
    qsort_r(lanes->branch_order, lanes->branch_count, sizeof *lanes->branch_order, by_ptx_line,
            (void *)run->entry->code);
    return 0;
}

static void lanes_free(struct lanes *lanes)
{
    free(lanes->site_of);
    free(lanes->branch_order);
    free(lanes->begins);
    free(lanes->apart);
    free(lanes->sides);
    free(lanes->waiting);
    free(lanes->ptx.blocks);
    free(lanes->ptx.inside);
    free(lanes->machine.blocks);
    free(lanes->machine.inside);
}

/* A branch whose targets are in a table: where its lanes meet is not known. */
static void check_indirect(struct lanes *lanes, uint32_t line)
{
    for (size_t s = 0; s < lanes->run->program->site_count; s++)
        set_how(lanes, s, MATCH_APART, line);
}

int match_lanes_check(struct match_run *run, struct error *error)
{
    struct lanes lanes;
    struct loop_pairs pairs = {0};
    int result = lanes_new(&lanes, run, error);
    if (result == 0)
        result = pair_loops(&lanes, &pairs, error);
    if (result == 0) {
        check_loops(&lanes, &pairs);
        check_conditions(&lanes);
    }
    for (size_t i = 0; result == 0 && i < run->program->branch_count; i++) {
        const struct match_branch *branch = &run->program->branches[i];
        if (!branch->conditional || !branch->diverges || !branch->target_line)
            continue;
        if (run->indirect)
            check_indirect(&lanes, branch->ptx_line);
        else
            check_branch(&lanes, i);
        if (lanes.steps > MOST_STEPS)
            result = error_set(error, ERROR_INVALID, "the program's branches are too tangled");
    }
    free(pairs.at);
    lanes_free(&lanes);
    return result;
}
