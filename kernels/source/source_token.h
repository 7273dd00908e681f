/* Words and signs of CUDA source: comments, texts and directives are left out. For source_signature.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* A name, a number or one sign; it points into the source. A text is the sign '"'. */
struct source_token {
    const char *at;
    unsigned length, line;
};

/* A name that stands for others: an object-like macro, a typedef, a using. */
struct source_alias {
    struct source_token name;
    struct source_token of[4]; /* what it stands for, one word each */
    int count;
};

enum { SOURCE_ALIASES = 128 };

struct source_tokens {
    struct source_token *at; /* owned */
    int count;
    struct source_alias alias[SOURCE_ALIASES];
    int alias_count;
};

/* Cuts the source, of at most SOURCE_TEXT_BYTES, into tokens, and gathers its aliases. False: no memory. To be freed with
   source_tokens_free(). */
bool source_tokens_make(struct source_tokens *tokens, const char *source);
void source_tokens_free(struct source_tokens *tokens);

/* The token of that index; one of length 0, static, where there is none. */
const struct source_token *source_tokens_at(const struct source_tokens *tokens, int i);

/* Returns whether the token of that index is that very word or sign. */
bool source_tokens_is(const struct source_tokens *tokens, int i, const char *text);

/* True: it is that very word or sign. */
bool source_token_is(const struct source_token *token, const char *text);

/* True: it is a name, as of a variable. */
bool source_token_is_name(const struct source_token *token);

/* True: both are the same text. */
bool source_token_same(const struct source_token *one, const struct source_token *other);

/* The index behind the bracket that closes the one at `open` ("(", "[", "{" or "<"), `end` where there is none. */
int source_tokens_skip(const struct source_tokens *tokens, int open, int end);

__END_DECLS
