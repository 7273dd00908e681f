#include "server/http/admission/tokens.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"

enum { TOKEN_BYTES = 256, TOKEN_WEAK_BYTES = 16, FILE_BYTES = 1 << 20 };

struct tokens {
    int count;
    char (*at)[TOKEN_BYTES]; /* padded with zeros */
};

static int tokens_add(struct tokens *tokens, const char *text, size_t length)
{
    char(*grown)[TOKEN_BYTES] = realloc(tokens->at, (size_t)(tokens->count + 1) * sizeof *tokens->at);
    if (!grown)
        return -1;
    tokens->at = grown;
    memset(grown[tokens->count], 0, TOKEN_BYTES);
    memcpy(grown[tokens->count++], text, length);
    return 0;
}

/* One line, without its end. The characters are RFC 6750's: anything else could never be presented. */
static int line_read(struct tokens *tokens, char *line, const char *path, int number, struct error *error)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t\r\n");
    if (length == 0 || line[0] == '#')
        return 0;
    if (line[length + strspn(line + length, " \t\r\n")] != '\0')
        return error_set(error, ERROR_INVALID, "%s, line %d: one token a line, without spaces", path, number);
    if (strspn(line, allowed) < length)
        return error_set(error, ERROR_INVALID,
                         "%s, line %d: a token is made of letters, digits and -._~+/= only", path, number);
    if (length >= TOKEN_BYTES)
        return error_set(error, ERROR_INVALID, "%s, line %d: a token has at most %d characters", path, number,
                         TOKEN_BYTES - 1);
    if (length < TOKEN_WEAK_BYTES)
        log_warning("%s, line %d: a token of %zu characters can be guessed", path, number, length);
    if (tokens_add(tokens, line, length) < 0)
        return error_set(error, ERROR_MEMORY, "no memory for the tokens");
    return 0;
}

static int file_check(FILE *file, const char *path, struct error *error)
{
    struct stat status;
    if (fstat(fileno(file), &status) < 0)
        return error_set_errno(error, errno, "%s", path);
    if (status.st_mode & (S_IROTH | S_IWOTH))
        return error_set(error, ERROR_INVALID,
                         "%s can be read or written by everybody on this machine: chmod 600 it first", path);
    if (S_ISREG(status.st_mode) && status.st_size > FILE_BYTES)
        return error_set(error, ERROR_INVALID, "%s is too large for a file of tokens", path);
    return 0;
}

int tokens_read(struct tokens **out, const char *path, struct error *error)
{
    int failed = -1;
    char *line = NULL;
    size_t room = 0;
    struct tokens *tokens = NULL;
    FILE *file = fopen(path, "re");
    if (!file) {
        error_set_errno(error, errno, "cannot read the tokens of %s", path);
        goto out;
    }
    if (file_check(file, path, error) < 0)
        goto out;
    tokens = calloc(1, sizeof *tokens);
    if (!tokens) {
        error_set(error, ERROR_MEMORY, "no memory for the tokens");
        goto out;
    }
    for (int number = 1; getline(&line, &room, file) >= 0; number++)
        if (line_read(tokens, line, path, number, error) < 0)
            goto out;
    if (!tokens->count) {
        error_set(error, ERROR_INVALID, "%s holds no token", path);
        goto out;
    }
    *out = tokens;
    tokens = NULL;
    failed = 0;
out:
    if (line)
        explicit_bzero(line, room);
    free(line);
    tokens_free(tokens);
    if (file)
        fclose(file);
    return failed;
}

void tokens_free(struct tokens *tokens)
{
    if (!tokens)
        return;
    if (tokens->at)
        explicit_bzero(tokens->at, (size_t)tokens->count * sizeof *tokens->at);
    free(tokens->at);
    free(tokens);
}

/* Both padded with zeros, so every byte is looked at whatever the lengths are. */
static unsigned difference(const char *one, const char *other)
{
    unsigned differs = 0;
    for (size_t i = 0; i < TOKEN_BYTES; i++)
        differs |= (unsigned char)one[i] ^ (unsigned char)other[i];
    return differs;
}

bool tokens_allow(const struct tokens *tokens, const char *presented)
{
    char padded[TOKEN_BYTES] = {0};
    size_t length = strlen(presented);
    if (length == 0 || length >= TOKEN_BYTES)
        return false;
    memcpy(padded, presented, length);
    volatile unsigned allowed = 0;
    for (int i = 0; i < tokens->count; i++)
        allowed |= difference(tokens->at[i], padded) == 0;
    return allowed;
}
