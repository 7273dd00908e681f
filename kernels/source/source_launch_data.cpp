#include "kernels/source/source_launch_data.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <set>
#include <string>

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

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether that line of the text, from 1, has the name as a word, and not as a member: blockIdx.x does not name x. */
static bool line_names(const char *text, int line, const char *name)
{
    for (int i = 1; text && i < line; i++) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    const char *end = text ? text + strcspn(text, "\n") : NULL;
    const size_t length = strlen(name);
    for (const char *at = text; at && (at = strstr(at, name)) && at < end; at += length)
        if ((at == text || (!is_of_name(at[-1]) && at[-1] != '.')) && !is_of_name(at[length]))
            return true;
    return false;
}

/* The text with blanks in place of comments. */
static std::string without_comments(const char *text)
{
    std::string code = text;
    for (size_t at = 0; at + 1 < code.size(); at++) {
        const bool line = code.compare(at, 2, "//") == 0;
        if (!line && code.compare(at, 2, "/*") != 0)
            continue;
        size_t end = line ? code.find('\n', at) : code.find("*/", at + 2);
        end = end == std::string::npos ? code.size() : line ? end : end + 2;
        for (; at < end; at++)
            code[at] = code[at] == '\n' ? '\n' : ' ';
    }
    return code;
}

/* Whether the array may get another name there: its address is taken, a reference is bound to it, or a macro names it. */
static bool is_renamed(const std::string &code, size_t at)
{
    const size_t start = at ? code.rfind('\n', at - 1) + 1 : 0;
    std::string before = code.substr(start, at - start);
    for (size_t both; (both = before.find("&&")) != std::string::npos;)
        before.erase(both, 2);
    return before.find('&') != std::string::npos || before.find("#define") != std::string::npos;
}

/* Returns the line, from 1, on which the kernel accesses the array, if it does on one line alone: 0, if on several; -1, if
   that is not known, because the array may have another name, or is never used. */
static int line_of_accesses(const source_kernel *kernel, const char *name)
{
    const std::string code = without_comments(kernel->draft.source);
    const size_t length = strlen(name), head = code.find(source_kernel_spoken(&kernel->kernel)),
                 body = head == std::string::npos ? head : code.find('{', head);
    int found = -1;
    for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + length)) {
        if ((at && (is_of_name(code[at - 1]) || code[at - 1] == '.')) || is_of_name(code[at + length]))
            continue;
        const bool inside = body != std::string::npos && at > body;
        const size_t next = code.find_first_not_of(' ', at + length);
        if ((inside && (next == std::string::npos || code[next] != '[' || is_renamed(code, at))) ||
            (!inside && code.substr(code.rfind('\n', at) + 1, 7) == "#define"))
            return -1;
        if (!inside)
            continue;
        const int line = 1 + (int)std::count(code.begin(), code.begin() + (std::ptrdiff_t)at, '\n');
        found = found < 0 || found == line ? line : 0;
    }
    return found;
}

/* Whether the line, from 1, accesses no memory for sure: it has braces, `else` and barriers alone, or gives a new scalar a
   value of constants and of the thread's place. An access that is told there was moved by the compiler. */
static bool line_accesses_nothing(const char *text, int line)
{
    static const std::set<std::string> types = {"int",    "unsigned", "const", "long",
                                                "size_t", "auto",     "float", "double"},
                                       places = {"blockIdx", "threadIdx", "blockDim", "gridDim",
                                                 "x",        "y",         "z"};
    std::string code = without_comments(text);
    for (int i = 1; i < line && !code.empty(); i++)
        code.erase(0, code.find('\n') == std::string::npos ? code.size() : code.find('\n') + 1);
    code.erase(std::min(code.size(), code.find('\n')));
    for (const char *word : {"__syncthreads()", "__syncwarp()", "else"})
        if (size_t at = code.find(word); at != std::string::npos)
            code.erase(at, strlen(word));
    if (code.find_first_of("[&>#") != std::string::npos)
        return false;
    bool typed = false, named = false;
    for (size_t at = 0; at < code.size();) {
        size_t end = at;
        while (end < code.size() && is_of_name(code[end]))
            end++;
        const std::string word = code.substr(at, end - at);
        at = std::max(end, at + 1);
        if (word.empty() || isdigit((unsigned char)word[0]) || places.count(word))
            continue;
        if (types.count(word))
            typed = true;
        else if (!typed || named)
            return false;
        else
            named = true;
    }
    return true;
}

ptx_position source_launch_data_place(const source_kernel *kernel, const ptx_position &position,
                                      const char *array, int joined[2])
{
    const char *text = kernel->draft.source;
    ptx_position place = position;
    joined[0] = joined[1] = 0;
    if (!text)
        return place;
    if (!array || !*array) {
        if (position.line > 0 && line_accesses_nothing(text, position.line))
            place.line = place.column = 0;
        return place;
    }
    if (position.line > 0 && line_names(text, position.line, array))
        return place;
    int line = -1;
    if (position.branch_lines[0]) {
        const bool first = line_names(text, position.branch_lines[0], array),
                   second = line_names(text, position.branch_lines[1], array);
        line = first && second ? 0
               : first         ? position.branch_lines[0]
               : second        ? position.branch_lines[1]
                               : -1;
        if (line == 0)
            std::copy(position.branch_lines, position.branch_lines + 2, joined);
    }
    if (line < 0)
        line = line_of_accesses(kernel, array);
    if (line < 0)
        return place;
    place.line = line;
    place.column = 0;
    return place;
}

void source_launch_data_fault(const source_kernel *kernel, const ptx_fault *found, struct source_fault *fault)
{
    ptx_fault at = *found;
    int joined[2] = {0, 0}, other[2] = {0, 0};
    if (found->at.site >= 0)
        at.at.position = source_launch_data_place(kernel, found->at.position, found->name, joined);
    if (found->has_other && found->other.site >= 0)
        at.other.position = source_launch_data_place(kernel, found->other.position, found->name, other);
    if (joined[0])
        at.at.position.line = joined[0];
    if (other[0])
        at.other.position.line = other[0];
    fault->line = std::max(0, at.at.position.line);
    fault->column = std::max(0, at.at.position.column);
    fault->ptx_line = at.at.position.ptx_line;
    fault->note = at.note;
    int used = ptx_fault_text(&at, fault->text, sizeof fault->text);
    if (joined[0] && used < (int)sizeof fault->text)
        used += snprintf(fault->text + used, sizeof fault->text - (size_t)used,
                         "; or it is in line %d: the compiler joined the accesses of both lines", joined[1]);
    if (other[0] && used < (int)sizeof fault->text)
        snprintf(fault->text + used, sizeof fault->text - (size_t)used,
                 "; the other access may be in line %d instead", other[1]);
}
