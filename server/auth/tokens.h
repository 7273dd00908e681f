/* The token file's text: a line a token, `NAME ROLE sha256:HASH [ADDED]`; '#' begins a comment line. A user may have
   several lines, each with a role of its own, so that a token can be replaced before the old one is revoked. A file without
   a token may be one that is just being written; the comment line `# nobody` says that it is meant to have none. */
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
    char added[TOKEN_ADDED_BYTES]; /* when, in RFC 3339; empty: not known */
    int line;                      /* from 1 */
    uint64_t serial;               /* of whoever keeps several lists apart: users.h */
};

struct tokens {
    int count;
    bool nobody; /* there is a line "# nobody" */
    struct token *at;
};

/* The whole text of a file, to be freed. -1: ERROR_INVALID when others than its owner and group may read or write it, when it
   holds a NUL or is too large; ERROR_SYSTEM; ERROR_MEMORY. */
int tokens_load(char **text, const char *path, struct error *error);

/* Is the line, which ends with a newline or the text, the comment "# nobody"? */
bool tokens_line_is_nobody(const char *line);

/* Reads a text, which is left as it was; `path` is for what is said. None at all is no error. -1: ERROR_INVALID names the line and
   what would be right; ERROR_MEMORY. */
int tokens_parse(struct tokens **tokens, const char *text, const char *path, struct error *error);

/* Both. */
int tokens_read(struct tokens **tokens, const char *path, struct error *error);

/* NULL is allowed. */
void tokens_free(struct tokens *tokens);

/* The token of that secret's hash; NULL: there is none. The time it takes depends on nothing but how many there are. */
const struct token *tokens_find(const struct tokens *tokens, const uint8_t hash[SECRET_HASH_BYTES]);

#endif
