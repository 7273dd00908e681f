/* Reads a module: directives, and what they begin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/flow.h"

/* Behind .section: its name and its braces are of no meaning here. */
static int skip_section(struct parser *parser)
{
    while (parser->lexer.token.kind != TOKEN_END && !lexer_is_mark(&parser->lexer, '{'))
        lexer_next(&parser->lexer);
    while (parser->lexer.token.kind != TOKEN_END && !lexer_is_mark(&parser->lexer, '}'))
        lexer_next(&parser->lexer);
    return parser_mark(parser, '}');
}

/* .file 1 "name", or as clang writes it where it knows its folder, .file 1 "folder" "name". */
static int file_directive(struct parser *parser)
{
    int64_t number;
    if (parser_integer(parser, &number))
        return -1;
    struct lexer_token name = parser->lexer.token;
    if (name.kind != TOKEN_STRING || number < 0 || number >= 1 << 16)
        return parser_fail(parser, ".file has a number and a name");
    lexer_next(&parser->lexer);
    if (parser->lexer.token.kind == TOKEN_STRING) {
        name = parser->lexer.token;
        lexer_next(&parser->lexer);
    }
    while (parser_has_mark(parser, ',')) {
        int64_t ignored;
        if (parser_integer(parser, &ignored))
            return -1;
    }
    while (parser->module->file_count <= (unsigned)number) {
        if (arena_grow((void **)&parser->files, parser->module->file_count, &parser->file_allocated,
                       sizeof *parser->files, 1 << 16))
            return parser_no_memory(parser);
        parser->files[parser->module->file_count++] = NULL;
    }
    parser->files[number] = arena_text(&parser->program->arena, name.text, name.length);
    return parser->files[number] ? 0 : parser_no_memory(parser);
}

/* What may stand before .entry, .func or a variable. */
static bool linking(struct parser *parser, bool *external)
{
    *external = *external || lexer_is_word(&parser->lexer, ".extern");
    return parser_has_word(parser, ".visible") || parser_has_word(parser, ".extern") ||
           parser_has_word(parser, ".weak") || parser_has_word(parser, ".common");
}

static int version_directive(struct parser *parser)
{
    lexer_next(&parser->lexer); /* 9.0 */
    return 0;
}

static int target_directive(struct parser *parser)
{
    const struct lexer_token *token = &parser->lexer.token;
    if (token->kind != TOKEN_WORD)
        return parser_fail(parser, ".target has no name");
    parser->module->target = arena_text(&parser->program->arena, token->text, token->length);
    if (!parser->module->target)
        return parser_no_memory(parser);
    lexer_next(&parser->lexer);
    while (parser_has_mark(parser, ','))
        lexer_next(&parser->lexer); /* debug, texmode_independent */
    return 0;
}

static int address_size_directive(struct parser *parser)
{
    int64_t size;
    if (parser_integer(parser, &size))
        return -1;
    return size == 64 ? 0 : parser_fail(parser, "addresses of %lld bits are not executed", (long long)size);
}

static int alias_directive(struct parser *parser)
{
    return parser_fail(parser, ".alias is not executed yet");
}

static int pragma_directive(struct parser *parser)
{
    while (parser->lexer.token.kind == TOKEN_STRING || lexer_is_mark(&parser->lexer, ','))
        lexer_next(&parser->lexer);
    return parser_mark(parser, ';');
}

static const struct {
    const char *name;
    int (*read)(struct parser *parser);
} directives[] = {
    {".version", version_directive}, {".target", target_directive}, {".address_size", address_size_directive},
    {".file", file_directive},       {".section", skip_section},    {".alias", alias_directive},
    {".pragma", pragma_directive},
};

static int read_directive(struct parser *parser)
{
    bool external = false;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (parser_has_word(parser, directives[i].name))
            return directives[i].read(parser);
    while (linking(parser, &external))
        ;
    if (parser_has_word(parser, ".entry"))
        return parser_read_function(parser, true);
    if (parser_has_word(parser, ".func"))
        return parser_read_function(parser, false);
    return parser_variable(parser, external);
}

static void hand_over(struct parser *parser)
{
    struct ptx_module *module = parser->module;
    module->functions = parser->functions;
    module->variables = parser->variables;
    module->sites = parser->sites;
    module->positions = parser->positions;
    module->files = parser->files;
    module->program = parser->program;
}

struct ptx_module *ptx_module_parse(const char *text, size_t bytes, struct ptx_problem *problem)
{
    *problem = (struct ptx_problem){.position = {.file = -1, .inlined_at = -1}};
    struct parser *parser = calloc(1, sizeof *parser);
    struct ptx_module *module = calloc(1, sizeof *module);
    struct ptx_program *program = calloc(1, sizeof *program);
    bool sound = false;
    if (!parser || !module || !program) {
        problem->no_memory = true;
        snprintf(problem->text, sizeof problem->text, "no memory");
        free(program);
        goto out;
    }
    parser->problem = problem;
    parser->module = module;
    parser->program = program;
    parser->function = -1;
    parser->position = (struct ptx_position){.file = -1, .inlined_at = -1};
    program->arena.limit = 256 << 20;
    if (bytes > PTX_TEXT_BYTES_MAX) {
        parser_fail(parser, "%zu bytes of PTX are more than %d", bytes, PTX_TEXT_BYTES_MAX);
    } else {
        lexer_begin(&parser->lexer, text, bytes);
        while (!parser->failed && parser->lexer.token.kind != TOKEN_END)
            read_directive(parser);
        if (!parser->failed)
            flow_link(parser);
    }
    hand_over(parser);
    sound = !parser->failed;
out:
    if (!sound && parser && module && module->program) {
        ptx_module_free(module);
        module = NULL;
    } else if (!sound) {
        free(module);
        module = NULL;
    }
    if (parser) {
        free(parser->symbols);
        free(parser->labels);
    }
    free(parser);
    return module;
}
