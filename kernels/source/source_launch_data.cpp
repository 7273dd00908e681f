#include "kernels/source/source_launch_data.h"

#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "kernels/source/access_line.h"

/* With the line of the source where it is known, of what is inlined that of the call in it. */
static void refuse(const ptx_problem &problem, const ptx_position &position, struct error *error)
{
    if (position.line > 0)
        error_set(error, ERROR_INVALID, "line %d: %s", position.line, problem.text);
    else
        error_set(error, ERROR_INVALID, "%s (line %d of the PTX)", problem.text, position.ptx_line);
}

ptx_module *source_launch_data_open(const struct source_kernel *kernel, const struct source_code *code,
                                    int *entry, struct error *error)
{
    ptx_problem problem = {};
    ptx_module *module = ptx_module_parse(code->ptx, code->ptx_bytes, &problem);
    if (!module && problem.no_memory)
        error_set(error, ERROR_MEMORY, "no memory for the PTX");
    else if (!module)
        refuse(problem, problem.position, error);
    if (!module)
        return nullptr;
    *entry = ptx_module_entry(module, code->symbol && *code->symbol ? code->symbol : nullptr);
    if (*entry < 0)
        error_set(error, ERROR_INVALID,
                  "the source has no kernel of that name, or more than one and no \"entry\"");
    else if (const ptx_problem *found = module->functions[*entry].problem)
        refuse(*found, ptx_module_position(module, &found->position), error);
    else if (module->functions[*entry].parameter_bytes != kernel->layout.parameter_bytes)
        error_set(error, ERROR_INVALID, "the function's parameters take %u bytes, the arguments take %u",
                  module->functions[*entry].parameter_bytes, kernel->layout.parameter_bytes);
    else
        return module;
    ptx_module_free(module);
    return nullptr;
}

void source_launch_data_make(source_launch_data &data, const struct experiment *experiment,
                             const ptx_module *module, int entry, bool contents)
{
    const source_kernel *kernel = source_kernel_of(experiment->kernel);
    struct domain domain = experiment_domain(experiment);
    uint64_t address[KERNEL_BUFFERS];
    for (int b = 0; b < kernel->kernel.buffer_count; b++) {
        uint64_t elements = kernel->kernel.elements(&domain, b);
        unsigned each = kernel->kernel.buffers[b].element_bytes;
        bool output = kernel->kernel.buffers[b].role == BUFFER_OUTPUT;
        data.bytes.emplace_back(contents ? new uint8_t[elements * each + 1] : nullptr);
        if (contents)
            source_launch_fill(kernel, b, 0, elements, data.bytes.back().get());
        data.buffers.push_back(
            {kernel->kernel.buffers[b].name, data.bytes.back().get(), elements * each, each, output, false});
        address[b] = ptx_launch_address((unsigned)b);
    }
    for (int c = 0; c < kernel->draft.constant_count; c++) {
        const source_constant &constant = kernel->draft.constant[c];
        size_t bytes = constant.value_count * source_type_component_bytes(constant.type.base);
        data.bytes.emplace_back(new uint8_t[bytes + 1]);
        source_launch_constant(&constant, data.bytes.back().get());
        data.settings.push_back({constant.name, data.bytes.back().get(), bytes});
    }
    source_launch_parameters(kernel, &domain, address, data.parameters);
    ptx_launch &launch = data.launch;
    launch.module = module;
    launch.entry = entry;
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = (uint32_t)experiment->grid[i];
        launch.block[i] = (uint32_t)experiment->block[i];
    }
    launch.budget.bytes = UINT64_C(512) << 20;
    launch.dynamic_shared_bytes = (uint32_t)experiment->shared_bytes;
    launch.parameters = data.parameters;
    launch.buffers = data.buffers.data();
    launch.buffer_count = (unsigned)data.buffers.size();
    launch.settings = data.settings.data();
    launch.setting_count = (unsigned)data.settings.size();
}

uint64_t source_launch_data_bytes(const struct experiment *experiment)
{
    const struct kernel *kernel = experiment->kernel;
    struct domain domain = experiment_domain(experiment);
    uint64_t bytes = 0;
    for (int b = 0; b < kernel->buffer_count && bytes <= SOURCE_COUNT_BYTES_MAX; b++) {
        uint64_t elements = kernel->elements(&domain, b), each = kernel->buffers[b].element_bytes;
        bytes += elements > SOURCE_COUNT_BYTES_MAX ? elements : elements * each;
    }
    return bytes;
}

/* Returns whether the array has as many elements as the size in a kernel with indices along y. Where the arguments were
   derived, the size may be one side of a matrix. */
static bool size_may_be_wrong(const source_kernel *kernel, const char *array)
{
    for (int i = 0; i < kernel->draft.argument_count; i++) {
        const source_argument &one = kernel->draft.argument[i];
        if (one.pointer && strcmp(one.name, array) == 0)
            return strcmp(one.elements, "size") == 0 && strstr(kernel->draft.source, "Idx.y");
    }
    return false;
}

void source_launch_data_fault(const source_kernel *kernel, const ptx_fault *found, struct source_fault *fault)
{
    ptx_fault at = *found;
    int joined[2] = {0, 0}, other[2] = {0, 0};
    if (found->at.site >= 0)
        at.at.position = access_line_find(kernel, found->at.position, found->name, joined);
    if (found->has_other && found->other.site >= 0)
        at.other.position = access_line_find(kernel, found->other.position, found->name, other);
    if (joined[0])
        at.at.position.line = joined[0];
    if (other[0])
        at.other.position.line = other[0];
    fault->line = std::max(0, at.at.position.line);
    fault->column = std::max(0, at.at.position.column);
    fault->ptx_line = at.at.position.ptx_line;
    fault->note = at.note;
    int used = ptx_fault_text(&at, fault->text, sizeof fault->text);
    if (found->kind == PTX_FAULT_OUTSIDE && found->name && used < (int)sizeof fault->text &&
        size_may_be_wrong(kernel, found->name))
        used += snprintf(fault->text + used, sizeof fault->text - (size_t)used,
                         ", as many as the size: describe all in \"arguments\" if it has others");
    if (joined[0] && used < (int)sizeof fault->text)
        used += snprintf(fault->text + used, sizeof fault->text - (size_t)used,
                         "; or it is in line %d: the compiler joined the accesses of both lines", joined[1]);
    if (other[0] && used < (int)sizeof fault->text)
        snprintf(fault->text + used, sizeof fault->text - (size_t)used,
                 "; the other access may be in line %d instead", other[1]);
}
