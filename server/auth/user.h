/* A user: a name and a role. */
#ifndef COALESCED_SERVER_AUTH_USER_H
#define COALESCED_SERVER_AUTH_USER_H

#include <stdbool.h>

enum { USER_NAME_BYTES = 33 }; /* with the NUL */

/* The rule for names, for error messages, and the check. */
#define USER_NAME_RULE "a name has 1 to 32 letters, digits and ._-@, of which the first is a letter or digit"
bool user_name_valid(const char *name);

/* Each role includes those before it. */
enum role {
    ROLE_METRICS, /* reads /metrics */
    ROLE_READ,    /* reads everything */
    ROLE_RUN,     /* submits; cancels and removes what is its own */
    ROLE_ADMIN,   /* the same with everybody's; overrides the order, holds devices and the queue */
    ROLES
};

/* "metrics", "read", "run" or "admin"; static. */
const char *role_name(enum role role);

/* -1: no role has that name. */
int role_of(const char *name);

/* Passed by value, so it outlives its token. */
struct user {
    char name[USER_NAME_BYTES]; /* unique; empty: everybody, where there are no tokens */
    enum role role;
};

/* The user of every request where there is no token file: may do everything. */
extern const struct user user_everybody;

#endif
