/* Calls, where lanes meet, layouts of shared and local memory. */
#include "ptx/flow.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/branch_lines.h"
#include "ptx/depends.h"
#include "ptx/flow_graph.h"

enum { CALLS_MAX = 64, WHITE = 0, GREY, BLACK };

static struct ptx_problem *own_problem(struct parser *parser, unsigned function, const char *text,
                                       const char *name)
{
    struct ptx_problem *problem = arena_new(&parser->program->arena, sizeof *problem);
    if (!problem) {
        parser_no_memory(parser);
        return NULL;
    }
    problem->position = parser->functions[function].position;
    strncat(problem->text, text, 120);
    strncat(problem->text, name, sizeof problem->text - 130);
    return problem;
}

/* Depth first over the calls: a function with a circle, or one that calls what is not understood, has a problem. */
static int follow_calls(struct parser *parser, unsigned index, unsigned depth)
{
    struct function *function = &parser->program->functions[index];
    function->color = GREY;
    for (size_t i = 0; i < function->callee_count && !parser->functions[index].problem; i++) {
        unsigned callee = function->callees[i];
        struct function *called = &parser->program->functions[callee];
        if (called->color == GREY || depth == CALLS_MAX) {
            parser->functions[index].problem =
                own_problem(parser, index, "recursion is not executed: ", parser->functions[callee].name);
            if (!parser->functions[index].problem)
                return -1;
            break;
        }
        if (called->color == WHITE && follow_calls(parser, callee, depth + 1))
            return -1;
        if (!called->defined && called->builtin == BUILTIN_NONE) {
            parser->functions[index].problem = own_problem(
                parser, index, "a function without a body is called: ", parser->functions[callee].name);
            if (!parser->functions[index].problem)
                return -1;
        } else if (parser->functions[callee].problem) {
            parser->functions[index].problem = parser->functions[callee].problem;
        }
        if (called->height + 1 > function->height)
            function->height = called->height + 1;
    }
    if (function->height > CALLS_MAX && !parser->functions[index].problem)
        parser->functions[index].problem = own_problem(parser, index, "more than 64 calls in each other", "");
    function->color = BLACK;
    return 0;
}

static void mark(const struct ptx_program *program, unsigned function, uint8_t *marks)
{
    marks[function] = 1;
    for (size_t i = 0; i < program->functions[function].callee_count; i++)
        if (!marks[program->functions[function].callees[i]])
            mark(program, program->functions[function].callees[i], marks);
}

void flow_reachable(const struct ptx_program *program, unsigned function, uint8_t *marks)
{
    mark(program, function, marks);
}

static uint64_t aligned(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

uint32_t flow_shared_layout(const struct ptx_module *module, const uint8_t *marks, uint32_t *offsets,
                            uint32_t *alignment)
{
    uint64_t bytes = 0;
    *alignment = 0;
    for (unsigned v = 0; v < module->variable_count; v++)
        offsets[v] = NO_SLOT;
    for (unsigned f = 0; f < module->function_count; f++)
        for (size_t i = 0; marks[f] && i < module->program->functions[f].constant_count; i++) {
            const struct constant *constant = &module->program->functions[f].constants[i];
            if (constant->what == CONSTANT_VARIABLE || constant->what == CONSTANT_GENERIC)
                offsets[constant->variable] = 0;
        }
    for (unsigned v = 0; v < module->variable_count; v++) {
        const struct ptx_variable *variable = &module->variables[v];
        if (variable->space != PTX_SHARED || offsets[v] == NO_SLOT) {
            offsets[v] = NO_SLOT;
        } else if (!variable->bytes) {
            *alignment = variable->alignment > *alignment ? variable->alignment : *alignment;
        } else {
            bytes = aligned(bytes, variable->alignment);
            offsets[v] = (uint32_t)bytes;
            bytes += variable->bytes;
        }
        if (bytes > UINT32_MAX / 2)
            return UINT32_MAX;
    }
    uint64_t dynamic = *alignment ? aligned(bytes, *alignment) : bytes;
    for (unsigned v = 0; v < module->variable_count; v++)
        if (offsets[v] != NO_SLOT && !module->variables[v].bytes)
            offsets[v] = (uint32_t)dynamic;
    return (uint32_t)bytes;
}

uint32_t flow_local_layout(const struct ptx_module *module, const uint8_t *marks, uint32_t *offsets)
{
    uint64_t bytes = 0;
    for (unsigned f = 0; f < module->function_count && bytes < UINT32_MAX / 2; f++) {
        bytes = aligned(bytes, 128);
        offsets[f] = (uint32_t)bytes;
        if (marks[f])
            bytes += module->program->functions[f].own_local_bytes;
    }
    return (uint32_t)bytes;
}

static int lay_out(struct parser *parser)
{
    struct ptx_module *module = parser->module;
    uint8_t *marks = malloc(module->function_count + 1u);
    uint32_t *offsets = malloc((module->variable_count + module->function_count + 1u) * sizeof *offsets),
             alignment;
    int result = 0;
    if (!marks || !offsets) {
        result = parser_no_memory(parser);
        goto out;
    }
    module->variables = parser->variables;
    module->program = parser->program;
    for (unsigned f = 0; f < module->function_count && !result; f++) {
        struct ptx_function *function = &parser->functions[f];
        if (!function->entry || function->problem)
            continue;
        memset(marks, 0, module->function_count);
        flow_reachable(parser->program, f, marks);
        function->shared_bytes = flow_shared_layout(module, marks, offsets, &alignment);
        function->dynamic_shared = alignment != 0;
        function->local_bytes = flow_local_layout(module, marks, offsets);
        if (function->shared_bytes > PTX_SHARED_BYTES_MAX || function->local_bytes > PTX_LOCAL_BYTES_MAX)
            function->problem = own_problem(parser, f,
                                            function->shared_bytes > PTX_SHARED_BYTES_MAX
                                                ? "more shared memory than a block may have"
                                                : "more local memory than a thread may have",
                                            "");
        result = function->problem || parser->failed ? -parser->failed : depends_find(parser, f, marks);
    }
out:
    free(marks);
    free(offsets);
    return result;
}

/* ---- where lanes meet ---- */

static bool leads_away(const struct instruction *i)
{
    return i->flow == FLOW_BRANCH || i->flow == FLOW_TABLE || i->flow == FLOW_RETURN;
}

/* Writes where an instruction jumps to, as points of its function; returns how many there are. `jumps` NULL: only counts. */
static size_t jumps_of(const struct ptx_program *program, const struct function *function, uint32_t at,
                       struct flow_jump *jumps)
{
    const struct instruction *i = &program->instructions[at];
    const uint32_t *targets = i->flow == FLOW_TABLE ? &program->lists[i->table + 1] : &i->target;
    size_t count = i->flow == FLOW_TABLE ? program->lists[i->table] : i->flow == FLOW_BRANCH;
    uint32_t from = at - function->first, end = function->end - function->first;
    if (i->flow == FLOW_RETURN) {
        if (jumps)
            *jumps = (struct flow_jump){from, end};
        return 1;
    }
    for (size_t k = 0; jumps && k < count; k++)
        jumps[k] = (struct flow_jump){from, targets[k] - function->first};
    return count;
}

/* Sets `reconverge` of what ends each block: the first instruction of its immediate post-dominator, or function->end; and
   the branch lines of accesses. */
static int find_meets(struct parser *parser, const struct function *function)
{
    struct ptx_program *program = parser->program;
    struct flow_graph graph = {0};
    uint32_t points = function->end - function->first;
    size_t count = 0, used = 0;
    int result = -1;
    for (uint32_t at = function->first; at < function->end; at++)
        count += jumps_of(program, function, at, NULL);
    bool *falls = calloc((size_t)points + 1, sizeof *falls);
    struct flow_jump *jumps = calloc(count + 1, sizeof *jumps);
    if (!falls || !jumps)
        goto out;
    for (uint32_t at = function->first; at < function->end; at++) {
        const struct instruction *i = &program->instructions[at];
        falls[at - function->first] = !leads_away(i) || i->guard != NO_SLOT;
        used += jumps_of(program, function, at, jumps + used);
    }
    if (flow_graph_build(&graph, points, falls, jumps, count, NULL) < 0)
        goto out;
    for (uint32_t b = 0; b < graph.count; b++) {
        uint32_t meets = graph.meets[b];
        program->instructions[function->first + graph.first[b + 1] - 1].reconverge =
            meets == FLOW_NONE ? function->end : function->first + graph.first[meets];
    }
    result = branch_lines_find(parser, function, &graph);
out:
    flow_graph_free(&graph);
    free(falls);
    free(jumps);
    return result;
}

int flow_link(struct parser *parser)
{
    parser->module->positions = parser->positions;
    parser->module->program = parser->program;
    for (unsigned f = 0; f < parser->module->function_count; f++) {
        struct function *function = &parser->program->functions[f];
        if (function->color == WHITE && follow_calls(parser, f, 0))
            return -1;
        if (function->defined && function->end > function->first && find_meets(parser, function))
            return parser_fail(parser, "the branches of %s are too many", parser->functions[f].name);
    }
    return lay_out(parser);
}
