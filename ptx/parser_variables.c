/* Declarations of registers, variables and parameters. */
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

/* What stands between a space and a semicolon. */
struct declaration {
    unsigned alignment;
    enum ptx_type type;
    unsigned elements; /* .v2, .v4 */
    uint64_t bytes;
    bool unsized; /* name[] */
    struct lexer_token name;
};

static enum ptx_type type_word(struct parser *parser)
{
    const struct lexer_token *token = &parser->lexer.token;
    enum ptx_type type = PTX_NO_TYPE;
    if (token->kind == TOKEN_WORD && *token->text == '.')
        type = ptx_type_of(token->text + 1, token->length - 1);
    /* Handles, which only instructions that are not executed read. */
    if (lexer_is_word(&parser->lexer, ".texref") || lexer_is_word(&parser->lexer, ".surfref") ||
        lexer_is_word(&parser->lexer, ".samplerref"))
        type = PTX_U64;
    if (type == PTX_NO_TYPE) {
        parser_fail(parser, "%.*s where a type should be", (int)(token->length < 40 ? token->length : 40),
                    token->text);
        return type;
    }
    lexer_next(&parser->lexer);
    return type;
}

int parser_registers(struct parser *parser)
{
    struct function *function = parser_function(parser);
    enum ptx_type type = type_word(parser);
    if (type == PTX_NO_TYPE)
        return -1;
    uint64_t units = ptx_type_units(type);
    do {
        const struct lexer_token name = parser->lexer.token;
        int64_t count = 1;
        bool numbered = false;
        if (name.kind != TOKEN_WORD)
            return parser_fail(parser, "a register has no name");
        lexer_next(&parser->lexer);
        if (parser_has_mark(parser, '<')) {
            numbered = true;
            if (parser_integer(parser, &count) || parser_mark(parser, '>'))
                return -1;
        }
        uint32_t *used = units ? &function->slots : &function->predicates;
        uint64_t each = units ? units : 1;
        if (count < 0 || count > PTX_REGISTERS_MAX || *used + (uint64_t)count * each > PTX_REGISTERS_MAX)
            return parser_fail(parser, "more than %d registers", PTX_REGISTERS_MAX);
        struct symbol *symbol = parser_declare(parser, &name, SYMBOL_REGISTER);
        if (!symbol)
            return -1;
        symbol->type = type;
        symbol->index = *used;
        symbol->count = numbered ? (uint32_t)count + (count == 1) : 0; /* more than 1: a stem */
        *used += (uint32_t)((uint64_t)(numbered && count == 1 ? 2 : count) * each);
    } while (parser_has_mark(parser, ','));
    return parser_mark(parser, ';');
}

static int dimensions(struct parser *parser, struct declaration *d, uint64_t most)
{
    d->bytes = (uint64_t)ptx_types[d->type].bytes * d->elements;
    while (parser_has_mark(parser, '[')) {
        int64_t count;
        if (parser_has_mark(parser, ']')) {
            d->unsized = true;
            continue;
        }
        if (parser_integer(parser, &count) || parser_mark(parser, ']'))
            return -1;
        if (count < 0 || __builtin_mul_overflow(d->bytes, (uint64_t)count, &d->bytes) || d->bytes > most)
            return parser_fail(parser, "%.*s is larger than %llu bytes",
                               (int)(d->name.length < 100 ? d->name.length : 100), d->name.text,
                               (unsigned long long)most);
    }
    return 0;
}

static int declaration(struct parser *parser, struct declaration *d, uint64_t most)
{
    *d = (struct declaration){.elements = 1};
    for (;;) {
        int64_t alignment;
        if (parser_has_word(parser, ".align")) {
            if (parser_integer(parser, &alignment))
                return -1;
            if (alignment < 1 || alignment > 1 << 16 || (alignment & (alignment - 1)))
                return parser_fail(parser, "an alignment of %lld", (long long)alignment);
            d->alignment = (unsigned)alignment;
        } else if (parser_has_word(parser, ".v2")) {
            d->elements = 2;
        } else if (parser_has_word(parser, ".v4")) {
            d->elements = 4;
        } else if (parser_has_word(parser, ".attribute")) {
            while (parser->lexer.token.kind != TOKEN_END && !parser_has_mark(parser, ')'))
                lexer_next(&parser->lexer);
        } else if (parser_has_word(parser, ".ptr")) {
            continue;
        } else {
            break;
        }
    }
    d->type = type_word(parser);
    if (d->type == PTX_NO_TYPE)
        return -1;
    if (d->type == PTX_PRED)
        return parser_fail(parser, "a variable of predicates");
    d->name = parser->lexer.token;
    if (d->name.kind != TOKEN_WORD)
        return parser_fail(parser, "a variable has no name");
    lexer_next(&parser->lexer);
    unsigned natural = ptx_types[d->type].bytes * d->elements;
    if (!d->alignment)
        d->alignment = natural;
    return dimensions(parser, d, most);
}

static uint64_t aligned(uint64_t offset, unsigned alignment)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): declaration() leaves no alignment of 0 where it succeeds */
    return (offset + alignment - 1) / alignment * alignment;
}

/* ---- initialisers ---- */

struct initialiser {
    uint8_t *bytes;
    uint64_t at, size;
    enum ptx_type type;
    int variable;
};

static int address_value(struct parser *parser, struct initialiser *to, bool generic)
{
    const struct lexer_token name = parser->lexer.token;
    uint32_t number;
    int64_t addend = 0;
    lexer_next(&parser->lexer);
    const struct symbol *symbol = parser_find(parser, name.text, name.length, &number);
    if (generic && parser_mark(parser, ')'))
        return -1;
    if (parser_has_mark(parser, '+') && parser_integer(parser, &addend))
        return -1;
    if (!symbol || symbol->kind != SYMBOL_VARIABLE)
        return 0; /* a function: nothing that is executed reads it */
    struct ptx_program *program = parser->program;
    if (arena_grow((void **)&program->relocations, program->relocation_count, &program->relocation_allocated,
                   sizeof *program->relocations, 1 << 20))
        return parser_no_memory(parser);
    if (ptx_types[to->type].bytes != 8)
        return parser_fail(parser, "an address in .%s", ptx_types[to->type].name);
    program->relocations[program->relocation_count++] =
        (struct relocation){to->variable, (int)symbol->index, to->at, (uint64_t)addend, generic};
    return 0;
}

static int number_value(struct parser *parser, uint64_t *bits, enum ptx_type type)
{
    bool minus = parser_has_mark(parser, '-');
    const struct lexer_token *token = &parser->lexer.token;
    *bits = minus ? 0 - token->bits : token->bits;
    if (token->kind == TOKEN_FLOAT && type == PTX_F64)
        *bits = lanes_f64_bits(minus ? -(double)lanes_f32((uint32_t)token->bits)
                                     : (double)lanes_f32((uint32_t)token->bits));
    else if (token->kind == TOKEN_FLOAT)
        *bits = token->bits ^ (minus ? UINT64_C(1) << 31 : 0);
    else if (token->kind == TOKEN_DOUBLE && type == PTX_F32)
        *bits = lanes_f32_bits((float)lanes_f64(token->bits)) ^ (minus ? UINT64_C(1) << 31 : 0);
    else if (token->kind == TOKEN_DOUBLE)
        *bits = token->bits ^ (minus ? UINT64_C(1) << 63 : 0);
    else if (token->kind != TOKEN_NUMBER)
        return parser_fail(parser, "%.*s where a value should be",
                           (int)(token->length < 40 ? token->length : 40), token->text);
    lexer_next(&parser->lexer);
    return 0;
}

static int values(struct parser *parser, struct initialiser *to)
{
    int depth = 0;
    do {
        uint64_t bits = 0;
        unsigned bytes = ptx_types[to->type].bytes;
        while (parser_has_mark(parser, '{'))
            depth++;
        if (to->size - to->at < bytes)
            return parser_fail(parser, "more values than the variable has");
        if (parser_has_word(parser, "generic")) {
            if (parser_mark(parser, '(') || address_value(parser, to, true))
                return -1;
        } else if (parser->lexer.token.kind == TOKEN_WORD) {
            if (address_value(parser, to, false))
                return -1;
        } else if (number_value(parser, &bits, to->type)) {
            return -1;
        }
        memcpy(to->bytes + to->at, &bits, bytes);
        to->at += bytes;
        while (depth && parser_has_mark(parser, '}'))
            depth--;
    } while (parser_has_mark(parser, ','));
    return depth ? parser_mark(parser, '}') : 0;
}

/* ---- variables ---- */

static const struct {
    const char *word;
    enum ptx_space space;
    uint64_t most;
} spaces[] = {
    {".global", PTX_GLOBAL, PTX_VARIABLE_BYTES_MAX}, {".const", PTX_CONST, 65536},
    {".shared", PTX_SHARED, PTX_SHARED_BYTES_MAX},   {".local", PTX_LOCAL, PTX_LOCAL_BYTES_MAX},
    {".param", PTX_PARAM, PTX_PARAM_BYTES_MAX},
};

/* In a thread's memory: .local, and .param of a call. */
static int local_variable(struct parser *parser, const struct declaration *d, bool parameter)
{
    if (parser->function < 0)
        return parser_fail(parser, "a .local variable outside of a function");
    struct function *function = parser_function(parser);
    uint64_t offset = aligned(function->own_local_bytes, d->alignment);
    if (offset + d->bytes > PTX_LOCAL_BYTES_MAX)
        return parser_fail(parser, "more than %d bytes of a thread's memory", PTX_LOCAL_BYTES_MAX);
    struct symbol *symbol = parser_declare(parser, &d->name, SYMBOL_LOCAL);
    if (!symbol)
        return -1;
    symbol->index = (uint32_t)offset;
    symbol->bytes = (uint32_t)d->bytes;
    symbol->parameter = parameter;
    function->own_local_bytes = (uint32_t)(offset + d->bytes);
    return parser_mark(parser, ';');
}

static int add_variable(struct parser *parser, const struct declaration *d, enum ptx_space space)
{
    struct ptx_module *module = parser->module;
    if (arena_grow((void **)&parser->variables, module->variable_count, &parser->variable_allocated,
                   sizeof *parser->variables, 4096))
        return parser_fail(parser, "more than 4096 variables");
    struct symbol *symbol = parser_declare(parser, &d->name, SYMBOL_VARIABLE);
    const char *name = arena_text(&parser->program->arena, d->name.text, d->name.length);
    if (!symbol)
        return -1;
    if (!name)
        return parser_no_memory(parser);
    symbol->index = module->variable_count;
    struct ptx_variable *variable = &parser->variables[module->variable_count++];
    *variable = (struct ptx_variable){
        .name = name, .space = space, .alignment = d->alignment, .bytes = d->unsized ? 0 : d->bytes};
    if (space != PTX_SHARED) {
        parser->variable_bytes += d->bytes;
        if (parser->variable_bytes > PTX_VARIABLE_BYTES_MAX)
            return parser_fail(parser, "more than %d bytes of variables", PTX_VARIABLE_BYTES_MAX);
    }
    return 0;
}

int parser_variable(struct parser *parser, bool external)
{
    struct declaration d;
    size_t i = 0, count = sizeof spaces / sizeof *spaces;
    while (i < count && !parser_has_word(parser, spaces[i].word))
        i++;
    const struct lexer_token *token = &parser->lexer.token;
    if (i == count)
        return parser_fail(parser, "%.*s is not known", (int)(token->length < 100 ? token->length : 100),
                           token->text);
    if (declaration(parser, &d, spaces[i].most))
        return -1;
    enum ptx_space space = spaces[i].space;
    if (space == PTX_LOCAL || space == PTX_PARAM)
        return local_variable(parser, &d, space == PTX_PARAM);
    if (external && space != PTX_SHARED)
        return parser_fail(parser, "%.*s is in another module",
                           (int)(d.name.length < 100 ? d.name.length : 100), d.name.text);
    if (add_variable(parser, &d, space))
        return -1;
    struct ptx_variable *variable = &parser->variables[parser->module->variable_count - 1];
    if (parser_has_mark(parser, '=')) {
        struct initialiser to = {NULL, 0, variable->bytes, d.type, (int)parser->module->variable_count - 1};
        if (space == PTX_SHARED)
            return parser_fail(parser, "shared memory has no values to begin with");
        to.bytes = arena_new(&parser->program->arena, variable->bytes + 1);
        if (!to.bytes)
            return parser_no_memory(parser);
        variable->bytes_initial = to.bytes;
        if (values(parser, &to))
            return -1;
    }
    return parser_mark(parser, ';');
}

int parser_parameter(struct parser *parser, struct ptx_parameter *parameter, struct lexer_token *name,
                     uint32_t *bytes)
{
    struct declaration d;
    *parameter = (struct ptx_parameter){0};
    /* .param .u64 .ptr .global .align 8 name: the type stands first, then what it points to. */
    unsigned alignment = 0;
    int64_t number;
    if (parser_has_word(parser, ".align")) {
        if (parser_integer(parser, &number))
            return -1;
        if (number < 1 || number > 128 || (number & (number - 1)))
            return parser_fail(parser, "an alignment of %lld", (long long)number);
        alignment = (unsigned)number;
    }
    d = (struct declaration){.elements = 1, .type = type_word(parser)};
    if (d.type == PTX_NO_TYPE || d.type == PTX_PRED)
        return parser_fail(parser, "a parameter of predicates");
    while (lexer_is_word(&parser->lexer, ".ptr") || lexer_is_word(&parser->lexer, ".global") ||
           lexer_is_word(&parser->lexer, ".const") || lexer_is_word(&parser->lexer, ".shared") ||
           lexer_is_word(&parser->lexer, ".local") || lexer_is_word(&parser->lexer, ".align")) {
        bool align = lexer_is_word(&parser->lexer, ".align");
        parameter->pointer = true;
        lexer_next(&parser->lexer);
        if (align && parser_integer(parser, &number))
            return -1;
    }
    d.name = parser->lexer.token;
    if (d.name.kind != TOKEN_WORD)
        return parser_fail(parser, "a parameter has no name");
    lexer_next(&parser->lexer);
    if (dimensions(parser, &d, PTX_PARAM_BYTES_MAX))
        return -1;
    if (!alignment)
        alignment = ptx_types[d.type].bytes;
    uint64_t offset = aligned(*bytes, alignment);
    if (offset + d.bytes > PTX_PARAM_BYTES_MAX)
        return parser_fail(parser, "more than %d bytes of parameters", PTX_PARAM_BYTES_MAX);
    parameter->name = arena_text(&parser->program->arena, d.name.text, d.name.length);
    if (!parameter->name)
        return parser_no_memory(parser);
    parameter->offset = (unsigned)offset;
    parameter->bytes = (unsigned)d.bytes;
    parameter->alignment = alignment;
    parameter->type = ptx_types[d.type].name;
    *name = d.name;
    *bytes = (uint32_t)(offset + d.bytes);
    return 0;
}
