/* What a user asks of a module. */
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/program.h"

static void free_program(struct ptx_program *program, unsigned functions)
{
    for (unsigned i = 0; program->functions && i < functions; i++) {
        free(program->functions[i].constants);
        free(program->functions[i].specials);
        free(program->functions[i].callees);
    }
    free(program->functions);
    free(program->instructions);
    free(program->lines);
    free(program->lists);
    free(program->relocations);
    arena_free(&program->arena);
    free(program);
}

void ptx_module_free(struct ptx_module *module)
{
    if (!module)
        return;
    free_program((struct ptx_program *)module->program, module->function_count);
    free((void *)module->functions);
    free((void *)module->variables);
    free((void *)module->sites);
    free((void *)module->positions);
    free((void *)module->files);
    free(module);
}

int ptx_module_entry(const struct ptx_module *module, const char *name)
{
    int found = -1;
    for (unsigned i = 0; i < module->function_count; i++) {
        if (!module->functions[i].entry || (name && strcmp(module->functions[i].name, name) != 0))
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* The position of the call; NULL: there is none. */
static const struct ptx_position *call_of(const struct ptx_module *module,
                                          const struct ptx_position *position)
{
    unsigned call = (unsigned)position->inlined_at;
    return position->inlined_at >= 0 && call < module->position_count ? &module->positions[call] : NULL;
}

struct ptx_position ptx_module_position(const struct ptx_module *module, const struct ptx_position *position)
{
    const struct ptx_position *outermost = position, *next;
    const int ptx_line = position->ptx_line, *branch_lines = position->branch_lines;
    struct ptx_position found;
    unsigned calls = 0;
    while (calls++ < module->position_count && (next = call_of(module, outermost)))
        outermost = next;
    while (position->file != outermost->file && (next = call_of(module, position)))
        position = next;
    found = *position;
    found.ptx_line = ptx_line;
    memcpy(found.branch_lines, branch_lines, sizeof found.branch_lines);
    return found;
}

const char *ptx_space_name(enum ptx_space space)
{
    static const char *const names[PTX_SPACES] = {"generic", "global", "shared", "local", "const", "param"};
    return (unsigned)space < PTX_SPACES ? names[space] : "";
}
