/* Who asks: a name and what it may do. */
#ifndef COALESCED_SERVER_AUTH_USER_H
#define COALESCED_SERVER_AUTH_USER_H

#include <stdbool.h>

enum { USER_NAME_BYTES = 33 }; /* with the NUL */

/* What a name is, for whoever gave another; and is it one? */
#define USER_NAME_RULE "a name has 1 to 32 letters, digits and ._-@, of which the first is a letter or digit"
bool user_name_valid(const char *name);

/* Each may do what those before it may. */
enum role {
    ROLE_METRICS, /* the scrape alone */
    ROLE_READ,    /* everything that changes nothing */
    ROLE_RUN,     /* submit; cancel and remove what is its own */
    ROLE_ADMIN,   /* the same with anybody's, go before others, hold devices and the queue */
    ROLES
};

/* "metrics", "read" ...; static. */
const char *role_name(enum role role);

/* -1 when there is none of that name. */
int role_of(const char *name);

/* By value: it outlives the token that it came with. */
struct user {
    char name[USER_NAME_BYTES]; /* unique; empty: everybody, where there are no tokens */
    enum role role;
};

/* Whoever reaches a service without tokens: one owner, who may do everything. */
extern const struct user user_everybody;

#endif
