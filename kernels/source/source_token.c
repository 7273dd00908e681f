/* One pass over the text; a second over the tokens for typedefs. */
#include "kernels/source/source_token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_letter(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

bool source_token_is(const struct source_token *token, const char *text)
{
    return strncmp(token->at, text, token->length) == 0 && !text[token->length];
}

bool source_token_is_name(const struct source_token *token)
{
    return token->length && is_letter(*token->at) && !isdigit((unsigned char)*token->at);
}

bool source_token_same(const struct source_token *one, const struct source_token *other)
{
    return one->length == other->length && memcmp(one->at, other->at, one->length) == 0;
}

/* ---- what is left out ---- */

struct reader {
    const char *at;
    unsigned line;
};

static void step(struct reader *r)
{
    r->line += *r->at == '\n';
    r->at += *r->at != '\0';
}

static void skip_to(struct reader *r, const char *end)
{
    size_t length = strlen(end);
    while (*r->at && strncmp(r->at, end, length) != 0)
        step(r);
    for (size_t i = 0; i < length; i++)
        step(r);
}

/* To the end of the line; one that ends with a backslash goes on. */
static void skip_line(struct reader *r)
{
    while (*r->at && *r->at != '\n') {
        if (*r->at == '\\')
            step(r);
        step(r);
    }
}

static void skip_quoted(struct reader *r, char quote)
{
    step(r);
    while (*r->at && *r->at != quote && *r->at != '\n') {
        if (*r->at == '\\')
            step(r);
        step(r);
    }
    if (*r->at == quote)
        step(r);
}

/* R"end(...)end", from the quote on. */
static void skip_raw(struct reader *r)
{
    char end[20] = ")";
    size_t length = strcspn(r->at + 1, "(\"\n");
    if (length > sizeof end - 3 || r->at[1 + length] != '(') {
        skip_quoted(r, '"');
        return;
    }
    memcpy(end + 1, r->at + 1, length);
    end[1 + length] = '"';
    end[2 + length] = '\0';
    skip_to(r, end);
}

/* Skips blanks and comments; false at the end. `starts`: nothing but these stood in the line so far. */
static bool skip_blank(struct reader *r, bool *starts)
{
    for (;;) {
        if (r->at[0] == '/' && r->at[1] == '/') {
            skip_line(r);
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            step(r);
            step(r);
            skip_to(r, "*/");
        } else if (isspace((unsigned char)*r->at) || (r->at[0] == '\\' && r->at[1] == '\n')) {
            *starts = *starts || *r->at == '\n';
            step(r);
        } else {
            return *r->at != '\0';
        }
    }
}

static struct source_token word(struct reader *r)
{
    struct source_token token = {.at = r->at, .line = r->line};
    while (is_letter(*r->at))
        r->at++;
    if (r->at == token.at)
        step(r);
    token.length = (unsigned)(r->at - token.at);
    return token;
}

/* ---- aliases ---- */

static struct source_alias *alias_add(struct source_tokens *tokens, struct source_token name)
{
    if (tokens->alias_count == SOURCE_ALIASES)
        return NULL;
    struct source_alias *alias = &tokens->alias[tokens->alias_count++];
    *alias = (struct source_alias){.name = name};
    return alias;
}

static void drop(struct source_tokens *tokens, const struct source_alias *alias)
{
    if (alias)
        tokens->alias_count--;
}

static bool alias_put(struct source_alias *alias, struct source_token word_of)
{
    if (!alias || alias->count == (int)(sizeof alias->of / sizeof *alias->of))
        return false;
    alias->of[alias->count++] = word_of;
    return true;
}

/* #define NAME word word: at the '#'. */
static void directive(struct source_tokens *tokens, struct reader *r)
{
    struct reader at = *r;
    skip_line(r);
    step(&at);
    at.at += strspn(at.at, " \t");
    if (strncmp(at.at, "define", 6) != 0 || !strchr(" \t", at.at[6]) || !at.at[6])
        return;
    at.at += 6 + strspn(at.at + 6, " \t");
    struct source_token name = word(&at);
    if (*at.at == '(') /* it takes arguments */
        return;
    struct source_alias *alias = alias_add(tokens, name);
    bool fits = alias != NULL, starts = false;
    while (fits && at.at < r->at && skip_blank(&at, &starts) && at.at < r->at)
        fits = alias_put(alias, word(&at));
    if (!fits)
        drop(tokens, alias);
}

/* typedef word word NAME; from the word behind typedef on. */
static void alias_of_typedef(struct source_tokens *tokens, int from)
{
    int end = from;
    while (end < tokens->count && source_token_is_name(&tokens->at[end]))
        end++;
    if (end - from < 2 || end == tokens->count || !source_token_is(&tokens->at[end], ";"))
        return;
    struct source_alias *alias = alias_add(tokens, tokens->at[end - 1]);
    bool fits = alias != NULL;
    for (int i = from; fits && i < end - 1; i++)
        fits = alias_put(alias, tokens->at[i]);
    if (!fits)
        drop(tokens, alias);
}

/* using NAME = word word; from NAME on. */
static void alias_of_using(struct source_tokens *tokens, int from)
{
    if (from + 2 >= tokens->count || !source_token_is(&tokens->at[from + 1], "="))
        return;
    struct source_alias *alias = alias_add(tokens, tokens->at[from]);
    bool fits = alias != NULL;
    int i = from + 2;
    for (; fits && i < tokens->count && source_token_is_name(&tokens->at[i]); i++)
        fits = alias_put(alias, tokens->at[i]);
    if (!fits || i == tokens->count || !source_token_is(&tokens->at[i], ";"))
        drop(tokens, alias);
}

bool source_tokens_make(struct source_tokens *tokens, const char *source)
{
    struct reader r = {source, 1};
    bool starts = true;
    *tokens = (struct source_tokens){.at = malloc((strlen(source) + 1) * sizeof *tokens->at)};
    if (!tokens->at)
        return false;
    while (skip_blank(&r, &starts)) {
        if (*r.at == '#' && starts) {
            directive(tokens, &r);
            continue;
        }
        starts = false;
        struct reader before = r;
        struct source_token token = word(&r);
        bool raw = *r.at == '"' && is_letter(*token.at) && token.at[token.length - 1] == 'R';
        if (raw || *token.at == '"' || *token.at == '\'') {
            if (!raw)
                r = before;
            if (raw)
                skip_raw(&r);
            else
                skip_quoted(&r, *token.at);
            token = (struct source_token){.at = "\"", .length = 1, .line = before.line};
        }
        tokens->at[tokens->count++] = token;
    }
    for (int i = 0; i + 1 < tokens->count; i++)
        if (source_token_is(&tokens->at[i], "typedef"))
            alias_of_typedef(tokens, i + 1);
        else if (source_token_is(&tokens->at[i], "using"))
            alias_of_using(tokens, i + 1);
    return true;
}

void source_tokens_free(struct source_tokens *tokens)
{
    free(tokens->at);
    *tokens = (struct source_tokens){0};
}

/* A ">" closes a "<" alone; a bracket of another kind within is skipped by its depth. */
int source_tokens_skip(const struct source_tokens *tokens, int open, int end)
{
    bool angle = *tokens->at[open].at == '<';
    int depth = 0, angles = 0;
    for (int i = open; i < end; i++) {
        char sign = *tokens->at[i].at;
        if (tokens->at[i].length != 1)
            continue;
        if (angle && depth == 0) {
            if (sign == '<')
                angles++;
            else if (sign == '>' && --angles == 0)
                return i + 1;
            else if (sign == ';' || sign == '{' || sign == ')')
                return end;
        }
        if (strchr("([{", sign))
            depth++;
        else if (strchr(")]}", sign) && --depth == 0 && !angle)
            return i + 1;
    }
    return end;
}

const struct source_token *source_tokens_at(const struct source_tokens *tokens, int i)
{
    static const struct source_token none = {"", 0, 0};
    return i >= 0 && i < tokens->count ? &tokens->at[i] : &none;
}

bool source_tokens_is(const struct source_tokens *tokens, int i, const char *text)
{
    return source_token_is(source_tokens_at(tokens, i), text);
}
