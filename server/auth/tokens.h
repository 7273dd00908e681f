/* Parses the token file: a token in each line, `NAME ROLE sha256:HASH [ADDED]`; '#' begins a comment line. A
   user may have several lines with different roles, so that a new token can be added before the old one is
   revoked. A file without a token may be in the middle of being written; the comment line `# nobody` says
   that it has none on purpose. */
#ifndef COALESCED_SERVER_AUTH_TOKENS_H
#define COALESCED_SERVER_AUTH_TOKENS_H

#include <stdbool.h>

#include "base/error.h"
#include "server/auth/user.h"
#include "server/auth/secret.h"

enum { TOKEN_ADDED_BYTES = 32, TOKENS_FILE_BYTES = 256 << 10 };

struct token {
    struct user user;
    uint8_t hash[SECRET_HASH_BYTES];
    char added[TOKEN_ADDED_BYTES]; /* RFC 3339; empty: unknown */
    int line;                      /* counted from 1 */
    uint64_t serial;               /* set by users.c */
};

struct tokens {
    int count;
    bool nobody; /* the file has the line "# nobody" */
    struct token *at;
};

/* Reads the whole file, to be freed. -1: ERROR_INVALID (others than its owner and group may read or write it,
   it contains a NUL or is too large), ERROR_SYSTEM, ERROR_MEMORY. */
int tokens_load(char **text, const char *path, struct error *error);

/* True for the comment "# nobody"; the line ends with a newline or the text. */
bool tokens_line_is_nobody(const char *line);

/* Parses a text, which is not changed; `path` is for messages. A text without a token is valid. -1:
   ERROR_INVALID naming the line and what is wrong, ERROR_MEMORY. */
int tokens_parse(struct tokens **tokens, const char *text, const char *path, struct error *error);

/* tokens_load() and tokens_parse(). */
int tokens_read(struct tokens **tokens, const char *path, struct error *error);

/* NULL is allowed. */
void tokens_free(struct tokens *tokens);

/* Finds the token with that hash; NULL: none. The time it takes depends only on the number of tokens. */
const struct token *tokens_find(const struct tokens *tokens, const uint8_t hash[SECRET_HASH_BYTES]);

#endif
