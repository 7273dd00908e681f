/* The token file's text: whatever it holds, it is read or rejected with a reason, and each token of it
   stands in a line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/auth/tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tokens *tokens = NULL;
    struct error error = {0};
    char *text = strndup((const char *)data, size);
    if (!text)
        return 0;
    if (tokens_parse(&tokens, text, "the file", &error) < 0) {
        if (error.kind == ERROR_NONE || !error.text[0] || tokens)
            abort();
        free(text);
        return 0;
    }
    for (int i = 0; i < tokens->count; i++) {
        char hash[TOKEN_HASH_TEXT_BYTES];
        const struct token *token = &tokens->at[i];
        token_hash_write(token->hash, hash);
        if (tokens_find(tokens, token->hash) != token || !user_name_valid(token->user.name) ||
            !strstr(text, token->user.name) || !strcasestr(text, hash + strlen("sha256:")))
            abort();
    }
    free(text);
    tokens_free(tokens);
    return 0;
}
