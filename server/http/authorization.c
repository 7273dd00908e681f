/* Reads the Authorization field and compares roles. */
#include "server/http/authorization.h"

#include <stdio.h>
#include <string.h>

#include "server/http/header_field.h"
#include "server/http/request.h"
#include "server/auth/users.h"
#include "server/auth/secret.h"

/* Addresses are written to logs and histories. The hint does not repeat the token that stands in one. */
static const char *query_explain(const struct request *request)
{
    static const char *const names[] = {"access_token", "token", "api_key"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (request_query(request, names[i]))
            return ", not in the address, which others may see in a log";
    return "";
}

/* The one token in the Authorization field; NULL with the reason in `why`, which repeats nothing of the
   field: that may be a secret in the wrong place. */
static const char *token_presented(const struct request *request, char *why, size_t size)
{
    const char *field = request_header(request, MHD_HTTP_HEADER_AUTHORIZATION);
    const char *token = field ? header_field_bearer(field) : NULL;
    if (!field)
        snprintf(why, size, "this service wants a token: send \"Authorization: Bearer TOKEN\"%s",
                 query_explain(request));
    else if (request->authorizations > 1)
        snprintf(why, size, "one Authorization header is wanted, there are %d", request->authorizations);
    else if (!token)
        snprintf(why, size, "the Authorization header must be \"Bearer TOKEN\": the word, a blank, a token");
    else if (!token[0])
        snprintf(why, size, "there is no token after \"Bearer\"");
    else
        return token;
    return NULL;
}

/* Explains a token that is not in the file: it is malformed or was revoked. */
static void token_explain(const char *token, char *why, size_t size)
{
    struct error error = {0};
    if (secret_check(token, &error) < 0)
        snprintf(why, size, "%s", error.text);
    else
        snprintf(
            why, size,
            "this token is not known here, or was revoked: whoever runs the service can make another one "
            "(coalesced token add)");
}

bool authorization_token(struct request *request, char *why, size_t size)
{
    struct users *users = request->http->users;
    const struct route *route = request->match.route;
    if (!users || (route && route->flags & ROUTE_OPEN))
        return true;
    const char *token = token_presented(request, why, size);
    if (!token)
        return false;
    if (users_find(users, token, &request->user, &request->token))
        return true;
    token_explain(token, why, size);
    return false;
}

bool authorization_role(const struct request *request, char *why, size_t size)
{
    const struct route *route = request->match.route;
    if (!request->token || request->user.role >= route_role(route))
        return true;
    snprintf(why, size, "this wants the role %s, and the token of %s has %s", role_name(route_role(route)),
             request->user.name, role_name(request->user.role));
    return false;
}
