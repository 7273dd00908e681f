/* Splits PTX into tokens. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,   /* a name with its suffixes: ld.global.f32, .reg, %tid.x, $L__BB0_2 */
    TOKEN_NUMBER, /* integer: bits */
    TOKEN_FLOAT,  /* 0f3F800000: bits are those of an f32 */
    TOKEN_DOUBLE, /* 0d...: bits are those of an f64; decimals too */
    TOKEN_STRING, /* without its quotes */
    TOKEN_MARK,   /* one character */
    TOKEN_WRONG   /* a character that is none of PTX, a number too long */
};

struct lexer_token {
    enum token_kind kind;
    const char *text; /* into the text that is read */
    size_t length;
    uint64_t bits;
    int line;
};

struct lexer {
    const char *at, *end;
    int line;
    struct lexer_token token; /* the current one */
};

void lexer_begin(struct lexer *lexer, const char *text, size_t bytes);

/* Goes to the next token. */
void lexer_next(struct lexer *lexer);

bool lexer_is_mark(const struct lexer *lexer, char mark);
bool lexer_is_word(const struct lexer *lexer, const char *word);
