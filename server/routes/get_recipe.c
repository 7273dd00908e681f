/* GET /v1/recipes/{name}: one of them, with its sweep and the published figures. */
#include "api/recipe.h"
#include "server/http/route.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct suggestion meant;
    const struct recipe *recipe = recipe_find(request_param(request));
    if (!recipe)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "there is no recipe %.64s%s GET /v1/recipes lists them", request_param(request),
                             recipe_suggest(&meant, request_param(request)));
    struct buffer body = {0};
    recipe_write(&(struct json_writer){.out = &body}, NULL, recipe);
    buffer_text(&body, "\n");
    return reply_immutable(request, &body, request_param(request));
}

const struct route route_get_recipe = {
    .method = "GET",
    .pattern = "/v1/recipes/{name}",
    .type = "application/json",
    .flags = ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};
