/* The names of roles, and the check of a user's name. */
#include "server/auth/user.h"

#include <string.h>

const struct user user_everybody = {.role = ROLE_ADMIN};

static const char *const role_names[ROLES] = {
    [ROLE_METRICS] = "metrics", [ROLE_READ] = "read", [ROLE_RUN] = "run", [ROLE_ADMIN] = "admin"};

const char *role_name(enum role role)
{
    return (unsigned)role < ROLES ? role_names[role] : "unknown";
}

int role_of(const char *name)
{
    for (int role = 0; role < ROLES; role++)
        if (strcmp(name, role_names[role]) == 0)
            return role;
    return -1;
}

bool user_name_valid(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@";
    size_t length = strspn(name, allowed);
    return length > 0 && length < USER_NAME_BYTES && !name[length] && !strchr("._-@", name[0]);
}
