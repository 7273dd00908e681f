/* Users, and the token file: a token in each line, `NAME ROLE sha256:HASH [ADDED]`; '#' begins a comment
   line. A user may have several lines with different roles, so that a new token can be added before the old
   one is revoked. A file without a token may be in the middle of being written; the comment line `# nobody`
   says that it has none on purpose.

   The file has hashes only; the user presents the secret. One of token_secret_make() has 256 random bits,
   which cannot be guessed; so a plain SHA-256 protects it as well as the slow hashes that passwords need,
   and takes a microsecond of a request. A secret that somebody invented has no such protection, so short
   ones are refused. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* ---- a user: a name and a role ---- */

enum { USER_NAME_BYTES = 33 }; /* with the NUL */

/* In lists of experiments: the owner of those that were submitted without a token. It is no user's name. */
#define OWNER_NOBODY "nobody"

/* In queries: the user whose token the request has. No new user may have this name. */
#define USER_NAME_ASKER "me"

/* The rule for names, for error messages, and the check. A name that is added is not one of those that are reserved
   either. */
#define USER_NAME_RULE "a name has 1 to 32 letters, digits and ._-@, and begins with a letter or digit"
#define USER_NAME_RESERVED OWNER_NOBODY " and " USER_NAME_ASKER " are reserved"
bool user_name_valid(const char *name);

/* Returns whether a token may be added for that name: user_name_valid() accepts it, and it is not the reserved word
   USER_NAME_ASKER, which token files of older versions may still have. */
bool user_name_addable(const char *name);

/* The first: true for a user's name and for OWNER_NOBODY. The second: the name as the store has it, which is "" for
   OWNER_NOBODY; NULL for NULL. */
bool user_name_or_nobody(const char *name);
const char *user_name_stored(const char *name);

/* Each role includes those before it. */
enum role {
    ROLE_METRICS, /* reads /metrics */
    ROLE_READ,    /* reads everything */
    ROLE_RUN,     /* submits; cancels and removes what is its own */
    ROLE_ADMIN,   /* the same with everybody's; overrides the order, holds devices and the queue */
    ROLES
};

/* "metrics", "read", "run" or "admin"; static. */
const char *role_name(enum role role);

/* -1: no role has that name. */
int role_of(const char *name);

/* Passed by value, so it outlives its token. */
struct user {
    char name[USER_NAME_BYTES]; /* unique; empty: everybody, where there are no tokens */
    enum role role;
};

/* The user of every request where there is no token file: may do everything. */
extern const struct user user_everybody;

/* ---- the secret and its hash ---- */

enum {
    TOKEN_ADDED_BYTES = 32,
    TOKENS_FILE_BYTES = 256 << 10,
    SECRET_BYTES = 5 + 43 + 1, /* "coal_", 32 bytes as base64url, NUL */
    SECRET_MIN = 16,           /* characters */
    SECRET_MAX = 255,
    TOKEN_HASH_BYTES = 32,
    TOKEN_HASH_TEXT_BYTES = 7 + 64 + 1 /* "sha256:", in hexadecimal, NUL */
};

/* Makes a secret. -1: ERROR_SYSTEM, no random bytes. */
int token_secret_make(char secret[SECRET_BYTES], struct error *error);

/* Checks the form of a secret. -1: ERROR_INVALID, its length or a character that a header cannot contain (RFC
   6750, 2.1). */
int token_secret_check(const char *secret, struct error *error);

void token_hash(const char *secret, uint8_t hash[TOKEN_HASH_BYTES]);

/* The hash as it is written in the file. False: the text has another form. */
void token_hash_write(const uint8_t hash[TOKEN_HASH_BYTES], char text[TOKEN_HASH_TEXT_BYTES]);
bool token_hash_read(const char *text, uint8_t hash[TOKEN_HASH_BYTES]);

/* ---- the file ---- */

struct token {
    struct user user;
    uint8_t hash[TOKEN_HASH_BYTES];
    char added[TOKEN_ADDED_BYTES]; /* RFC 3339; empty: unknown */
    int line;                      /* counted from 1 */
    uint64_t serial;               /* set by users.c */
};

struct tokens {
    int count;
    bool nobody; /* the file has the line "# nobody" */
    struct token *at;
};

/* Detects a token given instead of the name of the token file. -1 (ERROR_INVALID) if no such file exists and the name has the form
   of a token; the message does not contain it. 0: otherwise. */
int tokens_path_check(const char *path, struct error *error);

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
const struct token *tokens_find(const struct tokens *tokens, const uint8_t hash[TOKEN_HASH_BYTES]);
