/* The lexer: no token is copied. */
#include "ptx/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void lexer_begin(struct lexer *lexer, const char *text, size_t bytes)
{
    *lexer = (struct lexer){.at = text, .end = text + bytes, .line = 1};
    lexer_next(lexer);
}

static void skip_blanks(struct lexer *l)
{
    while (l->at < l->end) {
        size_t left = (size_t)(l->end - l->at);
        if (*l->at == '\n') {
            l->line++;
            l->at++;
        } else if (isspace((unsigned char)*l->at)) {
            l->at++;
        } else if (left >= 2 && memcmp(l->at, "//", 2) == 0) {
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        } else if (left >= 2 && memcmp(l->at, "/*", 2) == 0) {
            for (l->at += 2; l->at < l->end && !(*l->at == '/' && l->at[-1] == '*'); l->at++)
                l->line += *l->at == '\n';
            l->at += l->at < l->end;
        } else {
            break;
        }
    }
}

static bool in_word(const struct lexer *l, const char *at)
{
    if (isalnum((unsigned char)*at) || *at == '_' || *at == '$' || *at == '.')
        return true;
    /* ld.shared::cta */
    if (*at != ':' || l->end - at < 2)
        return false;
    return (at[1] == ':' && l->end - at > 2 && isalpha((unsigned char)at[2])) ||
           (at[-1] == ':' && isalpha((unsigned char)at[1]));
}

static int digit_of(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower(c) - 'a' + 10 : 99;
}

/* Digits of a base up to the end of the token. False where one is none of the base, or they are too many. */
static bool digits(const char *at, const char *end, unsigned base, uint64_t *value)
{
    *value = 0;
    for (; at < end; at++) {
        int digit = digit_of(*at);
        if (digit >= (int)base || __builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit, value))
            return false;
    }
    return true;
}

static bool decimal_fraction(struct lexer_token *t)
{
    char copy[64], *end;
    if (t->length >= sizeof copy)
        return false;
    memcpy(copy, t->text, t->length);
    copy[t->length] = '\0';
    double value = strtod(copy, &end);
    memcpy(&t->bits, &value, sizeof value);
    t->kind = TOKEN_DOUBLE;
    return *end == '\0';
}

static void number(struct lexer *l)
{
    struct lexer_token *t = &l->token;
    const char *at = l->at;
    bool prefixed = l->end - at > 2 && at[0] == '0' && isalpha((unsigned char)at[1]);
    char prefix = prefixed ? (char)tolower(at[1]) : '\0';
    while (l->at < l->end && (isalnum((unsigned char)*l->at) || *l->at == '.' ||
                              ((*l->at == '+' || *l->at == '-') && !prefixed &&
                               memchr(at, '.', (size_t)(l->at - at)) && tolower(l->at[-1]) == 'e')))
        l->at++;
    t->length = (size_t)(l->at - at);
    const char *end = l->at;
    t->kind = TOKEN_NUMBER;
    bool sound;
    if (prefix == 'f' || prefix == 'd') {
        t->kind = prefix == 'f' ? TOKEN_FLOAT : TOKEN_DOUBLE;
        sound = end - at == (prefix == 'f' ? 10 : 18) && digits(at + 2, end, 16, &t->bits);
    } else if (memchr(at, '.', t->length)) {
        sound = decimal_fraction(t);
    } else {
        if (end[-1] == 'U' && end - at > 1)
            end--;
        if (prefix == 'x')
            sound = digits(at + 2, end, 16, &t->bits);
        else if (prefix == 'b')
            sound = digits(at + 2, end, 2, &t->bits);
        else
            sound = digits(at, end, end - at > 1 && *at == '0' ? 8 : 10, &t->bits);
    }
    if (!sound)
        t->kind = TOKEN_WRONG;
}

static void string(struct lexer *l)
{
    struct lexer_token *t = &l->token;
    t->kind = TOKEN_STRING;
    t->text = ++l->at;
    while (l->at < l->end && *l->at != '"' && *l->at != '\n')
        l->at++;
    t->length = (size_t)(l->at - t->text);
    if (l->at < l->end && *l->at == '"')
        l->at++;
    else
        t->kind = TOKEN_WRONG;
}

void lexer_next(struct lexer *l)
{
    skip_blanks(l);
    l->token = (struct lexer_token){.text = l->at, .line = l->line};
    if (l->at == l->end)
        return;
    unsigned char c = (unsigned char)*l->at;
    if (isdigit(c)) {
        number(l);
    } else if (c == '"') {
        string(l);
    } else if (isalpha(c) || memchr("_$.%", c, 4)) {
        /* .reg.b32 is two words, ld.global.b32 one. */
        l->token.kind = TOKEN_WORD;
        l->at++;
        while (l->at < l->end && in_word(l, l->at) && !(c == '.' && *l->at == '.'))
            l->at++;
        l->token.length = (size_t)(l->at - l->token.text);
    } else {
        l->token.kind = memchr("{}()[]<>,;:=+-*/|&!@~?^", c, 23) ? TOKEN_MARK : TOKEN_WRONG;
        l->token.length = 1;
        l->at++;
    }
}

bool lexer_is_mark(const struct lexer *lexer, char mark)
{
    return lexer->token.kind == TOKEN_MARK && *lexer->token.text == mark;
}

bool lexer_is_word(const struct lexer *lexer, const char *word)
{
    return lexer->token.kind == TOKEN_WORD && strlen(word) == lexer->token.length &&
           memcmp(word, lexer->token.text, lexer->token.length) == 0;
}
