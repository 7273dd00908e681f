/* Words before the name, a star, brackets: no more of C++ than parameters of kernels have. */
#include "kernels/source/source_declaration.h"

#include <stdio.h>
#include <string.h>

enum {
    WORDS_MOST = 8,   /* of a type */
    ALIASES_DEEP = 8, /* names that stand for names */
};

static const char too_long[] = "its type is too long to be read",
                  no_type[] = "its type is not known from the source alone";

static bool is_any(const struct source_token *token, const char *const *words)
{
    while (*words && !source_token_is(token, *words))
        words++;
    return *words != NULL;
}

int source_declaration_skip_attribute(const struct source_tokens *tokens, int i, int end)
{
    static const char *const with_list[] = {
        "__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__", "__attribute__",
        "alignas",           "__align__",        "__declspec",  "__nv_pure__",    NULL};
    if (i + 1 >= end)
        return i;
    const struct source_token *t = &tokens->at[i];
    if (is_any(t, with_list) && source_token_is(t + 1, "("))
        return source_tokens_skip(tokens, i + 1, end);
    if (source_token_is(t, "[") && source_token_is(t + 1, "["))
        return source_tokens_skip(tokens, i, end);
    return i;
}

static const char *const qualifiers[] = {
    "const",      "volatile", "__restrict__", "__restrict",   "restrict", "__grid_constant__",
    "struct",     "class",    "enum",         "typename",     "static",   "extern",
    "__device__", "register", "__const__",    "__volatile__", NULL};
static const char *const builtin[] = {"void",     "bool", "char",  "short",  "int", "signed",
                                      "unsigned", "long", "float", "double", NULL};

/* A parameter's tokens, as far as they were taken apart. */
struct declaration {
    struct source_token words[WORDS_MOST]; /* of the type, without qualifiers */
    int word_count;
    struct source_token name;
    int stars;
    bool constant, is_array, is_reference, is_function, is_instance, is_grouped, too_long;
};

static void declaration_word(struct declaration *d, const struct source_token *t)
{
    if (d->stars || d->word_count == WORDS_MOST) {
        d->too_long = d->too_long || (!d->stars && d->word_count == WORDS_MOST);
        d->name = *t; /* behind the star */
        return;
    }
    d->words[d->word_count++] = *t;
}

/* The last word of a type without stars is the name, unless it belongs to the type. */
static void declaration_name(struct declaration *d)
{
    if (d->name.length || d->word_count < 2 || is_any(&d->words[d->word_count - 1], builtin))
        return;
    d->name = d->words[--d->word_count];
}

/* A macro for nothing, or for qualifiers alone. */
static bool stands_for_nothing(const struct source_scope *r, const struct source_token *t)
{
    for (int a = 0; a < r->tokens->alias_count; a++) {
        const struct source_alias *alias = &r->tokens->alias[a];
        int words = 0;
        while (words < alias->count && is_any(&alias->of[words], qualifiers) &&
               !source_token_is(&alias->of[words], "const"))
            words++;
        if (words == alias->count && source_token_same(&alias->name, t))
            return true;
    }
    return false;
}

/* Takes tokens `from` to `end` - 1 apart. */
static struct declaration declaration_take(const struct source_scope *r, int from, int end)
{
    struct declaration d = {.word_count = 0};
    for (int i = from; i < end; i++) {
        const struct source_token *t = source_tokens_at(r->tokens, i);
        int behind = source_declaration_skip_attribute(r->tokens, i, end);
        if (behind != i) {
            i = behind - 1;
        } else if (source_token_is(t, "=")) {
            break;
        } else if (stands_for_nothing(r, t)) {
            continue;
        } else if (is_any(t, qualifiers)) {
            d.constant =
                d.constant || (!d.stars && (source_token_is(t, "const") || source_token_is(t, "__const__")));
        } else if (source_token_is(t, "*")) {
            d.stars++;
        } else if (source_token_is(t, "&")) {
            d.is_reference = true;
        } else if (source_token_is(t, "[")) {
            d.is_array = true;
            i = source_tokens_skip(r->tokens, i, end) - 1;
        } else if (source_token_is(t, "(") && d.name.length) { /* (*name)(int) */
            d.is_function = true;
            i = source_tokens_skip(r->tokens, i, end) - 1;
        } else if (source_token_is(t, "(")) { /* (*name)[4] */
            d.is_grouped = true;
        } else if (source_token_is(t, "<")) {
            d.is_instance = true;
            i = source_tokens_skip(r->tokens, i, end) - 1;
        } else if (source_token_is(t, ":") && source_tokens_is(r->tokens, i + 1, ":")) {
            i++; /* std::size_t is size_t; what is known by another name there is not known here */
            d.word_count -= d.word_count > 0;
        } else if (source_token_is_name(t)) {
            declaration_word(&d, t);
        } else if (!source_token_is(t, ")")) {
            d.too_long = true;
        }
    }
    declaration_name(&d);
    return d;
}

/* Replaces names that stand for others, a few times: they may stand for themselves. */
static void declaration_resolve(const struct source_scope *r, struct declaration *d)
{
    for (int round = 0; round < ALIASES_DEEP; round++) {
        bool changed = false;
        for (int a = 0; a < r->tokens->alias_count && d->word_count; a++) {
            const struct source_alias *alias = &r->tokens->alias[a];
            struct source_token *last = &d->words[d->word_count - 1];
            if (!source_token_same(&alias->name, last) || d->word_count - 1 + alias->count > WORDS_MOST)
                continue;
            d->word_count--;
            for (int i = 0; i < alias->count; i++) {
                if (source_token_is(&alias->of[i], "const"))
                    d->constant = true;
                else if (source_token_is(&alias->of[i], "*"))
                    d->stars++;
                else if (!is_any(&alias->of[i], qualifiers))
                    d->words[d->word_count++] = alias->of[i];
            }
            changed = true;
        }
        if (!changed)
            return;
    }
}

/* The type of its words. */
static bool declaration_type(const struct source_scope *r, const struct declaration *d,
                             struct source_type *type)
{
    char text[96];
    size_t used = 0;
    for (int i = 0; i < d->word_count; i++) {
        const char *at = d->words[i].at;
        size_t length = d->words[i].length;
        for (int b = 0; b < r->binding_count; b++)
            if (source_token_same(&r->binding[b].name, &d->words[i])) {
                at = r->binding[b].at;
                length = r->binding[b].length;
            }
        if (used + length + 2 > sizeof text)
            return false;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", used ? " " : "", (int)length, at);
    }
    return !d->is_instance && source_type_of_cuda(text, used, type);
}

static const char *declaration_refusal(const struct declaration *d)
{
    if (d->too_long)
        return too_long;
    if (d->is_function)
        return "it is a pointer to a function";
    if (d->is_reference)
        return "it is a reference";
    if (d->stars > 1 || (d->stars == 1 && d->is_array && !d->is_grouped))
        return "it is a pointer to pointers";
    return NULL;
}

/* The text of tokens, with one blank between two words. */
static void text_of(const struct source_scope *r, int from, int end, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = from; i < end && used + 1 < size; i++) {
        const struct source_token *t = source_tokens_at(r->tokens, i),
                                  *before = source_tokens_at(r->tokens, i - 1);
        bool apart = i > from && source_token_is_name(t) && source_token_is_name(before);
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", apart ? " " : "", (int)t->length, t->at);
    }
}

void source_declaration_read(const struct source_scope *r, int from, int end, struct source_parameter *p)
{
    struct declaration d = declaration_take(r, from, end);
    declaration_resolve(r, &d);
    *p = (struct source_parameter){.pointer = d.stars + d.is_array > 0, .constant = d.constant};
    text_of(r, from, end, p->text, sizeof p->text);
    if (d.name.length < sizeof p->name)
        snprintf(p->name, sizeof p->name, "%.*s", (int)d.name.length, d.name.at);
    p->why = declaration_refusal(&d);
    if (!p->why && !declaration_type(r, &d, &p->type)) {
        p->why = no_type;
        if (d.word_count == 1 && !d.is_instance)
            p->type_name = d.words[0];
    }
}
