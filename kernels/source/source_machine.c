/* machine_match.h, asked for a launch. */
#include "kernels/source/source_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/time/code_reader.h"
#include "ptx/cubin.h"
#include "ptx/machine_match.h"
#include "ptx/match_program.h"
#include "ptx/match_text.h"
#include "ptx/program.h"

enum { PLACES = 16 }; /* the widest access that others are joined into */

struct source_machine {
    const struct ptx_module *module;
    struct cubin *cubin;
    const struct cubin_entry *entry; /* of cubin */
    struct match_kernel kernel;
    struct match_result result;
    struct source_machine_access *accesses; /* of each of module->sites */
    uint8_t *parted;                        /* of each instruction of the program */
    bool again;                             /* was answered */
};

static int no_memory(struct error *error)
{
    return error_set(error, ERROR_MEMORY, "no memory for a comparison with the machine code");
}

/* Of a match, how each access is counted. Returns whether that is otherwise than before. */
static bool take_accesses(struct source_machine *m)
{
    bool changed = false;
    for (size_t i = 0; i < m->result.count; i++) {
        const struct match_verdict *verdict = &m->result.verdicts[i];
        const struct match_site *site = &m->kernel.sites[i];
        struct source_machine_access now = {.bytes = site->bytes}, *known;
        if (verdict->leader != i)
            now = (struct source_machine_access){.joined = true};
        else if (verdict->bytes > site->bytes && verdict->how != MATCH_WIDER)
            now = (struct source_machine_access){.bytes = verdict->bytes, .moved = verdict->moved};
        known = &m->accesses[m->kernel.module_sites[i]];
        changed |= known->joined != now.joined || known->bytes != now.bytes || known->moved != now.moved;
        *known = now;
    }
    return changed;
}

static int open_machine(struct source_machine *m, unsigned entry, const void *cubin, size_t bytes,
                        struct error *error)
{
    const char *name = m->module->functions[entry].name;
    m->accesses = calloc((size_t)m->module->site_count + 1, sizeof *m->accesses);
    m->parted = calloc(m->module->program->instruction_count + 1, sizeof *m->parted);
    if (!m->accesses || !m->parted)
        return no_memory(error);
    for (unsigned s = 0; s < m->module->site_count; s++)
        m->accesses[s].bytes = m->module->sites[s].bytes;
    if (cubin_read(&m->cubin, cubin, bytes, error) < 0)
        return -1;
    m->entry = cubin_entry_find(m->cubin, name);
    if (!m->entry)
        return error_set(error, ERROR_INVALID, "the machine code has no kernel %.80s", name);
    if (match_program_make(&m->kernel, m->module, entry, error) < 0 ||
        machine_match_run(&m->result, &m->kernel.program, m->entry, error) < 0)
        return -1;
    take_accesses(m);
    return 0;
}

int source_machine_new(struct source_machine **machine, const struct ptx_module *module, unsigned entry,
                       const void *cubin, size_t bytes, struct error *error)
{
    struct source_machine *made = calloc(1, sizeof *made);
    *machine = NULL;
    if (!made)
        return no_memory(error);
    made->module = module;
    if (open_machine(made, entry, cubin, bytes, error) < 0) {
        source_machine_free(made);
        return -1;
    }
    *machine = made;
    return 0;
}

void source_machine_free(struct source_machine *machine)
{
    if (!machine)
        return;
    machine_match_free(&machine->result);
    match_program_free(&machine->kernel);
    cubin_free(machine->cubin);
    free(machine->accesses);
    free(machine->parted);
    free(machine);
}

uint8_t *source_machine_parted(struct source_machine *machine)
{
    return machine->parted;
}

const struct source_machine_access *source_machine_access_of(const struct source_machine *machine, int site)
{
    return &machine->accesses[site];
}

int source_machine_tell(const struct source_machine *m, struct source_count *count, struct error *error)
{
    struct error why = {0};
    if (!m) {
        snprintf(count->no_code, sizeof count->no_code,
                 "there is no machine code of it for this architecture");
        return 0;
    }
    count->registers =
        m->entry->registers < SOURCE_COUNT_REGISTERS ? m->entry->registers : SOURCE_COUNT_REGISTERS;
    count->has_code = code_reader_read(&count->code, m->entry, &why) == 0;
    if (!count->has_code) {
        count->code = (struct code){0};
        snprintf(count->no_code, sizeof count->no_code, "%.159s", why.text);
    }
    return why.kind == ERROR_MEMORY ? error_set(error, why.kind, "%s", why.text) : 0;
}

/* ---- what differs ---- */

static void take_seen(struct source_machine *m, const struct source_machine_seen *seen)
{
    for (size_t i = 0; i < m->kernel.program.site_count; i++) {
        const struct source_machine_seen *one = &seen[m->kernel.module_sites[i]];
        struct match_site *site = &m->kernel.sites[i];
        uint32_t modulo = 1;
        while (modulo < PLACES && !(one->varies & modulo))
            modulo *= 2;
        site->executed = one->executed;
        site->modulo = one->executed ? modulo : 0;
        site->place = one->place % modulo;
    }
    for (size_t i = 0; i < m->kernel.program.branch_count; i++)
        m->kernel.branches[i].diverges = m->parted[m->kernel.instructions[i]];
}

static bool is_counted(enum machine_space space)
{
    return space == MACHINE_GLOBAL || space == MACHINE_SHARED || space == MACHINE_GENERIC;
}

/* The line of the source that a line of the PTX was made of; 0: not known. */
static int source_line(const struct source_machine *m, uint32_t ptx_line)
{
    const struct ptx_program *program = m->module->program;
    int line = 0;
    for (size_t i = 0; ptx_line && i < program->line_count; i++)
        if (program->lines[i].ptx_line == (int)ptx_line)
            line = ptx_module_position(m->module, &program->lines[i]).line;
    return line > 0 ? line : 0;
}

/* The first access, by lines of the source, whose count is not the machine's; its index, or the number of sites. One
   whose line is not known comes last. */
static size_t find_different(const struct source_machine *m, const struct source_machine_seen *seen,
                             int *line)
{
    size_t found = m->result.count;
    for (size_t i = 0; i < m->result.count; i++) {
        const struct match_site *site = &m->kernel.sites[i];
        if (!site->executed || !is_counted(site->space) || m->result.verdicts[i].how < MATCH_REGISTERS)
            continue;
        int here = seen[m->kernel.module_sites[i]].line;
        if (found == m->result.count || (here && (!*line || here < *line))) {
            found = i;
            *line = here;
        }
    }
    return found;
}

/* A sentence with its line, and with that of the access where it is another one. */
static void say_line(char *why, size_t bytes, int line, int access_line, const char *what)
{
    char before[24] = "", after[24] = "";
    if (line)
        snprintf(before, sizeof before, "line %d: ", line);
    if (line && access_line && access_line != line)
        snprintf(after, sizeof after, " in line %d", access_line);
    snprintf(why, bytes, "%s%s%s", before, what, after);
}

static void say_different(const struct source_machine *m, const struct source_machine_seen *seen, char *why,
                          size_t bytes)
{
    char what[256] = "what the machine code does is not known";
    int access_line = 0, line = 0;
    size_t site = find_different(m, seen, &access_line);
    line = access_line;
    if (site < m->result.count) {
        if (m->result.verdicts[site].how == MATCH_APART)
            line = source_line(m, m->result.verdicts[site].branch_line);
        match_text_write(&m->kernel.sites[site], &m->result.verdicts[site], what, sizeof what);
    } else {
        for (size_t i = 0; i < m->result.extra_count && !line; i++)
            line = source_line(m, m->result.extras[i].ptx_line);
        if (m->result.extra_count)
            snprintf(what, sizeof what, "the machine code accesses memory where the PTX does not");
    }
    say_line(why, bytes, line, access_line, what);
}

int source_machine_judge(struct source_machine *m, const struct source_machine_seen *seen,
                         enum source_machine_verdict *verdict, char *why, size_t why_bytes,
                         struct error *error)
{
    take_seen(m, seen);
    machine_match_free(&m->result);
    if (machine_match_run(&m->result, &m->kernel.program, m->entry, error) < 0)
        return -1;
    bool changed = take_accesses(m);
    *verdict = SOURCE_MACHINE_EXACT;
    if (changed && !m->again) {
        m->again = true;
        *verdict = SOURCE_MACHINE_AGAIN;
    } else if (changed || !m->result.global_exact || !m->result.shared_exact) {
        *verdict = SOURCE_MACHINE_DIFFERS;
        say_different(m, seen, why, why_bytes);
    }
    return 0;
}
