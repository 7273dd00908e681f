/* Roles and names of users; makes and hashes secrets; parses and compares the tokens of the file. */
#include "server/auth/tokens.h"

#include <errno.h>
#include <nettle/base16.h>
#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/words.h"

/* ---- a user ---- */

const struct user user_everybody = {.role = ROLE_ADMIN};

static const char *const role_names[ROLES] = {
    [ROLE_METRICS] = "metrics", [ROLE_READ] = "read", [ROLE_RUN] = "run", [ROLE_ADMIN] = "admin"};

const char *role_name(enum role role)
{
    return (unsigned)role < ROLES ? role_names[role] : "unknown";
}

int role_of(const char *name)
{
    return words_find(name, WORDS_TABLE(role_names));
}

bool user_name_valid(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@";
    size_t length = strspn(name, allowed);
    return length > 0 && length < USER_NAME_BYTES && !name[length] && !strchr("._-@", name[0]) &&
           strcmp(name, OWNER_NOBODY) != 0;
}

bool user_name_addable(const char *name)
{
    return user_name_valid(name) && strcmp(name, USER_NAME_ASKER) != 0;
}

bool user_name_or_nobody(const char *name)
{
    return strcmp(name, OWNER_NOBODY) == 0 || user_name_valid(name);
}

const char *user_name_stored(const char *name)
{
    return name && strcmp(name, OWNER_NOBODY) == 0 ? "" : name;
}

/* ---- secrets ---- */

static const char secret_prefix[] = "coal_", hash_prefix[] = "sha256:";

int token_secret_make(char secret[SECRET_BYTES], struct error *error)
{
    uint8_t random[32];
    char text[BASE64_ENCODE_RAW_LENGTH(sizeof random)];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return error_set_errno(error, errno, "no random bytes for a secret");
    struct base64_encode_ctx encoder;
    base64url_encode_init(&encoder);
    size_t length = base64_encode_update(&encoder, text, sizeof random, random);
    base64_encode_final(&encoder, text + length);
    snprintf(secret, SECRET_BYTES, "%s%.43s", secret_prefix, text); /* without the padding */
    explicit_bzero(random, sizeof random);
    explicit_bzero(text, sizeof text);
    return 0;
}

int token_secret_check(const char *secret, struct error *error)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
    size_t length = strlen(secret);
    if (length < SECRET_MIN || length > SECRET_MAX)
        return error_set(error, ERROR_INVALID, "a token has %d to %d characters, this one has %zu",
                         SECRET_MIN, SECRET_MAX, length);
    if (strspn(secret, allowed) < length)
        return error_set(error, ERROR_INVALID, "a token is made of letters, digits and -._~+/= only");
    return 0;
}

void token_hash(const char *secret, uint8_t hash[TOKEN_HASH_BYTES])
{
    digest_make(secret, strlen(secret), hash);
}

void token_hash_write(const uint8_t hash[TOKEN_HASH_BYTES], char text[TOKEN_HASH_TEXT_BYTES])
{
    size_t prefix = strlen(hash_prefix);
    memcpy(text, hash_prefix, prefix);
    base16_encode_update(text + prefix, TOKEN_HASH_BYTES, hash);
    text[TOKEN_HASH_TEXT_BYTES - 1] = '\0';
}

bool token_hash_read(const char *text, uint8_t hash[TOKEN_HASH_BYTES])
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t prefix = strlen(hash_prefix), length = TOKEN_HASH_BYTES;
    struct base16_decode_ctx decoder;
    if (strncmp(text, hash_prefix, prefix) != 0 || strlen(text) != TOKEN_HASH_TEXT_BYTES - 1 ||
        strspn(text + prefix, digits) != 2 * length)
        return false;
    base16_decode_init(&decoder);
    return base16_decode_update(&decoder, &length, hash, 2 * length, text + prefix);
}

/* ---- the file ---- */

enum { WORDS = 4 };

int tokens_path_check(const char *path, struct error *error)
{
    if (strncmp(path, secret_prefix, strlen(secret_prefix)) != 0 || strlen(path) < SECRET_BYTES - 1 ||
        access(path, F_OK) == 0)
        return 0;
    return error_set(error, ERROR_INVALID, "the file of tokens is given by its name; this is a token itself");
}

int tokens_load(char **out, const char *path, struct error *error)
{
    if (tokens_path_check(path, error) < 0)
        return -1;
    return file_read(out, path, "file of tokens", S_IROTH | S_IWOTH, TOKENS_FILE_BYTES, error);
}

/* Splits a line at blanks, in place. Returns the number of words, with those beyond WORDS. */
static int words_of(char *line, char *words[WORDS])
{
    int count = 0;
    for (char *word, *rest = line; (word = strsep(&rest, " \t\r"));) {
        if (!*word)
            continue;
        if (count < WORDS)
            words[count] = word;
        count++;
    }
    return count;
}

static int token_read(struct token *token, char *line, const char *path, int number, struct error *error)
{
    char *words[WORDS] = {NULL};
    int count = words_of(line, words);
    if (count == 1)
        return error_set(
            error, ERROR_INVALID,
            "%s, line %d: this may be a token, as coalesce takes it from COALESCED_TOKEN_FILE; the "
            "service's file is the list of users that coalesced token add writes",
            path, number);
    if (count != 3 && count != 4) /* the line may be a secret, so it is not repeated */
        return error_set(error, ERROR_INVALID,
                         "%s, line %d: NAME ROLE sha256:HASH is wanted, as coalesced token add writes it; "
                         "there are %d words",
                         path, number, count);
    *token = (struct token){.line = number};
    if (!user_name_valid(words[0]))
        return error_set(error, ERROR_INVALID,
                         "%s, line %d: " USER_NAME_RULE "; " OWNER_NOBODY " is reserved", path, number);
    memcpy(token->user.name, words[0], strlen(words[0]));
    int role = role_of(words[1]);
    if (role < 0)
        return error_set(error, ERROR_INVALID, "%s, line %d: the role must be metrics, read, run or admin",
                         path, number);
    token->user.role = (enum role)role;
    if (!token_hash_read(words[2], token->hash))
        return error_set(error, ERROR_INVALID,
                         "%s, line %d: the third word must be sha256: and 64 hexadecimal digits", path,
                         number);
    if (words[3] && snprintf(token->added, sizeof token->added, "%s", words[3]) >= (int)sizeof token->added)
        return error_set(error, ERROR_INVALID,
                         "%s, line %d: the fourth word is a time of at most %d characters", path, number,
                         TOKEN_ADDED_BYTES - 1);
    return 0;
}

bool tokens_line_is_nobody(const char *line)
{
    static const char blanks[] = " \t\r", word[] = "nobody";
    line += strspn(line, blanks);
    if (*line++ != '#')
        return false;
    line += strspn(line, blanks);
    if (strncmp(line, word, sizeof word - 1) != 0)
        return false;
    line += sizeof word - 1;
    line += strspn(line, blanks);
    return !*line || *line == '\n';
}

static int line_read(struct tokens *tokens, char *line, const char *path, int number, struct error *error)
{
    struct token token;
    tokens->nobody |= tokens_line_is_nobody(line);
    line += strspn(line, " \t\r");
    if (!*line || *line == '#')
        return 0;
    if (token_read(&token, line, path, number, error) < 0)
        return -1;
    const struct token *same = tokens_find(tokens, token.hash);
    if (same)
        return error_set(error, ERROR_INVALID, "%s, line %d: the same token as in line %d", path, number,
                         same->line);
    struct token *grown = realloc(tokens->at, (size_t)(tokens->count + 1) * sizeof *grown);
    if (!grown)
        return error_set(error, ERROR_MEMORY, "no memory for the tokens");
    tokens->at = grown;
    grown[tokens->count++] = token;
    return 0;
}

int tokens_parse(struct tokens **out, const char *text, const char *path, struct error *error)
{
    int failed = -1, number = 0;
    char *copy = strdup(text);
    struct tokens *tokens = calloc(1, sizeof *tokens);
    if (!copy || !tokens) {
        error_set(error, ERROR_MEMORY, "no memory for the tokens");
        goto out;
    }
    for (char *line, *rest = copy; (line = strsep(&rest, "\n"));)
        if (line_read(tokens, line, path, ++number, error) < 0)
            goto out;
    *out = tokens;
    tokens = NULL;
    failed = 0;
out:
    free(copy);
    tokens_free(tokens);
    return failed;
}

int tokens_read(struct tokens **tokens, const char *path, struct error *error)
{
    char *text;
    if (tokens_load(&text, path, error) < 0)
        return -1;
    int failed = tokens_parse(tokens, text, path, error);
    free(text);
    return failed;
}

void tokens_free(struct tokens *tokens)
{
    if (!tokens)
        return;
    free(tokens->at);
    free(tokens);
}

/* Returns -1 (all bits set) when the hashes are equal, otherwise 0, in constant time. It compares words:
   nettle's memeql_sec() compares bytes, and with forty tokens that took a tenth of a GET's time. */
static int hash_same(const uint8_t one[TOKEN_HASH_BYTES], const uint8_t other[TOKEN_HASH_BYTES])
{
    uint64_t a[TOKEN_HASH_BYTES / sizeof(uint64_t)], b[TOKEN_HASH_BYTES / sizeof(uint64_t)], differs = 0;
    memcpy(a, one, TOKEN_HASH_BYTES);
    memcpy(b, other, TOKEN_HASH_BYTES);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        differs |= a[i] ^ b[i];
    return (int)((differs | (0 - differs)) >> 63) - 1;
}

const struct token *tokens_find(const struct tokens *tokens, const uint8_t hash[TOKEN_HASH_BYTES])
{
    int found = -1;
    for (int i = 0; i < tokens->count; i++) {
        int same = hash_same(tokens->at[i].hash, hash);
        found = (found & ~same) | (i & same);
    }
    return found < 0 ? NULL : &tokens->at[found];
}
