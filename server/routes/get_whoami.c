/* GET /v1/whoami: whose token it is that was sent, and what it may do. */
#include "api/text.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/route.h"
#include "server/auth/user.h"

static enum handled handle(struct request *request)
{
    const struct user *user = request_user(request);
    struct buffer body = {0};
    buffer_text(&body, "{\"name\":");
    text_string(&body, user->name[0] ? user->name : NULL);
    buffer_format(&body, ",\"role\":\"%s\"}\n", role_name(user->role));
    return reply_body(request, 200, &body);
}

const struct route route_get_whoami = {
    .method = "GET",
    .pattern = "/v1/whoami",
    .type = "application/json",
    .flags = ROUTE_METRICS,
    .handle = handle,
};
