/* Who may use a running service: the users of a token file, which a thread looks at once a second, so that a change of it holds
   without a restart and no request waits for the disk. A file that cannot be read, has a wrong line, or no token
   and no line `# nobody`, changes nothing but the log and users_wrong(): those that were there stay, until it is right
   again. */
#ifndef COALESCED_SERVER_AUTH_USERS_H
#define COALESCED_SERVER_AUTH_USERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "server/auth/user.h"

struct users;

/* Reads the file. -1: as tokens_read() does, and ERROR_INVALID when it holds no token and does not say
   `# nobody`. */
int users_start(struct users **users, const char *path, struct error *error);

/* NULL is allowed. */
void users_stop(struct users *users);

/* ---- any thread; none of these blocks for longer than a moment ---- */

/* Whose secret is it? *token is the token's number, never 0: another one for each line that changed. False: nobody's. */
bool users_find(struct users *users, const char *secret, struct user *user, uint64_t *token);

/* Does that token still stand in the file, with the same name and role? */
bool users_hold(struct users *users, uint64_t token);

/* Grows with each change of the file that was taken up. */
unsigned users_changes(struct users *users);

/* Is what holds not what stands in the file, and why? */
bool users_wrong(struct users *users, struct error *why);

#endif
