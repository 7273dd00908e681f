/* Parses lines of the token file and compares hashes in constant time. */
#include "server/auth/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { WORDS = 4 };

int tokens_load(char **out, const char *path, struct error *error)
{
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

/* A line of one word, as in files before names existed. It may be a secret, so the message does not repeat
   it. */
static int one_word_refuse(const char *path, int number, struct error *error)
{
    return error_set(
        error, ERROR_INVALID,
        "%s, line %d: one word alone. A bare token is not taken any more: a line is NAME ROLE "
        "sha256:HASH. Move the file away, and for each person: coalesced token add NAME --role run "
        "--token-file %s (a token that is in use is kept with --secret-stdin, which reads it)",
        path, number, path);
}

static int token_read(struct token *token, char *line, const char *path, int number, struct error *error)
{
    char *words[WORDS] = {NULL};
    int count = words_of(line, words);
    if (count == 1)
        return one_word_refuse(path, number, error);
    if (count != 3 && count != 4)
        return error_set(error, ERROR_INVALID,
                         "%s, line %d: NAME ROLE sha256:HASH is wanted, there are %d words", path, number,
                         count);
    *token = (struct token){.line = number};
    if (!user_name_valid(words[0]))
        return error_set(error, ERROR_INVALID, "%s, line %d: " USER_NAME_RULE, path, number);
    memcpy(token->user.name, words[0], strlen(words[0]));
    int role = role_of(words[1]);
    if (role < 0)
        return error_set(error, ERROR_INVALID, "%s, line %d: the role must be metrics, read, run or admin",
                         path, number);
    token->user.role = (enum role)role;
    if (!secret_hash_read(words[2], token->hash))
        return error_set(error, ERROR_INVALID,
                         "%s, line %d: the third word must be sha256: and 64 hexadecimal digits, as "
                         "coalesced token add writes it",
                         path, number);
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
static int hash_same(const uint8_t one[SECRET_HASH_BYTES], const uint8_t other[SECRET_HASH_BYTES])
{
    uint64_t a[SECRET_HASH_BYTES / sizeof(uint64_t)], b[SECRET_HASH_BYTES / sizeof(uint64_t)], differs = 0;
    memcpy(a, one, SECRET_HASH_BYTES);
    memcpy(b, other, SECRET_HASH_BYTES);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        differs |= a[i] ^ b[i];
    return (int)((differs | (0 - differs)) >> 63) - 1;
}

const struct token *tokens_find(const struct tokens *tokens, const uint8_t hash[SECRET_HASH_BYTES])
{
    int found = -1;
    for (int i = 0; i < tokens->count; i++) {
        int same = hash_same(tokens->at[i].hash, hash);
        found = (found & ~same) | (i & same);
    }
    return found < 0 ? NULL : &tokens->at[found];
}
