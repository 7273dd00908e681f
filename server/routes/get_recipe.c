/* GET /v1/recipes/{name}: one of them, with its sweep and the published figures. */
#include <jansson.h>
#include <stdlib.h>

#include "api/json.h"
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
    json_t *object = recipe_document(recipe);
    char *text = object ? json_dumps(object, API_JSON_FLAGS) : NULL;
    json_decref(object);
    return reply_immutable_text(request, text, request_param(request));
}

const struct route route_get_recipe = {
    .method = "GET",
    .pattern = "/v1/recipes/{name}",
    .type = "application/json",
    .flags = ROUTE_CACHED | ROUTE_SLOW,
    .handle = handle,
};
