/* The users of a running service, from the token file. The thread "users" looks at the file once a second,
   so that a change applies without a restart and no request waits for the disk. A file that cannot be read,
   has an invalid line, or has neither a token nor the line `# nobody`, changes nothing: the earlier users
   stay, and the log and users_wrong() say why. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "server/auth/tokens.h"

struct users;

/* Reads the file, which must exist. 0, or -1 with the errors of tokens_read(), and ERROR_INVALID when the
   file has neither a token nor `# nobody`. */
int users_start(struct users **users, const char *path, struct error *error);

/* NULL is allowed. */
void users_stop(struct users *users);

/* ---- any thread; these hold a lock for microseconds ---- */

/* Finds the token with that secret. *token is its number, never 0; a line that changes its name or role gets
   another number. False: no such token. */
bool users_find(struct users *users, const char *secret, struct user *user, uint64_t *token);

/* True while the token is in the file, with the same name and role. */
bool users_hold(struct users *users, uint64_t token);

/* A counter that grows with each change of the file that was applied. */
unsigned users_changes(struct users *users);

/* True, with the reason, when the file as it is now could not be applied. */
bool users_wrong(struct users *users, struct error *why);
