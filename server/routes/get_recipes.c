/* GET /v1/recipes: the published tables that can be run as sweeps. */
#include <jansson.h>
#include <stdlib.h>

#include "api/json.h"
#include "api/recipe.h"
#include "server/http/route.h"
#include "server/routes/service.h"

static enum handled handle(struct request *request)
{
    json_t *list = json_array();
    for (int i = 0; i < recipe_count(); i++)
        json_array_append_new(list, recipe_summary(recipe_at(i)));
    json_t *object = json_pack("{s:o}", "recipes", list);
    char *text = object ? json_dumps(object, API_JSON_FLAGS) : NULL;
    json_decref(object);
    return reply_immutable_text(request, text, "recipes");
}

const struct route route_get_recipes = {
    .method = "GET",
    .pattern = "/v1/recipes",
    .type = "application/json",
    .flags = ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};
