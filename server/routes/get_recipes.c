/* GET /v1/recipes: the published tables that can be run as sweeps. */
#include "api/recipe.h"
#include "server/http/route.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    json_writer_begin_object(&json, NULL);
    json_writer_begin_array(&json, "recipes");
    for (int i = 0; i < recipe_count(); i++)
        recipe_write_summary(&json, NULL, recipe_at(i));
    json_writer_end(&json);
    json_writer_end(&json);
    buffer_text(&body, "\n");
    return reply_immutable(request, &body, "recipes");
}

const struct route route_get_recipes = {
    .method = "GET",
    .pattern = "/v1/recipes",
    .type = "application/json",
    .flags = ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};
