/* The subcommand `coalesced token add|list|revoke`, and its changes of the token file. The file is replaced
   as a whole, so that a service that reads it, and a power failure, find either the old or the new one.
   Programs that change it at the same time wait for each other. */
#pragma once

#include "base/error.h"
#include "server/auth/tokens.h"

/* argv[0] is "token". Returns the exit status: 0, 1 after a failure, 2 for wrong arguments. */
int token_command(int argc, char **argv);

/* Adds a token with that secret; makes a new file with mode 600 if there is none. -1: ERROR_INVALID (the
   name, the secret, or the present file, see tokens.h), ERROR_CONFLICT (the secret is in the file),
   ERROR_SYSTEM, ERROR_MEMORY. */
int token_file_add(const char *path, const struct user *user, const char *secret, struct error *error);

/* Removes all tokens of that name; a file that then has none gets the line `# nobody` (tokens.h). Other lines
   stay as they are. Returns how many were removed, or -1: ERROR_NOT_FOUND, and as above. */
int token_file_revoke(const char *path, const char *name, struct error *error);
