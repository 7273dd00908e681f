/* The body of a function: declarations, labels, instructions. */
#include <string.h>

#include "ptx/decode.h"

/* .loc file line column [, function_name name [+ number], inlined_at file line column] */
static int location(struct parser *parser)
{
    int64_t at[3], from[3];
    for (int i = 0; i < 3; i++)
        if (parser_integer(parser, &at[i]))
            return -1;
    struct ptx_position position = {
        .file = (int)at[0], .line = (int)at[1], .column = (int)at[2], .inlined_at = -1};
    parser->line = NO_SLOT;
    while (parser_has_mark(parser, ',')) {
        if (parser_has_word(parser, "function_name")) {
            lexer_next(&parser->lexer);
            if (parser_has_mark(parser, '+'))
                lexer_next(&parser->lexer);
        } else if (parser_has_word(parser, "inlined_at")) {
            for (int i = 0; i < 3; i++)
                if (parser_integer(parser, &from[i]))
                    return -1;
            /* The call that was inlined: the newest position there, which may be inlined itself. */
            unsigned count = parser->module->position_count, known = count;
            while (known > 0 && count - known < 4096 &&
                   !(parser->positions[known - 1].file == from[0] &&
                     parser->positions[known - 1].line == from[1] &&
                     parser->positions[known - 1].column == from[2]))
                known--;
            bool found = known > 0 && parser->positions[known - 1].file == from[0] &&
                         parser->positions[known - 1].line == from[1] &&
                         parser->positions[known - 1].column == from[2];
            if (!found) {
                if (arena_grow((void **)&parser->positions, count, &parser->position_allocated,
                               sizeof *parser->positions, PTX_INSTRUCTIONS_MAX))
                    return parser_no_memory(parser);
                parser->positions[parser->module->position_count++] = (struct ptx_position){
                    .file = (int)from[0], .line = (int)from[1], .column = (int)from[2], .inlined_at = -1};
                known = parser->module->position_count;
            }
            position.inlined_at = (int)known - 1;
        } else {
            lexer_next(&parser->lexer); /* is_stmt and so on */
        }
    }
    parser->position = position;
    if (position.inlined_at >= 0) {
        if (arena_grow((void **)&parser->positions, parser->module->position_count,
                       &parser->position_allocated, sizeof *parser->positions, PTX_INSTRUCTIONS_MAX))
            return parser_no_memory(parser);
        parser->positions[parser->module->position_count++] = position;
    }
    return 0;
}

static int branch_targets(struct parser *parser, const struct lexer_token *name)
{
    struct ptx_program *program = parser->program;
    struct symbol *symbol = parser_declare(parser, name, SYMBOL_TABLE);
    if (!symbol)
        return -1;
    symbol->index = (uint32_t)program->list_count;
    uint32_t head = symbol->index;
    if (arena_grow((void **)&program->lists, program->list_count, &program->list_allocated,
                   sizeof *program->lists, 1 << 22))
        return parser_no_memory(parser);
    program->lists[program->list_count++] = 0;
    do {
        const struct lexer_token label = parser->lexer.token;
        if (label.kind != TOKEN_WORD)
            return parser_fail(parser, "a label is missing");
        lexer_next(&parser->lexer);
        if (arena_grow((void **)&program->lists, program->list_count, &program->list_allocated,
                       sizeof *program->lists, 1 << 22))
            return parser_no_memory(parser);
        program->lists[program->list_count] = 0;
        if (parser_want_label(parser, &label, NO_SLOT, (uint32_t)program->list_count))
            return -1;
        program->list_count++;
        program->lists[head]++;
    } while (parser_has_mark(parser, ','));
    return parser_mark(parser, ';');
}

static int label(struct parser *parser, const struct lexer_token *name)
{
    lexer_next(&parser->lexer);
    if (parser_has_word(parser, ".branchtargets"))
        return branch_targets(parser, name);
    if (lexer_is_word(&parser->lexer, ".callprototype") || lexer_is_word(&parser->lexer, ".calltargets")) {
        while (parser->lexer.token.kind != TOKEN_END && !parser_has_mark(parser, ';'))
            lexer_next(&parser->lexer);
        return 0;
    }
    struct symbol *symbol = parser_declare(parser, name, SYMBOL_LABEL);
    if (!symbol)
        return -1;
    symbol->index = (uint32_t)parser->program->instruction_count;
    return 0;
}

static int operands(struct parser *parser, struct statement *statement)
{
    while (!lexer_is_mark(&parser->lexer, ';')) {
        if (statement->count == ARGUMENTS_MAX)
            return parser_fail(parser, "%s with more than %d operands", statement->opcode.text,
                               ARGUMENTS_MAX);
        if (parser_operand(parser, &statement->operands[statement->count++]))
            return -1;
        if (!parser_has_mark(parser, ','))
            break;
    }
    return 0;
}

/* An instruction, or a label before it. */
static int instruction(struct parser *parser)
{
    struct statement statement = {0};
    struct operand guard = {.slot = NO_SLOT};
    parser->element_count = 0;
    if (parser_has_mark(parser, '@')) {
        if (parser_operand(parser, &guard))
            return -1;
        if (guard.kind != OPERAND_REGISTER || guard.type != PTX_PRED)
            return parser_fail(parser, "what stands behind @ is a predicate");
    }
    const struct lexer_token opcode = parser->lexer.token;
    if (opcode.kind != TOKEN_WORD)
        return parser_fail(parser, "%.*s where an instruction should be",
                           (int)(opcode.length < 40 ? opcode.length : 40), opcode.text);
    lexer_next(&parser->lexer);
    if (guard.slot == NO_SLOT && lexer_is_mark(&parser->lexer, ':'))
        return label(parser, &opcode);
    parser->position.ptx_line = opcode.line;
    if (parser_opcode(parser, &opcode, &statement.opcode))
        return -1;
    if (operands(parser, &statement)) {
        /* What is not known may be written in any way. */
        if (!decode_knows(statement.opcode.mnemonic) && !parser->problem->no_memory) {
            parser->failed = false;
            return parser_fail(parser, "%s is not executed yet", statement.opcode.text);
        }
        return -1;
    }
    if (!lexer_is_mark(&parser->lexer, ';'))
        return parser_mark(parser, ';');
    if (decode_statement(parser, &statement, &guard))
        return -1;
    lexer_next(&parser->lexer);
    return 0;
}

static bool is_variable(const struct parser *parser)
{
    static const char *const words[] = {".shared", ".local", ".param", ".global", ".const"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (lexer_is_word(&parser->lexer, words[i]))
            return true;
    return false;
}

int parser_statements(struct parser *parser)
{
    unsigned outer = parser->depth;
    while (!parser->failed && parser->lexer.token.kind != TOKEN_END) {
        if (parser_has_mark(parser, '{')) {
            if (parser_open_scope(parser))
                return -1;
        } else if (lexer_is_mark(&parser->lexer, '}')) {
            if (parser->depth == outer)
                break;
            lexer_next(&parser->lexer);
            parser_close_scope(parser);
        } else if (parser_has_word(parser, ".reg")) {
            parser_registers(parser);
        } else if (is_variable(parser)) {
            parser_variable(parser, false);
        } else if (parser_has_word(parser, ".loc")) {
            location(parser);
        } else if (parser_has_word(parser, ".pragma")) {
            while (parser->lexer.token.kind != TOKEN_END && !parser_has_mark(parser, ';'))
                lexer_next(&parser->lexer);
        } else {
            instruction(parser);
        }
    }
    return parser->failed ? -1 : parser_mark(parser, '}');
}
