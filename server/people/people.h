/* Who may use a running service: the people of a token file, which a thread looks at once a second, so that a change of it holds
   without a restart and no request waits for the disk. A file that cannot be read, has a wrong line, or no token
   and no line `# nobody`, changes nothing but the log and people_wrong(): those that were there stay, until it is right
   again. */
#ifndef COALESCED_SERVER_PEOPLE_PEOPLE_H
#define COALESCED_SERVER_PEOPLE_PEOPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "server/people/person.h"

struct people;

/* Reads the file. -1: as tokens_read() does, and ERROR_INVALID when it holds no token and does not say
   `# nobody`. */
int people_start(struct people **people, const char *path, struct error *error);

/* NULL is allowed. */
void people_stop(struct people *people);

/* ---- any thread; none of these blocks for longer than a moment ---- */

/* Whose secret is it? *token is the token's number, never 0: another one for each line that changed. False: nobody's. */
bool people_find(struct people *people, const char *secret, struct person *person, uint64_t *token);

/* Does that token still stand in the file, with the same name and role? */
bool people_hold(struct people *people, uint64_t token);

/* Grows with each change of the file that was taken up. */
unsigned people_changes(struct people *people);

/* Is what holds not what stands in the file, and why? */
bool people_wrong(struct people *people, struct error *why);

#endif
