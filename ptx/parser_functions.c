/* Entries and device functions: parameters, directives, statements. */
#include "ptx/parser.h"

#include <string.h>

#include "ptx/decode.h"

enum { FUNCTIONS_MAX = 4096 };

static const struct {
    const char *name;
    int builtin;
} builtins[] = {{"vprintf", BUILTIN_PRINT}, {"__assertfail", BUILTIN_ASSERT}};

/* The function of that name, which is added when it is new. */
int parser_function_of(struct parser *parser, const struct lexer_token *name)
{
    uint32_t number;
    struct ptx_module *module = parser->module;
    const struct symbol *known = parser_find(parser, name->text, name->length, &number);
    if (known && known->kind == SYMBOL_FUNCTION)
        return (int)known->index;
    if (arena_grow((void **)&parser->functions, module->function_count, &parser->function_allocated,
                   sizeof *parser->functions, FUNCTIONS_MAX) ||
        arena_grow((void **)&parser->program->functions, module->function_count, &parser->function_space,
                   sizeof *parser->program->functions, FUNCTIONS_MAX))
        return parser_fail(parser, "more than %d functions", FUNCTIONS_MAX);
    struct symbol *symbol = parser_declare(parser, name, SYMBOL_FUNCTION);
    const char *text = arena_text(&parser->program->arena, name->text, name->length);
    if (!symbol)
        return -1;
    if (!text)
        return parser_no_memory(parser);
    symbol->index = module->function_count;
    parser->functions[module->function_count] = (struct ptx_function){.name = text};
    struct function *function = &parser->program->functions[module->function_count];
    *function = (struct function){.predicates = 2 /* false, true */};
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(text, builtins[i].name) == 0)
            function->builtin = builtins[i].builtin;
    return (int)module->function_count++;
}

static int entry_parameters(struct parser *parser, struct ptx_function *of)
{
    struct ptx_parameter *list = NULL;
    uint32_t bytes = 0;
    struct ptx_parameter read[256];
    if (!parser_has_mark(parser, '('))
        return 0;
    if (parser_has_mark(parser, ')'))
        return 0;
    do {
        struct lexer_token name;
        if (of->parameter_count == sizeof read / sizeof *read)
            return parser_fail(parser, "more than 256 parameters");
        if (!parser_has_word(parser, ".param"))
            return parser_fail(parser, "a parameter begins with .param");
        struct ptx_parameter *parameter = &read[of->parameter_count++];
        if (parser_parameter(parser, parameter, &name, &bytes))
            return -1;
        struct symbol *symbol = parser_declare(parser, &name, SYMBOL_PARAMETER);
        if (!symbol)
            return -1;
        symbol->index = parameter->offset;
        symbol->bytes = parameter->bytes;
    } while (parser_has_mark(parser, ','));
    list = arena_new(&parser->program->arena, of->parameter_count * sizeof *list);
    if (!list)
        return parser_no_memory(parser);
    memcpy(list, read, of->parameter_count * sizeof *list);
    of->parameters = list;
    of->parameter_bytes = bytes;
    return parser_mark(parser, ')');
}

/* One of a device function: it lies in a thread's memory. */
static int formal(struct parser *parser, struct function *function, struct parameter_place *place)
{
    struct ptx_parameter parameter;
    struct lexer_token name;
    if (lexer_is_word(&parser->lexer, ".reg"))
        return parser_fail(parser, "parameters in registers are not executed yet");
    if (!parser_has_word(parser, ".param"))
        return parser_fail(parser, "a parameter begins with .param");
    uint32_t bytes = (function->own_local_bytes + 15) / 16 * 16;
    if (parser_parameter(parser, &parameter, &name, &bytes))
        return -1;
    struct symbol *symbol = parser_declare(parser, &name, SYMBOL_LOCAL);
    if (!symbol)
        return -1;
    symbol->index = parameter.offset;
    symbol->bytes = parameter.bytes;
    symbol->parameter = true;
    *place = (struct parameter_place){parameter.offset, parameter.bytes};
    function->own_local_bytes = bytes;
    return 0;
}

static int formals(struct parser *parser, struct function *function)
{
    struct parameter_place places[256];
    function->formal_count = 0;
    if (!parser_has_mark(parser, '(') || parser_has_mark(parser, ')'))
        return 0;
    do {
        if (function->formal_count == sizeof places / sizeof *places)
            return parser_fail(parser, "more than 256 parameters");
        if (formal(parser, function, &places[function->formal_count]))
            return -1;
        function->formal_count++;
    } while (parser_has_mark(parser, ','));
    function->formals = arena_new(&parser->program->arena, sizeof places);
    if (!function->formals)
        return parser_no_memory(parser);
    memcpy(function->formals, places, sizeof places);
    return parser_mark(parser, ')');
}

/* .maxntid 256, 1, 1 and its like, up to the body. */
static int performance(struct parser *parser, struct ptx_function *of)
{
    while (parser->lexer.token.kind == TOKEN_WORD && *parser->lexer.token.text == '.') {
        bool exact = lexer_is_word(&parser->lexer, ".reqntid");
        bool threads = exact || lexer_is_word(&parser->lexer, ".maxntid");
        if (parser_has_word(parser, ".pragma")) {
            while (parser->lexer.token.kind != TOKEN_END && !parser_has_mark(parser, ';'))
                lexer_next(&parser->lexer);
            continue;
        }
        if (lexer_is_word(&parser->lexer, ".reqnctapercluster") ||
            lexer_is_word(&parser->lexer, ".explicitcluster"))
            return parser_fail(parser, "clusters of blocks are not executed yet");
        lexer_next(&parser->lexer);
        for (unsigned axis = 0; parser->lexer.token.kind == TOKEN_NUMBER; axis++) {
            int64_t value;
            if (parser_integer(parser, &value))
                return -1;
            if (threads && axis < 3)
                of->max_threads[axis] = value > 0 && value < 1 << 20 ? (unsigned)value : 0;
            if (!parser_has_mark(parser, ','))
                break;
        }
        for (unsigned axis = 0; threads && axis < 3; axis++)
            of->max_threads[axis] += !of->max_threads[axis];
        of->max_is_exact |= exact;
    }
    return 0;
}

/* A function that is not understood is known by its problem; the others may be executed. */
static int give_up(struct parser *parser, int index, const struct lexer *begin)
{
    struct ptx_problem *problem = arena_new(&parser->program->arena, sizeof *problem);
    if (parser->problem->no_memory || !problem)
        return -1;
    *problem = *parser->problem;
    *parser->problem = (struct ptx_problem){.position = {.file = -1, .inlined_at = -1}};
    parser->failed = false;
    parser->functions[index].problem = problem;
    parser->lexer = *begin;
    parser_drop_scopes(parser);
    parser->program->instruction_count = parser->program->functions[index].first;
    for (unsigned depth = 1; depth && parser->lexer.token.kind != TOKEN_END; lexer_next(&parser->lexer))
        depth = depth + lexer_is_mark(&parser->lexer, '{') - lexer_is_mark(&parser->lexer, '}');
    return 0;
}

static int define(struct parser *parser, int index)
{
    struct function *function = &parser->program->functions[index];
    function->defined = true;
    parser->functions[index].position =
        (struct ptx_position){.ptx_line = parser->lexer.token.line, .file = -1, .inlined_at = -1};
    function->first = (uint32_t)parser->program->instruction_count;
    if (parser_mark(parser, '{'))
        return -1;
    const struct lexer begin = parser->lexer;
    if ((parser_statements(parser) || decode_return(parser) || parser_close_scope(parser)) &&
        give_up(parser, index, &begin))
        return -1;
    parser->program->functions[index].end = (uint32_t)parser->program->instruction_count;
    return 0;
}

/* The name of a function, and its number; the lexer stays where it is. The name belongs to the module, while what
   stands before and behind it belongs to the function. */
static int function_ahead(struct parser *parser, bool has_result)
{
    const struct lexer here = parser->lexer;
    while (has_result && parser->lexer.token.kind != TOKEN_END && !parser_has_mark(parser, ')'))
        lexer_next(&parser->lexer);
    const struct lexer_token name = parser->lexer.token;
    int index = -1;
    uint32_t number;
    const struct symbol *known = NULL;
    if (name.kind != TOKEN_WORD)
        parser_fail(parser, "a function has no name");
    else if ((known = parser_find(parser, name.text, name.length, &number)) && known->kind != SYMBOL_FUNCTION)
        parser_fail(parser, "%.*s is declared twice", (int)(name.length < 100 ? name.length : 100),
                    name.text);
    else
        index = parser_function_of(parser, &name);
    if (!parser->failed)
        parser->lexer = here;
    return index;
}

static int head(struct parser *parser, int index, bool entry, bool has_result)
{
    struct function *function = &parser->program->functions[index];
    if (!function->defined) {
        function->own_local_bytes = 0;
        function->result = (struct parameter_place){0};
    }
    if (has_result) {
        lexer_next(&parser->lexer);
        if (!lexer_is_mark(&parser->lexer, ')') && formal(parser, function, &function->result))
            return -1;
        if (parser_mark(parser, ')'))
            return -1;
    }
    lexer_next(&parser->lexer); /* its name */
    parser->functions[index].entry = entry;
    parser->functions[index].parameter_count = 0;
    if (entry ? entry_parameters(parser, &parser->functions[index]) : formals(parser, function))
        return -1;
    return performance(parser, &parser->functions[index]);
}

int parser_read_function(struct parser *parser, bool entry)
{
    bool has_result = !entry && lexer_is_mark(&parser->lexer, '(');
    parser->position = (struct ptx_position){.file = -1, .inlined_at = -1};
    parser->line = NO_SLOT;
    memset(parser->constant_cache, 0, sizeof parser->constant_cache);
    int index = function_ahead(parser, has_result);
    if (index < 0)
        return -1;
    if (parser->program->functions[index].defined)
        return parser_fail(parser, "%s is declared again", parser->functions[index].name);
    if (parser_open_scope(parser))
        return -1;
    parser->function = index;
    if (head(parser, index, entry, has_result))
        return -1;
    int result = parser_has_mark(parser, ';') ? parser_close_scope(parser) : define(parser, index);
    parser->function = -1;
    return result;
}
