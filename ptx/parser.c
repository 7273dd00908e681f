/* Problems, and what any part of the text may have. */
#include "ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>

int parser_fail(struct parser *parser, const char *format, ...)
{
    if (parser->failed)
        return -1;
    parser->failed = true;
    parser->problem->position = parser->position;
    parser->problem->position.ptx_line = parser->lexer.token.line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->problem->text, sizeof parser->problem->text, format, arguments);
    va_end(arguments);
    return -1;
}

int parser_no_memory(struct parser *parser)
{
    if (!parser->failed)
        parser->problem->no_memory = true;
    return parser_fail(parser, "no memory, or too much of everything");
}

bool parser_has_mark(struct parser *parser, char mark)
{
    bool has = lexer_is_mark(&parser->lexer, mark);
    if (has)
        lexer_next(&parser->lexer);
    return has;
}

bool parser_has_word(struct parser *parser, const char *word)
{
    bool has = lexer_is_word(&parser->lexer, word);
    if (has)
        lexer_next(&parser->lexer);
    return has;
}

int parser_mark(struct parser *parser, char mark)
{
    if (parser_has_mark(parser, mark))
        return 0;
    const struct lexer_token *token = &parser->lexer.token;
    if (token->kind == TOKEN_END)
        return parser_fail(parser, "the text ends where %c should follow", mark);
    return parser_fail(parser, "%.*s where %c should be", (int)(token->length < 40 ? token->length : 40),
                       token->text, mark);
}

int parser_integer(struct parser *parser, int64_t *value)
{
    bool minus = parser_has_mark(parser, '-');
    if (parser->lexer.token.kind != TOKEN_NUMBER)
        return parser_fail(parser, "a number is missing");
    uint64_t bits = parser->lexer.token.bits;
    *value = (int64_t)(minus ? 0 - bits : bits);
    lexer_next(&parser->lexer);
    return 0;
}
