/* Who may speak to the service: the bearer tokens of a file, one a line; '#' begins a comment line. */
#ifndef COALESCED_SERVER_HTTP_ADMISSION_TOKENS_H
#define COALESCED_SERVER_HTTP_ADMISSION_TOKENS_H

#include <stdbool.h>

#include "base/error.h"

struct tokens;

/* Reads the file. -1: ERROR_INVALID when others than its owner and group may read it, when it holds no token
   or a line that cannot be one; ERROR_SYSTEM. */
int tokens_read(struct tokens **tokens, const char *path, struct error *error);

/* NULL is allowed. */
void tokens_free(struct tokens *tokens);

/* Is it one of them? The time it takes tells nothing but the length of what was presented. Any thread. */
bool tokens_allow(const struct tokens *tokens, const char *presented);

#endif
