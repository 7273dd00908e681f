/* Finds the route of a path and a method. */
#include "server/http/route.h"

#include <stdbool.h>
#include <string.h>

/* Matches a path with a pattern; "*" matches any. Copies the segment that {...} stands for; a segment that is
   too long matches nothing. */
static bool pattern_fits(const char *pattern, const char *path, char *param, size_t size)
{
    param[0] = '\0';
    if (strcmp(pattern, "*") == 0)
        return true;
    while (*pattern) {
        if (*pattern != '{') {
            if (*pattern++ != *path++)
                return false;
            continue;
        }
        size_t length = strcspn(path, "/.");
        if (length == 0 || length >= size)
            return false;
        memcpy(param, path, length);
        param[length] = '\0';
        path += length;
        pattern = strchr(pattern, '}') + 1;
    }
    return *path == '\0';
}

/* Appends a method. Not snprintf(), because each request comes through here. */
static void allow_add(char *allow, size_t size, const char *method)
{
    size_t used = strlen(allow), length = strlen(method);
    if (used + length + sizeof ", " > size)
        return;
    if (used)
        memcpy(allow + used, ", ", 2);
    memcpy(allow + used + (used ? 2 : 0), method, length + 1);
    if (strcmp(method, "GET") == 0)
        allow_add(allow, size, "HEAD");
}

void route_find(const struct route *const *tables, const char *method, const char *path,
                struct route_match *match)
{
    *match = (struct route_match){0};
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
    for (const struct route *route = *tables; route; route = *++tables)
        for (; route->method; route++) {
            char param[sizeof match->param];
            if (!pattern_fits(route->pattern, path, param, sizeof param))
                continue;
            allow_add(match->allow, sizeof match->allow, route->method);
            if (strcmp(route->method, wanted) != 0)
                continue;
            match->route = route;
            memcpy(match->param, param, sizeof param);
        }
}

enum role route_role(const struct route *route)
{
    if (route->flags & ROUTE_ADMIN)
        return ROLE_ADMIN;
    if (route->flags & ROUTE_METRICS)
        return ROLE_METRICS;
    bool reads = route->flags & ROUTE_READ || strcmp(route->method, "GET") == 0;
    return reads ? ROLE_READ : ROLE_RUN;
}
