#include "ptx/match_program.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/flow.h"
#include "ptx/program.h"

struct making {
    const struct ptx_module *module;
    const struct ptx_program *program;
    struct match_kernel *kernel;
};

static uint32_t line_of(const struct making *m, const struct instruction *instruction)
{
    int line = instruction->position < m->program->line_count
                   ? m->program->lines[instruction->position].ptx_line
                   : 0;
    return line > 0 ? (uint32_t)line : 0;
}

static enum machine_kind kind_of(const struct ptx_site *site)
{
    static const enum machine_kind kinds[] = {
        [PTX_LOAD] = MACHINE_LOAD, [PTX_STORE] = MACHINE_STORE, [PTX_ATOMIC] = MACHINE_ATOMIC};
    return site->kind == PTX_ATOMIC && strstr(site->opcode, ".cas") ? MACHINE_SWAP : kinds[site->kind];
}

static void add_site(struct making *m, const struct instruction *instruction)
{
    static const enum machine_space spaces[PTX_SPACES] = {
        [PTX_GENERIC] = MACHINE_GENERIC, [PTX_GLOBAL] = MACHINE_GLOBAL,  [PTX_SHARED] = MACHINE_SHARED,
        [PTX_LOCAL] = MACHINE_LOCAL,     [PTX_CONST] = MACHINE_CONSTANT, [PTX_PARAM] = MACHINE_CONSTANT};
    const struct ptx_site *site = &m->module->sites[instruction->site];
    size_t index = m->kernel->program.site_count++;
    m->kernel->module_sites[index] = (uint32_t)instruction->site;
    m->kernel->sites[index] = (struct match_site){
        .ptx_line = line_of(m, instruction),
        .kind = kind_of(site),
        .space = spaces[site->space],
        .bytes = site->bytes,
        .base = instruction->base == NO_SLOT ? 1 : instruction->base + 2,
        .offset = instruction->offset,
        .executed = true,
    };
}

static void add_branch(struct making *m, uint32_t at, uint32_t to_line)
{
    const struct instruction *instruction = &m->program->instructions[at];
    bool conditional = instruction->guard != NO_SLOT;
    size_t index = m->kernel->program.branch_count++;
    m->kernel->instructions[index] = at;
    m->kernel->branches[index] = (struct match_branch){
        .ptx_line = line_of(m, instruction),
        .target_line = to_line,
        .conditional = conditional,
        .diverges = conditional || instruction->flow == FLOW_TABLE,
    };
}

/* Where a branch leads; 0: behind the function's last instruction. */
static uint32_t target_line(const struct making *m, const struct function *function, uint32_t target)
{
    return target < function->end ? line_of(m, &m->program->instructions[target]) : 0;
}

static void add_instruction(struct making *m, const struct function *function, uint32_t at)
{
    const struct ptx_program *program = m->program;
    const struct instruction *instruction = &program->instructions[at];
    if (instruction->site >= 0)
        add_site(m, instruction);
    if (instruction->flow == FLOW_BRANCH)
        add_branch(m, at, target_line(m, function, instruction->target));
    if (instruction->flow == FLOW_RETURN)
        add_branch(m, at, 0);
    if (instruction->flow == FLOW_TABLE) {
        const uint32_t *list = &program->lists[instruction->table];
        for (uint32_t i = 1; i <= list[0]; i++)
            add_branch(m, at, target_line(m, function, list[i]));
    }
}

/* How many sites and branches there may be. */
static void measure(const struct making *m, const uint8_t *marks, size_t *sites, size_t *branches)
{
    for (unsigned f = 0; f < m->module->function_count; f++)
        for (uint32_t i = m->program->functions[f].first; marks[f] && i < m->program->functions[f].end; i++) {
            const struct instruction *instruction = &m->program->instructions[i];
            *sites += instruction->site >= 0;
            *branches += instruction->flow == FLOW_TABLE ? m->program->lists[instruction->table] : 1;
        }
}

struct placed {
    unsigned function;
    uint32_t first;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *one = a, *other = b;
    return one->first < other->first ? -1 : one->first > other->first;
}

/* In the order of the text, which is not that of the functions where one was declared ahead. */
static void make(struct making *m, const uint8_t *marks, unsigned entry, struct placed *order)
{
    struct match_program *program = &m->kernel->program;
    unsigned count = 0;
    for (unsigned f = 0; f < m->module->function_count; f++)
        if (marks[f])
            order[count++] = (struct placed){.function = f, .first = m->program->functions[f].first};
    qsort(order, count, sizeof *order, by_place);
    for (unsigned k = 0; k < count; k++) {
        const struct function *function = &m->program->functions[order[k].function];
        for (uint32_t i = function->first; i < function->end; i++)
            add_instruction(m, function, i);
        if (order[k].function == entry && function->first < function->end) {
            program->begin_line = line_of(m, &m->program->instructions[function->first]);
            program->end_line = line_of(m, &m->program->instructions[function->end - 1]);
        }
    }
    program->sites = m->kernel->sites;
    program->branches = m->kernel->branches;
}

int match_program_make(struct match_kernel *kernel, const struct ptx_module *module, unsigned entry,
                       struct error *error)
{
    struct making m = {.module = module, .program = module->program, .kernel = kernel};
    size_t sites = 0, branches = 0;
    int result = -1;
    *kernel = (struct match_kernel){0};
    uint8_t *marks = calloc((size_t)module->function_count + 1, 1);
    struct placed *order = calloc((size_t)module->function_count + 1, sizeof *order);
    if (!marks || !order)
        goto out;
    flow_reachable(module->program, entry, marks);
    measure(&m, marks, &sites, &branches);
    kernel->sites = calloc(sites + 1, sizeof *kernel->sites);
    kernel->module_sites = calloc(sites + 1, sizeof *kernel->module_sites);
    kernel->branches = calloc(branches + 1, sizeof *kernel->branches);
    kernel->instructions = calloc(branches + 1, sizeof *kernel->instructions);
    if (!kernel->sites || !kernel->module_sites || !kernel->branches || !kernel->instructions)
        goto out;
    make(&m, marks, entry, order);
    result = 0;
out:
    free(marks);
    free(order);
    if (result == 0)
        return 0;
    match_program_free(kernel);
    return error_set(error, ERROR_MEMORY, "no memory for a comparison with the machine code");
}

void match_program_free(struct match_kernel *kernel)
{
    free(kernel->sites);
    free(kernel->module_sites);
    free(kernel->branches);
    free(kernel->instructions);
    *kernel = (struct match_kernel){0};
}
