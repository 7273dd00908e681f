#include "kernels/source/source_parameters.h"

#include <stdio.h>
#include <string.h>

#include "ptx/module.h"

static void read_constants(struct source_parameters *parameters, const struct ptx_module *module)
{
    for (unsigned v = 0; v < module->variable_count && parameters->constant_count < SOURCE_CONSTANTS; v++) {
        const struct ptx_variable *variable = &module->variables[v];
        struct source_code_constant *to = &parameters->constant[parameters->constant_count];
        if (variable->space != PTX_CONST || strlen(variable->name) >= sizeof to->name)
            continue;
        strcpy(to->name, variable->name);
        to->bytes = variable->bytes;
        parameters->constant_count++;
    }
}

void source_parameters_read(struct source_parameters *parameters, const struct source_code *code)
{
    struct ptx_problem problem = {.no_memory = false};
    struct ptx_module *module = ptx_module_parse(code->ptx, code->ptx_bytes, &problem);
    int entry = module ? ptx_module_entry(module, code->symbol && *code->symbol ? code->symbol : NULL) : -1;
    parameters->count = -1;
    parameters->constant_count = 0;
    if (module)
        read_constants(parameters, module);
    if (entry >= 0 && module->functions[entry].parameter_count <= SOURCE_PARAMETERS) {
        const struct ptx_function *function = &module->functions[entry];
        parameters->count = (int)function->parameter_count;
        for (int i = 0; i < parameters->count; i++)
            parameters->at[i] =
                (struct source_code_parameter){function->parameters[i].offset, function->parameters[i].bytes,
                                               function->parameters[i].type[0] == 'f'};
    }
    if (module)
        ptx_module_free(module);
}

/* Bytes of the slots from `first` to `end` - 1, which are one parameter, without what pads them. */
static unsigned bytes_of(const struct source_layout *layout, int first, int end)
{
    const struct source_slot *last = &layout->slot[end - 1];
    unsigned bytes = last->argument->pointer ? 8 : source_type_bytes(last->argument->type);
    return last->offset + bytes - layout->slot[first].offset;
}

static void check_one(const struct source_code_parameter *is, const struct source_layout *layout, int first,
                      int end, struct problems *problems)
{
    const struct source_argument *a = layout->slot[first].argument;
    unsigned bytes = bytes_of(layout, first, end);
    bool whole = a->field < 0 && a->type.width == 1, real = !a->pointer && source_type_is_real(a->type.base);
    char pointer[64];
    snprintf(pointer, sizeof pointer, "#/arguments/%d", a->index);
    if (bytes > is->bytes || (whole && bytes != is->bytes))
        problem_add(problems, pointer, "takes %u bytes, and parameter %d of the function has %u", bytes,
                    a->index + 1, is->bytes);
    else if (whole && is->real && !real)
        problem_add(problems, pointer,
                    "is an integer or a pointer, and parameter %d of the function is a "
                    "floating-point number",
                    a->index + 1);
    else if (layout->slot[first].offset != is->offset)
        problem_add(problems, pointer,
                    "lies at byte %u of the parameters, and parameter %d of the function at "
                    "byte %u",
                    layout->slot[first].offset, a->index + 1, is->offset);
}

static void check_constant(const struct source_code_constant *is, const struct source_constant *constant,
                           struct problems *problems)
{
    const unsigned each = source_type_component_bytes(constant->type.base);
    char pointer[64];
    snprintf(pointer, sizeof pointer, "#/constants/%s", is->name);
    if (strcmp(is->name, constant->name) == 0 && constant->value_count * each > is->bytes)
        problem_add(problems, pointer, "has %zu values of %u bytes, and the variable has %u bytes",
                    constant->value_count, each, (unsigned)is->bytes);
}

void source_parameters_check(const struct source_parameters *parameters, const struct source_kernel *kernel,
                             struct problems *problems)
{
    const struct source_layout *layout = &kernel->layout;
    int count = layout->slot_count ? layout->slot[layout->slot_count - 1].argument->index + 1 : 0;
    for (int c = 0; c < kernel->draft.constant_count; c++)
        for (int i = 0; i < parameters->constant_count && !problems_full(problems); i++)
            check_constant(&parameters->constant[i], &kernel->draft.constant[c], problems);
    if (parameters->count < 0 || problems_full(problems))
        return;
    if (count != parameters->count) {
        problem_add(problems, "#/arguments",
                    "%d argument%s described, the function that was compiled has %d parameter%s", count,
                    count == 1 ? " is" : "s are", parameters->count, parameters->count == 1 ? "" : "s");
        return;
    }
    for (int i = 0, end; i < layout->slot_count; i = end) {
        for (end = i + 1; end < layout->slot_count &&
                          layout->slot[end].argument->index == layout->slot[i].argument->index;)
            end++;
        check_one(&parameters->at[layout->slot[i].argument->index], layout, i, end, problems);
        if (problems_full(problems))
            return;
    }
}
