/* Changes of the token file. It is replaced as a whole: a service that reads it meanwhile, and a power cut, find either the old
   one or the new one. Changes by several programs at once come one after the other. */
#ifndef COALESCED_SERVER_AUTH_TOKEN_FILE_H
#define COALESCED_SERVER_AUTH_TOKEN_FILE_H

#include "base/error.h"
#include "server/auth/user.h"

/* Adds a token of that secret, to a new file of mode 600 where there is none. -1: ERROR_INVALID, the name, the secret, or the file
   as it was (tokens.h); ERROR_CONFLICT, the secret is there already; ERROR_SYSTEM; ERROR_MEMORY. */
int token_file_add(const char *path, const struct user *user, const char *secret, struct error *error);

/* Removes all tokens of that name; a file that then has none says so by the line `# nobody` (tokens.h). How many; or -1: ERROR_NOT_FOUND, and as above. Comments and other lines stay as they are. */
int token_file_revoke(const char *path, const char *name, struct error *error);

#endif
